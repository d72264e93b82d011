"""Gates of what the engine made. Their runs may cover many days: each problem names its day."""

import dagster as dg

from mem_assets.hashing import canonical_json
from mem_assets.pipeline.checks.common import by_day, gate, verdict
from mem_assets.pipeline.resources import Engine, Store
from mem_assets.pipeline.stages.acceptance import (
    faulty_vectors,
    unsigned_projections,
    wrongly_projected,
)
from mem_assets.pipeline.stages.projections import projection_rows


@dg.asset_check(**gate("symptom_projections"))
def symptoms_only_for_accepted_lessons(
    context: dg.AssetCheckExecutionContext, store: Store
) -> dg.AssetCheckResult:
    """No symptom for L0 or R, none for a rejected candidate."""
    problems: list[str] = []
    for date in context.partition_keys:
        rows = store.days.read("symptom_projections", date)
        accepted = store.days.read("accepted_memories", date)
        problems += by_day(date, wrongly_projected(rows, accepted))
    return verdict(
        problems,
        "symptoms of what was rejected bring it into the index through a side door",
        "materialise symptom_projections of the day again",
    )


@dg.asset_check(**gate("symptom_projections"))
def projections_regenerate(
    context: dg.AssetCheckExecutionContext, store: Store, engine: Engine
) -> dg.AssetCheckResult:
    """Model id and prompt sha on every record; lines come out byte-identical again."""
    embedder, projector = engine.embedder(), engine.open_projector()
    problems: list[str] = []
    for date in context.partition_keys:
        rows = store.days.read("symptom_projections", date)
        again = projection_rows(store.days.read("accepted_memories", date), embedder, projector)
        made = {row["memory_sha"]: canonical_json(row) for row in again}
        problems += by_day(date, unsigned_projections(rows))
        problems += by_day(
            date,
            [
                f"{row['memory_sha']}: projected otherwise when asked again"
                for row in rows
                if made.get(row["memory_sha"]) != canonical_json(row)
            ],
        )
    return verdict(
        problems,
        "a projection that cannot be made again cannot be rebuilt from the memory log",
        "materialise symptom_projections again; if it stays, the projector is not deterministic",
    )


@dg.asset_check(**gate("text_embeddings"))
def every_text_has_its_vector(
    context: dg.AssetCheckExecutionContext, store: Store, engine: Engine
) -> dg.AssetCheckResult:
    """One vector a text: finite, unit length, right dimension."""
    problems: list[str] = []
    for date in context.partition_keys:
        expected = {
            (row["log_id"], 0): row["identity"]
            for row in store.days.read("signatures", date)
            if row["role"] == "own"
        }
        accepted = store.days.read("accepted_memories", date)
        expected |= {(row["memory_sha"], 0): row["text"] for row in accepted}
        rows = store.days.read("text_embeddings", date)
        problems += by_day(date, faulty_vectors(expected, rows, engine.embedder()))
    return verdict(problems, *_VECTORS)


@dg.asset_check(**gate("symptom_embeddings"))
def every_symptom_has_its_vector(
    context: dg.AssetCheckExecutionContext, store: Store, engine: Engine
) -> dg.AssetCheckResult:
    """One vector a symptom line: finite, unit length, right dimension."""
    problems: list[str] = []
    for date in context.partition_keys:
        expected = {
            (row["memory_sha"], number): line["line"]
            for row in store.days.read("symptom_projections", date)
            for number, line in enumerate(row["lines"])
        }
        rows = store.days.read("symptom_embeddings", date)
        problems += by_day(date, faulty_vectors(expected, rows, engine.embedder()))
    return verdict(problems, *_VECTORS)


_VECTORS = (
    "a missing or broken vector makes its memory unfindable, or near to everything",
    "materialise the embeddings of the day again",
)
