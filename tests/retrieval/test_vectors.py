import hashlib
from pathlib import Path

import numpy as np
import pytest

from mem_assets.retrieval.vectors import EXACT_LIMIT, VectorIndex, build_index, open_index, search


def unit(*values: float, dimensions: int = 8) -> np.ndarray:
    vector = np.zeros(dimensions, dtype=np.float32)
    vector[: len(values)] = values
    return vector / np.linalg.norm(vector)


def random_rows(count: int, lines: int = 2, seed: int = 0) -> list[tuple[str, int, np.ndarray]]:
    vectors = np.random.default_rng(seed).standard_normal((count, 384)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return [(f"{i // lines:06x}", i % lines, vectors[i]) for i in range(count)]


def file_hashes(folder: Path) -> dict[str, str]:
    return {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in sorted(folder.iterdir())}


@pytest.mark.parametrize("count", [0, 1, 300])
def test_a_build_is_byte_identical_on_repeat(tmp_path, count):
    for name in ("one", "two"):
        build_index(tmp_path / name, "text", random_rows(count))
    assert file_hashes(tmp_path / "one") == file_hashes(tmp_path / "two")
    assert sorted(file_hashes(tmp_path / "one")) == ["text.keys.json", "text.usearch"]


def test_exact_search_is_what_numpy_finds(tmp_path):
    rows = random_rows(400, lines=3)
    build_index(tmp_path, "text", rows)
    query = random_rows(1, seed=9)[0][2]
    best: dict[str, float] = {}
    for sha, _, vector in rows:
        best[sha] = max(best.get(sha, -1.0), float(vector @ query))
    expected = sorted(best, key=lambda sha: (-best[sha], sha))[:10]
    found = search(tmp_path, "text", query, 10)
    assert [n.memory_sha for n in found] == expected
    assert [n.cosine for n in found] == pytest.approx([best[sha] for sha in expected], abs=1e-5)


def test_the_best_line_of_a_memory_counts(tmp_path):
    rows = [("a", 0, unit(0, 1)), ("a", 3, unit(1, 0.1)), ("b", 0, unit(1, 0.5))]
    build_index(tmp_path, "symptom", rows, dimensions=8)
    found = search(tmp_path, "symptom", unit(1), 5)
    assert [(n.memory_sha, n.line_no) for n in found] == [("a", 3), ("b", 0)]


def test_equal_vectors_are_ordered_by_sha_however_few_are_asked(tmp_path):
    rows = [(f"{i:04x}", 0, unit(1, 1)) for i in range(200)]
    build_index(tmp_path, "text", rows, dimensions=8)
    index = VectorIndex(tmp_path, "text")
    for k in (1, 3, 50):
        assert [n.memory_sha for n in index.search(unit(1), k)] == [r[0] for r in rows[:k]]


def test_only_the_kept_are_answered(tmp_path):
    rows = [(f"{i:04x}", 0, unit(1, i / 100)) for i in range(200)]
    build_index(tmp_path, "text", rows, dimensions=8)
    found = search(tmp_path, "text", unit(1), 2, keep=lambda sha: sha >= "0090")
    assert [n.memory_sha for n in found] == ["0090", "0091"]


def test_above_the_limit_the_graph_is_searched(tmp_path, monkeypatch):
    rows = random_rows(500, lines=1)
    build_index(tmp_path, "text", rows)
    exact = VectorIndex(tmp_path, "text").search(rows[7][2], 5)
    monkeypatch.setattr("mem_assets.retrieval.vectors.EXACT_LIMIT", 10)
    graph = VectorIndex(tmp_path, "text").search(rows[7][2], 5)
    assert EXACT_LIMIT > 500
    assert graph[0] == exact[0]
    assert graph[0].memory_sha == rows[7][0]


def test_an_empty_index_finds_nothing(tmp_path):
    build_index(tmp_path, "symptom", [])
    assert search(tmp_path, "symptom", unit(1, dimensions=384), 5) == []
    assert len(open_index(tmp_path, "symptom")) == 0


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([("b", 0, unit(1)), ("a", 0, unit(1))], "sorted"),
        ([("a", 1, unit(1)), ("a", 1, unit(1))], "unique"),
        ([("a", 0, unit(1, dimensions=4))], "expected 8"),
        ([("a", 0, np.full(8, np.nan))], "not finite"),
    ],
)
def test_bad_rows_are_refused(tmp_path, rows, message):
    with pytest.raises(ValueError, match=message):
        build_index(tmp_path, "text", rows, dimensions=8)


def test_files_that_do_not_fit_are_refused(tmp_path):
    build_index(tmp_path, "text", [("a", 0, unit(1))], dimensions=8)
    (tmp_path / "text.keys.json").write_text('[["a",0],["b",0]]')
    with pytest.raises(ValueError, match="same number"):
        VectorIndex(tmp_path, "text")
    (tmp_path / "text.usearch").unlink()
    with pytest.raises(FileNotFoundError, match=r"text\.usearch is missing"):
        VectorIndex(tmp_path, "text")
