"""The lines of a log that could hold an error worth more than the best so far.

Two questions, each at the speed of an automaton: does the raw text hold a piece that some pattern
needs (literals.py), and does the cleaned line match some pattern at all. Where such pieces stand
in every other line, a stretch of the log is cleaned and asked at once.
"""

import itertools
from collections.abc import Callable
from typing import Any, NamedTuple

from mem_assets.signature.lines import Log, Near, Span
from mem_assets.signature.text import MAX_LINE, clean

_STRETCH = 64 * 1024
_MANY = 40
"""Lines with a piece in one stretch of bytes from which on it is cleaned as a whole: cleaning it
costs about as much as asking this many lines one by one."""


class Level(NamedTuple):
    """What is looked for: errors that beat one of this rank, told by a generic rule or not; and
    the end of its step, where an error waits for that."""

    rank: int
    is_generic: bool
    in_step: bool


_TOGETHER = 16
"""Lines of a cleaned stretch that are asked together."""
_SMALL = 16 * 1024
"""Bytes of a log up to which every line is asked: less work than to build an automaton for it."""

Automaton = Callable[[Level], Any]


class Candidates:
    """One way through a log, forward. For a level, `pieces` gives a regex over raw bytes, and
    `patterns` a set over cleaned lines."""

    def __init__(self, log: Log, pieces: Automaton, patterns: Automaton) -> None:
        self._log = log
        self._pieces = pieces
        self._patterns = patterns
        self._position = 0
        self._stretch_end = self._in_stretch = 0
        self._cleaned: _Cleaned | None = None
        self._every: Span | None = (0, log.end_of(0)) if len(log.text) <= _SMALL else None
        self._is_small = self._every is not None

    def next(self, level: Level) -> Near | None:
        """The next line that may match a pattern of the level; None at the end of the log."""
        while True:
            if self._is_small:
                span, self._every = self._every, self._every and self._log.after(self._every)
                return None if span is None else Near(self._log, span)
            if self._cleaned is not None:
                span = self._cleaned.next(self._patterns(level))
                if span is None:
                    self._cleaned = None
                    continue
            else:
                span = self._next_with_piece(level)
                if span is None:
                    return None
                if self._in_stretch > _MANY:
                    self._cleaned = _Cleaned(self._log, span[0])
                    self._position = self._cleaned.end
                    self._in_stretch = 0
                    continue
            return Near(self._log, span)

    def _next_with_piece(self, level: Level) -> Span | None:
        pieces = self._pieces(level)
        text = self._log.text
        while (match := pieces.search(text, self._position)) is not None:
            # A piece may begin with the break before its line, and never ends with one. So the
            # search goes on at the break: what stands there is not the text's beginning to RE2.
            offset = match.end() - 1
            span = self._log.around(offset, self._position)
            self._position = span[1] if span else self._log.end_of(offset)
            if span is None:
                continue
            if span[0] >= self._stretch_end:
                self._stretch_end, self._in_stretch = span[0] + _STRETCH, 0
            self._in_stretch += 1
            return span
        return None


class _Cleaned:
    """A stretch of a log from `start` to `end`, whole lines, cleaned at once."""

    def __init__(self, log: Log, start: int) -> None:
        self.end = log.end_of(min(start + _STRETCH, len(log.text)))
        raw = log.text[start : self.end].split(b"\n")
        self._starts = list(itertools.accumulate((len(line) + 1 for line in raw), initial=start))
        cut = (line[: 4 * MAX_LINE].decode("utf-8", "replace")[:MAX_LINE] for line in raw)
        self._lines = [line.rstrip().encode() for line in clean("\n".join(cut)).split("\n")]
        self._next = 0

    def next(self, patterns: Any) -> Span | None:
        """The next line that matches. Several are asked together, and one by one where one does."""
        while (number := self._next) < len(self._lines):
            if number % _TOGETHER == 0:
                together = b"\n".join(self._lines[number : number + _TOGETHER])
                if not patterns.Match(together):
                    self._next += _TOGETHER
                    continue
            self._next += 1
            if patterns.Match(self._lines[number]):
                return self._starts[number], self._starts[number + 1] - 1
        return None
