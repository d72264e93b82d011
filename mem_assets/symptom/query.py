"""The symptom hash: one normal form for what an engineer asks and for what a tool printed.

Order of the steps, each of which works on one line: fold the text, recognise phrases (negation
first), set aside the names of things, take codes, drop stop words, stem, sort. A failure class
that fires replaces the words by its own.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache

import re2

from mem_assets.hashing import sha256_text
from mem_assets.symptom.classes import (
    FailureClass,
    ToolClasses,
    tables_for,
    token_stems,
)
from mem_assets.symptom.entities import exception_name, is_number, read_entity
from mem_assets.symptom.model import SymptomVector
from mem_assets.symptom.words import join_phrases, plain_text, raw_tokens, stem, words

MAX_CHARACTERS = 1 << 16
"""Of a longer text only the head is read: an error that is a megabyte long is not a query."""
UNKNOWN = "unknown"
_STATUS_CUES = frozenset({"http", "status", "https", "response", "server", "request"})
_CODE = re2.compile(r"e[0-9]{3,5}|ts[0-9]{4,5}|[a-z]{1,4}-?[0-9]{4,5}|err_[a-z0-9_]+")
_FEWEST_KEYWORDS = 2
_MOST_UNKNOWN = 2
"""Words beside a bare phrase that are taken for names of things; more of them tell a story."""


@dataclass(frozen=True)
class SymptomTokens:
    """What a text says, before its normal form. Each field is sorted, without repetition.

    fired  the class or code family that names the failure, with its words; None where none does
    """

    tool: str
    keywords: tuple[str, ...]
    error_codes: tuple[str, ...]
    modules: tuple[str, ...]
    fired: tuple[str, str] | None


@dataclass(frozen=True)
class _Line:
    stems: frozenset[str]
    codes: frozenset[str]
    keywords: frozenset[str]
    modules: frozenset[str]


def project_symptom(tool: str, query: str) -> SymptomVector:
    """The symptom hash of a query or of a signature's text, for a lookup by equality.

    `tool` is part of the identity; an empty one counts as "unknown". `sym_sha` is None where fewer
    than two informative keywords stand and no failure class or code fires. `confidence` is
    1 - 2^-w with w = 2 for a class or code, plus 1/2 for each keyword (at most 6) and each name
    (at most 2), and 0 where there is no hash.
    """
    tool = plain_text(tool).strip() or UNKNOWN
    tokens = extract_keywords(tool, query)
    normalised = normalize_tokens(tokens)
    informative = [word for word in tokens.keywords if not word.isdigit()]
    hashed = tokens.fired is not None or len(informative) >= _FEWEST_KEYWORDS
    weight = 2.0 * (tokens.fired is not None)
    weight += 0.5 * (min(len(tokens.keywords), 6) + min(len(tokens.modules), 2))
    return SymptomVector(
        tool=tool,
        raw_query=query,
        normalised=normalised,
        sym_sha=sha256_text(f"{tool}\n{normalised}") if hashed else None,
        keywords=tokens.keywords,
        error_codes=tokens.error_codes,
        modules=tokens.modules,
        failure_class=tokens.fired[0] if tokens.fired else None,
        confidence=round(1.0 - 2.0**-weight, 4) if hashed else 0.0,
    )


def normalize_tokens(tokens: SymptomTokens) -> str:
    """The class's canonical words, else the keywords: sorted, each once, joined by a space."""
    return tokens.fired[1] if tokens.fired else " ".join(sorted(set(tokens.keywords)))


def expand_abbrev(tool: str, word: str) -> str:
    """What a short form stands for under a tool ("ERESOLVE" is "error resolve"), else the word.

    An error code of a known family is spelled out: "E0599" is "error 0599" under cargo.
    """
    folded = plain_text(word).strip()
    tables = tables_for(plain_text(tool).strip())
    for table in tables:
        if folded in table.abbreviations:
            return table.abbreviations[folded]
    for table in tables:
        for family in table.families:
            if match := family.pattern.fullmatch(folded):
                return f"{family.prefix} {match.group(1)}"
    return words().abbreviations.get(folded, word)


def extract_keywords(tool: str, query: str) -> SymptomTokens:
    """A text's keywords, codes, names and failure class. Any text is taken; none raises."""
    tables = tables_for(tool)
    lines = [_read_line(tool, tables, line) for line in _lines(query)]
    return SymptomTokens(
        tool=tool,
        keywords=_joined(line.keywords for line in lines),
        error_codes=_joined((code.upper() for code in line.codes) for line in lines),
        modules=_joined(line.modules for line in lines),
        fired=_fired(tables, lines),
    )


def _lines(text: str) -> list[str]:
    folded = plain_text(text[:MAX_CHARACTERS])
    return [line for line in folded.replace("\r", "\n").split("\n") if line.strip()]


