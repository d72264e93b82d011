"""What a pattern needs to match: pieces of text that are looked for in the raw bytes of a log.

A log is searched for these pieces at the speed of one automaton, and only the lines that hold one
are cleaned and asked further. A piece may have terminal codes between its parts, and stands
wherever a line may begin once a runner's prefix is gone, so that no line is missed for its dress.
"""

import functools
import re
from collections.abc import Iterable
from dataclasses import dataclass
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any, NamedTuple

_CODE = r"\x1b[\[(][^A-Za-z\n]*[A-Za-z]"
"""A colour or cursor code; any number may stand between two parts of a piece."""
UNCLEAN = (
    r"[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f]",
    rf"[A-Za-z]{{2}}{_CODE}[A-Za-z]",
    r"\x1b[^\[(=>]",
    r"[A-Za-z]{2}\x1b[=>]",
    r"\xc2[\x80-\x9f]",
)
"""A control character, or a colour inside a word, may hide any piece: such a line is asked too."""

_MAX_SET = 64
_MAX_TOKENS = 28
_TELLING_TOKENS = 14
_ENOUGH_WORTH = 3.5
"""Measured on CI logs: longer pieces spare few lines and make the automaton twice as slow."""
_MAX_CHOICES = 4
"""Alternatives of which an optional part, or a class of wide characters, may consist."""
_LEAST_WORTH = 1.0
"""Below, a piece stands in nearly every line."""


class _Token(NamedTuple):
    """A character of a piece, or several of a class: its regex over bytes, whether it is of a
    word, and its worth: how seldom a line has it, a small letter being 1."""

    regex: str
    is_word: bool
    worth: float


_Piece = tuple[_Token, ...]
_Pieces = frozenset[_Piece]
_EMPTY: _Pieces = frozenset({()})
_LINE_BEGINS = _Token(rf"(?:^|[\n \t\]|:\xbf]|{_CODE})", False, 0.5)
"""What may stand before a line's first character: a runner's prefix and a wrapper's envelope end
in a blank, a bracket, a bar or a colon, a byte order mark in BF."""
_CLASSES = {
    op.CATEGORY_DIGIT: _Token("[0-9]", True, 0.6),
    op.CATEGORY_SPACE: _Token(r"[ \t]", False, 0.3),
    op.CATEGORY_WORD: _Token("[0-9A-Za-z_]", True, 0.1),
}


@dataclass(frozen=True)
class _Known:
    """What is known of the texts that a part of a pattern matches.

    exact        all of them, or None where that is too much to tell
    begins/ends  one of these stands at their beginning, and at their end
    holds        one of these stands somewhere inside, or None
    """

    exact: _Pieces | None
    begins: _Pieces
    ends: _Pieces
    holds: _Pieces | None = None

    @classmethod
    def all_of(cls, pieces: _Pieces) -> "_Known":
        return cls(pieces, pieces, pieces)


_NOTHING = _Known(None, _EMPTY, _EMPTY)


@functools.cache
def needed(pattern: str) -> tuple[str, ...] | None:
    """Regexes over bytes of which any line that matches `pattern` holds one; None where the
    pattern needs no certain text, and so every line has to be asked."""
    source = re.sub(r"\\x\{([0-9A-Fa-f]+)\}", lambda m: re.escape(chr(int(m[1], 16))), pattern)
    flags = re.match(r"\(\?([ims]+)\)", source)
    try:
        tree = parser.parse(source[flags.end() :] if flags else source)
    except re.error:  # RE2's own syntax, such as \pL
        return None
    known = _sequence(tree, flags is not None and "i" in flags[1])
    best = _better(known.exact, known.holds)
    if best is None or _worth(best) < _LEAST_WORTH:
        return None
    return tuple(sorted(map(_regex, _shortest(best))))


