"""What a log's end tells: the exit code it states, and its last lines where no rule fires."""

import functools
import itertools
from typing import Any

from mem_assets.signature.block import Block
from mem_assets.signature.lines import Log, Near, Span
from mem_assets.signature.rules import GENERIC, WARNING, Rule, RuleBook, any_of
from mem_assets.signature.scan import Found, Scanner

TAIL = Rule(tool=GENERIC, name="tail", pattern=".", rank=WARNING)
TAIL_LINES = 5
_TAIL_REACH = 2000
"""Lines from a log's end among which its tail is looked for."""
_VERDICT_LINES = 40
_SIGNS_BYTES = 8 * 1024
"""How much of a log's beginning, and of its end, tells whose it is: a runner signs every line, or
says at the end how it went."""


def tail(scanner: Scanner, log: Log, end: int | None = None) -> Found | None:
    """The last lines before an offset that say something, up to a blank one, or to a line of
    noise; None where all are blank. What stands after a step's output is not of the step."""
    if end is not None:
        end = _output_end(scanner, log, end)
    found: list[Span] = []
    last_line: Span | None = None
    for span in itertools.islice(log.backwards(end), _TAIL_REACH):
        line = scanner.seen_by(GENERIC, log.line(span))
        if line and not any(map(str.isalnum, line)):
            continue  # a ruler
        if not line.strip():
            if found:
                break
            continue
        kinds = {entry.kind for _, entry, _ in scanner.hits(line)}
        last_line = last_line or span
        if "noise" in kinds and found:
            break
        if kinds & {"consequence", "noise"}:
            continue
        found.append(span)
        if len(found) == TAIL_LINES:
            break
    if last_line is None:
        return None
    found = found or [last_line]
    near = Near(log, found[-1])
    numbers, number = [0], 0
    while len(numbers) < len(found) and near.span(number := number + 1) is not None:
        numbers += [number] if near.span(number) in found else []
    return Found(Block(TAIL, 0, numbers[-1], tuple(numbers)), near)


def _output_end(scanner: Scanner, log: Log, failed: int) -> int:
    """Where the output of a step ends that is told to have failed: a command of many lines may
    stand between."""
    for span in itertools.islice(log.backwards(failed), _TAIL_REACH):
        if scanner.step_end.search(log.line(span)) is not None:
            return span[0]
    return failed


def verdict(scanner: Scanner, log: Log) -> int | None:
    """The exit code that the log's last lines state, the last statement first."""
    for span in itertools.islice(log.backwards(), _VERDICT_LINES):
        line = log.line(span)
        if scanner.success.search(line) is not None:
            return 0
        match = scanner.exit_codes.search(line)
        if match is not None:
            code = next((group for group in match.groups() if group), "")
            if code.isascii() and code.isdecimal() and len(code) < 6:
                return int(code)
    return None


def wrapper_of(book: RuleBook, log: Log) -> str | None:
    """The wrapper whose signs a log of unknown tool carries."""
    head, end = log.text[:_SIGNS_BYTES], log.text[_SIGNS_BYTES:][-_SIGNS_BYTES:]
    for tool, signs in _signs(book):
        if signs.search(head) is not None or signs.search(end) is not None:
            return tool
    return None


@functools.lru_cache(maxsize=8)
def _signs(book: RuleBook) -> list[tuple[str, Any]]:
    return [
        (tool, any_of(book.sets[tool].signs)) for tool in sorted(book.sets) if book.sets[tool].signs
    ]
