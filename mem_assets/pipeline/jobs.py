"""Two jobs: a day's way into the record, and the index over all days.

The index stands in a job of its own, since an unpartitioned asset inside a partitioned job is
built once for each day's run (docs/decisions/0004).
"""

import warnings

import dagster as dg

# The daily job mixes backfill policies on purpose; dagster then runs one partition a run.
warnings.filterwarnings("ignore", message="Asset job daily materializes assets with varying")

SERVING = dg.AssetSelection.assets("memory_index", "published_generation")
REBUILD = dg.AssetSelection.assets("rebuilt_days")

daily_job = dg.define_asset_job(
    "daily",
    selection=dg.AssetSelection.all() - SERVING - REBUILD,
    description="One day's logs and notes, through every gate, into the memory log.",
)

index_job = dg.define_asset_job(
    "index",
    selection=SERVING,
    tags={"mem/index": "one_at_a_time"},
    description="A generation over all days; published where its checks pass.",
)
