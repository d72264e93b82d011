"""How good a built generation is, measured on itself."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from mem_assets.hashing import sha256_text
from mem_assets.pipeline.stages.embeddings import Embedder
from mem_assets.pipeline.stages.index import settled_once
from mem_assets.storage.generation import Generation
from mem_assets.storage.memory_log import MemoryLog

SAMPLE = 16
"""Vectors made again for each check: enough to show another model, few enough to cost nothing."""

_TEXTS = """
    SELECT v.memory_sha, v.kind, v.line_no, coalesce(s.line, m.text) AS text, v.vector
    FROM memory_vector v JOIN memory m USING (memory_sha)
    LEFT JOIN symptom s
        ON v.kind = 'symptom' AND s.memory_sha = v.memory_sha AND s.line_no = v.line_no
    ORDER BY v.memory_sha, v.kind, v.line_no"""


def drifted_vectors(generation: Generation, embedder: Embedder) -> tuple[list[str], int]:
    """(vectors of a sample that come out otherwise now, size of the sample).

    The sample is the texts whose hashes come first: another one for every new text, the same
    for the same generation.
    """
    with generation.held(), generation.connect() as connection:
        rows = connection.execute(_TEXTS).fetchall()
    sample = sorted(rows, key=lambda row: (sha256_text(row[3]), row[0], row[1], row[2]))[:SAMPLE]
    again = embedder.embed([row[3] for row in sample])
    problems = [
        f"{sha} {kind} {line_no}: differs by up to {_distance(vector, made):.2e}"
        for (sha, kind, line_no, _, vector), made in zip(sample, again, strict=True)
        if _distance(vector, made) != 0
    ]
    return problems, len(sample)


def _distance(vector: list[float], made: np.ndarray) -> float:
    return float(np.abs(np.array(vector, dtype=np.float32) - made).max())


def pending_references(log: MemoryLog) -> list[str]:
    """Lessons that wait, the oldest first, each with what it waits for."""
    settled = settled_once(log.read_all())
    waiting = [memory for memory in settled.memories if memory.status == "pending"]
    return [
        f"{memory.date} {memory.memory_sha[:12]} waits for {', '.join(memory.unresolved)}"
        for memory in sorted(waiting, key=lambda memory: (memory.date, memory.memory_sha))
    ]


@dataclass(frozen=True)
class Ranks:
    """memories: those with at least two symptom lines. found_first: share whose hidden line
    found them first by another. MRR: mean reciprocal rank over all such lines, by the symptom
    index and by the text index."""

    memories: int
    found_first: float
    symptom_mrr: float
    text_mrr: float
    worst: list[str]

    def as_metadata(self) -> dict[str, Any]:
        return {
            "memories": self.memories,
            "found_first": self.found_first,
            "symptom_mrr": self.symptom_mrr,
            "text_mrr": self.text_mrr,
        }


def symptom_ranks(generation: Generation) -> Ranks:
    """Ask the index with each symptom line while hiding that line; a memory that shares a
    signature with the asked one counts as found, since it answers the same failure."""
    with generation.held(), generation.connect() as connection:
        rows = connection.execute(_TEXTS).fetchall()
        shared = connection.execute(
            "SELECT DISTINCT a.memory_sha, b.memory_sha FROM failure_signature a "
            "JOIN failure_signature b USING (sig_sha) ORDER BY ALL"
        ).fetchall()
        levels = dict(connection.execute("SELECT memory_sha, level FROM memory").fetchall())
    answers: dict[str, set[str]] = {}
    for one, other in shared:
        answers.setdefault(one, {one}).add(other)
    symptoms = [row for row in rows if row[1] == "symptom"]
    texts = [row for row in rows if row[1] == "text" and levels[row[0]] in ("L1", "L2")]
    if not symptoms or not texts:
        return Ranks(0, 0.0, 0.0, 0.0, [])
    by_symptom = np.array([row[4] for row in symptoms], dtype=np.float32)
    by_text = np.array([row[4] for row in texts], dtype=np.float32)
    found: dict[str, list[tuple[float, float]]] = {}
    for number, (sha, _, _, line, _) in enumerate(symptoms):
        right = answers.get(sha, {sha})
        scores = by_symptom @ by_symptom[number]
        others = [i for i in range(len(symptoms)) if symptoms[i][3] != line]
        if not any(symptoms[i][0] == sha for i in others):
            continue
        symptom_rank = _rank([(scores[i], symptoms[i][0]) for i in others], right)
        text_scores = by_text @ by_symptom[number]
        text_rank = _rank(list(zip(text_scores, (row[0] for row in texts), strict=True)), right)
        found.setdefault(sha, []).append((1 / symptom_rank, 1 / text_rank))
    return _summary(found)


def _rank(scored: list[tuple[Any, str]], right: set[str]) -> int:
    """Place of the first right memory, each memory counted once, by its best line."""
    seen: list[str] = []
    for _, sha in sorted(scored, key=lambda pair: (-float(pair[0]), pair[1])):
        if sha in right:
            return len(seen) + 1
        if sha not in seen:
            seen.append(sha)
    return len(seen) + 1


def _summary(found: Mapping[str, list[tuple[float, float]]]) -> Ranks:
    if not found:
        return Ranks(0, 0.0, 0.0, 0.0, [])
    best = {sha: max(symptom for symptom, _ in pairs) for sha, pairs in found.items()}
    pairs = [pair for found_pairs in found.values() for pair in found_pairs]
    worst = sorted((score, sha) for sha, score in best.items() if score < 1)[:5]
    return Ranks(
        memories=len(best),
        found_first=sum(score == 1 for score in best.values()) / len(best),
        symptom_mrr=float(np.mean([symptom for symptom, _ in pairs])),
        text_mrr=float(np.mean([text for _, text in pairs])),
        worst=[f"{sha}: best place of its symptoms is {round(1 / s)}" for s, sha in worst],
    )
