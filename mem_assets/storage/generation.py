"""Generations: immutable folders of serving files, and the pointer to the one that answers.

generations/<id>/ holds memory.duckdb, the vector and lexical indexes, manifest.json (what it was
built from) and files.json (size and hash of each file). It is built under a temporary name and
renamed, so a reader never sees half of one. CURRENT names the published one and those before it,
and moves in one rename.
"""

import fcntl
import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from mem_assets.hashing import canonical_json
from mem_assets.storage.atomic import fsync_folder, locked, temporary_name, write_bytes

KEPT_GENERATIONS = 5
"""Published generations that stay on disk, the current one among them."""

MANIFEST, FILES = "manifest.json", "files.json"


class NoGeneration(LookupError):
    """Nothing is published yet, or what is asked for is not there."""


class GenerationDamaged(LookupError):
    """A file of a generation, or the pointer, is not what was written; the message names it."""


class PublishRefused(RuntimeError):
    """A generation may not become the current one; the message says why."""


@dataclass(frozen=True)
class Generation:
    """One generation on disk. manifest: what it was built from, its digest and its counts."""

    id: str
    path: Path
    manifest: Mapping[str, Any]

    def connect(self) -> duckdb.DuckDBPyConnection:
        """A read-only connection to its tables; any number of readers may hold one."""
        return duckdb.connect(str(self.path / "memory.duckdb"), read_only=True)

    @contextmanager
    def held(self) -> Iterator["Generation"]:
        """Keep it from being pruned while it is read."""
        with (self.path / MANIFEST).open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH)
            yield self

    def faults(self, *, by_hash: bool = False) -> list[str]:
        """Files that are missing or not what was written: by size, or by hash, which reads all."""
        try:
            written = _read_json(self.path / FILES)
        except (FileNotFoundError, GenerationDamaged) as error:
            return [f"{self.id}: {FILES} cannot be read ({error})"]
        found = _describe(self.path, by_hash=by_hash)
        return [
            f"{self.id}: {name} is {'missing' if name not in found else 'damaged'}"
            for name, (size, digest) in sorted(written.items())
            if found.get(name) != [size, digest if by_hash else None]
        ]


def _folder(home: Path) -> Path:
    return home / "generations"


def _read_json(path: Path) -> dict[str, Any]:
    """Raises FileNotFoundError, and GenerationDamaged where it is no JSON object."""
    try:
        value = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise GenerationDamaged(
            f"{path} is damaged: run the job `index` again (it writes the file anew)"
        )
    return value


def open_generation(home: Path, generation_id: str) -> Generation:
    """Open one by its id. Raises NoGeneration, or GenerationDamaged for a broken manifest."""
    path = _folder(home) / generation_id
    try:
        manifest = _read_json(path / MANIFEST)
    except FileNotFoundError:
        raise NoGeneration(
            f"generation {generation_id} is not in {_folder(home)}: run the job `index`, "
            "or `mem rollback` to an earlier one"
        ) from None
    missing = {"generation", "digest", "log_heads", "counts", "embedder"} - manifest.keys()
    if missing:
        raise GenerationDamaged(
            f"{path / MANIFEST} lacks {', '.join(sorted(missing))}: run the job `index` again, "
            "or `mem rollback`"
        )
    return Generation(generation_id, path, manifest)


def _read_pointer(home: Path) -> dict[str, Any]:
    try:
        pointer = _read_json(home / "CURRENT")
    except FileNotFoundError:
        raise NoGeneration(
            f"no generation is published in {home}: materialise memory_index and "
            "published_generation (`make demo` shows the whole way), or set MEM_HOME"
        ) from None
    if not isinstance(pointer.get("generation"), str):
        raise GenerationDamaged(f"{home / 'CURRENT'} is damaged: run the job `index` again")
    return {"generation": pointer["generation"], "previous": list(pointer.get("previous") or [])}


def current_id(home: Path) -> str | None:
    """The id that CURRENT names, None where it names none."""
    try:
        return str(_read_pointer(home)["generation"])
    except (NoGeneration, GenerationDamaged):
        return None


def open_current(home: Path) -> Generation:
    """The generation that answers now. Raises NoGeneration or GenerationDamaged."""
    return open_generation(home, _read_pointer(home)["generation"])


