"""Private key blocks: PEM, OpenSSH, PGP, SSH2 and PuTTY, whole, also inside a log's lines."""

import re
from collections.abc import Iterator

import re2

KIND = "private-key"
TRACE = r"PRIVATE KEY|PuTTY-User-Key-File-[0-9]"

BLOCK_BYTES = 64 * 1024
"""How far a block without an end is followed; an armoured 16384-bit key takes 13 KiB."""

_MARKER = re2.compile(
    rb"-----?[ ]?(BEGIN|END) (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?[ ]?-----?"
    rb"|(PuTTY)-User-Key-File-[0-9]:"
)
_BODY = re.compile(rb"[A-Za-z0-9+/=]{4,}")
_LONG_BODY = re.compile(rb"[A-Za-z0-9+/=]{20,}")
_BODY_LINE = re.compile(
    rb"(?:[A-Za-z0-9+/=]{16,}|[A-Za-z0-9+/]{2,}={1,2}|(?:Proc-Type|DEK-Info|Version|Comment|"
    rb"Encryption|Public-Lines|Private-Lines|Private-MAC|Hash|Subject)[:,][^\r\n]*)[\"',\\]*[ \t]*$"
)
_BODY_SAME_LINE = re.compile(rb"(?:[A-Za-z0-9+/=]|\\+[nr]|[ \t])*")


def spans(data: bytes) -> Iterator[tuple[int, int, str]]:
    """Each block from its first marker to its last; without a last one, as far as lines look
    like the key's body. A marker alone, as an error message quotes it, is no secret."""
    markers = list(_MARKER.finditer(data))
    for number, marker in enumerate(markers):
        if marker.group(1) == b"END":
            continue
        after = markers[number + 1] if number + 1 < len(markers) else None
        ends = after is not None and after.group(1) == b"END"
        if after is not None and ends and after.start() - marker.end() <= BLOCK_BYTES:
            if _BODY.search(data, marker.end(), after.start()):
                yield marker.start(), after.end(), KIND
            continue
        limit = min(len(data), marker.end() + BLOCK_BYTES)
        if after is not None:
            limit = min(limit, after.start())
        end = _body_end(data, marker.end(), limit)
        if _LONG_BODY.search(data, marker.end(), end):
            yield marker.start(), end, KIND


def _body_end(data: bytes, start: int, limit: int) -> int:
    """The end of the last line, from start on, that can belong to a key."""
    match = _BODY_SAME_LINE.match(data, start, limit)
    end = match.end() if match else start
    line = data.find(b"\n", start, limit) + 1
    blanks = 0
    while 0 < line < limit:
        stop = data.find(b"\n", line, limit)
        stop = limit if stop < 0 else stop
        text = data[line:stop].rstrip(b"\r")
        if _BODY_LINE.search(text[-256:]):
            end, blanks = line + len(text), 0
        elif text.strip() or blanks:
            break
        else:
            blanks += 1
        line = stop + 1
    return end
