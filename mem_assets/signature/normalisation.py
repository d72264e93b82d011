"""What differs between two runs of one failure becomes a placeholder; what tells failures apart
stays. The substitutions are data, `substitutions.toml`, applied in order."""

import functools
import tomllib
from dataclasses import asdict, dataclass
from importlib import resources
from typing import Any

import re2

from mem_assets.hashing import sha256_json
from mem_assets.signature.rules import compiled
from mem_assets.signature.text import clean

_PASSES = 6
"""Passes until nothing changes: removing a path may join what is then a hash. Two are usual."""

_AUTOMATON_BYTES = 64 * 1024 * 1024

_HEX_DIGITS = frozenset("0123456789")


@dataclass(frozen=True)
class Substitution:
    """One named replacement.

    pattern  RE2; where its group `keep` takes part in a match, the match stays as it is
    put      replacement, with \\\\1 for groups
    only     "hex_mixed": the match must have a digit and a letter, else English words and byte
             counts would vanish
    """

    name: str
    pattern: str
    put: str
    only: str = ""
    example: str = ""
    gives: str = ""


@functools.cache
def substitutions() -> tuple[Substitution, ...]:
    """The substitutions in order. Their patterns and examples are checked by the package's tests,
    not at each start."""
    file = resources.files("mem_assets.signature") / "substitutions.toml"
    data = tomllib.loads(file.read_text(encoding="utf-8"))
    return tuple(Substitution(**entry) for entry in data["substitution"])


@functools.cache
def substitutions_version() -> str:
    """Hash of the substitutions, in order."""
    return sha256_json([asdict(one) for one in substitutions()])


def normalise(text: str) -> str:
    """Normal form of an error text; normalising it again changes nothing."""
    return _settled(_tidy(clean(text)))


def explain_normalise(text: str) -> list[tuple[str, str, str]]:
    """Every replacement that normalising makes: its name, what it replaced, with what."""
    found: list[tuple[str, str, str]] = []
    cleaned = clean(text)
    if cleaned != text:
        found.append(("terminal_codes_and_prefixes", text, cleaned))
    _settled(_tidy(cleaned), found)
    return found


def _settled(text: str, found: list[tuple[str, str, str]] | None = None) -> str:
    """A text substituted until nothing changes. One automaton tells which patterns stand in it."""
    for _ in range(_PASSES):
        before = text
        matching = _matching(text)
        for index, one in enumerate(substitutions()):
            if index in matching and (changed := apply(one, text, found)) != text:
                text, matching = changed, _matching(changed)
        text = _tidy(clean(text))
        if text == before:
            break
    return text


def _matching(text: str) -> set[int]:
    return set(_automaton().Match(text.encode("utf-8", "replace")) or ())


@functools.cache
def _automaton() -> Any:
    options = re2.Options()
    options.log_errors = False
    options.max_mem = _AUTOMATON_BYTES
    found = re2.Set.SearchSet(options)
    for one in substitutions():
        found.Add(one.pattern)
    found.Compile()
    return found


def normalise_cmd(cmd: str) -> str:
    """Normal form of a command: as for a text, and the names of files under a volatile folder
    go too, since a command's temporary file says nothing about the command."""
    text = normalise(cmd)
    text = compiled(r"(?m)^(?:[$+%#>] )*(?:sudo )?").sub("", text)
    return compiled(r"(<(?:TMP|PATH|WORKSPACE|DEPS)>)(?:/[^\s\"'`:;,()]*)?").sub(r"\1", text)


def apply(one: Substitution, text: str, found: list[tuple[str, str, str]] | None = None) -> str:
    """A text after one substitution alone; each replacement is added to `found`."""
    pattern = compiled(one.pattern)
    if pattern.search(text) is None:
        return text

    def replaced(match: Any) -> str:
        whole: str = match.group(0)
        if match.groupdict().get("keep") is not None:
            return whole
        if one.only == "hex_mixed" and not _is_mixed(whole):
            return whole
        new: str = match.expand(one.put)
        if found is not None and new != whole:
            found.append((one.name, whole, new))
        return new

    return str(pattern.sub(replaced, text))


def _is_mixed(token: str) -> bool:
    return not _HEX_DIGITS.isdisjoint(token) and not _HEX_DIGITS.issuperset(token)


def _tidy(text: str) -> str:
    """Lines with single blanks and none at their ends; no empty lines."""
    lines = (" ".join(line.split()) for line in text.split("\n"))
    return "\n".join(line for line in lines if line)
