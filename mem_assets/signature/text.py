"""Log text as lines: decoding, terminal codes, runner prefixes, bounded memory.

A line ends at ``\\r\\n``, ``\\n`` or ``\\r``. No other character breaks a line, and cleaning never
adds or removes a line, so line numbers are those of the log as it came.
"""

import bisect
import functools
import re

MAX_INPUT = 64 * 1024 * 1024
"""Bytes or characters of a log that are read; of a longer one the middle is left out."""
MAX_LINE = 2000
"""Characters of a line that are read: the longest compiler message seen in CI logs is shorter."""
_CHUNK = 64 * 1024

# `re`, not re2, whose substitution costs 5 µs a match in Python. Each pattern is linear: its parts
# begin differently, none of them nests a quantifier over the same characters.
_TERMINAL = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # CSI: colour, cursor, erase
    r"|\x1b[\]PX^_][^\x07\x1b\n\r]*(?:\x07|\x1b\\)?"  # OSC and its like: titles, links
    r"|\x1b[ -/]*[0-~]"
    r"|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x80-\x9f\ufeff]"  # NUL, backspace, lone ESC, byte order mark
)
_ISO = r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[ ]?[+-]\d\d:?\d\d)?"
_PREFIX = re.compile(
    r"^(?:"
    r"[^\t\n]{1,120}\t[^\t\n]{1,120}\t(?=\d{4}-\d\d-\d\dT)"  # job and step: downloaded run log
    rf"|{_ISO}(?:[ ](?:stdout|stderr)[ ][FP])?(?:[ ]|$)"  # runner, container runtime
    rf"|\[{_ISO}\][ ]?"
    r"|\[?\d\d:\d\d:\d\d(?:[.,]\d{1,6})?\]?(?:[ ]|$)"
    r"|\#\d{1,4}[ ](?:\d{1,6}\.\d{1,6}[ ])?"  # image build: step number and its clock
    r"|[A-Za-z0-9][\w.]{0,40}(?:[-_][\w.]{1,40}){0,4}[-_]\d{1,3}[ ]{1,40}\|[ ]?"  # compose service
    r")+",
    re.MULTILINE,
)


def decode(output: str | bytes) -> str:
    """Text of a log; wrong bytes become U+FFFD. UTF-16 is recognised by its byte order mark."""
    if isinstance(output, str):
        return output
    if output[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return output.decode("utf-16", "replace")
    return output.decode("utf-8", "replace")


def strip_ansi(text: str) -> str:
    """Text without terminal codes and control characters; tabs and line breaks stay."""
    return _TERMINAL.sub("", text)


def clean(text: str) -> str:
    """Lines as the tool wrote them: without terminal codes and what a runner puts before each."""
    return _PREFIX.sub("", strip_ansi(text))


class Log:
    """Numbered lines (from 0) of one log, cut at MAX_LINE, held as chunks of about 64 KB."""

    def __init__(self, output: str | bytes) -> None:
        self._chunks: list[str] = []
        self._starts: list[int] = []
        self.truncated = len(output) > MAX_INPUT
        self.length = 0
        if self.truncated:
            half = MAX_INPUT // 2
            middle = output[half : len(output) - half]
            self._read(output[:half])
            self.length += _breaks(middle) - 1
            self._read(output[len(output) - half :])
        else:
            self._read(output)
        self._split = functools.lru_cache(maxsize=8)(lambda chunk: self._chunks[chunk].split("\n"))

    def _read(self, output: str | bytes) -> None:
        text = decode(output).replace("\r\n", "\n").replace("\r", "\n")
        position, size = 0, len(text)
        while position <= size:
            end = text.find("\n", min(position + _CHUNK, size))
            end = size if end < 0 else end
            lines = [line[:MAX_LINE] for line in text[position:end].split("\n")]
            self._starts.append(self.length)
            self._chunks.append("\n".join(lines))
            self.length += len(lines)
            position = end + 1

    def chunks(self) -> list[tuple[int, str]]:
        """Each chunk with the number of its first line."""
        return list(zip(self._starts, self._chunks, strict=True))

    def raw(self, number: int) -> str:
        """A line as it came, or an empty one where the middle was left out."""
        chunk = bisect.bisect_right(self._starts, number) - 1
        lines = self._split(chunk)
        offset = number - self._starts[chunk]
        return lines[offset] if offset < len(lines) else ""

    def line(self, number: int) -> str:
        """A line cleaned, without blanks at its end."""
        return clean(self.raw(number)).rstrip()


def _breaks(part: str | bytes) -> int:
    if isinstance(part, bytes):
        return part.count(b"\n") + part.count(b"\r") - part.count(b"\r\n")
    return part.count("\n") + part.count("\r") - part.count("\r\n")
