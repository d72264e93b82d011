"""The vector index: a usearch file a kind, and the keys that say whose line each vector is."""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from usearch.index import Index

from mem_assets.hashing import canonical_json

DIMENSIONS = 384
EXACT_LIMIT = 20_000
"""Up to here every vector is compared (2 ms for 20,000 on one core); above, the graph is used."""

FETCH = 4
"""Vectors fetched for each memory wanted, at first: several lines of one memory lie together."""

Row = tuple[str, int, np.ndarray]
"""memory_sha, line_no, vector: float32, shape (dimensions,), unit length."""


@dataclass(frozen=True)
class Neighbour:
    """A memory near a query, by its best line; cosine is in -1..1."""

    memory_sha: str
    line_no: int
    cosine: float


def build_index(folder: Path, kind: str, rows: Iterable[Row], dimensions: int = DIMENSIONS) -> None:
    """Write `<kind>.usearch` and `<kind>.keys.json`, the same bytes for the same rows.

    Built from scratch on one thread, in key order: usearch gives another file for another order
    or thread count. Raises ValueError where rows are not strictly sorted by (memory_sha, line_no)
    or a vector has another shape or a value that is not finite.
    """
    keys, vectors = _checked(rows, dimensions)
    index = Index(ndim=dimensions, metric="cos", dtype="f32")
    if keys:
        index.add(np.arange(len(keys), dtype=np.uint64), np.stack(vectors), threads=1)
    folder.mkdir(parents=True, exist_ok=True)
    index.save(str(folder / f"{kind}.usearch"))
    (folder / f"{kind}.keys.json").write_text(canonical_json(keys) + "\n", encoding="utf-8")


def _checked(
    rows: Iterable[Row], dimensions: int
) -> tuple[list[tuple[str, int]], list[np.ndarray]]:
    keys: list[tuple[str, int]] = []
    vectors: list[np.ndarray] = []
    for memory_sha, line_no, vector in rows:
        key = (memory_sha, int(line_no))
        if keys and key <= keys[-1]:
            raise ValueError(f"rows must be sorted and unique: {key} comes after {keys[-1]}")
        vector = np.asarray(vector, dtype=np.float32)
        if vector.shape != (dimensions,) or not np.isfinite(vector).all():
            raise ValueError(
                f"vector of {key} has shape {vector.shape} or values that are not finite; "
                f"expected {dimensions} finite numbers"
            )
        keys.append(key)
        vectors.append(vector)
    return keys, vectors


class VectorIndex:
    """One opened index. The file is mapped, not read: opening costs the same at any size."""

    def __init__(self, folder: Path, kind: str) -> None:
        """Raises OSError where a file is missing, ValueError where the two do not fit."""
        path, keys_path = folder / f"{kind}.usearch", folder / f"{kind}.keys.json"
        self._keys: list[tuple[str, int]] = [
            (sha, line_no) for sha, line_no in json.loads(keys_path.read_text(encoding="utf-8"))
        ]
        if not path.is_file():
            raise FileNotFoundError(f"{path} is missing")
        index = Index.restore(str(path), view=True) if self._keys else None
        if self._keys and (index is None or len(index) != len(self._keys)):
            raise ValueError(f"{path} and {keys_path} do not hold the same number of vectors")
        self._index = index

    def __len__(self) -> int:
        return len(self._keys)

    def search(
        self, vector: np.ndarray, k: int, keep: Callable[[str], bool] | None = None
    ) -> list[Neighbour]:
        """The k memories nearest to a unit vector of shape (dimensions,), nearest first.

        The best line of each memory counts; equal cosines are ordered by memory_sha, then line.
        keep says which memories may be answered, by their sha.
        """
        count = min(len(self), max(k, 1) * FETCH)
        found: list[Neighbour] = []
        while count:
            lines = list(self._nearest_lines(vector, count))
            found = _best_lines(lines, keep)
            # Stop once k memories are there and no equal line can lie beyond the last fetched.
            settled = len(found) >= k and lines[-1].cosine < found[k - 1].cosine
            if settled or count == len(self):
                break
            count = min(len(self), count * 4)
        return found[:k]

    def _nearest_lines(self, vector: np.ndarray, count: int) -> Iterator[Neighbour]:
        assert self._index is not None  # count is 0 for an empty index
        found = self._index.search(
            np.asarray(vector, dtype=np.float32),
            count,
            exact=len(self) <= EXACT_LIMIT,
            threads=1,
        )
        for position, distance in zip(found.keys.tolist(), found.distances.tolist(), strict=True):
            memory_sha, line_no = self._keys[position]
            yield Neighbour(memory_sha, line_no, 1.0 - distance)


def _best_lines(lines: Iterable[Neighbour], keep: Callable[[str], bool] | None) -> list[Neighbour]:
    best: dict[str, Neighbour] = {}
    for line in sorted(lines, key=lambda n: (-n.cosine, n.memory_sha, n.line_no)):
        if keep is None or keep(line.memory_sha):
            best.setdefault(line.memory_sha, line)
    return list(best.values())


@lru_cache(maxsize=8)
def open_index(folder: Path, kind: str) -> VectorIndex:
    """An index of a published generation, opened once: such a folder never changes."""
    return VectorIndex(folder, kind)


def search(
    folder: Path,
    kind: str,
    vector: np.ndarray,
    k: int,
    keep: Callable[[str], bool] | None = None,
) -> list[Neighbour]:
    """`VectorIndex.search` on a generation's folder."""
    return open_index(folder, kind).search(vector, k, keep)
