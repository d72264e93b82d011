"""A backfill is a rebuild: days are made again in any runs, and one report fails on what is missing
or differs."""

import dagster as dg
import pytest

from mem_assets.pipeline import rebuild_jobs
from mem_assets.pipeline.assets import rebuild as rebuild_asset
from mem_assets.pipeline.rebuild_jobs import REBUILD_TAG, rebuild_ended
from mem_assets.pipeline.run import run_day, run_rebuild_days, run_rebuild_report
from mem_assets.rebuild.from_log import regenerated
from mem_assets.signature.rules import packaged_rules
from mem_assets.storage.memory_log import MemoryLog
from tests.pipeline.project import DATES, definitions, land, run_everything


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """(home, landing) after a plain run, published."""
    root = tmp_path_factory.mktemp("rebuild_jobs")
    land(root / "landing")
    run_everything(root / "home", root / "landing")
    return root / "home", root / "landing"


def failure_of(result):
    events = [e for e in result.all_events if e.is_step_failure]
    return events[0].step_failure_data.user_failure_data if events else None


def test_days_in_several_runs_and_a_report_that_misses_none(project):
    defs = definitions(*project)
    written = {date: MemoryLog(project[0]).path(date).read_bytes() for date in DATES}
    with dg.DagsterInstance.ephemeral() as instance:
        assert run_rebuild_days(defs, instance, "one", DATES[0], DATES[1]).success
        early = run_rebuild_report(defs, instance, "one")
        assert not early.success
        assert f"{DATES[2]}: missing" in failure_of(early).description
        assert run_rebuild_days(defs, instance, "one", DATES[2], DATES[2]).success
        assert run_rebuild_days(defs, instance, "another", DATES[0], DATES[0]).success
        report = run_rebuild_report(defs, instance, "one")
        assert report.success
        (output,) = [e for e in report.all_events if e.is_successful_output]
        table = output.step_output_data.metadata["days"].value
        assert all(f"| {date} | identical |" in table for date in DATES)
        assert not run_rebuild_report(defs, instance, "another").success
    assert {d: MemoryLog(project[0]).path(d).read_bytes() for d in DATES} == written


def test_a_day_that_comes_out_otherwise_fails_its_run_and_the_report(project, monkeypatch):
    def shouting(told, engines, dates):
        engines = type(engines)(
            engines.embedder,
            lambda rows: [
                row | {"lines": [line | {"line": line["line"].upper()} for line in row["lines"]]}
                for row in honest(rows)
            ],
        )
        return regenerated(told, engines, dates)

    defs = definitions(*project)
    honest = defs.resources["engine"].for_rebuild(packaged_rules()).project
    monkeypatch.setattr(rebuild_asset, "regenerated", shouting)
    with dg.DagsterInstance.ephemeral() as instance:
        result = run_rebuild_days(defs, instance, "drifting", DATES[0], DATES[2])
        assert not result.success
        (check,) = result.get_asset_check_evaluations()
        assert "drift" in check.description
        (made,) = {e.metadata["differing"].value for e in
                   result.asset_materializations_for_node("rebuilt_days")}  # fmt: skip
        assert made >= 1
        report = run_rebuild_report(defs, instance, "drifting")
        assert not report.success
        assert "differ" in failure_of(report).metadata["days"].value


def test_a_log_that_does_not_give_the_published_digest_fails_the_report(project):
    defs = definitions(*project, uncached_seed="another model")
    with dg.DagsterInstance.ephemeral() as instance:
        run_rebuild_days(defs, instance, "other", DATES[0], DATES[2])
        report = run_rebuild_report(defs, instance, "other")
        assert not report.success
        assert "is published" in failure_of(report).metadata["problems"].value


def test_the_daily_job_makes_no_day_again(project):
    defs = definitions(*project)
    with dg.DagsterInstance.ephemeral() as instance:
        result = run_day(defs, instance, DATES[0])
    assert result.asset_materializations_for_node("memory_log")
    names = {e.step_key for e in result.all_events}
    assert "rebuilt_days" not in names


@pytest.fixture
def requests_of(monkeypatch):
    """Run keys that the sensor asks for, given runs as (tag, finished, backfill's status)."""

    class Run:
        def __init__(self, number, tag, is_finished, backfill):
            self.run_id = f"run-{number}"
            self.is_finished = is_finished
            self.tags = {REBUILD_TAG: tag} | ({"dagster/backfill": backfill} if backfill else {})

    def requests(*told):
        runs = [Run(number, *one) for number, one in enumerate(told)]
        with dg.DagsterInstance.ephemeral() as instance:
            tags = sorted({run.tags[REBUILD_TAG] for run in runs})
            monkeypatch.setattr(
                instance, "get_run_tags", lambda tag_keys: [(REBUILD_TAG, set(tags))]
            )
            monkeypatch.setattr(
                instance,
                "get_runs",
                lambda filters: [r for r in runs if filters.tags.items() <= r.tags.items()],
            )
            # A backfill's id is its status here.
            monkeypatch.setattr(instance, "get_backfill", _Backfill)
            context = dg.build_sensor_context(instance=instance)
            return [(request.tags[rebuild_jobs.REPORT_TAG], request.run_key)
                    for request in rebuild_ended(context)]  # fmt: skip

    return requests


class _Backfill:
    def __init__(self, name):
        self.status = type("Status", (), {"value": name})


@pytest.mark.parametrize(
    ("runs", "reported"),
    [
        ([("a", True, None)], ["a"]),
        ([("a", True, None), ("a", False, None)], []),
        ([("a", True, "REQUESTED")], []),
        ([("a", True, "COMPLETED_FAILED"), ("b", True, None)], ["a", "b"]),
        ([("a", False, None), ("b", True, "CANCELED")], ["b"]),
    ],
)
def test_the_report_starts_when_every_tagged_run_has_ended(requests_of, runs, reported):
    assert [name for name, _ in requests_of(*runs)] == reported


def test_a_further_run_asks_for_a_further_report(requests_of):
    one, both = requests_of(("a", True, None)), requests_of(("a", True, None), ("a", True, None))
    assert one[0][1] != both[0][1]
