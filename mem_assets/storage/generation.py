"""Generations: immutable folders of serving files, and the pointer to the one that answers.

generations/<id>/ holds memory.duckdb, the vector and lexical indexes and manifest.json; it is
built under a temporary name and renamed, so a reader never sees half of one. CURRENT names the
published one and those before it, and moves in one rename.
"""

import fcntl
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


class NoGeneration(LookupError):
    """Nothing is published yet."""


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
        with (self.path / "manifest.json").open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH)
            yield self


def _folder(home: Path) -> Path:
    return home / "generations"


def open_generation(home: Path, generation_id: str) -> Generation:
    """Open one by its id. Raises NoGeneration where it is not there."""
    path = _folder(home) / generation_id
    try:
        manifest = json.loads((path / "manifest.json").read_bytes())
    except FileNotFoundError:
        raise NoGeneration(
            f"generation {generation_id} is not in {_folder(home)}: build one with "
            "`make demo`, or `mem rollback` to an earlier one"
        ) from None
    return Generation(generation_id, path, manifest)


def _read_pointer(home: Path) -> dict[str, Any]:
    try:
        return json.loads((home / "CURRENT").read_bytes())
    except FileNotFoundError:
        raise NoGeneration(
            f"no generation is published in {home}: materialise memory_index and "
            "published_generation (`make demo` shows the whole way), or set MEM_HOME"
        ) from None


def open_current(home: Path) -> Generation:
    """The generation that answers now. Raises NoGeneration."""
    return open_generation(home, _read_pointer(home)["generation"])


def write_generation(
    home: Path, generation_id: str, manifest: Mapping[str, Any], fill: Callable[[Path], None]
) -> Generation:
    """Build a generation's folder; `fill` writes all its files but the manifest.

    One that is there already is left as it is: equal ids mean equal content.
    """
    path = _folder(home) / generation_id
    if not (path / "manifest.json").exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = temporary_name(path)
        temporary.mkdir()
        try:
            fill(temporary)
            write_bytes(temporary / "manifest.json", canonical_json(manifest).encode() + b"\n")
            _flush(temporary)
            try:
                os.rename(temporary, path)
            except OSError:
                if not path.exists():
                    raise
            fsync_folder(path.parent)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
    return open_generation(home, generation_id)


def _flush(folder: Path) -> None:
    for file in sorted(folder.rglob("*")):
        if file.is_file():
            with file.open("rb") as handle:
                os.fsync(handle.fileno())
    fsync_folder(folder)


def publish(home: Path, generation_id: str) -> Generation:
    """Make a generation the current one, in one rename.

    Raises PublishRefused where it was built from fewer records of some day than the current one:
    an index run that was overtaken must not bring back an older memory.
    """
    generation = open_generation(home, generation_id)
    with locked(home / "CURRENT"):
        try:
            pointer = _read_pointer(home)
            current = open_generation(home, pointer["generation"])
        except NoGeneration:
            pointer, current = {"generation": None, "previous": []}, None
        if current is not None:
            if current.id == generation_id:
                return generation
            _refuse_older(current, generation)
        previous = [name for name in pointer["previous"] if name != generation_id]
        if current is not None:
            previous.append(current.id)
        previous = previous[-(KEPT_GENERATIONS - 1) :]
        _point(home, generation_id, previous)
        _prune(home, generation_id, previous)
    return generation


def rollback(home: Path) -> Generation:
    """Move back to the generation published before the current one.

    Raises NoGeneration where there is none. The next index run publishes forward again.
    """
    with locked(home / "CURRENT"):
        pointer = _read_pointer(home)
        if not pointer["previous"]:
            raise NoGeneration("no earlier generation is kept: there is nothing to roll back to")
        *previous, target = pointer["previous"]
        generation = open_generation(home, target)
        _point(home, target, previous)
    return generation


def _point(home: Path, generation_id: str, previous: list[str]) -> None:
    pointer = {"generation": generation_id, "previous": previous}
    write_bytes(home / "CURRENT", canonical_json(pointer).encode() + b"\n")


def _refuse_older(current: Generation, candidate: Generation) -> None:
    behind = sorted(
        date
        for date, seq in current.manifest["log_heads"].items()
        if candidate.manifest["log_heads"].get(date, 0) < seq
    )
    if behind:
        raise PublishRefused(
            f"generation {candidate.id} knows fewer records of {', '.join(behind)} than the "
            f"published {current.id}; run memory_index again (to go back on purpose: "
            "`mem rollback`)"
        )


def _prune(home: Path, current: str, previous: list[str]) -> None:
    """Remove generations that neither the pointer nor a reader holds.

    One that was built after the current one may be about to be published, and stays.
    """
    built = (_folder(home) / current / "manifest.json").stat().st_mtime_ns
    for path in sorted(_folder(home).iterdir()):
        manifest = path / "manifest.json"
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
