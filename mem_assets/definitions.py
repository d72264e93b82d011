"""What Dagster loads."""

import dagster as dg

from mem_assets.pipeline import assets, checks
from mem_assets.pipeline.jobs import daily_job, index_job
from mem_assets.pipeline.rebuild_jobs import rebuild_days_job, rebuild_ended, rebuild_report_job
from mem_assets.pipeline.resources import Engine, Store
from mem_assets.settings import Settings

settings = Settings.from_env()

defs = dg.Definitions(
    assets=dg.load_assets_from_package_module(assets),
    asset_checks=dg.load_asset_checks_from_package_module(checks),
    jobs=[daily_job, index_job, rebuild_days_job, rebuild_report_job],
    sensors=[rebuild_ended],
    resources={
        "store": Store.from_settings(settings),
        "engine": Engine.from_settings(settings),
    },
    executor=dg.in_process_executor,
)
