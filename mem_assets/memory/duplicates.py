"""Texts that tell the same lesson again, found by word shingles.

Two texts are near-duplicates where the Jaccard index of their shingles (pairs of
neighbouring word stems) is at least THRESHOLD *and* nothing says that they speak of
different things. A wrong merge loses a lesson, a missed one only keeps a lesson twice, so
these keep two texts apart, however alike they read:

- numbers: the words with a digit (versions, ports, codes) are not the same set. Addresses,
  tickets, dates and commits do not count: they say who tells, not what;
- negation: the sentences that both tell do not negate equally often;
- names: each text names something that the other does not. A name is a word in code ticks,
  with a capital inside or (but at the start of a sentence) in front, or with an inner dot,
  slash, underscore or @; and where the texts differ in a single word put for another
  throughout, that word (`numpy` for `pandas`), unless it is inflected or common English;
- opposites: one says "raised" where the other says "lowered".
"""

import tomllib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from importlib.resources import files
from itertools import pairwise
from typing import TYPE_CHECKING

import re2
from snowballstemmer import stemmer

from mem_assets.hashing import sha256_json

if TYPE_CHECKING:
    from datasketch import MinHash

THRESHOLD = 0.6
"""Jaccard index. With pairs of words: about one word in eight put for another."""

MAX_COMPARED = 100
"""Texts that one text is compared with, the smallest keys first. Texts from one template, all
alike and each with another name, would cost the square of their number otherwise; beyond it a
duplicate may stay, which loses nothing."""

DATA_FILE = "duplicate_words.toml"

_SEED = 1
_BANDS, _ROWS = 42, 3  # Finds a pair of Jaccard 0.6 with probability 1 - 4e-5.

_REFERENCES = re2.compile(
    r"(?i)\b(?:https?|ssh|git)://\S+|\b\d{4}-\d\d-\d\d(?:[t ]\d\d:[\d:.]+z?)?\b"
    r"|\b[0-9a-f]{12,64}\b|(?:\b[\w.\-]+/[\w.\-]+)?#\d+\b"
)
_TICKETS = re2.compile(r"\b[A-Z][A-Z0-9]+-\d+\b")
_WORD = re2.compile(r"`[^`\n]{1,80}`|[\pL\pN@_](?:[\pL\pN_@/.:+'\-]*[\pL\pN_+])?")
_SENTENCE_GAP = re2.compile(r"[.!?;:]|\n\s*(?:\n|[-*+#])")
_INFLECTED = re2.compile(r"(?:ed|ing|ly|ness|ment|tion|able)$")


@dataclass(frozen=True)
class Fingerprint:
    """What of a text takes part in the comparison.

    shingles  pairs of neighbouring stems
    numbers   words with a digit
    names     words that read as the name of something
    negated   of each sentence that says no: its other stems, and how often it does
    words     the words, lower case, with how often each occurs
    """

    shingles: frozenset[str]
    numbers: frozenset[str]
    names: frozenset[str]
    negated: tuple[tuple[frozenset[str], int], ...]
    words: Counter[str]

    @cached_property
    def stems(self) -> frozenset[str]:
        return frozenset(map(_stem, self.words))

    @cached_property
    def group(self) -> str:
        """Only texts of one group can be near-duplicates of each other."""
        return sha256_json(sorted(self.numbers))[:16]

    @cached_property
    def min_hash(self) -> "MinHash":
        """Of the shingles together with the group, so that different groups never meet."""
        from datasketch import MinHash  # Here, since it loads numpy and more.

        hashed = MinHash(num_perm=_BANDS * _ROWS, seed=_SEED)
        hashed.update_batch([f"{self.group} {one}".encode() for one in sorted(self.shingles)])
        return hashed


class DuplicateIndex:
    """Texts by key, asked for the near-duplicates of another text."""

    def __init__(self) -> None:
        from datasketch import MinHashLSH

        self._known: dict[str, Fingerprint] = {}
        self._equal: dict[tuple[str, frozenset[str]], list[str]] = {}
        self._bands = MinHashLSH(num_perm=_BANDS * _ROWS, params=(_BANDS, _ROWS))

    def add(self, key: str, mark: Fingerprint) -> None:
        """Hold a text. Raises ValueError where the key is held already."""
        if key in self._known:
            raise ValueError(f"the key {key!r} is held already: give each text its own")
        self._known[key] = mark
        self._equal.setdefault((mark.group, mark.shingles), []).append(key)
        if len(self._bands.query(mark.min_hash)) < MAX_COMPARED:
            self._bands.insert(key, mark.min_hash)

    def find(self, mark: Fingerprint) -> list[tuple[str, float]]:
        """(key, Jaccard index) of the near-duplicates held, the most alike first."""
        equal = self._equal.get((mark.group, mark.shingles), [])[:MAX_COMPARED]
        alike = sorted(map(str, self._bands.query(mark.min_hash)))[:MAX_COMPARED]
        found: dict[str, float] = {}
        for key in (*equal, *alike):
            score = jaccard(mark.shingles, self._known[key].shingles)
            if score >= THRESHOLD and not conflict(mark, self._known[key]):
                found[key] = round(score, 6)
        return sorted(found.items(), key=lambda item: (-item[1], item[0]))


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


