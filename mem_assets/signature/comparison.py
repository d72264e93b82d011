"""Whether two failures are one signature, and if not, why and where their normal forms part."""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mem_assets.signature.model import Signature
from mem_assets.signature.normalisation import explain_normalise, normalise
from mem_assets.signature.rules import RuleBook, compiled, packaged_rules

WORDS_AROUND = 3
MAX_AROUND = 160
"""Characters of a line that are shown around a place: some lines are one long word."""

Change = tuple[str, str, str]
"""A substitution: its name, what it replaced, with what."""


@dataclass(frozen=True)
class Cause:
    """One reason why two signatures differ: a fixed name, and a sentence for people."""

    name: str
    text: str


@dataclass(frozen=True)
class Side:
    """One of two normal forms, at the place where they part.

    around         the words there, "" where this form has ended before
    identity       the identity line that these words come from
    substitutions  those that put something into `around`, or took something out of the line
    """

    around: str
    identity: str
    substitutions: tuple[Change, ...]


@dataclass(frozen=True)
class Parting:
    """The first place where two normal forms differ; line and column count from 1."""

    line: int
    column: int
    a: Side
    b: Side


@dataclass(frozen=True)
class Comparison:
    """same: one sig_sha. causes: why not, the weightiest first. parting: None where the normal
    forms are equal, or where one is missing. shared: hashes that both carry all the same, as their
    own or as that of the tool inside a wrapper: by these a lookup finds one from the other."""

    same: bool
    causes: tuple[Cause, ...]
    parting: Parting | None
    shared: tuple[str, ...]


def compare(
    a: Signature | None, b: Signature | None, *, rules: RuleBook | None = None
) -> Comparison:
    """Two signatures, as extracted with the same rules; None for an output without one."""
    if a is None or b is None:
        return Comparison(False, tuple(_missing(a, b)), None, ())
    if a.sig_sha == b.sig_sha:
        return Comparison(True, (), None, (a.sig_sha,))
    shared = {one.sig_sha for one in _carried(a)} & {one.sig_sha for one in _carried(b)}
    causes = tuple(_causes(a, b, rules or packaged_rules()))
    return Comparison(False, causes, _parting(a, b), tuple(sorted(shared)))


def _carried(signature: Signature) -> Iterator[Signature]:
    yield signature
    if signature.inner is not None:
        yield signature.inner


def _missing(a: Signature | None, b: Signature | None) -> Iterator[Cause]:
    for name, found in (("A", a), ("B", b)):
        if found is None:
            text = f"{name} has no signature: it is empty, or says that it ended well"
            yield Cause("no_signature", text)


def _causes(a: Signature, b: Signature, rules: RuleBook) -> Iterator[Cause]:
    if a.tool != b.tool:
        text = f"another tool: A was read as output of {a.tool}, B as output of {b.tool}"
        if a.normalised == b.normalised:
            text += "; their normal forms are equal, but the tool is part of the hash"
        yield Cause("other_tool", text)
    for name, one in (("A", a), ("B", b)):
        if "rule_set_unmatched" in one.diagnostics:
            text = f"no rule of {one.tool} matched {name}: it was read by the generic rules"
            yield Cause("rule_set_unmatched", text)
    if a.rule != b.rule:
        text = f"another rule fired: {a.rule} in A, {b.rule} in B"
        yield Cause("other_rule", text)
    if a.normalised == b.normalised:
        return
    roots = _root_line(a, rules), _root_line(b, rules)
    if roots[0] != roots[1]:
        text = f"another root line: {roots[0]!r} in A, {roots[1]!r} in B"
        yield Cause("other_root_line", text)
    else:
        text = f"the root line is the same ({roots[0]!r}), the lines with it differ"
        yield Cause("other_details", text)


def _root_line(signature: Signature, rules: RuleBook) -> str:
    """Normal form of the identity line that the rule fired on; of the first one for the tail."""
    lines = signature.identity.split("\n")
    fired = [
        rule
        for rule_set in rules.sets.values()
        for rule in rule_set.rules
        if rule.full_name == signature.rule
    ]
    for rule, line in itertools.product(fired, lines):
        if compiled(rule.pattern).search(line) is not None and not (
            rule.unless and compiled(rule.unless).search(line) is not None
        ):
            return normalise(line)
    return normalise(lines[0])


def _parting(a: Signature, b: Signature) -> Parting | None:
    if a.normalised == b.normalised:
        return None
    ours, theirs = a.normalised.split("\n"), b.normalised.split("\n")
    number = _first_difference(ours, theirs)
    column = _first_difference(_at(ours, number), _at(theirs, number))
    return Parting(number + 1, column + 1, _side(a, number, column), _side(b, number, column))


def _first_difference(one: Sequence[str], other: Sequence[str]) -> int:
    """Index of the first place that differs; where one begins the other, the shorter's length."""
    places = enumerate(zip(one, other, strict=False))
    return next((at for at, (x, y) in places if x != y), min(len(one), len(other)))


def _at(lines: Sequence[str], number: int) -> str:
    return lines[number] if number < len(lines) else ""


def _side(signature: Signature, number: int, column: int) -> Side:
    line = _at(signature.normalised.split("\n"), number)
    if not line:
        return Side("", "", ())
    around, source = _around(line, column), _source(signature, number)
    touching = [
        change
        for change in dict.fromkeys(explain_normalise(source))
        if change[2].strip() in around or change[1] == source
    ]
    return Side(around, source, tuple(touching))


def _around(line: str, column: int) -> str:
    """The words about a column, a few on each side; what is cut off is marked."""
    column = min(column, max(len(line) - 1, 0))
    start = end = column
    for _ in range(WORDS_AROUND + 1):
        start = max(line.rfind(" ", 0, start), 0)
        found = line.find(" ", end + 1)
        end = len(line) if found < 0 else found
    start, end = max(start, column - MAX_AROUND // 2), min(end, column + MAX_AROUND // 2)
    cut = line[start:end].strip()
    return ("… " if start > 0 else "") + cut + (" …" if end < len(line) else "")


def _source(signature: Signature, number: int) -> str:
    """The identity line behind a line of the normal form; the whole identity where lines do not
    stay apart."""
    origins = [
        (form, line)
        for line in signature.identity.split("\n")
        for form in normalise(line).split("\n")
        if form
    ]
    apart = "\n".join(form for form, _ in origins) == signature.normalised
    return origins[number][1] if apart else signature.identity
