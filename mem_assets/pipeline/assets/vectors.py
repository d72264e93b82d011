"""What needs the engine: projections, and the vectors of texts and symptom lines.

These take a range of days in one run, so that a backfill loads the engine once.
"""

from collections.abc import Callable
from typing import Any

import dagster as dg

from mem_assets.engines.embedder import CachedEmbedder
from mem_assets.hashing import sha256_json
from mem_assets.pipeline.assets.common import RANGE, daily_asset
from mem_assets.pipeline.resources import Engine, Store
from mem_assets.pipeline.stages.embeddings import symptom_rows, text_rows
from mem_assets.pipeline.stages.projections import projection_rows
from mem_assets.symptom import catalogue_sha

POOL = "engine"

RowsOfDay = Callable[[str, CachedEmbedder], list[dict[str, Any]]]


def write_days(
    context: dg.AssetExecutionContext,
    store: Store,
    engine: Engine,
    table: str,
    rows_of_day: RowsOfDay,
) -> dg.MaterializeResult:
    """Make and write the table for each day of the run's range, with one engine for all."""
    embedder, versions, count = engine.embedder(), {}, 0
    for date in context.partition_keys:
        rows = rows_of_day(date, embedder)
        versions[date] = store.days.write(table, date, rows)
        count += len(rows)
    return dg.MaterializeResult(
        metadata={
            "dagster/partition_row_count": count,
            "days": len(versions),
            "texts_embedded": embedder.misses,
        },
        # A range has one event; its version stands for what was written on all of its days.
        data_version=dg.DataVersion(
            sha256_json(versions) if len(versions) > 1 else next(iter(versions.values()))
        ),
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

    projector = engine.open_projector()

    def rows_of_day(date: str, embedder: CachedEmbedder) -> list[dict[str, Any]]:
        return projection_rows(store.days.read("accepted_memories", date), embedder, projector)

    return write_days(context, store, engine, "symptom_projections", rows_of_day)


@dg.asset(
    deps=["symptom_projections"],
    pool=POOL,
    **daily_asset("symptom_embeddings", "projections", RANGE),
)
def symptom_embeddings(
    context: dg.AssetExecutionContext, store: Store, engine: Engine
) -> dg.MaterializeResult:
    """A vector for each symptom line."""

    def rows_of_day(date: str, embedder: CachedEmbedder) -> list[dict[str, Any]]:
        return symptom_rows(store.days.read("symptom_projections", date), embedder)

    return write_days(context, store, engine, "symptom_embeddings", rows_of_day)


@dg.asset(
    deps=["signatures", "accepted_memories"],
    pool=POOL,
    **daily_asset("text_embeddings", "projections", RANGE),
)
def text_embeddings(
    context: dg.AssetExecutionContext, store: Store, engine: Engine
) -> dg.MaterializeResult:
    """A vector for each log's identity lines, each lesson and each reference chunk."""

    def rows_of_day(date: str, embedder: CachedEmbedder) -> list[dict[str, Any]]:
        signatures = store.days.read("signatures", date)
        return text_rows(signatures, store.days.read("accepted_memories", date), embedder)

    return write_days(context, store, engine, "text_embeddings", rows_of_day)