def fingerprint(text: str) -> Fingerprint:
    """What the comparison reads of a text."""
    text = _TICKETS.sub(" ", _REFERENCES.sub(" ", text.replace("’", "'")))
    sentences: list[list[str]] = [[]]
    names: set[str] = set()
    end = 0
    for match in _WORD.finditer(text):
        word = match.group(0)
        if _SENTENCE_GAP.search(text[end : match.start()]):
            sentences.append([])
        plain = _spell(word)
        if _is_name(word, begins=not sentences[-1]):
            names.add(plain)
        sentences[-1] += plain.split()
        end = match.end()
    words = [word for sentence in sentences for word in sentence]
    stems = [_stem(word) for word in words]
    pairs = pairwise(stems) if len(stems) > 1 else [(*stems, "")]
    return Fingerprint(
        shingles=frozenset(" ".join(pair) for pair in pairs),
        numbers=frozenset(word for word in words if any(map(str.isdigit, word))),
        names=frozenset(names),
        negated=tuple(filter(lambda one: one[1], map(_negations, sentences))),
        words=Counter(words),
    )


def jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    """The Jaccard index of two sets; two empty ones are equal."""
    union = len(one | other)
    return len(one & other) / union if union else 1.0


def conflict(one: Fingerprint, other: Fingerprint) -> str:
    """What says that two texts which read alike speak of different things; "" for nothing."""
    if one.numbers != other.numbers:
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
        if throughout and _stem(gone) != _stem(come) and not (_common(gone) or _common(come)):
            return "names"
    return ""


def _negations(sentence: list[str]) -> tuple[frozenset[str], int]:
    negations = _list("negations")
    said = [word for word in sentence if word in negations]
    return frozenset(_stem(word) for word in sentence if word not in negations), len(said)


def _shared_negations(one: Fingerprint, other: Fingerprint) -> int:
    """How often one says no in the sentences most of which stand in the other as well."""
    return sum(count for stems, count in one.negated if 2 * len(stems & other.stems) >= len(stems))


def _unnamed(one: Fingerprint, other: Fingerprint) -> bool:
    """Whether one names something of which the other does not say a word."""
    return any(not all(word in other.words for word in name.split()) for name in one.names)


def _opposed(left: set[str], right: set[str]) -> bool:
    gone, come = ({_stem(word) for word in words} for words in (left, right))
    return any(
        (one in gone and other in come) or (other in gone and one in come)
        for one, other in _opposites()
    )


def _spell(word: str) -> str:
    """One spelling of a word: lower case, no code ticks, a contracted "not" written out."""
    word = word.strip("`").lower()
    if word in ("can't", "cannot"):
        return "can not"
    if word.endswith("n't"):
        return f"{word[:-3]} not"
    return word.removesuffix("'s")


def _is_name(word: str, begins: bool) -> bool:
    """`begins` where the word begins a sentence, so that its capital says nothing."""
    bare = word.strip("`")
    if any(map(str.isdigit, bare)) or bare in ("I", "I'm", "I've", "I'd", "I'll"):
        return False  # A word with a digit is compared as a number.
    return (
        bare != word
        or any(mark in bare for mark in "._/@")
        or any(map(str.isupper, bare[1:] if begins else bare))
    )


def _common(word: str) -> bool:
    return bool(_INFLECTED.search(word)) or word in _list("common")


@lru_cache(maxsize=65536)
def _stem(word: str) -> str:
    # A word of the input may be a megabyte long; no English stem is.
    return str(stemmer("english").stemWord(word)) if len(word) <= 40 else word


def data_version() -> str:
    """Content hash of the word lists."""
    return sha256_json({name: sorted(_list(name)) for name in ("negations", "opposites", "common")})


@cache
def _opposites() -> tuple[tuple[str, str], ...]:
    pairs = []
    for entry in sorted(_list("opposites")):
        one, separator, other = entry.partition(" / ")
        if not separator:
            raise ValueError(f"{DATA_FILE}, opposites: {entry!r} is not `one / other`")
        pairs.append((_stem(one), _stem(other)))
    return tuple(pairs)


@cache
def _list(name: str) -> frozenset[str]:
    """The entries of one list; raises ValueError, naming file and list, where it is none."""
    data = tomllib.loads(files(__package__).joinpath(DATA_FILE).read_text("utf-8"))
    value = data.get(name)
    if not isinstance(value, str):
        raise ValueError(f"{DATA_FILE}, {name}: not a text with one entry a line")
    return frozenset(entry.strip() for entry in value.split("\n") if entry.strip())
