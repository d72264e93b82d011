"""Failure classes: codes and phrases that mean one failure, as data (classes/<tool>.toml)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import re2

from mem_assets.hashing import sha256_json
from mem_assets.symptom.entities import exception_name
from mem_assets.symptom.words import (
    DATA,
    join_phrases,
    plain_text,
    raw_tokens,
    read_toml,
    stem,
    words,
)

CLASSES = DATA / "classes"
COMMON = "common"
_KEYS = ("tool", "also", "names", "abbreviations", "vocabulary", "family", "class")
_CLASS_KEYS = ("id", "words", "codes", "phrases", "bare", "unless", "match", "differ")


@dataclass(frozen=True)
class Phrase:
    """Stems that must all stand in one line. `bare`: the line may say nothing else."""

    stems: frozenset[str]
    bare: bool


@dataclass(frozen=True)
class FailureClass:
    """One failure of one tool.

    words   the normal form: sorted words, none of them a stop word
    codes   tokens that mean this failure wherever they stand
    unless  stems that, in the same line, say that a phrase means another failure; codes stand
    match, differ  texts that fire this class, and near ones that must not
    """

    id: str
    words: str
    codes: frozenset[str]
    phrases: tuple[Phrase, ...]
    unless: frozenset[str]
    match: tuple[str, ...]
    differ: tuple[str, ...]


@dataclass(frozen=True)
class CodeFamily:
    """Codes of one form, each its own failure: `E0599` gives the words `0599 error`."""

    id: str
    pattern: Any
    prefix: str


@dataclass(frozen=True)
class ToolClasses:
    """What one tool's file says, for the tool and for those in `also` (yarn prints npm's codes)."""

    tool: str
    also: tuple[str, ...]
    names: frozenset[str]
    abbreviations: Mapping[str, str]
    vocabulary: frozenset[str]
    families: tuple[CodeFamily, ...]
    classes: tuple[FailureClass, ...]


def line_stems(line: str) -> frozenset[str]:
    """Every token of a line as a class sees it: phrases joined, synonyms taken, stems."""
    tokens = join_phrases(raw_tokens(plain_text(line)))
    return frozenset(word for token in tokens for word in token_stems(token))


def token_stems(token: str) -> set[str]:
    """A folded token's stems. A compound ("affinity/selector", "routines::error") gives its parts
    too, and the full name of an exception its last part."""
    known = words()
    found = {stem(word) for word in known.synonyms.get(token, token).split()}
    if ":" in token or "/" in token:
        parts = token.replace(":", "/").split("/")
        for part in join_phrases([part for part in parts if part]):
            found.update(stem(word) for word in known.synonyms.get(part, part).split())
    if name := exception_name(token):
        found.add(name)
    return found


@cache
def load_classes() -> Mapping[str, ToolClasses]:
    """Every packaged table by tool. Raises ValueError naming the file and the class."""
    tables: dict[str, ToolClasses] = {}
    for path in sorted(CLASSES.glob("*.toml")):
        table = _read_table(path)
        for tool in (table.tool, *table.also):
            if tool in tables:
                raise ValueError(f"{path.name}: tool {tool!r} has a table already; join the two")
            tables[tool] = table
    if COMMON not in tables:
        raise ValueError(f"{CLASSES.name}/{COMMON}.toml is missing: install the package again")
    _check_distinct(tables)
    return tables


@cache
def classes_version() -> str:
    """SHA-256 over the classes and words: it changes when a normal form may change."""
    files = [DATA / "words.toml", *sorted(CLASSES.glob("*.toml"))]
    return sha256_json({path.name: path.read_text(encoding="utf-8") for path in files})


def tables_for(tool: str) -> tuple[ToolClasses, ...]:
    """The tool's own table, where it has one, before the common ground."""
    tables = load_classes()
    own = (tables[tool],) if tool in tables and tool != COMMON else ()
    return (*own, tables[COMMON])


