"""The log's files survive crashes and concurrent writers; damage stops everything, visibly."""

import multiprocessing
import warnings

import pytest

from mem_assets.memory.log import LogDamaged, LogEntry
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
    log = MemoryLog(tmp_path)
    log.append(DATE, map(entry, range(3)))
    whole = log.path(DATE).read_bytes()
    log.path(DATE).write_bytes(whole[:-cut])
    with pytest.warns(UserWarning, match="torn"):
        assert len(log.read(DATE)) == 2
    with pytest.warns(UserWarning, match="torn"):
        assert log.append(DATE, map(entry, range(3))) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert [r.entry for r in log.read(DATE)] == [entry(n) for n in range(3)]


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
