"""A log as bytes, and its lines where they are asked for.

A line ends at ``\\r\\n``, ``\\n`` or ``\\r``. No other character breaks a line, and cleaning never
adds or removes one, so line numbers are those of the log as it came. Nothing is split or decoded
beforehand: of a large log only the lines near an error are ever looked at.
"""

from collections.abc import Iterator

from mem_assets.signature.text import MAX_LINE, clean

MAX_INPUT = 64 * 1024 * 1024
"""Bytes of a log that are read; of a longer one the middle is left out."""
_MAX_LINE_BYTES = 4 * MAX_LINE
_REACH = 64 * 1024
"""Bytes in which a line before another one must begin, else the log counts as beginning there."""

Span = tuple[int, int]
"""Where a line stands: the offsets of its first byte and of its line break."""


class Log:
    """The bytes of one log, UTF-8 as far as they are valid, and its lines by offset.

    text       the bytes with every line break as ``\\n``, and as long as they came: a ``\\r\\n`` is
               two of them, of which the second ends no line of its own
    truncated  whether the middle was left out
    """

    def __init__(self, output: str | bytes) -> None:
        data = _utf8(output)
        self.truncated = len(data) > MAX_INPUT
        self._gap: Span | None = None
        if self.truncated:
            half = MAX_INPUT // 2
            self._gap = (half, _breaks(data, half, len(data) - half) - 1)
            data = data[:half] + b"\n" + data[len(data) - half :]
        self._data = data
        self.text = data.replace(b"\r", b"\n")
        self._has_pairs = b"\r\n" in data

    def __len__(self) -> int:
        return len(self.text)

    def around(self, offset: int, begin: int = 0) -> Span | None:
        """The line that holds an offset, begun at `begin` or after it; None where the offset lies
        beyond what is read of a line."""
        low = max(begin, offset - _MAX_LINE_BYTES)
        start = self.text.rfind(b"\n", low, offset) + 1
        if not start:
            if low != begin:
                return None
            start = begin
        return start, self.end_of(offset)

    def after(self, span: Span) -> Span | None:
        """The next line; None after the last."""
        start = span[1] + 1
        if self._has_pairs and self._data[span[1] : start + 1] == b"\r\n":
            start += 1
        return None if start > len(self.text) else (start, self.end_of(start))

    def before(self, span: Span) -> Span | None:
        """The line before; None before the first, and before one that is very long."""
        end = span[0] - 1
        if end < 0:
            return None
        if self._has_pairs and end and self._data[end - 1 : span[0]] == b"\r\n":
            end -= 1
        low = max(0, end - _REACH)
        start = self.text.rfind(b"\n", low, end) + 1
        return None if not start and low else (start, end)

    def backwards(self, end: int | None = None) -> Iterator[Span]:
        """The lines that end before an offset, the last first, without the blank ones there."""
        end = self._last_text(len(self.text) if end is None else end)
        span = self.before((end + 1, end + 1)) if end else None
        if span is not None:
            span = (span[0], self.end_of(end))
        while span is not None:
            yield span
            span = self.before(span)

    def _last_text(self, end: int) -> int:
        """The offset after the last byte before `end` that is not blank."""
        while end:
            start = max(0, end - _REACH)
            if part := self.text[start:end].rstrip():
                return start + len(part)
            end = start
        return 0

    def raw(self, span: Span) -> str:
        """A line as it came, cut at MAX_LINE characters; wrong bytes are U+FFFD."""
        start, end = span
        return self._data[start : min(end, start + _MAX_LINE_BYTES)].decode("utf-8", "replace")[
            :MAX_LINE
        ]

    def line(self, span: Span) -> str:
        """A line cleaned, without blanks at its end."""
        return clean(self.raw(span)).rstrip()

    def number(self, offset: int) -> int:
        """The number, from 0, of the line that begins at an offset."""
        left_out = self._gap[1] if self._gap and offset > self._gap[0] else 0
        return _breaks(self._data, 0, offset) + left_out

    def end_of(self, offset: int) -> int:
        """The offset of the break that ends the line at an offset, or the log's length."""
        end = self.text.find(b"\n", offset)
        return len(self.text) if end < 0 else end


class Near:
    """The lines around one line of a log, numbered from it: 0 is the line itself."""

    def __init__(self, log: Log, span: Span) -> None:
        self.log = log
        self._spans: dict[int, Span | None] = {0: span}
        self._lines: dict[int, str | None] = {}

    @property
    def offset(self) -> int:
        """Where the line itself begins."""
        span = self.span(0)
        return span[0] if span else 0

    @property
    def read(self) -> int:
        """How many lines were asked for so far."""
        return len(self._lines)

    def span(self, number: int) -> Span | None:
        """Where a line stands; None beyond the log's ends."""
        if number not in self._spans:
            nearer = self.span(number - 1 if number > 0 else number + 1)
            step = self.log.after if number > 0 else self.log.before
            self._spans[number] = None if nearer is None else step(nearer)
        return self._spans[number]

    def line(self, number: int) -> str | None:
        """A line cleaned; None beyond the log's ends."""
        if number not in self._lines:
            span = self.span(number)
            self._lines[number] = None if span is None else self.log.line(span)
        return self._lines[number]

    def raw(self, first: int, last: int) -> str:
        """Lines as they came."""
        spans = (self.span(number) for number in range(first, last + 1))
        return "\n".join(self.log.raw(span) for span in spans if span is not None)


def _utf8(output: str | bytes) -> bytes:
    """UTF-16 is recognised by its byte order mark."""
    if isinstance(output, str):
        return output.encode("utf-8", "replace")
    if output[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return output.decode("utf-16", "replace").encode("utf-8", "replace")
    return output


def _breaks(data: bytes, start: int, end: int) -> int:
    """Line breaks between two offsets."""
    part = data[start:end]
    if b"\r" not in part:
        return part.count(b"\n")
    # Deleting is the fastest way to count two characters at once.
    return len(part) - len(part.translate(None, b"\r\n")) - part.count(b"\r\n")
