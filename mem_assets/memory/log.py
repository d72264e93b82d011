"""The memory log's records: their form, their chain, and what is wrong with a broken one.

Pure: `storage/memory_log.py` reads and appends the files. One JSON record a line, in canonical
form. Each record carries its number in the file, the hash of the record before it, and its own
hash over all of that, so that a changed, missing or moved line shows.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from mem_assets.hashing import canonical_json, sha256_json

RECORD_TYPES = (
    "evidence",
    "reference",
    "memory_accepted",
    "symptom_projected",
    "memory_retracted",
    "memory_restored",
)
"""evidence: an L0 node, on its log's date. reference: an R chunk."""

MADE_UNDER = "rules_version"
"""Field of an evidence record that says which rules first found what it says. Other rules that find
the same say nothing new, so it is in record_sha and in no content hash."""

FIRST = "0" * 64
"""What stands for the record before the first."""


@dataclass(frozen=True)
class LogEntry:
    """A record before it has a place in a file.

    subject      the sha that the record speaks of: a memory's, or a log_id
    content_sha  names what is said, without place or time; said once, it is not said again
    """

    type: str
    subject: str
    body: dict[str, Any]

    @property
    def content_sha(self) -> str:
        body = {name: value for name, value in self.body.items() if name != MADE_UNDER}
        return sha256_json({"type": self.type, "subject": self.subject, "body": body})


@dataclass(frozen=True)
class LogRecord:
    """A record in its place. recorded_at (UTC, ISO) is for people; it is in record_sha, and so
    protected, but in no content hash and no digest."""

    date: str
    seq: int
    previous: str
    recorded_at: str
    entry: LogEntry

    @property
    def record_sha(self) -> str:
        return sha256_json(self._fields())

    def _fields(self) -> dict[str, Any]:
        return {
            "date": self.date,
            "seq": self.seq,
            "previous": self.previous,
            "recorded_at": self.recorded_at,
            "type": self.entry.type,
            "subject": self.entry.subject,
            "content_sha": self.entry.content_sha,
            "body": self.entry.body,
        }

    def to_line(self) -> str:
        """The record's line, without its line break."""
        return canonical_json(self._fields() | {"record_sha": self.record_sha})


@dataclass(frozen=True)
class LogFault:
    """What is wrong with a log file, at its first bad line (1-based)."""

    line: int
    problem: str


class LogDamaged(Exception):
    """A memory log does not verify; nothing may be built on it or appended to it."""

    def __init__(self, name: str, fault: LogFault) -> None:
        super().__init__(
            f"{name}:{fault.line}: {fault.problem}. The memory log is damaged: restore the file "
            "from a copy; nothing was written"
        )
        self.fault = fault


def parse_line(line: str, date: str) -> LogRecord | str:
    """A record from its line, or what is wrong with the line."""
    try:
        fields = json.loads(line)
        entry = LogEntry(fields["type"], fields["subject"], fields["body"])
        record = LogRecord(
            fields["date"], fields["seq"], fields["previous"], fields["recorded_at"], entry
        )
        if record.to_line() != line:
            return "the record was changed: its hash does not fit its content"
    except (ValueError, KeyError, TypeError, RecursionError):
        return "not a record of a memory log"
    if record.date != date:
        return f"the record belongs to {record.date}"
    if entry.type not in RECORD_TYPES:
        return f"unknown record type {entry.type!r}"
    return record


def parse_log(lines: Sequence[str], date: str) -> tuple[list[LogRecord], LogFault | None]:
    """The records of one day's file up to the first fault, and that fault if there is one."""
    records: list[LogRecord] = []
    previous = FIRST
    said = Said()
    for number, line in enumerate(lines, start=1):
        record = parse_line(line, date)
        if isinstance(record, str):
            return records, LogFault(number, record)
        if record.seq != number or record.previous != previous:
            return records, LogFault(
                number,
                f"record {record.seq} stands at place {number} and does not follow the line "
                "before it: a line is missing or was moved",
            )
        if not said.add(record.entry):
            return records, LogFault(number, "the record says again what stands above it")
        records.append(record)
        previous = record.record_sha
    return records, None


_STANDING = {
    "memory_retracted": "standing",
    "memory_restored": "standing",
    "symptom_projected": "projection",
    "evidence": "evidence",
}
"""Records whose latest word counts: after a restoration, a retraction in the same words is new."""


class Said:
    """What a file says already, so that it is not said twice."""

    def __init__(self) -> None:
        self._ever: set[str] = set()
        self._latest: dict[tuple[str, str], str] = {}

    def add(self, entry: LogEntry) -> bool:
        """Take an entry in; False where it says nothing new."""
        standing = _STANDING.get(entry.type)
        if standing is None:
            new = entry.content_sha not in self._ever
            self._ever.add(entry.content_sha)
            return new
        place = (standing, entry.subject)
        new = self._latest.get(place) != entry.content_sha
        self._latest[place] = entry.content_sha
        return new


def chain(
    records: Sequence[LogRecord], entries: Iterable[LogEntry], date: str, recorded_at: str
) -> Iterator[LogRecord]:
    """The records to append after those that stand: only what is new, in the order given."""
    said = Said()
    for record in records:
        said.add(record.entry)
    seq = len(records)
    previous = records[-1].record_sha if records else FIRST
    for entry in entries:
        if not said.add(entry):
            continue
        seq += 1
        record = LogRecord(date, seq, previous, recorded_at, entry)
        previous = record.record_sha
        yield record
