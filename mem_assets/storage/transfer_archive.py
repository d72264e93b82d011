"""One archive file of named texts: written the same for the same content, read as hostile input.

A Zstandard-compressed tar of plain files. Its first entry, manifest.json, lists every other one
with size and SHA-256, in the order in which they follow; names are sorted, times and owners are
zero. Only such an archive is read: no links, no folders, no extended headers, no other names.
"""

import hashlib
import io
import json
import shutil
import tarfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO

import re2
import zstandard

from mem_assets.hashing import canonical_json
from mem_assets.storage.atomic import replaced

SCHEMA = 1
MANIFEST = "manifest.json"
NAMES = re2.compile(r"^(?:log/\d{4}-\d\d-\d\d\.jsonl|evidence/[0-9a-f]{64}\.txt)$")
"""Every name that an archive may hold: none leads anywhere else."""

MAX_MANIFEST = 256 << 20
MAX_ENTRY = 4 << 30
MAX_TOTAL = 256 << 30
"""Bytes, unpacked. A year of a thousand logs of 64 KiB a day is 24 GB."""

_BLOCK = 512
_CHUNK = 1 << 20
_WINDOW = 128 << 20
_LEVEL = 10


class ArchiveRefused(ValueError):
    """An archive cannot be taken; the message names the entry and what is wrong with it."""


@dataclass(frozen=True)
class Entry:
    """A file of an archive: its name, size in bytes and SHA-256."""

    name: str
    bytes: int
    sha256: str


def describe(name: str, data: bytes) -> Entry:
    return Entry(name, len(data), hashlib.sha256(data).hexdigest())


def write_archive(path: Path, entries: Iterable[Entry], content: Callable[[str], bytes]) -> None:
    """Write an archive in one step: the same bytes for the same entries and library version.

    content  the bytes of a named entry, asked for once each, in order
    Raises ArchiveRefused where they are not what the entry says.
    """
    ordered = sorted(entries, key=lambda entry: entry.name)
    manifest = canonical_json({"schema": SCHEMA, "entries": [asdict(entry) for entry in ordered]})
    compressor = zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True)
    with replaced(path) as temporary, temporary.open("wb") as file:
        with compressor.stream_writer(file, closefd=False) as stream:
            _write(stream, MANIFEST, manifest.encode())
            for entry in ordered:
                data = content(entry.name)
                if describe(entry.name, data) != entry:
                    raise ArchiveRefused(f"{entry.name} changed while it was written: run it again")
                _write(stream, entry.name, data)
            stream.write(bytes(2 * _BLOCK))
        file.flush()


def _write(stream: IO[bytes], name: str, data: bytes) -> None:
    info = tarfile.TarInfo(name)  # Times and owners are zero by default.
    info.size = len(data)
    stream.write(info.tobuf(tarfile.USTAR_FORMAT))
    stream.write(data)
    stream.write(bytes(-len(data) % _BLOCK))


def unpack_archive(path: Path, folder: Path) -> list[Entry]:
    """Write every entry of an archive below an empty folder, each verified by size and hash.

    Raises ArchiveRefused, naming the entry, and FileNotFoundError; what is in the folder then is
    to be thrown away.
    """
    decompressor = zstandard.ZstdDecompressor(max_window_size=_WINDOW)
    with path.open("rb") as file:
        try:
            with decompressor.stream_reader(file, read_across_frames=False) as stream:
                reader = io.BufferedReader(stream, _CHUNK)
                entries = _manifest(reader)
                _require_space(folder, entries)
                for entry in entries:
                    _unpack(reader, entry, folder)
                if reader.read(2 * _BLOCK + 1) != bytes(2 * _BLOCK):
                    raise ArchiveRefused(f"{path.name}: there is more in it than it lists")
        except zstandard.ZstdError as error:
            raise ArchiveRefused(
                f"{path.name} is damaged, or no archive of `mem export`"
            ) from error
    return entries


def _manifest(reader: IO[bytes]) -> list[Entry]:
    size = _header(reader, MANIFEST)
    if size > MAX_MANIFEST:
        raise ArchiveRefused(f"{MANIFEST}: {size} bytes are too many")
    data = b"".join(_content(reader, MANIFEST, size))
    try:
        manifest = json.loads(data)
        if manifest["schema"] != SCHEMA:
            raise ArchiveRefused(
                f"{MANIFEST}: schema {manifest['schema']!r}, and this version reads {SCHEMA}"
            )
        entries = [Entry(**entry) for entry in manifest["entries"]]
        names = [entry.name for entry in entries]
        sound = all(
            NAMES.match(entry.name) and type(entry.bytes) is int and entry.bytes >= 0
            for entry in entries
        )
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        if isinstance(error, ArchiveRefused):
            raise
        raise ArchiveRefused(f"{MANIFEST} is no manifest of `mem export`") from error
    if not sound or names != sorted(set(names)):
        bad = next((name for name in names if not NAMES.match(str(name))), "an entry")
        raise ArchiveRefused(f"{MANIFEST}: {str(bad)[:200]!r} may not be in it, or stands wrongly")
    if sum(entry.bytes for entry in entries) > MAX_TOTAL:
        raise ArchiveRefused(f"{MANIFEST}: more than {MAX_TOTAL >> 30} GiB unpacked")
    return entries


def _require_space(folder: Path, entries: Iterable[Entry]) -> None:
    needed, free = sum(entry.bytes for entry in entries), shutil.disk_usage(folder).free
    if needed > free:
        raise ArchiveRefused(f"{needed} bytes unpacked, and {free} are free below {folder.parent}")


def _unpack(reader: IO[bytes], entry: Entry, folder: Path) -> None:
    size = _header(reader, entry.name)
    if size != entry.bytes or size > MAX_ENTRY:
        raise ArchiveRefused(f"{entry.name}: {size} bytes, and {entry.bytes} are listed")
    target, digest = folder / entry.name, hashlib.sha256()
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("xb") as file:
        for chunk in _content(reader, entry.name, size):
            digest.update(chunk)
            file.write(chunk)
    if digest.hexdigest() != entry.sha256:
        raise ArchiveRefused(f"{entry.name}: it does not have the hash that is listed for it")


def _header(reader: IO[bytes], expected: str) -> int:
    """The size of the next entry, which must be the expected plain file."""
    block = reader.read(_BLOCK)
    try:
        info = tarfile.TarInfo.frombuf(block, "utf-8", "strict")
    except (tarfile.HeaderError, UnicodeDecodeError) as error:
        raise ArchiveRefused(f"{expected}: missing, or the archive is cut off there") from error
    if info.name != expected or info.type != tarfile.REGTYPE or info.size < 0:
        raise ArchiveRefused(f"{info.name[:200]!r} stands where {expected} is listed")
    return info.size


def _content(reader: IO[bytes], name: str, size: int) -> Iterator[bytes]:
    left = size
    while left:
        chunk = reader.read(min(left, _CHUNK))
        if not chunk:
            raise ArchiveRefused(f"{name}: the archive is cut off in it")
        left -= len(chunk)
        yield chunk
    padding = -size % _BLOCK
    if len(reader.read(padding)) != padding:
        raise ArchiveRefused(f"{name}: the archive is cut off after it")
