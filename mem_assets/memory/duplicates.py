"""Texts that tell the same lesson again, found by word shingles.

Two texts are near-duplicates where the Jaccard index of their shingles (pairs of
neighbouring word stems) is at least THRESHOLD *and* nothing says that they speak of
different things. A wrong merge loses a lesson, a missed one only keeps a lesson twice, so
these keep two texts apart, however alike they read:

- numbers: each text has one that says which (a version, a port, a code) and that the other does
  not have; or they say how much and differ by more than CLOSE. Addresses, tickets, dates and
  commits do not count: they say who tells, not what;
- negation: the sentences that both tell do not negate equally often;
- names: each text names something that the other does not. A name is a word in code ticks,
  with a capital inside or (but at the start of a sentence) in front, or with an inner dot,
  slash, underscore or @; and where the texts differ in a single word put for another
  throughout, that word (`numpy` for `pandas`), unless it is inflected or common English;
- opposites: one says "raised" where the other says "lowered".
"""

from collections.abc import Sequence
from functools import cache

import re2

from mem_assets.memory.duplicate_words import entries, pairs
from mem_assets.memory.fingerprints import BANDS, ROWS, Fingerprint, english_stem, fingerprint

THRESHOLD = 0.6
"""Jaccard index. With pairs of words: about one word in eight put for another."""

CLOSE = 1.5
"""Ratio up to which two amounts are one, told more or less exactly: "19 million", "some 20"."""

MAX_COMPARED = 50
"""Texts that one text is compared with, the smallest keys first. Texts from one template, all
alike and each with another name, would cost the square of their number otherwise; beyond it a
duplicate may stay, which loses nothing."""

_INFLECTED = re2.compile(r"(?:ed|ing|ly|ness|ment|tion|able)$")


class DuplicateIndex:
    """Texts by key, asked for the near-duplicates of another text."""

    def __init__(self) -> None:
        from datasketch import MinHashLSH

        self._known: dict[str, Fingerprint] = {}
        self._equal: dict[frozenset[str], list[str]] = {}
        self._asked: tuple[Fingerprint | None, int, list[str]] = (None, 0, [])
        self._bands = MinHashLSH(num_perm=BANDS * ROWS, params=(BANDS, ROWS))

    def add(self, key: str, mark: Fingerprint) -> None:
        """Hold a text. Raises ValueError where the key is held already."""
        if key in self._known:
            raise ValueError(f"the key {key!r} is held already: give each text its own")
        if len(self._alike(mark)) < MAX_COMPARED:
            self._bands.insert(key, mark.min_hash)
        self._known[key] = mark
        self._equal.setdefault(mark.shingles, []).append(key)

    def find(self, mark: Fingerprint) -> list[tuple[str, float]]:
        """(key, Jaccard index) of the near-duplicates held, the most alike first."""
        equal = self._equal.get(mark.shingles, [])[:MAX_COMPARED]
        alike = self._alike(mark)[:MAX_COMPARED]
        found: dict[str, float] = {}
        for key in (*equal, *alike):
            score = jaccard(mark.shingles, self._known[key].shingles)
            if score >= THRESHOLD and not conflict(mark, self._known[key]):
                found[key] = round(score, 6)
        return sorted(found.items(), key=lambda item: (-item[1], item[0]))

    def _alike(self, mark: Fingerprint) -> list[str]:
        """Keys that share a band, sorted; kept for `add`, which comes after `find`."""
        asked, held, alike = self._asked
        if asked is not mark or held != len(self._known):
            alike = sorted(map(str, self._bands.query(mark.min_hash)))
            self._asked = (mark, len(self._known), alike)
        return alike


def near_duplicates(texts: Sequence[tuple[str, str]]) -> list[tuple[str, str, float]]:
    """Pairs (smaller key, larger key, Jaccard index) of the near-duplicates among (key, text).

    Sorted by keys; the order of `texts` does not matter. Raises ValueError where a key
    stands twice.
    """
    index = DuplicateIndex()
    pairs = []
    for key, text in sorted(texts):
        mark = fingerprint(text)
        pairs += [(other, key, score) for other, score in index.find(mark)]
        index.add(key, mark)
    return sorted(pairs)


def jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    """The Jaccard index of two sets; two empty ones are equal."""
    union = len(one | other)
    return len(one & other) / union if union else 1.0


def conflict(one: Fingerprint, other: Fingerprint) -> str:
    """What says that two texts which read alike speak of different things; "" for nothing."""
    if _renumbered(one, other):
        return "numbers"
    if _shared_negations(one, other) != _shared_negations(other, one):
        return "negation"
    if _unnamed(one, other) and _unnamed(other, one):
        return "names"
    left, right = set(one.words) - set(other.words), set(other.words) - set(one.words)
    if _opposed(left, right):
        return "opposites"
    if len(left) == len(right) == 1:
        (gone,), (come,) = left, right
        throughout = one.words[gone] == other.words[come]
        if (
            throughout
            and english_stem(gone) != english_stem(come)
            and not (_common(gone) or _common(come))
        ):
            return "names"
    return ""


def _renumbered(one: Fingerprint, other: Fingerprint) -> bool:
    if one.numbers - other.numbers and other.numbers - one.numbers:
        return True
    gone, come = one.amounts - other.amounts, other.amounts - one.amounts
    return any(
        counted == again and not max(value, new) <= CLOSE * min(value, new)
        for counted, value in gone
        for again, new in come
    )


def _shared_negations(one: Fingerprint, other: Fingerprint) -> int:
    """How often one says no in the sentences most of which stand in the other as well."""
    return sum(count for stems, count in one.negated if 2 * len(stems & other.stems) >= len(stems))


def _unnamed(one: Fingerprint, other: Fingerprint) -> bool:
    """Whether one names something of which the other does not say a word."""
    return any(not all(word in other.words for word in name.split()) for name in one.names)


def _opposed(left: set[str], right: set[str]) -> bool:
    gone, come = ({english_stem(word) for word in words} for words in (left, right))
    return any(
        (one in gone and other in come) or (other in gone and one in come)
        for one, other in _opposites()
    )


@cache
def _opposites() -> tuple[tuple[str, str], ...]:
    return tuple((english_stem(one), english_stem(other)) for one, other in pairs("opposites"))


def _common(word: str) -> bool:
    return bool(_INFLECTED.search(word)) or word in entries("common")
