"""One partition a day of the landing, in UTC, today among them."""

import warnings

import dagster as dg

from mem_assets.settings import Settings

# Partitions on checks and backfill policies are marked preview and beta in dagster 1.13; the
# version is pinned, and tests show that both do what is asked of them.
warnings.filterwarnings("ignore", category=dg.PreviewWarning)
warnings.filterwarnings("ignore", category=dg.BetaWarning)

daily = dg.DailyPartitionsDefinition(
    start_date=Settings.from_env().start_date, timezone="UTC", end_offset=1
)
