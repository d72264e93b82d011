"""Which files lie in a day's landing, and how they are opened: names and links are untrusted."""

import os
import re
import stat
from contextlib import suppress
from dataclasses import dataclass
from datetime import date as calendar_date
from pathlib import Path
from typing import IO

from mem_assets.memory.redaction import redact
from mem_assets.storage.archives import InputError

SECTIONS = ("logs", "notes", "reference")


@dataclass(frozen=True)
class FoundFile:
    """One entry of the landing that must become a row or a reject.

    path   under the landing, as rows and rejects name it: no secret, "!" only before a member
    place  where it lies; size in bytes as it lies there, a link's own size for a link
    fault  why it cannot be opened at all, where that is known without opening it
    """

    path: str
    place: Path
    size: int
    fault: InputError | None = None


def check_date(date: str) -> None:
    """Raises ValueError for anything but YYYY-MM-DD, so that a date cannot be a path."""
    if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", date):
        raise ValueError(f"{date!r} is no date; write YYYY-MM-DD")
    calendar_date.fromisoformat(date)


def landing_dates(root: Path) -> list[str]:
    """The days that have a folder in the landing, in order; other folders are passed over."""
    dates = []
    with suppress(OSError), os.scandir(root) as entries:
        for entry in entries:
            with suppress(ValueError, OSError):
                check_date(entry.name)
                if entry.is_dir(follow_symlinks=False):
                    dates.append(entry.name)
    return sorted(dates)


def find_files(root: Path, date: str, section: str) -> list[FoundFile]:
    """Every entry below <root>/<date>/<section>, sorted by path; links are not followed.

    Hidden names are passed over (.gitkeep, an upload that is not renamed yet). A folder that
    cannot be listed is an entry with a fault. Raises ValueError for a bad date.
    """
    check_date(date)
    top = root / date / section
    if not os.path.lexists(top):
        return []
    return _unique(_walk(root, top, folders=frozenset()))


def find_strays(root: Path, date: str) -> list[FoundFile]:
    """Entries of the day that lie in none of its three folders, each with a fault."""
    check_date(date)
    top = root / date
    if not os.path.lexists(top):
        return []
    fault = InputError("unreadable", f"lies in none of {', '.join(SECTIONS)}; move it into one")
    found = _walk(root, top, folders=frozenset(SECTIONS))
    return [FoundFile(f.path, f.place, f.size, f.fault or fault) for f in _unique(found)]


def _walk(root: Path, top: Path, folders: frozenset[str]) -> list[FoundFile]:
    """Entries below top, but for the folders of these names directly in it."""
    day = root / top.relative_to(root).parts[0]
    if day.is_symlink() or top.is_symlink() or not top.is_dir():
        fault = InputError("unreadable", "must be a folder of its own, no link and no file")
        return [FoundFile(shown_path(top, root), top, 0, fault)]
    found, waiting = [], [top]
    while waiting:
        folder = waiting.pop()
        try:
            with os.scandir(folder) as listing:
                entries = list(listing)
        except OSError as error:
            fault = InputError("unreadable", f"the folder cannot be listed ({error.strerror})")
            found.append(FoundFile(shown_path(folder, root), folder, 0, fault))
            continue
        for entry in entries:
            if entry.name.startswith(".") or (folder == top and entry.name in folders):
                continue
            place = folder / entry.name
            if entry.is_dir(follow_symlinks=False):
                waiting.append(place)
            else:
                found.append(_entry(place, root))
    return found


def _entry(place: Path, root: Path) -> FoundFile:
    path = shown_path(place, root)
    try:
        status = place.lstat()
    except OSError as error:
        return FoundFile(path, place, 0, InputError("unreadable", str(error.strerror)))
    if stat.S_ISREG(status.st_mode) or stat.S_ISLNK(status.st_mode):
        return FoundFile(path, place, status.st_size)
    return FoundFile(path, place, 0, InputError("unreadable", "a pipe, socket or device, no file"))


def _unique(found: list[FoundFile]) -> list[FoundFile]:
    """Sorted; names that are one once their odd bytes are escaped count as one faulty entry."""
    entries: dict[str, FoundFile] = {}
    for file in sorted(found, key=lambda f: (f.path, os.fsencode(f.place))):
        if file.path in entries:
            fault = InputError("unreadable", "two names that print alike; rename one")
            file = FoundFile(file.path, file.place, file.size, fault)
        entries[file.path] = file
    return list(entries.values())


def shown_path(place: Path, root: Path) -> str:
    """A path as rows and rejects name it: below the landing, printable, without secrets."""
    raw = os.fsencode(place.relative_to(root))
    return shown_name(raw.decode("utf-8", "backslashreplace").replace("!", "%21"))


def shown_name(name: str) -> str:
    """A name with what cannot be printed escaped, and without secrets."""
    return redact("".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in name))[0]


def open_file(file: FoundFile, root: Path) -> IO[bytes]:
    """The file, open for reading; a link is followed where it stays inside the landing.

    Raises InputError: path_escape, unreadable. A pipe or a device is never opened.
    """
    if file.fault:
        raise file.fault
    try:
        place = file.place.resolve(strict=True)
        if not place.is_relative_to(root.resolve()):
            raise InputError("path_escape", "a link that leads out of the landing")
        if not stat.S_ISREG(place.stat().st_mode):
            raise InputError("unreadable", "a link to something that is no file")
        handle = os.open(place, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except (OSError, RuntimeError) as error:
        cause = getattr(error, "strerror", None) or "a link in a circle"
        raise InputError("unreadable", f"cannot be opened ({cause})") from error
    stream = os.fdopen(handle, "rb")
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        stream.close()
        raise InputError("unreadable", "a pipe, socket or device, no file")
    return stream
