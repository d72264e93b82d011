"""The lexical index: BM25 over a memory's text and symptom lines, one document a memory."""

import json
import math
import sys
from collections.abc import Callable, Iterable
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import re2
import snowballstemmer

from mem_assets.hashing import canonical_json


def _import_bm25s() -> Any:
    """bm25s without numba, which it would import and we do not use.

    numba brings llvmlite, whose modules vLLM 0.32 cannot walk when it loads on a CPU: an engine
    started after it fails with "'_lib_fn_wrapper' object has no attribute 'get'".
    """
    absent = "numba" not in sys.modules
    if absent:
        sys.modules["numba"] = None  # type: ignore[assignment]
    try:
        import bm25s
        import bm25s.stopwords
    finally:
        if absent:
            del sys.modules["numba"]
    return bm25s


bm25s = _import_bm25s()

FOLDER = "lexical"
MAX_TOKEN = 64
"""Longer runs of letters are blobs (base64, digests), not words anybody asks for."""

MAX_QUERY_TOKENS = 512

_WORD = re2.compile(r"[\pL\pN]+")
_STOP_WORDS = frozenset(bm25s.stopwords.STOPWORDS_EN)


@cache
def _stemmer() -> snowballstemmer.stemmer:
    return snowballstemmer.stemmer("english")


@lru_cache(maxsize=100_000)
def _stem(word: str) -> str:
    return _stemmer().stemWord(word)


def tokens(text: str) -> list[str]:
    """Lower-case stemmed words and numbers, in order, without stop words.

    Punctuation separates: `proxy-body-size`, `proxy_body_size` and `proxy body size` are one.
    """
    words = _WORD.findall(text.encode("utf-8", "replace").decode("utf-8").lower())
    return [_stem(w) for w in words if len(w) <= MAX_TOKEN and w not in _STOP_WORDS]


def build_index(folder: Path, documents: Iterable[tuple[str, str]]) -> None:
    """Write `lexical/` for documents (memory_sha, text), the same bytes for the same documents.

    Raises ValueError where memory_sha is not strictly increasing.
    """
    shas: list[str] = []
    words: list[list[str]] = []
    for sha, text in documents:
        if shas and sha <= shas[-1]:
            raise ValueError(f"documents must be sorted and unique: {sha} comes after {shas[-1]}")
        shas.append(sha)
        words.append(tokens(text))
    target = folder / FOLDER
    target.mkdir(parents=True, exist_ok=True)
    # The vocabulary is sorted here, since bm25s would number the words in a set's order.
    vocabulary = {word: number for number, word in enumerate(sorted({w for d in words for w in d}))}
    if vocabulary:
        index = bm25s.BM25(backend="numpy")
        ids = [[vocabulary[word] for word in document] for document in words]
        index.index((ids, vocabulary), show_progress=False)
        index.save(str(target), show_progress=False)
    (target / "keys.json").write_text(
        canonical_json({"memories": shas, "words": len(vocabulary)}) + "\n", encoding="utf-8"
    )


class LexicalIndex:
    """One opened BM25 index."""

    def __init__(self, folder: Path) -> None:
        """Raises OSError where a file is missing, ValueError where the files do not fit."""
        target = folder / FOLDER
        keys = json.loads((target / "keys.json").read_text(encoding="utf-8"))
        self._shas: list[str] = keys["memories"]
        self._index: Any | None = None
        if keys["words"]:
            self._index = bm25s.BM25.load(str(target), mmap=True, show_progress=False)
            if self._index.scores["num_docs"] != len(self._shas):
                raise ValueError(f"{target}: the keys and the index differ in length")

    def __len__(self) -> int:
        return len(self._shas)

    def search(
        self,
        query: str,
        k: int,
        keep: Callable[[str], bool] | None = None,
        coverage: float = 0.0,
    ) -> list[tuple[str, float]]:
        """The k best (memory_sha, BM25 score above 0), best first, equal scores by memory_sha.

        keep says which memories may be answered. coverage (0..1) is the least share of the query's
        informative words, each weighed by its rarity, that a document must hold: a note that shares
        "error" and "failed" with a query has said nothing about it.
        """
        if self._index is None:
            return []
        known = self._index.vocab_dict
        # A word said twice weighs no more: a log repeats its lines, a question does not.
        words = sorted(set(tokens(query)))[:MAX_QUERY_TOKENS]
        asked = [known[word] for word in words if word in known]
        if not asked:
            return []
        scores = self._index.get_scores_from_ids(asked)
        covered = self._coverage(asked, unknown=len(words) - len(asked))
        scores = np.where(covered >= coverage, scores, 0)
        # The documents lie in sha order, so a stable sort settles ties by memory_sha.
        order = np.argsort(-scores, kind="stable")
        found: list[tuple[str, float]] = []
        for position in order.tolist():
            if scores[position] <= 0 or len(found) == k:
                break
            if keep is None or keep(self._shas[position]):
                found.append((self._shas[position], float(scores[position])))
        return found

    def _coverage(self, asked: list[int], unknown: int) -> np.ndarray:
        """Of each document, shape (documents,): the share of the query's rarity that it holds."""
        assert self._index is not None
        starts, documents = self._index.scores["indptr"], self._index.scores["indices"]
        held = np.zeros(len(self._shas))
        total = unknown * self._rarity(0)
        for word in asked:
            holders = documents[starts[word] : starts[word + 1]]
            rarity = self._rarity(len(holders))
            held[holders] += rarity
            total += rarity
        return held / total

    def _rarity(self, documents: int) -> float:
        """Inverse document frequency as Lucene's BM25 has it: above 0, also for common words."""
        return math.log(1 + (len(self._shas) - documents + 0.5) / (documents + 0.5))


@lru_cache(maxsize=4)
def open_lexical(folder: Path) -> LexicalIndex:
    """The lexical index of a published generation, opened once: such a folder never changes."""
    return LexicalIndex(folder)


def search(
    folder: Path,
    query: str,
    k: int,
    keep: Callable[[str], bool] | None = None,
    coverage: float = 0.0,
) -> list[tuple[str, float]]:
    """`LexicalIndex.search` on a generation's folder."""
    return open_lexical(folder).search(query, k, keep, coverage)
