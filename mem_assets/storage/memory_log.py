"""The memory log's files: log/<date>.jsonl, appended under a lock, flushed before success."""

import os
import warnings
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from mem_assets.memory.log import LogDamaged, LogEntry, LogRecord, chain, parse_log
from mem_assets.storage.atomic import fsync_folder, locked


class MemoryLog:
    """The log under a data home. Append-only; a day's file is a chain of its own, so that days
    are written side by side."""

    def __init__(self, home: Path) -> None:
        self.folder = home / "log"

    def path(self, date: str) -> Path:
        return self.folder / f"{date}.jsonl"

    def dates(self) -> list[str]:
        return sorted(path.stem for path in self.folder.glob("*.jsonl") if path.stem[0] != ".")

    def read(self, date: str) -> list[LogRecord]:
        """A day's records, verified. A torn last line (a crash while appending) is left out
        with a warning; any other fault raises LogDamaged."""
        return self._read(date)[0]

    def read_all(self) -> list[LogRecord]:
        """Every record, by date and place."""
        return [record for date in self.dates() for record in self.read(date)]

    def heads(self) -> dict[str, int]:
        """How many records each day has."""
        return {date: len(self.read(date)) for date in self.dates()}

    def retracted(self) -> frozenset[str]:
        """Shas that stand retracted now, over all days."""
        standing: set[str] = set()
        # Retractions are rare, and this is asked once a day: most files need no parsing.
        dates = [d for d in self.dates() if b'"memory_retracted"' in self.path(d).read_bytes()]
        if not dates:
            return frozenset()
        for record in self.read_all():
            if record.entry.type == "memory_retracted":
                standing.add(record.entry.subject)
            elif record.entry.type == "memory_restored":
                standing.discard(record.entry.subject)
        return frozenset(standing)

    def append(self, date: str, entries: Iterable[LogEntry]) -> int:
        """Append what is new of `entries`; returns how many records that were.

        When this returns, the records are on the disk.
        """
        with locked(self.path(date)):
            records, sound_bytes = self._read(date)
            now = datetime.now(UTC).isoformat(timespec="seconds")
            fresh = list(chain(records, entries, date, now))
            if not fresh and not self._is_torn(date, sound_bytes):
                return 0
            is_first = not self.path(date).exists()
            with self.path(date).open("ab") as file:
                # Drops a torn tail; its records come again from the same inputs.
                file.truncate(sound_bytes)
                file.write("".join(record.to_line() + "\n" for record in fresh).encode())
                file.flush()
                os.fsync(file.fileno())
            if is_first:
                fsync_folder(self.folder)
            return len(fresh)

    def _is_torn(self, date: str, sound_bytes: int) -> bool:
        path = self.path(date)
        return path.exists() and path.stat().st_size != sound_bytes

    def _read(self, date: str) -> tuple[list[LogRecord], int]:
        path = self.path(date)
        data = path.read_bytes() if path.exists() else b""
        sound_bytes = data.rfind(b"\n") + 1
        if sound_bytes != len(data):
            warnings.warn(
                f"{path.name}: the last line is torn (a run was killed while appending); "
                f"its {len(data) - sound_bytes} bytes are ignored, run the day again",
                stacklevel=3,
            )
        lines = data[:sound_bytes].decode("utf-8", "replace").split("\n")[:-1]
        records, fault = parse_log(lines, date)
        if fault is not None:
            raise LogDamaged(path.name, fault)
        return records, sound_bytes