def _joined(groups: Iterable[Iterable[str]]) -> tuple[str, ...]:
    return tuple(sorted({item for group in groups for item in group}))


def _read_line(tool: str, tables: tuple[ToolClasses, ...], line: str) -> _Line:
    known = words()
    tokens = list(join_phrases(raw_tokens(line)))
    stems: set[str] = set()
    codes: set[str] = set()
    keywords: set[str] = set()
    modules: set[str] = set()
    for token in tokens:
        stems |= token_stems(token)
        if _is_code(tables[0].tool, token):
            codes.add(token)
            stems.add(token)
            spelled = join_phrases(expand_abbrev(tool, token).split())
            keywords.update(_keywords(tool, spelled))
        elif name := exception_name(token):
            keywords.add(name)
        elif token in known.phrase_names or token.startswith("not_"):
            keywords.add(token)
        elif any(token in table.names for table in tables):
            modules.add(token)
        elif is_number(token):
            keywords.add(token)
        elif "/" in token and _in_vocabulary(tables, token.split("/")):
            keywords.update(_keywords(tool, join_phrases(token.split("/"))))
        elif (entity := read_entity(token)) is not None:
            modules.update(entity)
        elif "-" in token and not _in_vocabulary(tables, token.split("-")):
            modules.add(token)
        else:
            spelled = join_phrases(expand_abbrev(tool, token).split())
            keywords.update(_keywords(tool, spelled))
    if stems & _STATUS_CUES:
        codes.update(token for token in tokens if len(token) == 3 and token.isdigit())
    return _Line(frozenset(stems), frozenset(codes), frozenset(keywords), frozenset(modules))


def _keywords(tool: str, tokens: Iterable[str]) -> set[str]:
    """Stems of ordinary words. The tool's own name is said by the hash already."""
    known = words()
    found = set()
    for token in tokens:
        for part in token.split("-"):
            for word in known.synonyms.get(part, part).split():
                if len(word) > 1 and word not in known.empty and word != tool:
                    found.add(stem(word))
    return found


@lru_cache(maxsize=1 << 13)
def _is_code(tool: str, token: str) -> bool:
    if token in _known_codes(tool) or _CODE.fullmatch(token):
        return True
    tables = tables_for(tool)
    return any(family.pattern.fullmatch(token) for table in tables for family in table.families)


@cache
def _known_codes(tool: str) -> frozenset[str]:
    classes = (entry for table in tables_for(tool) for entry in table.classes)
    return frozenset(code for entry in classes for code in entry.codes)


@cache
def _vocabulary(tool: str) -> frozenset[str]:
    """Every stem that is a word of failures under a tool, and so no name."""
    known = words()
    found = set(known.vocabulary | known.empty | known.phrase_names)
    for table in tables_for(tool):
        found |= table.vocabulary
        for entry in table.classes:
            found.update(stem(word) for word in entry.words.split())
            found.update(word for phrase in entry.phrases for word in phrase.stems)
    return frozenset(found) | {stem(word) for word in known.noise}


def _in_vocabulary(tables: tuple[ToolClasses, ...], parts: Iterable[str]) -> bool:
    known = _vocabulary(tables[0].tool)
    return all(stem(part) in known or len(part) < 2 for part in parts)


def _fired(tables: tuple[ToolClasses, ...], lines: list[_Line]) -> tuple[str, str] | None:
    """The tool's own classes before the common ones; then the first line; then the closest fit.

    Fit: a code before a phrase, more words before fewer, then the class's name.
    """
    for table in tables:
        for line in lines:
            fits = [
                (-fit, entry.id, entry.words)
                for entry in table.classes
                if (fit := _fit(entry, line, _vocabulary(tables[0].tool)))
            ]
            if fits:
                return min(fits)[1:]
            if family := _family_fired(table, line):
                return family
    return None


def _family_fired(table: ToolClasses, line: _Line) -> tuple[str, str] | None:
    for code in sorted(line.codes):
        for family in table.families:
            if match := family.pattern.fullmatch(code):
                parts = {*family.prefix.split(), match.group(1)}
                return f"{family.id}.{match.group(1)}", " ".join(sorted(parts))
    return None


def _fit(entry: FailureClass, line: _Line, vocabulary: frozenset[str]) -> int:
    """0 where the class does not fire, else how much of the line it explains."""
    best = 100 if entry.codes & (line.codes | line.stems) else 0
    if entry.unless & line.stems:
        return best
    for phrase in entry.phrases:
        if not phrase.stems <= line.stems:
            continue
        rest = line.keywords - phrase.stems - _own_words(entry)
        if phrase.bare and (rest & vocabulary or len(rest) > _MOST_UNKNOWN):
            continue
        best = max(best, len(phrase.stems))
    return best


@cache
def _own_words(entry: FailureClass) -> frozenset[str]:
    return frozenset(stem(word) for word in entry.words.split())
