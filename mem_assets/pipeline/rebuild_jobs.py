"""A rebuild as Dagster jobs: days are made again in any number of runs, and one report on them.

The report is a job of its own, since an unpartitioned asset inside a partitioned job would run once
for each day's run. A sensor starts it when every run that carries the rebuild's tag has ended.
"""

from collections.abc import Iterator
from typing import Any

import dagster as dg

from mem_assets.pipeline.assets.common import markdown_table
from mem_assets.pipeline.resources import Engine, Store
from mem_assets.pipeline.stages.index import complete_tables
from mem_assets.rebuild.published import lost_records, read_by
from mem_assets.storage.generation import GenerationDamaged, NoGeneration, open_current

REBUILD_TAG = "mem/rebuild"
"""On each run that belongs to a rebuild, and on its backfill: the rebuild's name."""

REPORT_TAG = "mem/rebuild_report"
DAYS = dg.AssetKey("rebuilt_days")
ENDED_BACKFILL = ("COMPLETED", "COMPLETED_SUCCESS", "COMPLETED_FAILED", "FAILED", "CANCELED")

rebuild_days_job = dg.define_asset_job(
    "rebuild_days",
    selection=dg.AssetSelection.assets(DAYS),
    description="Days made again from the memory log without any cache, and compared with it.",
)


class ReportConfig(dg.Config):
    """rebuild: the value of the tag mem/rebuild on the runs to report on."""

    rebuild: str


@dg.op
def report_rebuild(
    context: dg.OpExecutionContext, config: ReportConfig, store: Store, engine: Engine
) -> None:
    """A row a day of the memory log: made again in which run, and whether anything differs.

    Fails where a day is missing or differs, or where the log does not give the published digest.
    """
    rows = day_rows(context.instance, store, config.rebuild)
    problems = [f"{row['day']}: {row['result']}" for row in rows if row["result"] != "identical"]
    problems += _digest_problems(store, engine)
    metadata: dict[str, Any] = {
        "days": dg.MetadataValue.md(markdown_table(rows)),
        "day_count": len(rows),
        "problems": dg.MetadataValue.md("\n".join(f"- {line}" for line in problems) or "none"),
    }
    if problems:
        raise dg.Failure(
            f"rebuild {config.rebuild}: {len(problems)} problems, the first: {problems[0]}",
            metadata=metadata,
            allow_retries=False,
        )
    context.add_output_metadata(metadata)


@dg.job(
    name="rebuild_report",
    executor_def=dg.in_process_executor,
    description="One report on all runs of a rebuild; fails on a missing or a differing day.",
)
def rebuild_report_job() -> None:
    report_rebuild()


def day_rows(instance: dg.DagsterInstance, store: Store, rebuild: str) -> list[dict[str, Any]]:
    """Of each day that the log has, the last tagged run that made it again, and the result."""
    runs = {run.run_id for run in _runs(instance, rebuild)}
    return [_day_row(date, _last_counts(instance, date, runs)) for date in store.log.dates()]


def _day_row(date: str, found: tuple[str, dict[str, int]] | None) -> dict[str, Any]:
    if found is None:
        return {"day": date, "result": "missing: no run made it again", "compared": 0, "run": ""}
    run_id, counts = found
    differing = counts["differing"]
    result = f"{differing} of {counts['compared']} differ" if differing else "identical"
    return {"day": date, "result": result, "compared": counts["compared"], "run": run_id[:8]}


def _last_counts(
    instance: dg.DagsterInstance, date: str, runs: set[str]
) -> tuple[str, dict[str, int]] | None:
    """(run, counts) of the day's latest materialisation in one of these runs."""
    cursor = None
    wanted = dg.AssetRecordsFilter(asset_key=DAYS, asset_partitions=[date])
    while True:
        page = instance.fetch_materializations(wanted, limit=100, cursor=cursor)
        for record in page.records:
            if record.run_id in runs and record.asset_materialization is not None:
                days = record.asset_materialization.metadata["days"].value
                return record.run_id, days[date]  # type: ignore[index, call-overload, return-value]
        if not page.has_more:
            return None
        cursor = page.cursor


def _digest_problems(store: Store, engine: Engine) -> list[str]:
    """Whether the log gives the digest of the published generation, every vector made again."""
    try:
        generation = open_current(store.home_path)
    except NoGeneration:
        return []
    except GenerationDamaged as damage:
        return [str(damage)]
    records = store.log.read_all()
    problems = [*generation.faults(by_hash=True), *lost_records(generation, records)]
    tables = complete_tables(read_by(generation, records), engine.uncached(), {})
    if tables.digest() != generation.manifest["digest"]:
        problems.append(
            f"{generation.id}: the log gives {tables.digest()}, and "
            f"{generation.manifest['digest']} is published (`mem rebuild --from-log` says why)"
        )
    return problems


def _runs(instance: dg.DagsterInstance, rebuild: str) -> list[dg.DagsterRun]:
    return list(instance.get_runs(dg.RunsFilter(tags={REBUILD_TAG: rebuild})))


@dg.sensor(
    job=rebuild_report_job,
    minimum_interval_seconds=30,
    default_status=dg.DefaultSensorStatus.RUNNING,
    description="Starts a rebuild's report when every run that carries its tag has ended.",
)
def rebuild_ended(context: dg.SensorEvaluationContext) -> Iterator[dg.RunRequest]:
    for _, names in context.instance.get_run_tags(tag_keys=[REBUILD_TAG]):
        for rebuild in sorted(names):
            runs = _runs(context.instance, rebuild)
            if runs and all(_has_ended(context.instance, run) for run in runs):
                # Another run under the same tag asks for another report.
                last = max(run.run_id for run in runs)
                yield report_request(rebuild, f"{rebuild} {len(runs)} {last}")


def report_request(rebuild: str, run_key: str) -> dg.RunRequest:
    config = {"ops": {report_rebuild.name: {"config": {"rebuild": rebuild}}}}
    return dg.RunRequest(run_key=run_key, run_config=config, tags={REPORT_TAG: rebuild})


def _has_ended(instance: dg.DagsterInstance, run: dg.DagsterRun) -> bool:
    """A run that is part of a backfill has ended when no further run of that can come."""
    backfill_id = run.tags.get("dagster/backfill")
    backfill = instance.get_backfill(backfill_id) if backfill_id else None
    return run.is_finished and (backfill is None or backfill.status.value in ENDED_BACKFILL)
