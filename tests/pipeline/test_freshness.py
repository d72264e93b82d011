"""A stale index must say so, and why: an answer from yesterday's memory looks like any other."""

import json

import dagster as dg
import pytest

from mem_assets.memory.log import LogEntry
from mem_assets.pipeline.checks import memories
from mem_assets.pipeline.run import run_day
from mem_assets.settings import Settings
from mem_assets.storage.days import Days
from mem_assets.storage.freshness import file_rows, freshness
from mem_assets.storage.generation import open_current
from mem_assets.storage.memory_log import MemoryLog
from tests.pipeline.project import DATES, definitions, land, run_everything


@pytest.fixture
def settings(tmp_path):
    settings = Settings(tmp_path / "home", tmp_path / "landing", "2026-11-01")
    land(settings.landing, DATES[:1])
    run_everything(settings.home, settings.landing, DATES[:1])
    return settings


def test_fresh_until_something_lands_changes_or_is_recorded(settings):
    assert freshness(settings) == []
    log = settings.landing / DATES[0] / "logs/npm/web.log"
    log.write_text(log.read_text() + "one more line\n")
    assert freshness(settings) == [
        f"{DATES[0]}: 1 files in the landing are new or changed since they were read, "
        f"{DATES[0]}/logs/npm/web.log among them"
    ]
    land(settings.landing, DATES[1:2])
    assert freshness(settings)[1].startswith(f"{DATES[1]}: 3 files in the landing are new")
    MemoryLog(settings.home).append(
        DATES[2], [LogEntry("memory_retracted", "a" * 64, {"reason": "wrong"})]
    )
    assert freshness(settings)[2] == (
        f"{DATES[2]}: 1 records of the memory log are not in the index"
    )


def test_a_file_of_the_same_size_with_other_content_is_seen(settings):
    log = settings.landing / DATES[0] / "logs/npm/web.log"
    log.write_text(log.read_text().replace("ERESOLVE", "ERESOLV3"))
    assert "web.log among them" in freshness(settings)[0]


def test_a_file_that_was_read_and_then_removed_is_no_reason(settings):
    (settings.landing / DATES[0] / "logs/npm/web.log").unlink()
    assert freshness(settings) == []


def test_a_new_note_is_seen_also_when_only_the_logs_are_read_again(settings):
    (settings.landing / DATES[0] / "notes/more.md").write_text("Something was learnt.\n")
    rows = file_rows(settings.landing, DATES[0], "log_files")
    Days(settings.home).write("log_files", DATES[0], rows)
    assert "notes/more.md among them" in freshness(settings)[0]


def test_a_day_that_a_check_blocked_is_a_reason(settings, monkeypatch):
    (settings.landing / DATES[0] / "notes/more.md").write_text("Something was learnt.\n")

    def secret_everywhere(rows, columns):
        return ["a secret"]

    monkeypatch.setattr(memories, "secrets_left", secret_everywhere)
    defs = definitions(settings.home, settings.landing)
    with dg.DagsterInstance.ephemeral() as instance:
        assert not run_day(defs, instance, DATES[0]).success
    assert "read but not recorded" in freshness(settings)[0]


@pytest.mark.parametrize("date", ["2020-01-01", "2999-01-01"])
def test_a_day_without_a_partition_says_what_to_do(settings, date):
    note = settings.landing / date / "notes/a.md"
    note.parent.mkdir(parents=True)
    note.write_text("x")
    assert "move them" in freshness(settings)[0]


def test_a_missing_landing_is_a_reason(settings):
    elsewhere = Settings(settings.home, settings.home / "nowhere", settings.start_date)
    assert "set MEM_LANDING" in freshness(elsewhere)[0]


def test_a_log_that_lost_records_is_a_reason(settings):
    log = settings.home / "log" / f"{DATES[0]}.jsonl"
    log.write_text("".join(log.read_text().splitlines(keepends=True)[:-1]))
    assert "missing: the last 1 of" in freshness(settings)[0]
    MemoryLog(settings.home).head_path(DATES[0]).unlink()
    assert "lost 1 records" in freshness(settings)[0]


@pytest.mark.parametrize("name", ["memory.duckdb", "text.usearch", "symptom.keys.json"])
def test_a_damaged_serving_file_is_a_reason(settings, name):
    generation = open_current(settings.home)
    (generation.path / name).write_bytes(b"")
    assert freshness(settings) == [f"{generation.id}: {name} is damaged"]


def test_nothing_published_is_a_reason(tmp_path):
    assert "no generation" in freshness(Settings(tmp_path, tmp_path / "landing", "2026-11-01"))[0]


@pytest.mark.parametrize("name", ["rules_version", "classes_version", "catalogue_sha"])
def test_rules_that_changed_since_are_a_reason(settings, name):
    manifest = open_current(settings.home).path / "manifest.json"
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | {name: "older"}))
    assert "changed since the index was built" in freshness(settings)[0]
