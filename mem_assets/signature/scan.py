"""The first root error of a log, under the rule sets that may have printed it."""

import functools
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import re2

from mem_assets.signature.block import Block, Lines, build, is_match
from mem_assets.signature.candidates import Candidates, Level
from mem_assets.signature.lines import Log, Near
from mem_assets.signature.literals import needed_by
from mem_assets.signature.rules import (
    GENERIC,
    ROOT,
    SUMMARY,
    WARNING,
    WEAK,
    Rule,
    RuleBook,
    RuleSet,
    any_of,
    compiled,
    either,
)

_ASKED_LINES = 2000
_BYTES_A_LINE = 2048
"""Of a log, as many lines are asked for their rules, and one more for so many bytes: each costs
what some ten thousand bytes cost to search. A log with more of them is read no further."""
_MAX_FRUITLESS = 100
"""Headlines without a detail after which a rule is given up for a log: each may cost a block."""
_AUTOMATON_BYTES = 128 * 1024 * 1024

_ANY_RANK = WARNING + 1

_Key = tuple[int, bool, int, int]


@dataclass(frozen=True)
class _Entry:
    """What one pattern of the automaton stands for."""

    kind: str  # rule, consequence, noise, declare, step_ok, step_end, step_failed
    tool: str
    rule: Rule | None = None


_Hit = tuple[int, _Entry, str]  # index of the pattern, what it stands for, the line it saw


@dataclass(frozen=True)
class Found:
    """A failure in a log: its block, and the lines around its root."""

    block: Block
    near: Near


@dataclass(frozen=True)
class _Best:
    """The best error so far; its block is built at the end where nothing depends on it."""

    key: _Key
    rule: Rule
    near: Near
    block: Block | None


class Scanner:
    """The rule sets active for one tool: its own, those it wraps, and the generic one.

    Between errors the lower rank wins, then a tool's own rule over a generic one, then the earlier
    line, then the order of the sets.
    """

    def __init__(self, sets: list[RuleSet], own: str | None) -> None:
        self.sets = sets
        self._own = own
        self._envelopes = {s.tool: compiled(s.envelope) for s in sets if s.envelope}
        self._envelope = any_of(one.envelope for one in sets if one.envelope)
        self._entries: list[_Entry] = []
        self._automaton = re2.Set.SearchSet(_options())
        for pattern, entry in self._patterns():
            self._automaton.Add(pattern)
            self._entries.append(entry)
        self._automaton.Compile()
        self._regexes: dict[tuple[str, Level], Any] = {}
        self.step_end = any_of(pattern for one in sets for pattern in one.step_end)
        self.success = any_of(pattern for one in sets for pattern in one.success)
        self.exit_codes = any_of(pattern for one in sets for pattern in one.exit_codes)

    def _patterns(self) -> Iterator[tuple[str, _Entry]]:
        for rule_set in self.sets:
            for rule in rule_set.rules:
                if not rule.own_only or rule.tool == self._own:
                    yield rule.pattern, _Entry("rule", rule_set.tool, rule)
            for kind, patterns in (
                ("consequence", rule_set.consequences),
                ("noise", rule_set.noise),
                ("declare", rule_set.declares),
                ("step_ok", rule_set.step_ok),
                ("step_end", rule_set.step_end),
                ("step_failed", rule_set.step_failed),
            ):
                yield from ((pattern, _Entry(kind, rule_set.tool)) for pattern in patterns)

    def _useful(self, level: Level) -> Iterator[str]:
        """Patterns of what could beat an error of a level, or end its step."""
        kinds = {"step_failed", "step_ok"} if level.in_step else {"step_failed"}
        for pattern, entry in self._patterns():
            rule = entry.rule
            if (rule is None and entry.kind in kinds) or (
                rule is not None and (rule.rank, rule.tool == GENERIC) < level[:2]
            ):
                yield pattern

    def pieces(self, level: Level) -> Any:
        """Regex over raw bytes of what those patterns need. Few, of several levels each: an
        automaton is built while it reads, and one for every level would be built for few lines."""
        if level[:2] > (WEAK, True):
            group = Level(_ANY_RANK, True, level.in_step)
        elif level[:2] > (ROOT, False):
            group = Level(WEAK, True, True)
        else:
            group = level
        if ("pieces", group) not in self._regexes:
            options = _options()
            options.encoding = re2.Options.Encoding.LATIN1
            pattern = needed_by(self._useful(group)).encode()
            self._regexes["pieces", group] = re2.compile(pattern, options)
        return self._regexes["pieces", group]

    def patterns(self, level: Level) -> Any:
        """Set over cleaned lines, as UTF-8, that any of those patterns matches. A set, since it
        never leaves its automaton: a regex of this size does, to tell where a match begins."""
        if ("patterns", level) not in self._regexes:
            found = re2.Set.SearchSet(_options())
            envelopes = [one.envelope for one in self.sets if one.envelope]
            found.Add(either([*envelopes, *self._useful(level)]))
            found.Compile()
            self._regexes["patterns", level] = found
        return self._regexes["patterns", level]

    def failure(self, log: Log) -> tuple[Found | None, int | None]:
        """The root error, or None where no rule fires; and the offset at which the first step
        that failed says so, or None."""
        search = _Search(self, log)
        return search.root(), search.failed_step_end

    def candidates(self, number: int, hits: list[_Hit]) -> list[tuple[_Key, Rule]]:
        """Rules that a line's hits make its root error, best first."""
        kinds = {entry.kind for _, entry, _ in hits}
        if "consequence" in kinds:
            return []
        # What is noise to one tool may be another's error, but is none for the generic rules.
        deaf = {entry.tool for _, entry, _ in hits if entry.kind == "noise"}
        deaf |= {GENERIC} if deaf else set()
        declared = "declare" in kinds
        found: list[tuple[_Key, Rule]] = []
        for index, entry, seen in hits:
            rule = entry.rule
            if rule is None or rule.tool in deaf or not is_match(rule, seen):
                continue
            if declared and rule.rank < SUMMARY:
                continue
            found.append(((rule.rank, rule.tool == GENERIC, number, index), rule))
        return sorted(found, key=lambda item: item[0])

    def hits(self, line: str) -> list[_Hit]:
        """Patterns that match the line, each as its own tool would see the line."""
        bare = self.seen_by("", line)
        if bare == line:
            found = self._automaton.Match(line.encode()) or ()
            return [(index, self._entries[index], line) for index in sorted(found)]
        hits = []
        for seen in (line, bare):
            for index in sorted(self._automaton.Match(seen.encode()) or ()):
                entry = self._entries[index]
                if entry.kind != "rule" or seen == self.seen_by(entry.tool, line):
                    hits.append((index, entry, seen))
        return hits

    def seen_by(self, tool: str, line: str) -> str:
        """A line as a tool wrote it, without the envelope of another one."""
        if self._envelope.search(line) is None:
            return line
        for owner, envelope in self._envelopes.items():
            if owner != tool and envelope.search(line) is not None:
                line = envelope.sub("", line, count=1)
        return line

    def view(self, near: Near, tool: str) -> Lines:
        """Lines as a tool wrote them, without a wrapper's envelope."""

        def line(number: int) -> str | None:
            text = near.line(number)
            return None if text is None else self.seen_by(tool, text)

        return line


