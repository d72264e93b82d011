"""The log that a command is asked about: a file or standard input, packed or plain, bounded."""

import codecs
import sys
from dataclasses import dataclass
from typing import IO

from mem_assets.storage.archives import InputError, Limits, unpack
from mem_assets.storage.decoding import decode

HEAD_BYTES = 4 << 20
TAIL_BYTES = 12 << 20
"""What is read of a longer log: a failure stands near its end, the tool that ran at its start."""

_CHUNK = 1 << 20
_ALIGNMENT = 4
"""Bytes of the widest code unit: what is left out is a multiple of it, so UTF-16 stays in step."""

_MAGIC = {".gz": b"\x1f\x8b", ".zst": b"\x28\xb5\x2f\xfd", ".zip": b"PK\x03\x04"}

_BREAKS = (
    (codecs.BOM_UTF32_LE, "\n".encode("utf-32-le")),
    (codecs.BOM_UTF32_BE, "\n".encode("utf-32-be")),
    (codecs.BOM_UTF16_LE, "\n".encode("utf-16-le")),
    (codecs.BOM_UTF16_BE, "\n".encode("utf-16-be")),
)


@dataclass(frozen=True)
class LogInput:
    """A log as text, read as the landing reads one; "" where there is no text in it.

    left_out  bytes of its middle that were not read
    """

    text: str
    left_out: int


def read_log(name: str) -> LogInput:
    """The log in a file, or in standard input for "-".

    A .gz or .zst, told by its first bytes or its name, is unpacked. Of more than HEAD_BYTES and
    TAIL_BYTES the middle is left out, at line breaks. Raises InputError: unreadable (no file, no
    name, closed, a .zip), binary, truncated, corrupt, too_large.
    """
    if not name:
        raise InputError("unreadable", "the name is empty; give a file, or - for standard input")
    try:
        if name == "-":
            if sys.stdin is None:
                raise InputError("unreadable", "it is closed; give a file, or pipe the log in")
            return _read(sys.stdin.buffer, "")
        with open(name, "rb") as stream:
            return _read(stream, name)
    except InputError:
        raise
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name, a closed stream
        raise InputError("unreadable", getattr(error, "strerror", None) or str(error)) from error


def _read(source: IO[bytes], name: str) -> LogInput:
    start = source.read(max(map(len, _MAGIC.values())))
    stream: _Stream = _Stream(start, source)
    packing = _packing(name, start)
    if packing == ".zip":
        raise InputError("unreadable", "a .zip holds many logs; unpack it and name one of them")
    pieces = [_unpacked(stream, packing)] if packing else iter(lambda: stream.read(_CHUNK), b"")
    head, tail, left_out = bytearray(), bytearray(), 0
    for piece in pieces:
        room = HEAD_BYTES - len(head)
        head += piece[:room]
        tail += piece[room:]
        over = -(-(len(tail) - TAIL_BYTES) // _ALIGNMENT) * _ALIGNMENT
        if over > 0:
            del tail[:over]
            left_out += over
    try:
        text, _ = decode(_joined(head, tail) if left_out else bytes(head + tail))
    except InputError as fault:
        if fault.reason != "empty":
            raise
        text = ""
    return LogInput(text, left_out)


class _Stream:
    """A stream whose first bytes were read already, since a pipe cannot be read twice."""

    def __init__(self, start: bytes, rest: IO[bytes]) -> None:
        self._start = start
        self._rest = rest

    def read(self, size: int) -> bytes:
        start, self._start = self._start[:size], self._start[size:]
        return start or self._rest.read(size)


def _packing(name: str, start: bytes) -> str | None:
    """The suffix that says how a log is packed; its first bytes are surer than its name."""
    for suffix, magic in _MAGIC.items():
        if start.startswith(magic):
            return suffix
    return next((suffix for suffix in _MAGIC if name.lower().endswith(suffix)), None)


def _unpacked(stream: _Stream, packing: str) -> bytes:
    limit = Limits().log_bytes
    try:
        return unpack(stream, packing, limit)  # type: ignore[arg-type]  # it only reads
    except InputError as fault:
        if fault.reason != "too_large":
            raise
        detail = f"more than {limit} bytes unpacked; unpack it and give the part that failed"
        raise InputError("too_large", detail) from fault


def _joined(head: bytearray, tail: bytearray) -> bytes:
    """Start and end of a log, without the halves of lines beside the gap where lines are told."""
    line_break = next((found for mark, found in _BREAKS if head.startswith(mark)), b"\n")
    width = len(line_break)
    last, first = head.rfind(line_break), tail.find(line_break)
    if last > 0 and last % width == 0:
        del head[last:]
    if first >= 0 and first % width == 0:
        del tail[: first + width]
    return bytes(head + line_break + tail)