def _read_table(path: Path) -> ToolClasses:
    data = read_toml(path, _KEYS)
    if data.get("tool") != path.stem:
        raise ValueError(f"{path.name}: `tool` must be {path.stem!r}, as the file's name says")
    classes = tuple(_read_class(path, entry) for entry in data.get("class", []))
    families = tuple(_read_family(path, entry) for entry in data.get("family", []))
    ids = [entry.id for entry in classes] + [family.id for family in families]
    if doubled := sorted({name for name in ids if ids.count(name) > 1}):
        raise ValueError(f"{path.name}: class {doubled[0]!r} stands twice")
    return ToolClasses(
        tool=data["tool"],
        also=tuple(data.get("also", [])),
        names=frozenset(data.get("names", "").split()),
        abbreviations=data.get("abbreviations", {}),
        vocabulary=frozenset(stem(word) for word in data.get("vocabulary", "").split()),
        families=families,
        classes=classes,
    )


def _read_family(path: Path, entry: dict[str, Any]) -> CodeFamily:
    if set(entry) != {"id", "pattern", "prefix"}:
        raise ValueError(f"{path.name}: family {entry.get('id')!r}: keys are id, pattern, prefix")
    try:
        pattern = re2.compile(entry["pattern"])
    except re2.error as error:
        raise ValueError(f"{path.name}: family {entry['id']!r}: pattern: {error}") from error
    if pattern.groups != 1:
        raise ValueError(f"{path.name}: family {entry['id']!r}: pattern needs one group, the code")
    return CodeFamily(entry["id"], pattern, entry["prefix"])


def _read_class(path: Path, entry: dict[str, Any]) -> FailureClass:
    where = f"{path.name}: class {entry.get('id')!r}"
    if unknown := sorted(set(entry) - set(_CLASS_KEYS)):
        raise ValueError(f"{where}: unknown key {unknown[0]!r}; known: {sorted(_CLASS_KEYS)}")
    for key in ("id", "words", "match"):
        if not entry.get(key):
            raise ValueError(f"{where}: key {key!r} is missing")
    canonical = entry["words"].split()
    if canonical != sorted(set(canonical)) or set(canonical) & words().stop:
        raise ValueError(f"{where}: `words` must be sorted, each once, and hold no stop word")
    phrases = [
        *(Phrase(line_stems(text) - words().stop, False) for text in entry.get("phrases", [])),
        *(Phrase(line_stems(text) - words().stop, True) for text in entry.get("bare", [])),
    ]
    if not phrases and not entry.get("codes"):
        raise ValueError(f"{where}: give `codes` or `phrases`: nothing would fire it")
    if vague := [phrase for phrase in phrases if not phrase.stems]:
        raise ValueError(f"{where}: phrase {phrases.index(vague[0]) + 1} holds stop words only")
    return FailureClass(
        id=entry["id"],
        words=entry["words"],
        codes=frozenset(code.lower() for code in entry.get("codes", [])),
        phrases=tuple(sorted(phrases, key=lambda phrase: (phrase.bare, sorted(phrase.stems)))),
        unless=frozenset(stem(word) for word in entry.get("unless", [])),
        match=tuple(entry["match"]),
        differ=tuple(entry.get("differ", [])),
    )


def _check_distinct(tables: Mapping[str, ToolClasses]) -> None:
    """Two classes of one tool, or one of a tool and one of the common ground, never share words."""
    common = tables[COMMON]
    for tool, table in sorted(tables.items()):
        seen: dict[str, str] = {}
        group: Iterable[FailureClass] = table.classes
        if table is not common:
            group = (*table.classes, *common.classes)
        for entry in group:
            other = seen.setdefault(entry.words, entry.id)
            if other != entry.id:
                raise ValueError(
                    f"{tool}.toml: classes {other!r} and {entry.id!r} share the words "
                    f"{entry.words!r}: two failures would hash alike"
                )
