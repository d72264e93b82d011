"""What of a text takes part when two are compared: word pairs, numbers, names, negations."""

from collections import Counter
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

import re2

from mem_assets.memory.duplicate_words import entries, mapped
from mem_assets.memory.gate_words import stem
from mem_assets.memory.sentences import unquoted

if TYPE_CHECKING:
    from datasketch import MinHash

SEED = 1
BANDS, ROWS = 42, 3
"""Of MinHash: finds a pair of Jaccard index 0.6 with probability 1 - 4e-5."""

_REFERENCES = re2.compile(
    r"(?i)\b(?:https?|ssh|git)://\S+|\b\d{4}-\d\d-\d\d(?:[t ]\d\d:[\d:.]+z?)?\b"
    r"|\b[0-9a-f]{12,64}\b|(?:\b[\w.\-]+/[\w.\-]+)?#\d+\b"
)
_TICKETS = re2.compile(r"\b[A-Z][A-Z0-9]+-\d+\b")
_WORD = re2.compile(r"`[^`\n]{1,80}`|[\pL\pN@_](?:[\pL\pN_@/.:+'\-]*[\pL\pN_+])?%?|%")
_SENTENCE_GAP = re2.compile(r"[.!?;:]|\n\s*(?:\n|[-*+#])")
_MEASURE = re2.compile(
    r"(\d[\d_]*(?:\.\d+)?)(%|h|hrs?|m|mins?|s|secs?|ms|k|g|gb|gib|m|mb|mib|kb|kib|tb|x|days?)"
)
_VERSION = re2.compile(r"v(\d[\w.]*)")
_PLAIN_NUMBER = re2.compile(r"\d[\d_]*")
_AMOUNT = re2.compile(r"\d{1,15}(?:\.\d{1,9})?")


@dataclass(frozen=True)
class Fingerprint:
    """What of a text takes part in the comparison.

    shingles  pairs of neighbouring stems
    numbers   words with a digit that say which
    amounts   numbers that say how much, each with what it counts
    names     words that read as the name of something
    negated   of each sentence that says no: its other stems, and how often it does
    words     the words, lower case, with how often each occurs
    """

    shingles: frozenset[str]
    numbers: frozenset[str]
    amounts: frozenset[tuple[str, float]]
    names: frozenset[str]
    negated: tuple[tuple[frozenset[str], int], ...]
    words: Counter[str]

    @cached_property
    def stems(self) -> frozenset[str]:
        return frozenset(map(english_stem, self.words))

    @cached_property
    def min_hash(self) -> "MinHash":
        hashed = _empty_min_hash().copy()
        hashed.update_batch([one.encode() for one in sorted(self.shingles)])
        return hashed


@cache
def _empty_min_hash() -> "MinHash":
    """What each one begins as: its permutations, made anew, cost as much as the hashing."""
    from datasketch import MinHash  # Here, since it loads numpy and more.

    return MinHash(num_perm=BANDS * ROWS, seed=SEED)


def fingerprint(text: str) -> Fingerprint:
    """What the comparison reads of a text."""
    text = _TICKETS.sub(" ", _REFERENCES.sub(" ", unquoted(text).replace("’", "'")))
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
    sentences = [_counted(sentence) for sentence in sentences]
    numbers, amounts = _numbers(sentences, names)
    words = [word for sentence in sentences for word in sentence]
    stems = [english_stem(word) for word in words]
    pairs = pairwise(stems) if len(stems) > 1 else [(*stems, "")]
    return Fingerprint(
        shingles=frozenset(" ".join(pair) for pair in pairs),
        numbers=frozenset(numbers),
        amounts=frozenset(amounts),
        names=frozenset(names),
        negated=tuple(filter(lambda one: one[1], map(_negations, sentences))),
        words=Counter(words),
    )


def _counted(sentence: list[str]) -> list[str]:
    """ "two hours" as "2 hour"; before other words "one" and "two" are no measure."""
    after = [*sentence[1:], ""]
    return [
        mapped("counts").get(word, word) if unit in entries("units") else word
        for word, unit in zip(sentence, after, strict=False)
    ]


def _numbers(
    sentences: list[list[str]], names: set[str]
) -> tuple[set[str], set[tuple[str, float]]]:
    """The words with a digit, by what they say: which, or how much of what."""
    numbers: set[str] = set()
    amounts: set[tuple[str, float]] = set()
    for sentence in sentences:
        for before, word, after in zip(
            ["", *sentence], sentence, [*sentence[1:], ""], strict=False
        ):
            if not any(map(str.isdigit, word)):
                continue
            which = before in names or before in entries("numbered")
            counted = after in entries("units") or (_is_plural(after) and "." not in word)
            if _AMOUNT.fullmatch(word) and counted and not which and after not in names:
                amounts.add((english_stem(after), float(word)))
            else:
                numbers.add(word)
    return numbers, amounts


def _is_plural(word: str) -> bool:
    return len(word) > 3 and word.endswith("s") and word not in entries("common")


def _negations(sentence: list[str]) -> tuple[frozenset[str], int]:
    negations = entries("negations")
    said = [word for word in sentence if word in negations]
    return frozenset(english_stem(word) for word in sentence if word not in negations), len(said)


@lru_cache(maxsize=65536)
def _spell(word: str) -> str:
    """One spelling of a word, or of its parts with a space between them.

    Lower case, no code ticks, a contracted "not" written out, a number apart from its unit.
    """
    word = word.strip("`").lower().lstrip("-")
    if word in ("can't", "cannot"):
        return "can not"
    if word.endswith("n't"):
        return f"{word[:-3]} not"
    word = word.removesuffix("'s")
    if measure := _MEASURE.fullmatch(word):
        number, unit = measure.groups()
        unit = mapped("aliases").get(unit, unit)
        return f"{number.replace('_', '')} {unit}"
    if version := _VERSION.fullmatch(word):
        return version.group(1)
    if any(map(str.isdigit, word)):
        return word.replace("_", "") if _PLAIN_NUMBER.fullmatch(word) else word
    return mapped("aliases").get(word, word)


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


def english_stem(word: str) -> str:
    """The stem by which two words are one, in whatever language the text is."""
    return stem(word, "english")
