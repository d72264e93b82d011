"""Running the jobs in this process: for the demo, for tests, for a loop over days."""

import dagster as dg

from mem_assets.pipeline.jobs import daily_job, index_job
from mem_assets.pipeline.rebuild_jobs import (
    REBUILD_TAG,
    rebuild_days_job,
    rebuild_report_job,
    report_request,
)

QUIET = {"loggers": {"console": {"config": {"log_level": "ERROR"}}}}
"""Events go to the instance; the console hears of failures only."""


def run_day(
    defs: dg.Definitions, instance: dg.DagsterInstance, date: str
) -> dg.ExecuteInProcessResult:
    """One day through every gate. A blocked day is a failed result, never an exception."""
    return defs.resolve_job_def(daily_job.name).execute_in_process(
        instance=instance, partition_key=date, raise_on_error=False, run_config=QUIET
    )


def run_index(defs: dg.Definitions, instance: dg.DagsterInstance) -> dg.ExecuteInProcessResult:
    """Build the index over all days and publish it where its checks pass."""
    return defs.resolve_job_def(index_job.name).execute_in_process(
        instance=instance, raise_on_error=False, run_config=QUIET
    )


def run_rebuild_days(
    defs: dg.Definitions, instance: dg.DagsterInstance, rebuild: str, first: str, last: str
) -> dg.ExecuteInProcessResult:
    """Make a range of days again in one run, as part of a rebuild: the engine is loaded once."""
    return defs.resolve_job_def(rebuild_days_job.name).execute_in_process(
        instance=instance,
        tags={
            REBUILD_TAG: rebuild,
            "dagster/asset_partition_range_start": first,
            "dagster/asset_partition_range_end": last,
        },
        raise_on_error=False,
        run_config=QUIET,
    )


def run_rebuild_report(
    defs: dg.Definitions, instance: dg.DagsterInstance, rebuild: str
) -> dg.ExecuteInProcessResult:
    """The report on all runs of a rebuild."""
    config = {**report_request(rebuild, rebuild).run_config, **QUIET}
    return defs.resolve_job_def(rebuild_report_job.name).execute_in_process(
        instance=instance, raise_on_error=False, run_config=config
    )