def write_generation(
    home: Path, generation_id: str, manifest: Mapping[str, Any], fill: Callable[[Path], None]
) -> Generation:
    """Build a generation's folder; `fill` writes all its files but manifest and files.json.

    One that is there and sound is left as it is: equal ids mean equal content. One that is
    damaged is replaced whole.
    """
    path = _folder(home) / generation_id
    if not _is_sound(home, generation_id):
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = temporary_name(path)
        temporary.mkdir()
        try:
            fill(temporary)
            write_bytes(temporary / MANIFEST, canonical_json(manifest).encode() + b"\n")
            files = canonical_json(_describe(temporary, by_hash=True))
            write_bytes(temporary / FILES, files.encode() + b"\n")
            _flush(temporary)
            with locked(path.parent):
                if not _is_sound(home, generation_id):
                    _move_aside(path)
                    os.rename(temporary, path)
            fsync_folder(path.parent)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
    return open_generation(home, generation_id)


def _is_sound(home: Path, generation_id: str) -> bool:
    try:
        return not open_generation(home, generation_id).faults(by_hash=True)
    except (NoGeneration, GenerationDamaged):
        return False


def _move_aside(path: Path) -> None:
    if path.exists():
        aside = temporary_name(path)
        os.rename(path, aside)
        shutil.rmtree(aside)


def _describe(folder: Path, *, by_hash: bool) -> dict[str, list[Any]]:
    """Every file below a folder but files.json: name to [bytes, SHA-256 or None]."""
    found = {}
    for file in sorted(folder.rglob("*")):
        if file.is_file() and file.name != FILES:
            digest = hashlib.sha256(file.read_bytes()).hexdigest() if by_hash else None
            found[file.relative_to(folder).as_posix()] = [file.stat().st_size, digest]
    return found


def _flush(folder: Path) -> None:
    for file in sorted(folder.rglob("*")):
        if file.is_file():
            with file.open("rb") as handle:
                os.fsync(handle.fileno())
    fsync_folder(folder)


def publish(home: Path, generation_id: str) -> Generation:
    """Make a generation the current one, in one rename.

    Raises PublishRefused where it was built from fewer records of some day than the current one:
    an index run that was overtaken must not bring back an older memory. A damaged pointer is
    written anew.
    """
    generation = open_generation(home, generation_id)
    with locked(home / "CURRENT"):
        try:
            pointer = _read_pointer(home)
        except (NoGeneration, GenerationDamaged):
            pointer = {"generation": None, "previous": []}
        published = pointer["generation"]
        if published == generation_id:
            return generation
        _refuse_older(home, published, generation)
        previous = [name for name in pointer["previous"] if name != generation_id]
        previous += [published] if published else []
        previous = previous[-(KEPT_GENERATIONS - 1) :]
        _point(home, generation_id, previous)
        _prune(home, generation_id, previous)
    return generation


def rollback(home: Path) -> Generation:
    """Move back to the last generation published before the current one that can be opened.

    Raises NoGeneration where there is none. The next index run publishes forward again.
    """
    with locked(home / "CURRENT"):
        previous = _read_pointer(home)["previous"]
        while previous:
            target = previous.pop()
            try:
                generation = open_generation(home, target)
            except (NoGeneration, GenerationDamaged):
                continue
            if not generation.faults():
                _point(home, target, previous)
                return generation
    raise NoGeneration("no earlier generation is kept: there is nothing to roll back to")


def _point(home: Path, generation_id: str, previous: list[str]) -> None:
    pointer = {"generation": generation_id, "previous": previous}
    write_bytes(home / "CURRENT", canonical_json(pointer).encode() + b"\n")


def _refuse_older(home: Path, published: str | None, candidate: Generation) -> None:
    try:
        current = open_generation(home, published or "none")
    except (NoGeneration, GenerationDamaged):
        return
    behind = sorted(
        date
        for date, seq in current.manifest["log_heads"].items()
        if candidate.manifest["log_heads"].get(date, 0) < seq
    )
    if behind:
        logs = ", ".join(f"log/{date}.jsonl" for date in behind)
        raise PublishRefused(
            f"generation {candidate.id} knows fewer records of {', '.join(behind)} than the "
            f"published {current.id}. Where another index run was faster, nothing is to be done. "
            f"Where {logs} lost records, restore it from a copy or run the day again"
        )


def _prune(home: Path, current: str, previous: list[str]) -> None:
    """Remove generations that neither the pointer nor a reader holds.

    One that was built after the current one may be about to be published, and stays.
    """
    built = (_folder(home) / current / MANIFEST).stat().st_mtime_ns
    for path in sorted(_folder(home).iterdir()):
        manifest = path / MANIFEST
        if path.name in (current, *previous) or path.name[0] == "." or not manifest.exists():
            continue
        if manifest.stat().st_mtime_ns > built:
            continue
        with manifest.open("rb") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                continue
            shutil.rmtree(path)