class _Search:
    """One way through a log. Errors of a step that ended well were tolerated, and are forgotten."""

    def __init__(self, scanner: Scanner, log: Log) -> None:
        self.failed_step_end: int | None = None
        self._scanner = scanner
        self._candidates = Candidates(log, scanner.pieces, scanner.patterns)
        self._best: _Best | None = None  # with the step that runs
        self._kept: _Best | None = None  # of steps that failed
        self._fruitless: Counter[str] = Counter()
        self._allowance = _ASKED_LINES + len(log.text) // _BYTES_A_LINE

    def root(self) -> Found | None:
        while (level := self._level()) is not None:
            near = self._candidates.next(level)
            if near is None:
                break
            hits = self._scanner.hits(near.line(0) or "")
            kinds = {entry.kind for _, entry, _ in hits}
            self._improve(near, hits)
            self._close_step(near.offset, kinds)
            self._allowance -= bool(kinds)
        best = self._best
        if best is None:
            return None
        block = best.block or build(best.rule, self._scanner.view(best.near, best.rule.tool))
        return None if block is None else Found(block, best.near)

    def _level(self) -> Level | None:
        """What could still change the answer; None where nothing can."""
        if self._allowance < 0:
            return None
        if self._best is None:
            return Level(_ANY_RANK, True, False)
        level = Level(*self._best.key[:2], self._best is not self._kept)
        return level if level.in_step or level[:2] > (ROOT, False) else None

    def _improve(self, near: Near, hits: list[_Hit]) -> None:
        for key, rule in self._scanner.candidates(near.offset, hits):
            if self._best is not None and key >= self._best.key:
                continue
            if self._fruitless[rule.full_name] >= _MAX_FRUITLESS:
                continue
            block = None
            if rule.headline:
                block = build(rule, self._scanner.view(near, rule.tool))
                if block is None:
                    self._fruitless[rule.full_name] += 1
                    self._allowance -= near.read
                    continue
            self._best = _Best(key, rule, near, block)

    def _close_step(self, offset: int, kinds: set[str]) -> None:
        if "step_failed" in kinds:
            self._kept = self._best
            if self.failed_step_end is None:
                self.failed_step_end = offset
        elif "step_ok" in kinds:
            self._best = self._kept


def _options() -> Any:
    options = re2.Options()
    options.log_errors = False
    options.never_capture = True
    options.max_mem = _AUTOMATON_BYTES
    return options


@functools.lru_cache(maxsize=64)
def scanner(book: RuleBook, tool: str | None) -> Scanner:
    """The scanner for a canonical tool name; for None, of every tool."""
    if tool is None:
        names = sorted(book.sets)
    else:
        own = book.sets.get(tool)
        wraps = own.wraps if own else ()
        inner = sorted(book.sets) if "*" in wraps else [book.canonical(name) for name in wraps]
        names = list(dict.fromkeys([tool, *inner, GENERIC]))
    names = [name for name in names if name != GENERIC] + [GENERIC]
    is_own = any(rule.own_only for rule in book.sets[tool].rules) if tool in book.sets else False
    return _scanner(book, tuple(names), tool if is_own else None)


@functools.lru_cache(maxsize=64)
def _scanner(book: RuleBook, names: tuple[str, ...], own: str | None) -> Scanner:
    """Compiled once for all that ask for the same sets: no tool and `generic` are one."""
    return Scanner([book.sets[name] for name in names if name in book.sets], own)
