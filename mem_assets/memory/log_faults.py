"""What is wrong with a day's log file: the first bad line, and how it came about.

Four things can happen to a line, and they are told apart: it was changed, it is missing, it was
moved, or it stands twice. The chain alone cannot show that the last lines are gone; the file's
head, kept beside it, can (docs/decisions/0010).
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from mem_assets.memory.log import FIRST, LogRecord, Said, parse_line

CHANGED, MISSING, MOVED, DOUBLED = "changed", "missing", "moved", "doubled"
TORN = "torn"
"""An unfinished last line: a crash while appending, and no loss, since success comes after."""


@dataclass(frozen=True)
class LogFault:
    """What is wrong with a log file, at its first bad line (1-based).

    kind  changed, missing (the line that should stand here is nowhere in the file), moved,
          doubled, torn
    """

    line: int
    problem: str
    kind: str = CHANGED


@dataclass(frozen=True)
class Head:
    """The last record that an append has reported as written. seq is its number in the file."""

    seq: int
    record_sha: str


class LogDamaged(Exception):
    """A memory log does not verify; nothing may be built on it or appended to it."""

    def __init__(self, name: str, fault: LogFault) -> None:
        super().__init__(
            f"{name}:{fault.line}: {fault.kind}: {fault.problem}. The memory log is damaged: "
            "restore the file from a copy; nothing was written"
        )
        self.name = name
        self.fault = fault


def parse_log(
    lines: Sequence[str], date: str, head: Head | None = None
) -> tuple[list[LogRecord], LogFault | None]:
    """The records of one day's file up to the first fault, and that fault if there is one.

    head: what is known of the file's last record from elsewhere; more may stand after it.
    """
    parsed = [parse_line(line) for line in lines]
    records: list[LogRecord] = []
    said = Said()
    for number, record in enumerate(parsed, start=1):
        fault = _fault(number, record, records, parsed, date)
        if fault is None and isinstance(record, LogRecord):
            if said.add(record.entry):
                records.append(record)
                continue
            problem = "the record says again what stands above it"
            fault = LogFault(number, problem, DOUBLED)
        return records, fault
    return records, _head_fault(records, head)


def _fault(
    number: int,
    record: LogRecord | str,
    records: Sequence[LogRecord],
    parsed: Sequence[LogRecord | str],
    date: str,
) -> LogFault | None:
    """What is wrong with the record at a line, where those above it are sound."""
    if isinstance(record, str):
        return LogFault(number, record, CHANGED)
    if record.date != date:
        return LogFault(number, f"the record belongs to {record.date}", MOVED)
    expected = (number, records[-1].record_sha if records else FIRST)
    if _place(record) == expected:
        return None
    above = next((r for r in records if r.record_sha == record.record_sha), None)
    if above is not None:
        return LogFault(number, f"the record of line {above.seq} stands here once more", DOUBLED)
    below = {
        r.record_sha: line
        for line, r in enumerate(parsed[number:], start=number + 1)
        if isinstance(r, LogRecord)
    }
    right = next((r for r in parsed if not isinstance(r, str) and _place(r) == expected), None)
    if right is not None and record.record_sha in below:
        problem = f"the record of line {below[record.record_sha]} stands here as well"
        return LogFault(number, problem, DOUBLED)
    if right is not None:
        where = f"record {record.seq} stands at place {number}, whose own is at line "
        return LogFault(number, where + str(below.get(right.record_sha)), MOVED)
    if record.seq > number:
        problem = f"record {number} is missing: record {record.seq} stands in its place"
        return LogFault(number, problem, MISSING)
    problem = f"record {record.seq} does not follow the line before it: one of them was rewritten"
    return LogFault(number, problem, CHANGED)


def _place(record: LogRecord) -> tuple[int, str]:
    return record.seq, record.previous


def _head_fault(records: Sequence[LogRecord], head: Head | None) -> LogFault | None:
    if head is None or head.seq == 0:
        return None
    if len(records) < head.seq:
        lost = head.seq - len(records)
        problem = f"the last {lost} of {head.seq} records are gone"
        return LogFault(len(records) + 1, problem, MISSING)
    if records[head.seq - 1].record_sha != head.record_sha:
        problem = "another record stands here than the one that was written last"
        return LogFault(head.seq, problem, CHANGED)
    return None


def uncovered_bodies(records: Sequence[LogRecord], purged: Collection[str]) -> LogFault | None:
    """The first record of a day without its body that no tombstone of any day accounts for."""
    for line, record in enumerate(records, start=1):
        if record.entry.is_purged and record.entry.subject not in purged:
            problem = "the record's body is gone, and no tombstone says that it was purged"
            return LogFault(line, problem, MISSING)
    return None
