"""Writing so that a reader sees the old file or the new one, never half of one."""

import fcntl
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def temporary_name(path: Path) -> Path:
    """A sibling no other writer uses; readers ignore names that start with a dot."""
    return path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}.tmp")


def fsync_folder(folder: Path) -> None:
    """Make renames in a folder survive a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def replaced(path: Path, *, durable: bool = True) -> Iterator[Path]:
    """Give a temporary path to write to; on success it is flushed and renamed to `path`.

    On an exception the temporary file is removed and `path` stays as it was. A cache, whose
    damaged files count as absent, may do without the flush (durable=False).
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = temporary_name(path)
    try:
        yield temporary
        if durable:
            with temporary.open("rb") as file:
                os.fsync(file.fileno())
        os.replace(temporary, path)
        if durable:
            fsync_folder(path.parent)
    finally:
        temporary.unlink(missing_ok=True)


def write_bytes(path: Path, data: bytes) -> None:
    """Replace a file's content in one step."""
    with replaced(path) as temporary:
        temporary.write_bytes(data)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold an exclusive lock, across processes, on a lock file beside `path`.

    The lock dies with its process, so a killed run leaves nothing to clean up.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.with_name(f".{path.name}.lock").open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
