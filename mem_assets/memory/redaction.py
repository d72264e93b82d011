"""Secrets in text, replaced before anything is hashed, stored or shown.

The scan runs over UTF-8 bytes in linear time. Terminal colour codes are skipped, so a secret that
is coloured in part is still found. Text with escapes in it (logs are often lines of JSON) is read
twice: as it stands, and as it reads with its escapes resolved. Out of reach: a secret broken by a
line's end (but for private key blocks), one that is encoded once more (base64, percent), and one
with neither a known shape nor a telling name beside it.
docs/decisions/0003-secret-redaction.md says why it is built so.
"""

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from mem_assets.memory.secret_rules import Span, matching

_CODE = rb"\[[0-9;:]*[A-Za-z]"
_COLOUR = re.compile(rb"(?:\x1b" + _CODE + rb")+")
# A run of backslashes counts as one, since JSON may stand in JSON; but before a quote only an odd
# run escapes it. The look-behind makes each run be tried once, from its beginning. Lines without a
# backslash were read already.
_ESCAPE = re.compile(
    rb"(?:\x1b|(?<!\\)\\+(?:u001[bB]|x1[bB]|033|e))" + _CODE + rb"|(?<!\\)(?:"
    rb"\\+(?:u(?P<u>[0-9A-Fa-f]{4})|x(?P<x>[0-9A-Fa-f]{2})|(?P<c>[nrtbf/]))"
    rb"|(?:\\\\)*\\(?P<q>[\"']))"
    rb"|(?m:^)(?P<lines>(?:[^\\\n]*\n)+)"
)
_CONTROLS = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"f": b"\f", b"/": b"/"}
_ROUNDS = 8
"""A replaced secret can lay bare one beside it; 20,000 random mixtures needed four rounds."""


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
    named: list[tuple[int, int, int, str]] = []
    net: list[tuple[int, int, int, str]] = []
    for view in _views(data):
        for number, rule in enumerate(matching(view.data)):
            for start, end, kind in rule.spans(view.data):
                stop = _before_quote(view.data, end)
                if stop > start:
                    (net if rule.is_net else named).append(
                        (*view.origin(start, stop), number, kind)
                    )
    merged = _merged(named)
    bounds = [start for start, _, _, _ in merged]
    for span in net:
        before = merged[bisect_left(bounds, span[1]) - 1 :][:1] if merged else []
        if not any(start < span[1] and span[0] < end for start, end, _, _ in before):
            named.append(span)
    return [(start, end, kind) for start, end, _, kind in _merged(named)]


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


@dataclass(frozen=True)
class _View:
    """Data as somebody reads it, in stretches, and the way back to the data.

    begins   offset of each stretch in the view
    origins  its offset in the data
    lengths  its bytes in the data where it stands for one escape, else 0: it is as in the data
    """

    data: bytes
    begins: array
    origins: array
    lengths: array

    def origin(self, start: int, end: int) -> tuple[int, int]:
        """Where the bytes from start to end lie in the data; an escape is in it as a whole."""
        first, last = (bisect_right(self.begins, at) - 1 for at in (start, end - 1))
        head = 0 if self.lengths[first] else start - self.begins[first]
        tail = self.lengths[last] or end - self.begins[last]
        return self.origins[first] + head, self.origins[last] + tail


def _views(data: bytes) -> Iterator[_View]:
    """The data without its colours, and once more with its escapes resolved, if it has any.

    Both are needed: "\\n" may be a line's end in JSON, or a piece of a Windows path or password.
    """
    yield _view(data, _COLOUR, lambda match: b"")
    if b"\\" in data:
        yield _view(data, _ESCAPE, _resolved)


def _view(
    data: bytes, pattern: re.Pattern[bytes], read: Callable[[re.Match[bytes]], bytes]
) -> _View:
    begins, origins, lengths = array("q", [0]), array("q", [0]), array("q", [0])
    parts: list[bytes] = []
    position = size = 0
    for code in pattern.finditer(data):
        character = read(code)
        parts += data[position : code.start()], character
        size += code.start() - position
        if character:
            begins.append(size)
            origins.append(code.start())
            lengths.append(code.end() - code.start())
        size += len(character)
        position = code.end()
        begins.append(size)
        origins.append(position)
        lengths.append(0)
    parts.append(data[position:])
    return _View(b"".join(parts), begins, origins, lengths)


def _resolved(code: re.Match[bytes]) -> bytes:
    """The character that an escape stands for; nothing for a terminal code.

    Lines become one that ends a secret, and is no blank line.
    """
    if code["lines"]:
        return b"\0\n"
    if digits := code["u"] or code["x"]:
        return chr(int(digits, 16)).encode("utf-8", "surrogatepass")
    return _CONTROLS[code["c"]] if code["c"] else code["q"] or b""


def _replace(data: bytes, spans: list[Span]) -> bytes:
    parts: list[bytes] = []
    position = 0
    for start, end, kind in spans:
        breaks = re.sub(rb"[^\r\n]+", b"", data[start:end])
        parts += data[position:start], f"<REDACTED:{kind}>".encode(), breaks
        position = end
    return b"".join((*parts, data[position:]))
