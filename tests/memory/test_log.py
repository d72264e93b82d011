"""The memory log is what everything is rebuilt from: a changed, missing or moved line must show,
and saying the same twice must say nothing."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mem_assets.memory.log import LogEntry, LogRecord, chain, parse_log

DATE = "2026-11-24"
NOW = "2026-11-24T10:00:00+00:00"

subjects = st.sampled_from(["a" * 64, "b" * 64, "c" * 64])
types = st.sampled_from(
    ["evidence", "memory_accepted", "symptom_projected", "memory_retracted", "memory_restored"]
)
bodies = st.dictionaries(st.text(max_size=8), st.text(max_size=20), max_size=3)
entries = st.lists(st.builds(LogEntry, types, subjects, bodies), max_size=12)


def lines_of(*given_entries: LogEntry) -> list[str]:
    return [record.to_line() for record in chain([], given_entries, DATE, NOW)]


def accepted(name: str) -> LogEntry:
    return LogEntry("memory_accepted", name * 64, {"text": name})


@given(entries)
def test_what_was_chained_is_read_back(said):
    records = list(chain([], said, DATE, NOW))
    assert parse_log([r.to_line() for r in records], DATE) == (records, None)


@given(entries)
def test_saying_a_day_again_appends_nothing_but_what_was_overruled(said):
    """Rematerialising writes only where the latest word of a subject differs from its own."""
    records = list(chain([], said, DATE, NOW))
    again = list(chain(records, [r.entry for r in records], DATE, NOW))
    states = {"memory_retracted", "memory_restored", "symptom_projected", "evidence"}
    assert all(record.entry.type in states for record in again)
    once = [e for e in said if e.type == "memory_accepted"]
    assert not list(chain(list(chain([], once, DATE, NOW)), once, DATE, NOW))


@given(entries.filter(bool), st.data())
def test_any_changed_byte_of_a_line_is_a_fault_at_that_line(said, data):
    lines = lines_of(*said)
    number = data.draw(st.integers(0, len(lines) - 1))
    place = data.draw(st.integers(0, len(lines[number]) - 1))
    other = data.draw(st.sampled_from("x7é").filter(lambda c: c != lines[number][place]))
    lines[number] = lines[number][:place] + other + lines[number][place + 1 :]
    _, fault = parse_log(lines, DATE)
    assert fault is not None
    assert fault.line == number + 1


@pytest.mark.parametrize(
    ("name", "damage", "line", "problem"),
    [
        ("missing", lambda lines: lines[:1] + lines[2:], 2, "missing or was moved"),
        ("first missing", lambda lines: lines[1:], 1, "missing or was moved"),
        ("moved", lambda lines: [lines[0], lines[2], lines[1]], 2, "missing or was moved"),
        ("doubled", lambda lines: [*lines, lines[-1]], 4, "missing or was moved"),
        ("not json", lambda lines: [lines[0], "{", lines[2]], 2, "not a record"),
        ("deep", lambda lines: [lines[0], "[" * 200_000, lines[2]], 2, "not a record"),
        ("blank", lambda lines: [lines[0], "", *lines[1:]], 2, "not a record"),
        ("spaced", lambda lines: [lines[0], lines[1] + " ", lines[2]], 2, "was changed"),
    ],
)
def test_faults_name_the_first_bad_line(name, damage, line, problem):
    _, fault = parse_log(damage(lines_of(*map(accepted, "abc"))), DATE)
    assert fault is not None
    assert (fault.line, problem in fault.problem) == (line, True), name


def test_a_record_rehashed_by_a_forger_breaks_the_chain_behind_it():
    records = list(chain([], map(accepted, "abc"), DATE, NOW))
    forged_entry = LogEntry("memory_accepted", "b" * 64, {"text": "forged"})
    forged = LogRecord(DATE, 2, records[1].previous, NOW, forged_entry)
    lines = [records[0].to_line(), forged.to_line(), records[2].to_line()]
    _, fault = parse_log(lines, DATE)
    assert fault is not None
    assert fault.line == 3


def test_a_doubled_record_with_a_fitting_chain_is_a_fault():
    records = list(chain([], [accepted("a")], DATE, NOW))
    twin = LogRecord(DATE, 2, records[0].record_sha, NOW, accepted("a"))
    _, fault = parse_log([records[0].to_line(), twin.to_line()], DATE)
    assert fault is not None
    assert (fault.line, "says again" in fault.problem) == (2, True)


def test_a_record_of_another_day_is_a_fault():
    lines = lines_of(accepted("a"))
    _, fault = parse_log(lines, "2026-11-25")
    assert fault is not None
    assert "belongs to 2026-11-24" in fault.problem


def test_retracting_again_after_a_restoration_is_news():
    retract = LogEntry("memory_retracted", "a" * 64, {"reason": "wrong"})
    restore = LogEntry("memory_restored", "a" * 64, {"reason": "right"})
    types_kept = [json.loads(line)["type"] for line in lines_of(retract, retract, restore, retract)]
    assert types_kept == ["memory_retracted", "memory_restored", "memory_retracted"]


def test_wall_clock_stands_in_the_record_but_in_no_content_hash():
    early = next(chain([], [accepted("a")], DATE, "2026-11-24T00:00:00+00:00"))
    late = next(chain([], [accepted("a")], DATE, "2027-01-01T00:00:00+00:00"))
    assert early.entry.content_sha == late.entry.content_sha
    assert early.record_sha != late.record_sha
