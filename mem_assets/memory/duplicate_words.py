"""The word lists by which two texts are compared; read from duplicate_words.toml."""

import tomllib
from functools import cache
from importlib.resources import files

from mem_assets.hashing import sha256_json

DATA_FILE = "duplicate_words.toml"
LISTS = ("negations", "common", "units", "numbered")
PAIRS = ("opposites", "aliases", "counts")


@cache
def entries(name: str) -> frozenset[str]:
    """The entries of one list; raises ValueError, naming file and list, where it is none."""
    data = tomllib.loads(files(__package__).joinpath(DATA_FILE).read_text("utf-8"))
    value = data.get(name)
    if not isinstance(value, str):
        raise ValueError(f"{DATA_FILE}, {name}: not a text with one entry a line")
    return frozenset(entry.strip() for entry in value.split("\n") if entry.strip())


@cache
def pairs(name: str) -> tuple[tuple[str, str], ...]:
    """The entries of one list of pairs, sorted; raises ValueError where one is no pair."""
    found = []
    for entry in sorted(entries(name)):
        one, separator, other = entry.partition(" / ")
        if not separator:
            raise ValueError(f"{DATA_FILE}, {name}: {entry!r} is not `one / other`")
        found.append((one, other))
    return tuple(found)


@cache
def mapped(name: str) -> dict[str, str]:
    """One list of pairs as a mapping from the first to the second."""
    return dict(pairs(name))


@cache
def data_version() -> str:
    """Content hash of the word lists."""
    return sha256_json({name: sorted(entries(name)) for name in (*LISTS, *PAIRS)})
