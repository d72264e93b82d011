"""From accepted memories to the symptoms that they would explain."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from mem_assets.pipeline.stages.embeddings import Embedder
from mem_assets.symptom import Projection
from mem_assets.symptom.projector import ProjectionInput, project, texts_to_embed

Row = dict[str, Any]


def projection_rows(accepted: Iterable[Mapping[str, Any]], embedder: Embedder) -> list[Row]:
    """One row a lesson (L1, L2), also where it explains nothing: empty is an answer."""
    inputs = [
        ProjectionInput(row["memory_sha"], row["level"], row["kind"], row["text"])
        for row in accepted
        if row["level"] in ("L1", "L2")
    ]
    if not inputs:
        return []
    texts = sorted(set(texts_to_embed(inputs)))
    vector_of = dict(zip(texts, embedder.embed(texts), strict=True))
    projections = project(inputs, vector_of.__getitem__, embedder.engine_version, embedder.model_id)
    return [_row(projection) for projection in projections]


def _row(projection: Projection) -> Row:
    return asdict(projection) | {
        "lines": [asdict(line) for line in projection.lines],
        "dropped": [asdict(line) for line in projection.dropped],
    }
