"""The memory log and its evidence as one archive, and back into a home.

From the log everything else is rebuilt, so an archive builds the same generation elsewhere. A home
that has a log already takes only what continues it: nothing on record is ever replaced.
"""

import tempfile
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import zstandard

from mem_assets.memory.log import LogRecord
from mem_assets.memory.log_merge import merge_logs
from mem_assets.memory.purge import Tombstones, tombstones
from mem_assets.memory.settle import collect
from mem_assets.storage.evidence import EvidenceStore
from mem_assets.storage.memory_log import MemoryLog
from mem_assets.storage.transfer_archive import (
    ArchiveRefused,
    Entry,
    describe,
    unpack_archive,
    write_archive,
)


@dataclass(frozen=True)
class Exported:
    """What an archive holds. missing: texts that records name and the store keeps no longer."""

    days: int
    records: int
    texts: int
    missing: int


@dataclass(frozen=True)
class Imported:
    """What an import brought: days that grew, records and texts that are new, and how many records
    the archive held."""

    days: int
    records: int
    texts: int
    held: int


def export_log(home: Path, path: Path) -> Exported:
    """Write the log and the evidence that it names into an archive.

    Raises LogDamaged, and ArchiveRefused where a text in the store is not the one it is named for.
    """
    records = MemoryLog(home).read_all()
    store = EvidenceStore(home)
    lines: dict[str, list[str]] = defaultdict(list)
    for record in records:
        lines[f"log/{record.date}.jsonl"].append(record.to_line() + "\n")
    kept, missing = [], 0
    for text_sha in sorted(named_texts(records)):
        try:
            kept.append(_evidence_entry(store, text_sha))
        except FileNotFoundError:
            missing += 1

    def content(name: str) -> bytes:
        if name in lines:
            return "".join(lines[name]).encode()
        return _text(store, _text_sha(name))

    logs = [describe(name, content(name)) for name in lines]
    write_archive(path, [*logs, *kept], content)
    return Exported(len(logs), len(records), len(kept), missing)


def named_texts(records: Iterable[LogRecord]) -> set[str]:
    """SHA-256 of every evidence text that records name."""
    bodies = (record.entry.body for record in records if record.entry.type == "evidence")
    return {body["text_sha"] for body in bodies if "text_sha" in body}


def import_log(path: Path, home: Path) -> Imported:
    """Bring an archive's log and evidence into a home.

    All of it is unpacked and verified before anything of the home changes. What was purged in
    either place stays purged. Raises ArchiveRefused, LogDamaged for a log that does not verify, and
    LogsDiffer where the home's log says something else.
    """
    home.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".import.", dir=home) as name:
        folder = Path(name)
        entries = unpack_archive(path, folder)
        records = MemoryLog(folder).read_all()
        _check_bodies(records)
        log, store = MemoryLog(home), EvidenceStore(home)
        _check_purged(records, log.tombstones())
        texts = _texts(entries, records, folder)
        by_day: dict[str, list[LogRecord]] = defaultdict(list)
        for record in records:
            by_day[record.date].append(record)
        for date, found in by_day.items():
            merge_logs(log.read(date), found, log.path(date).name)
        purged = log.tombstones().texts | tombstones(records).texts
        fresh = {sha: t for sha, t in texts.items() if sha not in purged and not store.holds(sha)}
        for text_sha, place in fresh.items():
            store.write(text_sha, place.read_bytes().decode())
        added = log.adopt(by_day)
    grown = sum(count > 0 for count in added.values())
    return Imported(grown, sum(added.values()), len(fresh), len(records))


def _check_bodies(records: Iterable[LogRecord]) -> None:
    """A log may verify, since its hashes fit, and yet say nothing that can be built from."""
    for record in records:
        if record.entry.is_purged:
            continue
        try:
            collect([record])
        except (KeyError, TypeError, AttributeError) as error:
            place = f"log/{record.date}.jsonl:{record.seq}"
            raise ArchiveRefused(f"{place}: the record's body is incomplete ({error})") from error


def _check_purged(records: Iterable[LogRecord], purged: Tombstones) -> None:
    """A body of a purged subject is left out when it is taken over; its text under another name
    cannot be, since no tombstone allows it."""
    for record in records:
        if record.entry.subject not in purged.subjects and purged.covers(record.entry):
            place = f"log/{record.date}.jsonl:{record.seq}"
            raise ArchiveRefused(f"{place}: it brings back a text that was purged here")


def _texts(entries: Iterable[Entry], records: Iterable[LogRecord], folder: Path) -> dict[str, Path]:
    """The texts of an archive by hash, and where they were unpacked to; each must be what its name
    says, and be named by a record."""
    named, texts = named_texts(records), {}
    for entry in entries:
        if not entry.name.startswith("evidence/"):
            continue
        text_sha = _text_sha(entry.name)
        if entry.sha256 != text_sha:
            raise ArchiveRefused(f"{entry.name}: the text does not have the hash in its name")
        if text_sha not in named:
            raise ArchiveRefused(f"{entry.name}: no record of the archive names this text")
        try:
            (folder / entry.name).read_bytes().decode()
        except UnicodeDecodeError as error:
            raise ArchiveRefused(f"{entry.name}: not UTF-8") from error
        texts[text_sha] = folder / entry.name
    return texts


def _evidence_entry(store: EvidenceStore, text_sha: str) -> Entry:
    try:
        entry = describe(_text_name(text_sha), _text(store, text_sha))
    except (zstandard.ZstdError, UnicodeDecodeError):
        entry = None
    if entry is None or entry.sha256 != text_sha:
        raise ArchiveRefused(
            f"{store.path(text_sha)} is damaged: its text does not have the hash in its name; "
            "restore it from a copy, or remove it"
        )
    return entry


def _text(store: EvidenceStore, text_sha: str) -> bytes:
    return store.read(text_sha).encode("utf-8", "replace")


def _text_name(text_sha: str) -> str:
    return f"evidence/{text_sha}.txt"


def _text_sha(name: str) -> str:
    return name.removeprefix("evidence/").removesuffix(".txt")
