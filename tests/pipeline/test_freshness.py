"""A stale index must say so, and why: an answer from yesterday's memory looks like any other."""

import json

import pytest

from mem_assets.memory.log import LogEntry
from mem_assets.settings import Settings
from mem_assets.storage.freshness import freshness
from mem_assets.storage.generation import open_current
from mem_assets.storage.memory_log import MemoryLog
from tests.pipeline.project import DATES, land, run_everything


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
        f"{DATES[0]}: 1 files changed since they were read: {DATES[0]}/logs/npm/web.log"
    ]
    land(settings.landing, DATES[1:2])
    assert freshness(settings)[1] == f"{DATES[1]}: 3 files in the landing were never read"
    MemoryLog(settings.home).append(
        DATES[2], [LogEntry("memory_retracted", "a" * 64, {"reason": "wrong"})]
    )
    assert freshness(settings)[2] == (
        f"{DATES[2]}: 1 records of the memory log are not in the index"
    )


def test_nothing_published_is_a_reason(tmp_path):
    assert "no generation" in freshness(Settings(tmp_path, tmp_path / "landing", "2026-11-01"))[0]


@pytest.mark.parametrize("name", ["rules_version", "classes_version", "catalogue_sha"])
def test_rules_that_changed_since_are_a_reason(settings, name):
    manifest = open_current(settings.home).path / "manifest.json"
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | {name: "older"}))
    reasons = freshness(settings)
    assert len(reasons) == 1
    assert "changed since the index was built" in reasons[0]