def needed_by(patterns: Iterable[str]) -> str:
    """One regex over bytes for all the patterns; any byte where one needs nothing certain."""
    found: set[str] = set(UNCLEAN)
    for pattern in patterns:
        pieces = needed(pattern)
        if pieces is None:
            return r"[^\n]"
        found.update(pieces)
    return "|".join(sorted(found))


def _sequence(items: Iterable[Any], ignore_case: bool) -> _Known:
    run, begins, holds = _EMPTY, None, None
    for code, value in items:
        known = _item(code, value, ignore_case)
        longer = None if known.exact is None else _joined(run, known.exact)
        if longer is not None:
            run = longer
            continue
        head = _head(run, known.begins)
        holds = _better(_better(holds, known.holds), head)
        begins = head if begins is None else begins
        run = known.ends
    if begins is None:
        return _Known.all_of(run)
    return _Known(None, begins, run, _better(holds, run))


def _item(code: Any, value: Any, ignore_case: bool) -> _Known:
    if code is op.LITERAL:
        return _Known.all_of(frozenset({(_literal(value, ignore_case),)}))
    if code is op.IN:
        return _choice(value, ignore_case)
    if code is op.AT:
        begins = value is op.AT_BEGINNING
        return _Known.all_of(frozenset({(_LINE_BEGINS,)}) if begins else _EMPTY)
    if code is op.SUBPATTERN:
        _, added, dropped, inner = value
        return _sequence(inner, (ignore_case or bool(added & re.I)) and not dropped & re.I)
    if code is op.BRANCH:
        return _any_of([_sequence(branch, ignore_case) for branch in value[1]])
    if code in (op.MAX_REPEAT, op.MIN_REPEAT):
        least, most, inner = value
        return _repeated(least, most, _sequence(inner, ignore_case))
    return _NOTHING


def _choice(values: list[tuple[Any, Any]], ignore_case: bool) -> _Known:
    """One character of several: a class of ASCII characters is a token of its own."""
    are_literals = all(code is op.LITERAL for code, _ in values)
    if are_literals and len(values) <= _MAX_CHOICES and max(values)[1] > 127:
        return _Known.all_of(frozenset((_literal(value, ignore_case),) for _, value in values))
    members: list[str] = []
    worths: list[float] = []
    are_words: list[bool] = []
    for code, value in values:
        if code is op.LITERAL and value < 128:
            token = _literal(value, False)
        elif code is op.CATEGORY and value in _CLASSES:
            token = _CLASSES[value]
        elif code is op.RANGE and value[1] < 128:
            first, last = (f"\\x{point:02x}" for point in value)
            token = _Token(f"[{first}-{last}]", chr(value[0]).isalnum(), 0.1)
        else:
            return _NOTHING
        members.append(token.regex.strip("[]"))
        worths.append(token.worth / len(values))
        are_words.append(token.is_word)
    regex = f"(?i:[{''.join(members)}])" if ignore_case else f"[{''.join(members)}]"
    return _Known.all_of(frozenset({(_Token(regex, all(are_words), min(worths)),)}))


def _any_of(branches: list[_Known]) -> _Known:
    wholes = [known.exact for known in branches]
    exact = None if None in wholes else _union(w for w in wholes if w is not None)
    held = [_better(known.exact, known.holds) for known in branches]
    return _Known(
        exact,
        _union(known.begins for known in branches) or _EMPTY,
        _union(known.ends for known in branches) or _EMPTY,
        None if None in held else _union((h for h in held if h is not None), 8 * _MAX_SET),
    )


def _repeated(least: int, most: Any, known: _Known) -> _Known:
    if least == most == 1:
        return known
    exact = known.exact
    if exact is None:
        return _NOTHING if least == 0 else _Known(None, known.begins, known.ends, known.holds)
    if len(exact) == 1 and len(only := next(iter(exact))) == 1:
        return _Known.all_of(frozenset({(_several(only[0], least, most),)}))
    if least == 0:
        optional = most == 1 and len(exact) <= _MAX_CHOICES
        return _Known.all_of(exact | _EMPTY) if optional else _NOTHING
    return _Known(None, exact, exact, exact)


