"""Secrets in text, replaced before anything is hashed, stored or shown.

The scan runs over UTF-8 bytes in linear time. Terminal colour codes are skipped, so a secret that
is coloured in part is still found. Out of reach: a secret broken by a line's end (but for private
key blocks), one that is encoded once more (base64, percent), and one with neither a known shape
nor a telling name beside it. docs/decisions/0003-secret-redaction.md says why it is built so.
"""

import re
from array import array
from bisect import bisect_left, bisect_right

from mem_assets.memory.secret_rules import Span, matching

_COLOUR = re.compile(rb"(?:\x1b\[[0-9;:]*[A-Za-z])+")
_ROUNDS = 8
"""A replaced secret can lay bare one beside it; 20,000 random mixtures needed three rounds."""


def redact(text: str) -> tuple[str, tuple[str, ...]]:
    """The text with each secret as <REDACTED:kind>, and the kinds found, sorted.

    Same text, same answer; redacting again changes nothing. Line breaks inside a private key
    block stay, so that line numbers hold. A user, a host, a key's name beside a secret stay.
    """
    data = text.encode("utf-8", "surrogatepass")
    kinds: set[str] = set()
    for _ in range(_ROUNDS):
        spans = _scan(data)
        if not spans:
            break
        kinds.update(kind for _, _, kind in spans)
        data = _replace(data, spans)
    return (data.decode("utf-8", "surrogatepass") if kinds else text), tuple(sorted(kinds))


def find_secrets(text: str) -> list[str]:
    """The kinds of secret still in the text, sorted; empty for what redact returned."""
    return sorted({kind for _, _, kind in _scan(text.encode("utf-8", "surrogatepass"))})


def _scan(data: bytes) -> list[Span]:
    """Secrets in order, none overlapping."""
    visible, starts, shifts = _without_colour(data)
    named: list[tuple[int, int, int, str]] = []
    net: list[tuple[int, int, int, str]] = []
    for number, rule in enumerate(matching(visible)):
        for start, end, kind in rule.spans(visible):
            stop = _before_quote(visible, end)
            if stop > start:
                (net if rule.is_net else named).append((start, stop, number, kind))
    merged = _merged(named)
    bounds = [start for start, _, _, _ in merged]
    for span in net:
        before = merged[bisect_left(bounds, span[1]) - 1 :][:1] if merged else []
        if not any(start < span[1] and span[0] < end for start, end, _, _ in before):
            named.append(span)

    def origin(offset: int) -> int:
        return offset + shifts[bisect_right(starts, offset) - 1]

    return [(origin(start), origin(end - 1) + 1, kind) for start, end, _, kind in _merged(named)]


def _merged(spans: list[tuple[int, int, int, str]]) -> list[tuple[int, int, int, str]]:
    """Sorted; those that overlap become one, named by the rule that comes first."""
    merged: list[tuple[int, int, int, str]] = []
    for start, end, number, kind in sorted(spans):
        if merged and start < merged[-1][1]:
            first, last, before, name = merged[-1]
            best = min((before, name), (number, kind))
            merged[-1] = (first, max(last, end), *best)
        else:
            merged.append((start, end, number, kind))
    return merged


def _before_quote(data: bytes, end: int) -> int:
    """The end without a backslash that escapes the quote after it: JSON stays JSON."""
    if data[end : end + 1] not in (b'"', b"'"):
        return end
    run = end
    while run > 0 and data[run - 1 : run] == b"\\":
        run -= 1
    return end - (end - run) % 2


def _without_colour(data: bytes) -> tuple[bytes, array, array]:
    """Data without terminal codes; visible offsets, and how far the data lies ahead from each."""
    starts, shifts = array("q", [0]), array("q", [0])
    if b"\x1b[" not in data:
        return data, starts, shifts
    parts, position, removed = [], 0, 0
    for code in _COLOUR.finditer(data):
        parts.append(data[position : code.start()])
        position = code.end()
        removed += position - code.start()
        starts.append(position - removed)
        shifts.append(removed)
    parts.append(data[position:])
    return b"".join(parts), starts, shifts


def _replace(data: bytes, spans: list[Span]) -> bytes:
    parts: list[bytes] = []
    position = 0
    for start, end, kind in spans:
        breaks = re.sub(rb"[^\r\n]+", b"", data[start:end])
        parts += data[position:start], f"<REDACTED:{kind}>".encode(), breaks
        position = end
    return b"".join((*parts, data[position:]))
