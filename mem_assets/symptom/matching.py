"""Which catalogue entries a memory's text explains: meaning by vectors, helped by words."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log, sqrt

import numpy as np
import re2

from mem_assets.symptom.calibration import Matching
from mem_assets.symptom.catalogue import CatalogueEntry
from mem_assets.symptom.filters import Embedding, cosines
from mem_assets.symptom.words import content_stems, well_formed

_PARAGRAPH = re2.compile(r"\n\s*\n|\n\s*(?:[-*•]|\d+[.)])\s+")
_FEWEST_CHARACTERS = 40
_MOST_PIECES = 16


@dataclass(frozen=True)
class Match:
    """One entry with its score and the parts of it."""

    entry: CatalogueEntry
    score: float
    cosine: float
    lexical: float
    subject: float


@dataclass(frozen=True)
class _Lexicon:
    """What each word weighs over a catalogue, and the words of each entry and of its subjects."""

    idf: dict[str, float]
    unseen: float
    words: tuple[frozenset[str], ...]
    subjects: tuple[frozenset[str], ...]


def memory_pieces(text: str) -> list[str]:
    """A memory's whole text and, where it has several, its paragraphs and list items.

    One vector of a long text is diluted, and cut at the embedder's limit.
    """
    parts = [part.strip() for part in _PARAGRAPH.split(well_formed(text))]
    long_enough = [part for part in parts if len(part) >= _FEWEST_CHARACTERS]
    return [text, *(long_enough[:_MOST_PIECES] if len(long_enough) > 1 else [])]


class Matcher:
    """A catalogue made ready to be matched to many memories.

    `embedding` is asked for every telling once, when it is built.
    """

    def __init__(self, catalogue: Sequence[CatalogueEntry], embedding: Embedding) -> None:
        self._entries = tuple(catalogue)
        self._embedding = embedding
        tellings = [telling for entry in self._entries for telling in entry.explains]
        self._tellings = (
            np.stack([embedding(telling) for telling in tellings]) if tellings else None
        )
        self._starts = np.cumsum([0, *(len(entry.explains) for entry in self._entries[:-1])])

    def match(self, text: str, bounds: Matching) -> list[Match]:
        """The entries at or above the threshold and within the margin of the best, best first."""
        ranked = self.rank(text, bounds)
        return [
            match
            for match in ranked[: bounds.max_entries]
            if match.score >= bounds.threshold and ranked[0].score - match.score <= bounds.margin
        ]

    def rank(self, text: str, bounds: Matching) -> list[Match]:
        """Every entry with its score, best first; equal scores by id."""
        if self._tellings is None:
            return []
        pieces = [cosines(self._tellings, self._embedding(piece)) for piece in memory_pieces(text)]
        best = np.maximum.reduceat(np.max(pieces, axis=0), self._starts)
        lexicon = _lexicon(self._entries)
        said = content_stems(text)
        matches = []
        for number, entry in enumerate(self._entries):
            lexical = _overlap(lexicon, said, lexicon.words[number])
            subject = _named(lexicon, said, lexicon.subjects[number])
            cosine = float(best[number])
            score = cosine + bounds.lexical_weight * lexical + bounds.subject_weight * subject
            matches.append(Match(entry, round(score, 6), cosine, lexical, subject))
        return sorted(matches, key=lambda match: (-match.score, match.entry.id))


@lru_cache(maxsize=4)
def _lexicon(entries: tuple[CatalogueEntry, ...]) -> _Lexicon:
    subjects = [content_stems(" ".join([entry.tool, *entry.subjects])) for entry in entries]
    tellings = [content_stems(" ".join(entry.explains)) for entry in entries]
    words = [told | named for told, named in zip(tellings, subjects, strict=True)]
    counts = Counter(word for group in words for word in group)
    idf = {word: log((1 + len(entries)) / count) for word, count in counts.items()}
    return _Lexicon(idf, log(1 + len(entries)), tuple(words), tuple(subjects))


def _overlap(lexicon: _Lexicon, said: frozenset[str], words: frozenset[str]) -> float:
    """Idf-weighted cosine of two sets of words, summed in order: a set has none."""
    shared = sum(lexicon.idf[word] ** 2 for word in sorted(said & words))
    if not shared:
        return 0.0
    here = sum(lexicon.idf.get(word, lexicon.unseen) ** 2 for word in sorted(said))
    there = sum(lexicon.idf[word] ** 2 for word in sorted(words))
    return shared / sqrt(here * there)


def _named(lexicon: _Lexicon, said: frozenset[str], subjects: frozenset[str]) -> float:
    """The share of a subject's weight that the memory names."""
    total = sum(lexicon.idf[word] for word in sorted(subjects))
    named = sum(lexicon.idf[word] for word in sorted(said & subjects))
    return named / total if total else 0.0
