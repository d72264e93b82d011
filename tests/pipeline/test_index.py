"""What the log says is settled once for the same records, and anew for others."""

import pytest

from mem_assets.memory.log import LogEntry, without_purged
from mem_assets.memory.purge import tombstone
from mem_assets.pipeline.stages import index
from mem_assets.pipeline.stages.quality import pending_references
from mem_assets.storage.memory_log import MemoryLog
from tests.pipeline.project import land, run_everything

DATE = "2026-11-24"


def lesson(number):
    body = {"level": "L1", "kind": "incident", "text": f"lesson {number}", "heading": ""}
    return LogEntry("memory_accepted", f"{number:064x}", body | {"source": "s", "evidence": []})


@pytest.fixture
def settlings(monkeypatch):
    """How often the records were settled."""
    index._settled.cache_clear()
    honest, calls = index.settle, []

    def counting(records):
        calls.append(len(records))
        return honest(records)

    monkeypatch.setattr(index, "settle", counting)
    return calls


def test_equal_records_are_settled_once_and_others_anew(tmp_path, settlings):
    log = MemoryLog(tmp_path)
    log.append(DATE, [lesson(1)])
    assert index.settled_once(log.read_all()) is index.settled_once(log.read_all())
    log.append(DATE, [LogEntry("memory_retracted", lesson(1).subject, {"reason": "wrong"})])
    assert index.settled_once(log.read_all()).memories[0].status == "retracted"
    assert settlings == [1, 2]


def test_a_body_that_was_purged_settles_anew_although_no_record_sha_changed(tmp_path, settlings):
    log = MemoryLog(tmp_path)
    log.append(DATE, [lesson(1), lesson(2)])
    log.append_tombstones(DATE, [tombstone(lesson(2).subject, "0" * 64, "never")])
    whole = log.read(DATE)
    dropped = without_purged(whole, {lesson(2).subject})
    assert [record.record_sha for record in dropped] == [record.record_sha for record in whole]
    assert index.settled_once(whole) == index.settled_once(dropped)
    assert settlings == [3, 3]


def test_an_index_run_settles_once(tmp_path, settlings):
    land(tmp_path / "landing")
    run_everything(tmp_path / "home", tmp_path / "landing")
    assert len(settlings) == 1
    assert pending_references(MemoryLog(tmp_path / "home")) == []
    assert len(settlings) == 1
