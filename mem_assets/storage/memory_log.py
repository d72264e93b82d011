"""The memory log's files: log/<date>.jsonl, appended under a lock, flushed before success.

Beside each stands <date>.head, the number and hash of the last record that was reported as
written: a chain cannot show by itself that its last lines are gone.
"""

import fcntl
import json
import os
import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from mem_assets.hashing import canonical_json
from mem_assets.memory.log import LogEntry, LogRecord, chain, without_purged
from mem_assets.memory.log_faults import (
    TORN,
    Head,
    LogDamaged,
    LogFault,
    parse_log,
    uncovered_bodies,
)
from mem_assets.memory.log_merge import merge_logs
from mem_assets.memory.purge import Tombstones, tombstones
from mem_assets.storage.atomic import locked, replaced, write_bytes


class MemoryLog:
    """The log under a data home. Append-only; a day's file is a chain of its own, so that days
    are written side by side."""

    def __init__(self, home: Path) -> None:
        self.folder = home / "log"

    def path(self, date: str) -> Path:
        return self.folder / f"{date}.jsonl"

    def head_path(self, date: str) -> Path:
        return self.folder / f"{date}.head"

    def dates(self) -> list[str]:
        """Days that have a file, or had one as their head tells."""
        found = [*self.folder.glob("*.jsonl"), *self.folder.glob("*.head")]
        return sorted({path.stem for path in found if path.stem[0] != "."})

    def read(self, date: str) -> list[LogRecord]:
        """A day's records, verified. A torn last line (a crash while appending) is left out
        with a warning; any other fault raises LogDamaged."""
        return self._read(date)[0]

    def read_all(self) -> list[LogRecord]:
        """Every record, by date and place; what is purged comes without its body, also where a
        purge was interrupted before it had dropped that. Raises LogDamaged."""
        days = {date: self.read(date) for date in self.dates()}
        records = [record for date in sorted(days) for record in days[date]]
        purged = tombstones(records).subjects
        for date, found in days.items():
            if fault := uncovered_bodies(found, purged):
                raise LogDamaged(self.path(date).name, fault)
        return without_purged(records, purged)

    def heads(self) -> dict[str, int]:
        """How many records each day has."""
        return {date: len(self.read(date)) for date in self.dates()}

    def faults(self) -> list[LogDamaged]:
        """The first fault of each file that has one, a torn last line among them, by date."""
        found: list[LogDamaged] = []
        sound: dict[str, list[LogRecord]] = {}
        for date in self.dates():
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    sound[date], sound_bytes = self._read(date)
            except LogDamaged as damage:
                found.append(damage)
                continue
            if self._is_torn(date, sound_bytes):
                problem = "the last line is unfinished; the next append drops it"
                fault = LogFault(len(sound[date]) + 1, problem, TORN)
                found.append(LogDamaged(self.path(date).name, fault))
        purged = tombstones(record for records in sound.values() for record in records).subjects
        for date, records in sound.items():
            if fault_found := uncovered_bodies(records, purged):
                found.append(LogDamaged(self.path(date).name, fault_found))
        return sorted(found, key=lambda damage: (damage.name, damage.fault.line))

    def retracted(self) -> frozenset[str]:
        """Shas that stand retracted now, over all days."""
        standing: set[str] = set()
        # Retractions are rare, and this is asked once a day: most files need no parsing.
        if not self._dates_with("memory_retracted"):
            return frozenset()
        for record in self.read_all():
            if record.entry.type == "memory_retracted":
                standing.add(record.entry.subject)
            elif record.entry.type == "memory_restored":
                standing.discard(record.entry.subject)
        return frozenset(standing)

    def tombstones(self) -> Tombstones:
        """What was purged, over all days."""
        return tombstones(r for date in self._dates_with("purged") for r in self.read(date))

    def _dates_with(self, record_type: str) -> list[str]:
        """Days whose file may hold such a record, told without parsing."""
        sought = f'"{record_type}"'.encode()
        return [d for d in self.dates() if sought in self._bytes(d)]

    def append(self, date: str, entries: Iterable[LogEntry]) -> int:
        """Append what is new of `entries` and not purged; returns how many records that were.

        When this returns, the records are on the disk.
        """
        with self._writing(fcntl.LOCK_SH):
            purged = self.tombstones()
            return self._append(date, [entry for entry in entries if not purged.covers(entry)])

    def append_tombstones(self, date: str, entries: Iterable[LogEntry]) -> int:
        """Append tombstones, once every append that knows nothing of them has ended."""
        with self._writing(fcntl.LOCK_EX):
            return self._append(date, entries)

    def drop_bodies(self, date: str, subjects: Collection[str]) -> int:
        """Rewrite a day's file without the bodies of purged subjects; how many were dropped.

        The chain stays as it is: a record's hash covers the hash of its body.
        """
        with locked(self.path(date)):
            records, _ = self._read(date)
            kept = without_purged(records, subjects)
            dropped = sum(old is not new for old, new in zip(records, kept, strict=True))
            if dropped:
                write_bytes(self.path(date), _lines(kept))
            return dropped

    def adopt(self, days: Mapping[str, Sequence[LogRecord]]) -> dict[str, int]:
        """Take over records of another copy of this log, by day; how many each day gained.

        Raises LogsDiffer, before anything is written, where a day does not continue the one here.
        """
        with self._writing(fcntl.LOCK_EX):
            known = {date: self.read(date) for date in sorted(days)}
            merged = {
                date: merge_logs(known[date], days[date], self.path(date).name) for date in known
            }
            purged = tombstones(r for rs in (self.read_all(), *merged.values()) for r in rs)
            for date, records in merged.items():
                data = _lines(without_purged(records, purged.subjects))
                with locked(self.path(date)):
                    if data != self._bytes(date):
                        write_bytes(self.path(date), data)
                    self._write_head(date, records)
        return {date: len(merged[date]) - len(known[date]) for date in merged}

    @contextmanager
    def _writing(self, how: int) -> Iterator[None]:
        """Appends go side by side (LOCK_SH); nothing else is written beside tombstones."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / ".purge.lock").open("a") as file:
            fcntl.flock(file, how)
            yield

    def _append(self, date: str, entries: Iterable[LogEntry]) -> int:
        with locked(self.path(date)):
            records, sound_bytes = self._read(date)
            now = datetime.now(UTC).isoformat(timespec="seconds")
            fresh = list(chain(records, entries, date, now))
            if fresh or self._is_torn(date, sound_bytes):
                with self.path(date).open("ab") as file:
                    # Drops a torn tail; its records come again from the same inputs.
                    file.truncate(sound_bytes)
                    file.write(_lines(fresh))
                    file.flush()
                    os.fsync(file.fileno())
            self._write_head(date, [*records, *fresh])
            return len(fresh)

    def _write_head(self, date: str, records: list[LogRecord]) -> None:
        """After the records, never before: a head may be behind its file, not ahead of it."""
        if not records:
            return
        head = Head(records[-1].seq, records[-1].record_sha)
        if head == self._head(date):
            return
        with replaced(self.head_path(date)) as temporary:
            temporary.write_text(canonical_json({"seq": head.seq, "record_sha": head.record_sha}))

    def _head(self, date: str) -> Head | None:
        """What an append last reported; None for a log that came without its heads."""
        path = self.head_path(date)
        try:
            return Head(**json.loads(path.read_bytes()))
        except FileNotFoundError:
            return None
        except (ValueError, TypeError) as error:
            problem = f"not the head of a log ({type(error).__name__}); remove it to do without"
            raise LogDamaged(path.name, LogFault(1, problem)) from error

    def _bytes(self, date: str) -> bytes:
        try:
            return self.path(date).read_bytes()
        except FileNotFoundError:
            return b""

    def _is_torn(self, date: str, sound_bytes: int) -> bool:
        path = self.path(date)
        return path.exists() and path.stat().st_size != sound_bytes

    def _read(self, date: str) -> tuple[list[LogRecord], int]:
        # The head first: an append that ends between the two reads may only make the file longer.
        head, data = self._head(date), self._bytes(date)
        sound_bytes = data.rfind(b"\n") + 1
        if sound_bytes != len(data):
            warnings.warn(
                f"{self.path(date).name}: the last line is torn (a run was killed while "
                f"appending); its {len(data) - sound_bytes} bytes are ignored, run the day again",
                stacklevel=3,
            )
        lines = data[:sound_bytes].decode("utf-8", "replace").split("\n")[:-1]
        records, fault = parse_log(lines, date, head)
        if fault is not None:
            raise LogDamaged(self.path(date).name, fault)
        return records, sound_bytes


def _lines(records: Iterable[LogRecord]) -> bytes:
    return "".join(record.to_line() + "\n" for record in records).encode()
