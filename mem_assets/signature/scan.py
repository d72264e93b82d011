"""The first root error of a log, under the rule sets that may have printed it."""

import functools
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import re2

from mem_assets.signature.block import Block, Lines, build, is_match
from mem_assets.signature.rules import GENERIC, SUMMARY, WARNING, Rule, RuleBook, RuleSet, compiled
from mem_assets.signature.text import Log, clean

TAIL = Rule(tool=GENERIC, name="tail", pattern=".", rank=WARNING)
TAIL_LINES = 5
_VERDICT_LINES = 40
_MAX_FRUITLESS = 1000
"""Headlines without a detail after which a rule is given up for a log: each may cost a block."""
_AUTOMATON_BYTES = 128 * 1024 * 1024

_NOTHING = r"[^\x00-\x{10FFFF}]"

_Key = tuple[int, bool, int, int]


@dataclass(frozen=True)
class _Entry:
    """What one pattern of the automaton stands for."""

    kind: str  # rule, consequence, noise, declare, step_ok, step_end, step_failed
    tool: str
    rule: Rule | None = None


_Hit = tuple[int, _Entry, str]  # index of the pattern, what it stands for, the line it saw
_Found = tuple[_Key, Block]


class Scanner:
    """The rule sets active for one tool: its own, those it wraps, and the generic one.

    Between errors the lower rank wins, then a tool's own rule over a generic one, then the earlier
    line, then the order of the sets.
    """

    def __init__(self, sets: list[RuleSet], own: str | None) -> None:
        self.sets = sets
        self._own = own
        self._envelopes = {s.tool: compiled(s.envelope) for s in sets if s.envelope}
        self._entries: list[_Entry] = []
        self._options = re2.Options()
        self._options.log_errors = False
        self._options.max_mem = _AUTOMATON_BYTES
        self._automaton = re2.Set.SearchSet(self._options)
        for pattern, entry in self._patterns():
            self._automaton.Add(pattern)
            self._entries.append(entry)
        self._automaton.Compile()
        self._worth: dict[tuple[int, bool] | None, Any] = {}

    def _worth_a_look(self, best: _Found | None) -> Any:
        """Pattern of the lines that could beat the best error so far, or end a step."""
        level = best[0][:2] if best else None
        if level not in self._worth:
            wanted = [s.envelope for s in self.sets if s.envelope]
            for pattern, entry in self._patterns():
                rule = entry.rule
                if rule is None:
                    useful = entry.kind in ("step_ok", "step_end", "step_failed")
                else:
                    useful = level is None or (rule.rank, rule.tool == GENERIC) < level
                wanted += [pattern] if useful else []
            text = "|".join(f"(?:{pattern})" for pattern in wanted) or _NOTHING
            self._worth[level] = re2.compile(f"(?m){text}", self._options)
        return self._worth[level]

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

    def first_error(self, log: Log) -> Block | None:
        """The block of the root error, or None where no rule fires.

        Errors of a step that ended well were tolerated, and are forgotten.
        """
        return self.failure(log)[0]

    def find(self, log: Log) -> Block | None:
        """The root error's block, else the last lines of the step that failed, else of the log;
        None for a blank log."""
        block, end = self.failure(log)
        return block or self.tail(log, end) or self.tail(log)

    def failure(self, log: Log) -> tuple[Block | None, int | None]:
        """The root error's block, and the line after the output of the first step that failed."""
        kept: _Found | None = None  # of steps that failed
        best: _Found | None = None  # with the step that runs
        step_end = end = None
        views = {rule_set.tool: self.view(log, rule_set.tool) for rule_set in self.sets}
        fruitless: Counter[str] = Counter()
        for start, chunk in log.chunks():
            lines = [line.rstrip() for line in clean(chunk).split("\n")]
            if self._worth_a_look(best).search("\n".join(lines)) is None:
                continue
            for offset, line in enumerate(lines):
                if self._worth_a_look(best).search(line) is None:
                    continue
                hits = self._hits(line)
                best = self._better(log, start + offset, hits, best, views, fruitless)
                kinds = {entry.kind for _, entry, _ in hits}
                if "step_end" in kinds:
                    step_end = start + offset
                elif "step_failed" in kinds:
                    kept = best
                    if end is None:
                        end = start + offset if step_end is None else step_end
                elif "step_ok" in kinds:
                    best, step_end = kept, None
        return best[1] if best else None, end

    def _better(
        self,
        log: Log,
        number: int,
        hits: list[_Hit],
        best: _Found | None,
        views: dict[str, Lines],
        fruitless: Counter[str],
    ) -> _Found | None:
        for key, rule in self._candidates(number, hits):
            if best is not None and key >= best[0]:
                continue
            if fruitless[rule.full_name] == _MAX_FRUITLESS:
                continue
            block = build(rule, views[rule.tool], log.length, number)
            if block is None:
                fruitless[rule.full_name] += 1
            else:
                best = (key, block)
        return best

    def _candidates(self, number: int, hits: list[_Hit]) -> list[tuple[_Key, Rule]]:
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

    def _hits(self, line: str) -> list[_Hit]:
        """Patterns that match the line, each as its own tool would see the line."""
        hits = []
        for seen in dict.fromkeys((line, self._seen_by("", line))):
            for index in sorted(self._automaton.Match(seen) or ()):
                entry = self._entries[index]
                if entry.kind != "rule" or seen == self._seen_by(entry.tool, line):
                    hits.append((index, entry, seen))
        return hits

    def _seen_by(self, tool: str, line: str) -> str:
        for owner, envelope in self._envelopes.items():
            if owner != tool and envelope.search(line) is not None:
                line = envelope.sub("", line, count=1)
        return line

    def view(self, log: Log, tool: str) -> Lines:
        """Line numbers to cleaned lines as a tool wrote them, without a wrapper's envelope."""

        @functools.lru_cache(maxsize=512)
        def line(number: int) -> str:
            return self._seen_by(tool, log.line(number))

        return line

    def tail(self, log: Log, end: int | None = None) -> Block | None:
        """The last lines before line `end` that say something, up to a blank one, or to a line of
        noise; None where all are blank."""
        found: list[int] = []
        last_line = None
        for number, text in _backwards(log):
            if end is not None and number >= end:
                continue
            line = self._seen_by(GENERIC, text)
            if line and not any(map(str.isalnum, line)):
                continue  # a ruler
            if not line.strip():
                if found:
                    break
                continue
            last_line = number if last_line is None else last_line
            kinds = {entry.kind for _, entry, _ in self._hits(line)}
            if "noise" in kinds and found:
                break
            if kinds & {"consequence", "noise"}:
                continue
            found.append(number)
            if len(found) == TAIL_LINES:
                break
        if last_line is None:
            return None
        numbers = tuple(sorted(found)) or (last_line,)
        return Block(TAIL, numbers[0], numbers[-1], numbers[0], numbers)

    def verdict(self, log: Log) -> int | None:
        """The exit code that the log's last lines state, the last statement first."""
        for number in range(log.length - 1, max(-1, log.length - 1 - _VERDICT_LINES), -1):
            line = log.line(number)
            for rule_set in self.sets:
                if any(compiled(p).search(line) is not None for p in rule_set.success):
                    return 0
                for pattern in rule_set.exit_codes:
                    match = compiled(pattern).search(line)
                    if match is not None and match.group(1) and len(match.group(1)) < 6:
                        return int(match.group(1))
        return None


def _backwards(log: Log) -> Iterator[tuple[int, str]]:
    """Numbered cleaned lines from the last; of a blank chunk only one."""
    for start, chunk in reversed(log.chunks()):
        lines = clean(chunk).split("\n")
        if not any(map(str.strip, lines)):
            lines = lines[:1]
        for offset in range(len(lines) - 1, -1, -1):
            yield start + offset, lines[offset].rstrip()


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


def wrapper_of(book: RuleBook, log: Log) -> str | None:
    """The wrapper whose signs a log of unknown tool carries."""
    for tool, signs in _signs(book):
        if any(signs.search(chunk) is not None for _, chunk in log.chunks()):
            return tool
    return None


@functools.lru_cache(maxsize=8)
def _signs(book: RuleBook) -> list[tuple[str, Any]]:
    return [
        (tool, compiled("(?m)" + "|".join(f"(?:{p})" for p in book.sets[tool].signs)))
        for tool in sorted(book.sets)
        if book.sets[tool].signs
    ]
