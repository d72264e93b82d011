"""Pairs of failures that must hash alike, or must not: what a change of rules may not break.

A file of pairs is tab-separated text. Lines that start with ``#``, and blank ones, say nothing; the
first other line is the head ``verdict tool a b why``; each further one is a pair:

    verdict  merge (one signature) or split (two)
    tool     the tool given, ``-`` for none (it is detected), ``x|y`` where a and b have their own
    a, b     the text itself, with ``\\n``, ``\\t``, ``\\e`` (escape) and ``\\\\``; or ``@`` and the
             path of a log (plain, .gz or .zst), seen from the folder of the file
    why      what the pair guards, for whoever breaks it
"""

import re
from dataclasses import dataclass
from typing import Literal, cast

from mem_assets.signature.comparison import compare
from mem_assets.signature.extraction import extract
from mem_assets.signature.rules import RuleBook

FIELDS = ("verdict", "tool", "a", "b", "why")
NO_TOOL = "-"
LOG_MARK = "@"
_ESCAPES = {"n": "\n", "t": "\t", "e": "\x1b", "\\": "\\"}


class PairError(ValueError):
    """A file of pairs is wrong; the message names file, line, field and what to change."""


@dataclass(frozen=True)
class Sample:
    """One side of a pair. log: the path of a log, "" where `text` stands in the file itself."""

    tool: str | None
    text: str
    log: str = ""


@dataclass(frozen=True)
class Pair:
    """One row; place is ``<file>:<line>``. key: what a row of one's own stands instead of."""

    verdict: Literal["merge", "split"]
    a: Sample
    b: Sample
    why: str
    place: str

    @property
    def key(self) -> tuple[Sample, Sample]:
        return self.a, self.b


def parse_pairs(file: str, text: str) -> tuple[Pair, ...]:
    """The pairs of a file's text. Raises PairError at the first row that breaks the format."""
    pairs: list[Pair] = []
    seen: dict[tuple[Sample, Sample], str] = {}
    head = False
    for number, line in enumerate(text.split("\n"), start=1):
        line = line.removesuffix("\r")
        if not line.strip() or line.startswith("#"):
            continue
        place, values = f"{file}:{number}", line.split("\t")
        if not head:
            if tuple(values) != FIELDS:
                raise PairError(f"{place}: the first row must be the head: {' '.join(FIELDS)}")
            head = True
            continue
        pair = _pair(place, values)
        if pair.key in seen:
            raise PairError(f"{place}: the same pair stands at {seen[pair.key]}: remove one")
        seen[pair.key] = place
        pairs.append(pair)
    if not pairs:
        raise PairError(f"{file}: no pair in it: the head, then a row for each")
    return tuple(pairs)


def _pair(place: str, values: list[str]) -> Pair:
    if len(values) != len(FIELDS):
        raise PairError(
            f"{place}: {len(values)} fields, not {len(FIELDS)} ({', '.join(FIELDS)}): write a tab "
            "between two, and \\t for one inside a text"
        )
    row = dict(zip(FIELDS, values, strict=True))
    for field in FIELDS:
        if not row[field].strip():
            raise PairError(f"{place}: field '{field}': is empty")
    if row["verdict"] not in ("merge", "split"):
        raise PairError(f"{place}: field 'verdict': {row['verdict']!r} is neither merge nor split")
    tools = [name.strip() for name in row["tool"].split("|")]
    if len(tools) > 2 or not all(tools):
        raise PairError(f"{place}: field 'tool': write one tool, '-', or a's and b's as x|y")
    a = _sample(place, "a", row["a"], tools[0])
    b = _sample(place, "b", row["b"], tools[-1])
    if a == b:
        raise PairError(f"{place}: field 'b': is the same as 'a': such a pair shows nothing")
    verdict = cast(Literal["merge", "split"], row["verdict"])
    return Pair(verdict, a, b, row["why"].strip(), place)


def _sample(place: str, field: str, value: str, tool: str) -> Sample:
    given = None if tool == NO_TOOL else tool
    if value.startswith(LOG_MARK):
        return Sample(given, "", value.removeprefix(LOG_MARK))

    def unescaped(match: re.Match[str]) -> str:
        if match[1] not in _ESCAPES:
            raise PairError(
                f"{place}: field '{field}': '{match[0]}' is no escape: write \\\\ for a backslash"
            )
        return _ESCAPES[match[1]]

    return Sample(given, re.sub(r"\\(.?)", unescaped, value))


def broken(pair: Pair, a: str, b: str, *, rules: RuleBook | None = None) -> str | None:
    """What is wrong with a pair under these rules, given both texts; None if it holds."""
    one = extract(pair.a.tool, a, rules=rules)
    other = extract(pair.b.tool, b, rules=rules)
    found = compare(one, other, rules=rules)
    if one is None or other is None or (pair.verdict == "merge" and not found.same):
        reasons = [cause.text for cause in found.causes]
        if found.parting is not None:
            where = f"line {found.parting.line}, column {found.parting.column}"
            sides = f"{found.parting.a.around!r} and {found.parting.b.around!r}"
            reasons.append(f"their normal forms part at {where}: {sides}")
        return f"{pair.place}: must {pair.verdict} ({pair.why}): {'; '.join(reasons)}"
    if pair.verdict == "split" and found.same:
        form = one.normalised.split("\n")[0]
        return f"{pair.place}: must split ({pair.why}): both are {form!r}, by {one.rule}"
    return None
