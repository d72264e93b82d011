"""What needs the engine: projections, and the vectors of texts and symptom lines.

These take a range of days in one run, so that a backfill loads the engine once.
"""

import dagster as dg

from mem_assets.pipeline.assets.common import RANGE, daily_asset
from mem_assets.pipeline.resources import Engine, Store
from mem_assets.pipeline.stages.embeddings import symptom_rows, text_rows
from mem_assets.pipeline.stages.projections import projection_rows
from mem_assets.symptom import catalogue_sha

POOL = "engine"


def _range_result(versions: dict[str, str], rows: int, misses: int) -> dg.MaterializeResult:
    return dg.MaterializeResult(
        metadata={
            "rows": rows,
            "days": len(versions),
            "texts_embedded": misses,
            "versions": versions,
        }
    )


@dg.asset(
    deps=["accepted_memories"],
    pool=POOL,
    code_version=catalogue_sha(),
    **daily_asset("symptom_projections", "projections", RANGE),
)
def symptom_projections(
    context: dg.AssetExecutionContext, store: Store, engine: Engine
) -> dg.MaterializeResult:
    """For each accepted lesson, the symptoms that it would explain; none for a decision."""
    embedder, versions, count = engine.embedder(), {}, 0
    for date in context.partition_keys:
        rows = projection_rows(store.days.read("accepted_memories", date), embedder)
        versions[date] = store.days.write("symptom_projections", date, rows)
        count += len(rows)
    return _range_result(versions, count, embedder.misses)


@dg.asset(
    deps=["symptom_projections"],
    pool=POOL,
    **daily_asset("symptom_embeddings", "projections", RANGE),
)
def symptom_embeddings(
    context: dg.AssetExecutionContext, store: Store, engine: Engine
) -> dg.MaterializeResult:
    """A vector for each symptom line."""
    embedder, versions, count = engine.embedder(), {}, 0
    for date in context.partition_keys:
        rows = symptom_rows(store.days.read("symptom_projections", date), embedder)
        versions[date] = store.days.write("symptom_embeddings", date, rows)
        count += len(rows)
    return _range_result(versions, count, embedder.misses)


@dg.asset(
    deps=["signatures", "accepted_memories"],
    pool=POOL,
    **daily_asset("text_embeddings", "projections", RANGE),
)
def text_embeddings(
    context: dg.AssetExecutionContext, store: Store, engine: Engine
) -> dg.MaterializeResult:
    """A vector for each log's identity lines, each lesson and each reference chunk."""
    embedder, versions, count = engine.embedder(), {}, 0
    for date in context.partition_keys:
        signatures = store.days.read("signatures", date)
        rows = text_rows(signatures, store.days.read("accepted_memories", date), embedder)
        versions[date] = store.days.write("text_embeddings", date, rows)
        count += len(rows)
    return _range_result(versions, count, embedder.misses)
