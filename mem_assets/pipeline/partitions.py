"""One partition a day of the landing, in UTC, today among them."""

import dagster as dg

from mem_assets.settings import Settings

daily = dg.DailyPartitionsDefinition(
    start_date=Settings.from_env().start_date, timezone="UTC", end_offset=1
)
