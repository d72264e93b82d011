"""Where days meet: one generation of serving files, and the pointer to it."""

import dagster as dg

from mem_assets.pipeline.assets.common import OWNERS
from mem_assets.pipeline.gates import (
    INDEX_GATES,
    latest_generation_id,
    require_blocking_checks,
)
from mem_assets.pipeline.resources import Engine, Store
from mem_assets.pipeline.stages.index import build_index
from mem_assets.storage.generation import publish

_EVERY_DAY = dg.AllPartitionMapping()


@dg.asset(
    deps=[
        dg.AssetDep(name, partition_mapping=_EVERY_DAY)
        for name in ("memory_log", "text_embeddings", "symptom_embeddings", "gate_verdicts")
    ],
    group_name="serving",
    kinds={"python", "duckdb"},
    owners=OWNERS,
    pool="index",
)
def memory_index(store: Store, engine: Engine) -> dg.MaterializeResult:
    """A generation over all days: tables, vector and lexical indexes, and its manifest."""
    generation = build_index(
        store.home_path, store.days, store.log, engine.embedder(), store.rule_book
    )
    manifest = generation.manifest
    return dg.MaterializeResult(
        metadata={
            "generation": generation.id,
            "digest": manifest["digest"],
            "days": len(manifest["log_heads"]),
            "incomplete": len(manifest["incomplete"]),
            **{f"{table}_rows": count for table, count in manifest["counts"].items()},
        },
        data_version=dg.DataVersion(generation.id),
    )


@dg.asset(
    deps=["memory_index"], group_name="serving", kinds={"python"}, owners=OWNERS, pool="index"
)
def published_generation(context: dg.AssetExecutionContext, store: Store) -> dg.MaterializeResult:
    """Moves the pointer that readers follow to the generation whose checks have passed."""
    require_blocking_checks(context.instance, "memory_index", INDEX_GATES)
    generation_id = latest_generation_id(context.instance)
    generation = publish(store.home_path, generation_id)
    return dg.MaterializeResult(
        metadata={"generation": generation.id, "digest": generation.manifest["digest"]},
        data_version=dg.DataVersion(generation.id),
    )