def _several(token: _Token, least: int, most: Any) -> _Token:
    count = f"{{{least}}}" if least == most else f"{{{least},}}"
    if least == 0:
        count = "?" if most == 1 else "*"
    codes = "" if token.is_word else f"|{_CODE}"
    return _Token(f"(?:{token.regex}{codes}){count}", token.is_word, token.worth * min(least, 4))


def _joined(one: _Pieces, other: _Pieces) -> _Pieces | None:
    """Each piece of one followed by each of the other, unless that is too much."""
    if len(one) * len(other) > _MAX_SET:
        return None
    joined = frozenset(a + b for a in one for b in other)
    return joined if all(len(piece) <= _MAX_TOKENS for piece in joined) else None


def _head(one: _Pieces, other: _Pieces) -> _Pieces:
    """The beginnings of what is joined, as far as they are not too much."""
    if len(one) * len(other) > _MAX_SET:
        return one
    return frozenset((a + b)[:_MAX_TOKENS] for a in one for b in other)


def _union(sets: Iterable[_Pieces], most: int = _MAX_SET) -> _Pieces | None:
    union = frozenset[_Piece]().union(*sets)
    return union if len(union) <= most else None


@functools.cache
def _literal(code_point: int, ignore_case: bool) -> _Token:
    char = chr(code_point)
    regex = "".join(f"\\x{byte:02x}" for byte in char.encode("utf-8", "replace"))
    is_word = char.isalnum() or char == "_"
    if char.isascii() and is_word:
        regex = f"(?i:{char})" if ignore_case else char
    worth = 0.3 if char == " " else 0.7 if not char.isalnum() else 1.5 if char.isupper() else 1.0
    return _Token(regex, is_word, worth)


def _better(one: _Pieces | None, other: _Pieces | None) -> _Pieces | None:
    """The pieces that fewer lines hold: those whose poorest is worth more."""
    if one is None or other is None:
        return other if one is None else one
    return max(one, other, key=lambda pieces: (_worth(pieces), len(min(pieces, key=len))))


def _worth(pieces: _Pieces) -> float:
    return min(map(_sum, pieces), default=0.0)


def _shortest(pieces: _Pieces) -> set[_Piece]:
    """The pieces that say something from end to end, without those that hold another."""
    told = {_telling(piece) for piece in pieces}
    return {p for p in told if not any(q != p and _is_inside(q, p) for q in told)}


def _telling(piece: _Piece) -> _Piece:
    """The part of a piece that is looked for: what is worth most in few tokens, and no beginning of
    a line where the rest tells enough: both would only make the automaton larger."""
    piece = _bare(piece)
    if piece[0] is _LINE_BEGINS and _sum(piece[1:]) >= _ENOUGH_WORTH:
        piece = _bare(piece[1:])
    starts = range(max(1, len(piece) - _TELLING_TOKENS + 1))
    start = max(starts, key=lambda i: (_sum(piece[i : i + _TELLING_TOKENS]), -i))
    return _bare(piece[start : start + _TELLING_TOKENS])


def _bare(piece: _Piece) -> _Piece:
    told = [number for number, token in enumerate(piece) if token.worth]
    return piece[told[0] : told[-1] + 1]


def _sum(piece: _Piece) -> float:
    return round(sum(token.worth for token in piece), 3)


def _is_inside(one: _Piece, other: _Piece) -> bool:
    return any(other[i : i + len(one)] == one for i in range(len(other) - len(one) + 1))


def _regex(piece: _Piece) -> str:
    parts: list[str] = []
    for before, token in zip((None, *piece), piece, strict=False):
        if before is not None and not (before.is_word and token.is_word):
            parts.append(f"(?:{_CODE})*")
        parts.append(token.regex)
    return "".join(parts)
