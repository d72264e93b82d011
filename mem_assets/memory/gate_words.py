"""The gate's data: word lists, phrases and patterns, checked when they are loaded.

Each pattern carries an example that it must match and one that it must not, so that a rule
which does not do what it says is refused before it judges anything.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import re2

from mem_assets.hashing import sha256_json

DATA_FILE = "gate_words.toml"

WORDS = (
    "stop", "vague", "marker", "repair", "irregular_past", "routine", "dangling", "question",
    "subject", "adverb", "auxiliary", "finite", "noun_too", "object", "errand",
)  # fmt: skip
PHRASES = ("connective", "fix")
PATTERNS = ("log_line", "unsafe", "announcement", "no_cause")


@dataclass(frozen=True)
class Pattern:
    """A named pattern of one kind (a table of the data file); matches anywhere in a text."""

    name: str
    regex: Any

    def search(self, text: str) -> bool:
        return self.regex.search(text) is not None


@dataclass(frozen=True)
class GateWords:
    """The data by list name; `phrases` are one regex a list; `version` is a content hash."""

    words: Mapping[str, frozenset[str]]
    phrases: Mapping[str, Any]
    patterns: Mapping[str, tuple[Pattern, ...]]
    version: str


@cache
def gate_words() -> GateWords:
    """The packaged data, loaded once. Raises ValueError, naming file and entry."""
    return parse_gate_words(files(__package__).joinpath(DATA_FILE).read_text("utf-8"))


def parse_gate_words(source: str) -> GateWords:
    """Check and compile the data; raises ValueError, naming file and entry, with what to do."""
    try:
        data = tomllib.loads(source)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{DATA_FILE}: not TOML ({error}): correct this line") from None
    return GateWords(
        words={name: frozenset(_text(data, "words", name).split()) for name in WORDS},
        phrases={name: _any_of(_text(data, "phrases", name).split("\n")) for name in PHRASES},
        patterns={name: _patterns(data, name) for name in PATTERNS},
        version=sha256_json(data),
    )


def _text(data: Mapping[str, Any], table: str, name: str) -> str:
    value = data.get(table, {}).get(name)
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"{DATA_FILE}, {table}.{name}: write a text with at least one entry")
    if value != value.lower():
        raise ValueError(f"{DATA_FILE}, {table}.{name}: write every entry in lower case")
    return value


def _any_of(phrases: list[str]) -> Any:
    """One regex for whole phrases; of two, one of which begins the other, the longer first."""
    entries = sorted(
        {phrase.strip() for phrase in phrases if phrase.strip()}, key=lambda x: -len(x)
    )
    joined = "|".join(re2.escape(entry).replace(r"\ ", r"\s+") for entry in sorted(entries))
    return re2.compile(rf"(?:^|[^\w])({joined})(?:$|[^\w])")


def _patterns(data: Mapping[str, Any], kind: str) -> tuple[Pattern, ...]:
    found = []
    for number, entry in enumerate(data.get(kind, []), 1):
        place = f"{DATA_FILE}, {kind} {number}"
        fields = {"name", "pattern", "example", "counter"}
        if set(entry) != fields or not all(isinstance(value, str) for value in entry.values()):
            raise ValueError(f"{place}: write exactly {', '.join(sorted(fields))}, each a string")
        options = re2.Options()
        options.case_sensitive = kind == "log_line"
        options.log_errors = False
        try:
            pattern = Pattern(entry["name"], re2.compile(entry["pattern"], options))
        except re2.error as error:
            raise ValueError(f"{place} ({entry['name']}): {error}: correct the pattern") from None
        if not pattern.search(entry["example"]):
            raise ValueError(f"{place} ({entry['name']}): does not match its example")
        if pattern.search(entry["counter"]):
            raise ValueError(f"{place} ({entry['name']}): matches its counter-example")
        found.append(pattern)
    if not found:
        raise ValueError(f"{DATA_FILE}: no [[{kind}]]: write at least one")
    return tuple(found)
