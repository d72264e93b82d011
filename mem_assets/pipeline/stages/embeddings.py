"""From texts and symptom lines to vectors."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from mem_assets.hashing import sha256_text

Row = dict[str, Any]


class Embedder(Protocol):
    """What a stage needs of an engine."""

    model_id: str
    engine_version: str
    dimensions: int

    def embed(self, texts: Sequence[str]) -> np.ndarray: ...


def text_rows(
    signatures: Iterable[Mapping[str, Any]],
    accepted: Iterable[Mapping[str, Any]],
    embedder: Embedder,
) -> list[Row]:
    """A vector for each log's identity lines, each lesson's text, each reference chunk."""
    texts = [(row["log_id"], "L0", row["identity"]) for row in signatures if row["role"] == "own"]
    texts += [(row["memory_sha"], row["level"], row["text"]) for row in accepted]
    texts.sort()
    vectors = embedder.embed([text for *_, text in texts])
    return [
        {"memory_sha": sha, "level": level} | _embedding(text, vector, embedder)
        for (sha, level, text), vector in zip(texts, vectors, strict=True)
    ]


def symptom_rows(projections: Iterable[Mapping[str, Any]], embedder: Embedder) -> list[Row]:
    """A vector for each line of each projection."""
    lines = [
        (row["memory_sha"], number, line["line"])
        for row in projections
        for number, line in enumerate(row["lines"])
    ]
    lines.sort()
    vectors = embedder.embed([line for *_, line in lines])
    return [
        {"memory_sha": sha, "line_no": number} | _embedding(line, vector, embedder)
        for (sha, number, line), vector in zip(lines, vectors, strict=True)
    ]


def _embedding(text: str, vector: np.ndarray, embedder: Embedder) -> Row:
    return {
        "text_sha": sha256_text(text),
        "vector": vector.tolist(),
        "model_id": embedder.model_id,
        "engine_version": embedder.engine_version,
    }
