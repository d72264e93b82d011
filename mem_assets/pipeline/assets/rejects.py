"""What could not be taken, and why, where everybody sees it."""

from collections import Counter

import dagster as dg

from mem_assets.pipeline.assets.common import daily_asset, day_result
from mem_assets.pipeline.resources import Store

STAGES = {
    "raw_logs": "raw_log_rejects",
    "signatures": "signature_rejects",
    "candidate_memories": "note_rejects",
}


@dg.asset(deps=list(STAGES), **daily_asset("rejects", "landing"))
def rejects(context: dg.AssetExecutionContext, store: Store) -> dg.MaterializeResult:
    """Every file or row of the day that a stage could not take, with its reason."""
    date = context.partition_key
    rows = [
        row | {"stage": stage}
        for stage, table in STAGES.items()
        for row in store.days.read(table, date)
    ]
    version = store.days.write("rejects", date, rows)
    return day_result(
        version, rows, reasons=dict(sorted(Counter(r["reason"] for r in rows).items()))
    )
