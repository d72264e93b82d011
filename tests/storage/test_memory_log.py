"""The log's files survive crashes and concurrent writers; damage stops everything, visibly."""

import multiprocessing
import warnings

import pytest

from mem_assets.memory.log import LogEntry
from mem_assets.memory.log_faults import LogDamaged
from mem_assets.memory.purge import memory_text_sha, tombstone
from mem_assets.storage.memory_log import MemoryLog

DATE = "2026-11-24"


def entry(number: int) -> LogEntry:
    return LogEntry("memory_accepted", f"{number:064x}", {"text": f"Lehre {number} — ü\u2028x"})


def _append_many(home, first):
    for number in range(first, first + 20):
        MemoryLog(home).append(DATE, [entry(number)])


def test_appending_again_leaves_the_file_as_it_was(tmp_path):
    log = MemoryLog(tmp_path)
    assert log.append(DATE, map(entry, range(3))) == 3
    written = log.path(DATE).read_bytes()
    assert log.append(DATE, map(entry, range(3))) == 0
    assert log.path(DATE).read_bytes() == written
    assert log.append(DATE, map(entry, range(4))) == 1
    assert log.path(DATE).read_bytes().startswith(written)


def test_writers_in_several_processes_keep_the_chain(tmp_path):
    spawn = multiprocessing.get_context("spawn")
    writers = [spawn.Process(target=_append_many, args=(tmp_path, n)) for n in (0, 10, 100)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    records = MemoryLog(tmp_path).read(DATE)
    assert len({r.entry.subject for r in records}) == len(records) == 50


@pytest.mark.parametrize("cut", [1, 10, 200])
def test_a_torn_last_line_is_ignored_with_a_warning_and_mended_by_the_next_append(tmp_path, cut):
    """As a crash leaves it: the records are half there, and no head speaks of them yet."""
    log = MemoryLog(tmp_path)
    log.append(DATE, map(entry, range(2)))
    head = log.head_path(DATE).read_bytes()
    log.append(DATE, map(entry, range(3)))
    log.path(DATE).write_bytes(log.path(DATE).read_bytes()[:-cut])
    log.head_path(DATE).write_bytes(head)
    assert [(d.fault.line, d.fault.kind) for d in log.faults()] == [(3, "torn")]
    with pytest.warns(UserWarning, match="torn"):
        assert len(log.read(DATE)) == 2
    with pytest.warns(UserWarning, match="torn"):
        assert log.append(DATE, map(entry, range(3))) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert [r.entry for r in log.read(DATE)] == [entry(n) for n in range(3)]
    assert log.faults() == []


@pytest.mark.parametrize("left", [0, 1, 2])
def test_records_that_were_reported_as_written_are_missed(tmp_path, left):
    log = MemoryLog(tmp_path)
    log.append(DATE, map(entry, range(3)))
    lines = log.path(DATE).read_bytes().splitlines(keepends=True)
    log.path(DATE).write_bytes(b"".join(lines[:left]))
    for attempt in (lambda: log.read(DATE), lambda: log.append(DATE, map(entry, range(3)))):
        with pytest.raises(LogDamaged, match=rf"jsonl:{left + 1}: missing"):
            attempt()
    log.path(DATE).unlink()
    assert log.dates() == [DATE]
    with pytest.raises(LogDamaged, match="missing"):
        log.read_all()


def test_a_log_without_its_heads_is_taken_and_gets_them_with_the_next_append(tmp_path):
    log = MemoryLog(tmp_path)
    log.append(DATE, map(entry, range(3)))
    log.head_path(DATE).unlink()
    assert len(log.read(DATE)) == 3
    assert log.append(DATE, map(entry, range(3))) == 0
    assert log.head_path(DATE).exists()


def test_an_unreadable_head_is_named(tmp_path):
    log = MemoryLog(tmp_path)
    log.append(DATE, [entry(1)])
    log.head_path(DATE).write_text("{")
    with pytest.raises(LogDamaged, match=r"2026-11-24.head:1: changed: not the head"):
        log.read(DATE)


def test_what_is_purged_leaves_the_file_and_does_not_come_back(tmp_path):
    log = MemoryLog(tmp_path)
    log.append(DATE, map(entry, range(3)))
    stone = tombstone(entry(1).subject, memory_text_sha("Lehre 1 — ü\u2028x"), "private")
    assert log.append_tombstones("2026-11-30", [stone]) == 1
    assert [r.entry.body for r in log.read_all()[:3]] == [entry(0).body, {}, entry(2).body]
    assert b"Lehre 1" in log.path(DATE).read_bytes()
    assert log.drop_bodies(DATE, {entry(1).subject}) == 1
    assert log.drop_bodies(DATE, {entry(1).subject}) == 0
    assert b"Lehre 1" not in log.path(DATE).read_bytes()
    assert log.faults() == []
    elsewhere = LogEntry("reference", "f" * 64, {"text": "Lehre 1 — ü\u2028x "})
    assert log.append("2026-12-01", [entry(1), elsewhere, entry(7)]) == 1
    assert log.append(DATE, map(entry, range(4))) == 1


def test_a_body_that_no_tombstone_accounts_for_is_missed(tmp_path):
    log = MemoryLog(tmp_path)
    log.append(DATE, map(entry, range(3)))
    log.drop_bodies(DATE, {entry(1).subject})
    assert [(d.fault.line, d.fault.kind) for d in log.faults()] == [(2, "missing")]
    with pytest.raises(LogDamaged, match="no tombstone"):
        log.read_all()


def test_a_damaged_file_is_neither_read_nor_appended_to(tmp_path):
    log = MemoryLog(tmp_path)
    log.append(DATE, map(entry, range(3)))
    damaged = log.path(DATE).read_bytes().replace(b"Lehre 1", b"Leere 1")
    log.path(DATE).write_bytes(damaged)
    for attempt in (lambda: log.read(DATE), lambda: log.append(DATE, [entry(9)])):
        with pytest.raises(LogDamaged, match=r"2026-11-24.jsonl:2: .*was changed"):
            attempt()
    assert log.path(DATE).read_bytes() == damaged


def test_retractions_are_known_until_restored(tmp_path):
    log = MemoryLog(tmp_path)
    log.append(DATE, [entry(1)])
    assert log.retracted() == frozenset()
    log.append("2026-11-25", [LogEntry("memory_retracted", "a" * 64, {"reason": "wrong"})])
    assert log.retracted() == {"a" * 64}
    log.append("2026-11-26", [LogEntry("memory_restored", "a" * 64, {"reason": "right"})])
    assert log.retracted() == frozenset()
