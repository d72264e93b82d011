"""The memory log's records: their form and their chain.

Pure: `storage/memory_log.py` reads and appends the files; `log_faults.py` says what is wrong with
a broken one. One JSON record a line, in canonical form. A record's own hash covers its number in
the file, the hash of the record before it, and the hash of its body: so a changed, missing, moved
or doubled line shows, and a body can be purged while the chain stays whole
(docs/decisions/0010).
"""

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from mem_assets.hashing import canonical_json, sha256_json

LOG_SCHEMA = 2
"""Of a record's form; it stands in every record."""

RECORD_TYPES = (
    "evidence",
    "reference",
    "memory_accepted",
    "symptom_projected",
    "memory_retracted",
    "memory_restored",
    "purged",
)
"""evidence: an L0 node, on its log's date. reference: an R chunk. purged: a tombstone, which
alone allows the records of its subject to stand without their bodies."""

MADE_UNDER = "rules_version"
"""Field of an evidence record that says which rules first found what it says. Other rules that find
the same say nothing new, so it is in record_sha and in no content hash."""

FIRST = "0" * 64
"""What stands for the record before the first."""


@dataclass(frozen=True)
class LogEntry:
    """A record before it has a place in a file.

    subject      the sha that the record speaks of: a memory's, or a log_id
    body         what is said; empty once it is purged
    purged_sha   the hash of a body that was purged, else empty
    content_sha  names what is said, without place or time; said once, it is not said again
    """

    type: str
    subject: str
    body: dict[str, Any] = field(hash=False)
    purged_sha: str = ""

    @property
    def is_purged(self) -> bool:
        """Whether the body was dropped; the hash of it is still known."""
        return bool(self.purged_sha)

    @cached_property
    def body_sha(self) -> str:
        return self.purged_sha or sha256_json(self.body)

    @cached_property
    def content_sha(self) -> str:
        said = self.body_sha
        if MADE_UNDER in self.body:
            said = sha256_json({n: value for n, value in self.body.items() if n != MADE_UNDER})
        return sha256_json({"type": self.type, "subject": self.subject, "body_sha": said})

    def without_body(self) -> "LogEntry":
        """The same entry, of which only the hash of what it said is left."""
        return replace(self, body={}, purged_sha=self.body_sha)


@dataclass(frozen=True)
class LogRecord:
    """A record in its place. recorded_at (UTC, ISO) is for people; it is in record_sha, and so
    protected, but in no content hash and no digest."""

    date: str
    seq: int
    previous: str
    recorded_at: str
    entry: LogEntry

    @cached_property
    def record_sha(self) -> str:
        return sha256_json(self._header())

    def _header(self) -> dict[str, Any]:
        return {
            "schema": LOG_SCHEMA,
            "date": self.date,
            "seq": self.seq,
            "previous": self.previous,
            "recorded_at": self.recorded_at,
            "type": self.entry.type,
            "subject": self.entry.subject,
            "body_sha": self.entry.body_sha,
        }

    def to_line(self) -> str:
        """The record's line, without its line break; a purged body is left out."""
        body = {} if self.entry.is_purged else {"body": self.entry.body}
        return canonical_json(self._header() | body | {"record_sha": self.record_sha})


def parse_line(line: str) -> LogRecord | str:
    """A record from its line, or what is wrong with the line by itself."""
    try:
        fields = json.loads(line)
        if fields["schema"] != LOG_SCHEMA:
            return f"a record of schema {fields['schema']!r}, and this version reads {LOG_SCHEMA}"
        dropped = "" if "body" in fields else fields["body_sha"]
        entry = LogEntry(fields["type"], fields["subject"], fields.get("body", {}), dropped)
        record = LogRecord(
            fields["date"], fields["seq"], fields["previous"], fields["recorded_at"], entry
        )
        if record.to_line() != line:
            return "the record was changed: its hash does not fit its content"
        if not isinstance(entry.body, dict) or not isinstance(entry.subject, str):
            return "not a record of a memory log"
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return "not a record of a memory log"
    if entry.type not in RECORD_TYPES:
        return f"unknown record type {entry.type!r}"
    return record


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


def without_purged(records: Iterable[LogRecord], subjects: Collection[str]) -> list[LogRecord]:
    """The records, those of purged subjects without their bodies; tombstones stay as they are."""
    return [
        replace(record, entry=record.entry.without_body())
        if record.entry.subject in subjects and not _keeps_body(record.entry)
        else record
        for record in records
    ]


def _keeps_body(entry: LogEntry) -> bool:
    return entry.type == "purged" or entry.is_purged
