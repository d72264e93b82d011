"""The memory log is what everything is rebuilt from: a changed, missing or moved line must show,
and saying the same twice must say nothing."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mem_assets.memory.log import LogEntry, LogRecord, chain, without_purged
from mem_assets.memory.log_faults import Head, parse_log

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
    ("name", "damage", "line", "kind"),
    [
        ("one removed", lambda a, b, c, d: [a, c, d], 2, "missing"),
        ("two removed", lambda a, b, c, d: [a, d], 2, "missing"),
        ("first removed", lambda a, b, c, d: [b, c, d], 1, "missing"),
        ("neighbours swapped", lambda a, b, c, d: [a, c, b, d], 2, "moved"),
        ("first two swapped", lambda a, b, c, d: [b, a, c, d], 1, "moved"),
        ("moved to the end", lambda a, b, c, d: [a, c, d, b], 2, "moved"),
        ("moved to the front", lambda a, b, c, d: [d, a, b, c], 1, "moved"),
        ("turned round", lambda a, b, c, d: [d, c, b, a], 1, "moved"),
        ("repeated at once", lambda a, b, c, d: [a, b, b, c, d], 3, "doubled"),
        ("repeated at the end", lambda a, b, c, d: [a, b, c, d, b], 5, "doubled"),
        ("copied to above", lambda a, b, c, d: [a, c, b, c, d], 2, "doubled"),
        ("last repeated", lambda a, b, c, d: [a, b, c, d, d], 5, "doubled"),
        ("not json", lambda a, b, c, d: [a, "{", c, d], 2, "changed"),
        ("deep", lambda a, b, c, d: [a, "[" * 200_000, c, d], 2, "changed"),
        ("blank line", lambda a, b, c, d: [a, "", b, c, d], 2, "changed"),
        ("a space", lambda a, b, c, d: [a, b + " ", c, d], 2, "changed"),
        ("no object", lambda a, b, c, d: [a, "[1]", c, d], 2, "changed"),
        ("newer form", lambda a, b, c, d: [a, b.replace("a\":2", "a\":3")], 2, "changed"),
        ("edited", lambda a, b, c, d: [a, b, c.replace(":\"c\"", ":\"x\""), d], 3, "changed"),
    ],
)  # fmt: skip
def test_the_first_fault_is_named_by_line_and_kind(name, damage, line, kind):
    _, fault = parse_log(damage(*lines_of(*map(accepted, "abcd"))), DATE)
    assert fault is not None
    assert (fault.line, fault.kind) == (line, kind), (name, fault)


def head_of(*said: LogEntry) -> Head:
    *_, last = chain([], said, DATE, NOW)
    return Head(last.seq, last.record_sha)


def test_lost_last_lines_show_against_the_head_alone():
    lines, head = lines_of(*map(accepted, "abc")), head_of(*map(accepted, "abc"))
    assert parse_log(lines, DATE, head)[1] is None
    for left in range(3):
        assert parse_log(lines[:left], DATE)[1] is None
        _, fault = parse_log(lines[:left], DATE, head)
        assert fault is not None
        assert (fault.line, fault.kind) == (left + 1, "missing")


def test_a_head_may_be_behind_its_file_but_not_of_another():
    lines = lines_of(*map(accepted, "abc"))
    assert parse_log(lines, DATE, head_of(*map(accepted, "ab")))[1] is None
    _, fault = parse_log(lines, DATE, head_of(*map(accepted, "xy")))
    assert fault is not None
    assert (fault.line, fault.kind) == (2, "changed")


@given(entries.filter(bool), st.data())
def test_bodies_can_go_and_the_chain_stays(said, data):
    records = list(chain([], said, DATE, NOW))
    subject = data.draw(st.sampled_from([record.entry.subject for record in records]))
    left = without_purged(records, {subject})
    read, fault = parse_log([record.to_line() for record in left], DATE)
    assert fault is None
    assert read == left
    assert [r.record_sha for r in read] == [r.record_sha for r in records]
    assert [r.entry.is_purged for r in read] == [r.entry.subject == subject for r in records]
    assert all(not r.entry.body for r in read if r.entry.is_purged)
    again = [record.entry for record in records if record.entry.subject == subject]
    assert not [r for r in chain(read, again, DATE, NOW) if r.entry.type == "memory_accepted"]


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
    assert (fault.line, fault.kind, "says again" in fault.problem) == (2, "doubled", True)


def test_a_record_of_another_day_is_a_fault():
    lines = lines_of(accepted("a"))
    _, fault = parse_log(lines, "2026-11-25")
    assert fault is not None
    assert (fault.kind, "belongs to 2026-11-24" in fault.problem) == ("moved", True)


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
