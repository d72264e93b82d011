"""Running the two jobs in this process: for the demo, for tests, for a loop over days."""

import dagster as dg

from mem_assets.pipeline.jobs import daily_job, index_job

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
