"""Secrets known by what they are given to: a key's name, a flag, the user in a URL.

Google-re2 finds the place; secret_values judges the value beside it. A value is followed to its
end only once its beginning was judged a secret, so that the scan stays linear.
"""

import re
from collections.abc import Iterator

import re2

from mem_assets.memory.secret_values import (
    HEAD,
    Assignment,
    is_flag_secret,
    is_secret,
    is_url_secret,
)

_KEY_WORDS = (
    r"(?:pass(?:word|wd|phrase|code|wort)|[_-]pass|pwd|secrets?|tokens?|credentials?"
    r"|api[_-]?key|access[_-]?key|secret[_-]?key|private[_-]?key|signing[_-]?key"
    r"|encryption[_-]?key|master[_-]?key|auth[_-]?key|account[_-]?key|license[_-]?key"
    r"|(?:cloud|iam|cloudant|softlayer)_?key|[_-]pat|[_-]auth)"
)

ASSIGNMENT_TRACE = (
    rf"(?i)({_KEY_WORDS})(?:_?(?:base64|b64|base|value|[0-9]))?"
    r"(\\*[\"'])?\]?[ \t]*(=>|:=|::|[=:>])([ \t]*)"
)
FLAG_TRACE = rf"(?i)(?:^|[\s\"'])(--?[a-z0-9-]*{_KEY_WORDS})[ \t]+[\"']?([^\s\"'-][^\s\"']*)"
URL_TRACE = r"[A-Za-z][A-Za-z0-9+.-]*://([^\s:/?#@\"'<>\[\]]*):([^\s\"'<>`]*)@"

_OPTIONS = re2.Options()
_OPTIONS.log_errors = False
_ASSIGNMENT = re2.compile(ASSIGNMENT_TRACE, _OPTIONS)
_FLAG = re2.compile(FLAG_TRACE, _OPTIONS)
_URL = re2.compile(URL_TRACE, _OPTIONS)

_KEY_BYTES = 64
_KEY_CHARACTERS = bytes(range(48, 58)) + bytes(range(65, 91)) + bytes(range(97, 123)) + b"_.-"
_QUOTE = re.compile(rb"\\{0,8}[\"'`]")
_QUOTED_BYTES = 64 * 1024
_BARE = re.compile(rb"(?:[^\s\"'<`\\]|<(?!/|REDACTED:)|\\[^\s\"'<`\\nrt])*")
_NEXT_KEY = re.compile(rb"[&,;](?:[A-Za-z_][\w.-]*=|[)}\]]|$)")
_LINE_HEAD = re.compile(rb"[0-9TZ:.,+ \t-]*[\"']?")


def urls(data: bytes) -> Iterator[tuple[int, int, str]]:
    """The password of "scheme://user:password@host"; scheme, user and host stay."""
    for match in _URL.finditer(data):
        user, password = (_text(part[:HEAD]) for part in (match.group(1), match.group(2)))
        if is_url_secret(user, password):
            yield *match.span(2), "url-password"


def flags(data: bytes) -> Iterator[tuple[int, int, str]]:
    """The value after a flag such as --password, where it cannot be a word of a sentence."""
    for match in _FLAG.finditer(data):
        if is_flag_secret(_text(match.group(2)[:HEAD]).rstrip(",;.)")):
            yield *match.span(2), _kind(_text(match.group(1)))


def assignments(data: bytes) -> Iterator[tuple[int, int, str]]:
    """Values given to a name that ends in password, token, secret, api_key and their like, in
    env dumps, JSON, YAML, XML, connection strings, command lines and source code."""
    position = 0
    while match := _ASSIGNMENT.search(data, position):
        position = match.end()
        quote = _QUOTE.match(data, position)
        start = quote.end() if quote else position
        end = _end(data, start, quote.group() if quote else b"", HEAD)
        given = _assignment(data, match, start, end, bool(quote))
        if given and is_secret(given):
            position = _end(data, start, quote.group() if quote else b"", len(data))
            yield start, position, _kind(given.word)


def _end(data: bytes, start: int, quote: bytes, reach: int) -> int:
    """Where a value ends: at its closing quote in the line, else where a bare word does."""
    if quote:
        limit = min(len(data), start + min(reach, _QUOTED_BYTES))
        line = data.find(b"\n", start, limit)
        limit = limit if line < 0 else line
        end = data.find(quote, start, limit)
        while end > start and len(quote) == 1 and data[end - 1 : end] == b"\\":
            end = data.find(quote, end + 1, limit)
        if end >= start:
            return end
        if limit == start + reach:
            return limit
    limit = min(len(data), start + reach)
    match = _BARE.match(data, start, limit)
    end = match.end() if match else start
    cut = _NEXT_KEY.search(data, start, end)
    end = cut.start() if cut else end
    closing = b",;}].>" if b"(" in data[start:end] else b",;}].>)"
    return start + len(data[start:end].rstrip(closing))


def _assignment(
    data: bytes, match: re2._Match, start: int, end: int, quoted: bool
) -> Assignment | None:
    """What is given to what, as far as it can be seen; None for a ">" that closes no tag
    and for the user of an address."""
    word_at, sign_at = match.start(1), match.start(3)
    before = data[max(0, word_at - _KEY_BYTES) : word_at]
    head = before.rstrip(_KEY_CHARACTERS)
    sign = match.group(3)
    if (sign == b">" and not head.endswith(b"<")) or head.endswith(b"://"):
        return None
    spaced = bool(match.group(4)) or data[sign_at - 1 : sign_at] in (b" ", b"\t")
    certain = (
        bool(match.group(2)) or quoted or sign in (b"=>", b">") or (sign == b"=" and not spaced)
    )
    if not certain:
        begun = b"\n" in head or len(before) == word_at
        certain = begun and bool(_LINE_HEAD.fullmatch(head.rpartition(b"\n")[2]))
        certain = certain and data[end : end + 2].lstrip(b" \t,;")[:1] in b"\r\n"
    word = _text(match.group(1))
    return Assignment(
        key=_text(before[len(head) :]) + word,
        word=word.lower(),
        value=_text(data[start:end]).strip(),
        quoted=quoted,
        certain=certain,
        colon=sign == b":",
    )


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _kind(word: str) -> str:
    word = word.lower()
    for part, kind in (("pass", "password"), ("pwd", "password"), ("token", "token")):
        if part in word:
            return kind
    return "key" if "key" in word else "secret"
