"""Which files lie in a day's landing, and how they are opened: names and links are untrusted."""

import hashlib
import os
import re
import stat
import unicodedata
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date as calendar_date
from pathlib import Path
from typing import IO

from mem_assets.memory.redaction import find_secrets, redact
from mem_assets.storage.archives import InputError

SECTIONS = ("logs", "notes", "reference")

_SUFFIXES = re.compile(
    r"(?:\.(?:log|txt|out|err|md|markdown|jsonl?|ndjson|meta|ya?ml|xml|html?|csv|zip|gz|zst|tar)"
    r"(?:\.[0-9]{1,3})?)*$",
    re.IGNORECASE,
)
"""The end of a name that says what is in the file: no part of a secret before it."""


@dataclass(frozen=True)
class FoundFile:
    """One entry of the landing that must become a row or a reject.

    path   under the landing, as rows and rejects name it: NFC, no secret, "!" only before a
           member (in a file's or folder's own name it is %21)
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
    return _unique(_walk(root, top, folders=frozenset()), root)


def find_strays(root: Path, date: str) -> list[FoundFile]:
    """Entries of the day that lie in none of its three folders, each with a fault."""
    check_date(date)
    top = root / date
    if not os.path.lexists(top):
        return []
    fault = InputError("unreadable", f"lies in none of {', '.join(SECTIONS)}; move it into one")
    found = _walk(root, top, folders=frozenset(SECTIONS))
    return [FoundFile(f.path, f.place, f.size, f.fault or fault) for f in _unique(found, root)]


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


def _unique(found: list[FoundFile], root: Path) -> list[FoundFile]:
    """Sorted by path; those that are shown alike are told apart, where a name is not as it lies."""
    alike = Counter(file.path for file in found)
    entries: dict[str, FoundFile] = {}
    for file in sorted(found, key=lambda f: (f.path, os.fsencode(f.place))):
        raw = os.fsencode(file.place.relative_to(root))
        if alike[file.path] > 1 and raw != file.path.encode():
            file = replace(file, path=told_apart(file.path, raw))
        if file.path in entries:
            fault = InputError("unreadable", "two names that print alike; rename one")
            file = replace(file, fault=fault)
        entries[file.path] = file
    return sorted(entries.values(), key=lambda f: f.path)


def shown_path(place: Path, root: Path) -> str:
    """A path as rows and rejects name it: below the landing, printable, NFC, without secrets."""
    raw = os.fsencode(place.relative_to(root))
    return shown_name(raw.decode("utf-8", "backslashreplace").replace("!", "%21"))


def shown_name(name: str) -> str:
    """A relative path, NFC, with what cannot be printed escaped, and without secrets.

    Each component is redacted apart, so that a folder's secret takes no file's name along; the
    suffixes stay, since they say how a file is read.
    """
    plain = unicodedata.normalize("NFC", name)
    plain = "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in plain)
    shown = "/".join(map(_redacted, plain.split("/")))
    if find_secrets(shown):  # a name in one component, what is given to it in the next
        suffix = _suffix(shown)
        shown = _ending_in(redact(shown)[0], suffix)
        shown = told_apart(shown, name.encode("utf-8", "surrogatepass"))
    return shown


def shown_member(path: str, name: str) -> str:
    """The name of an archive's member, without secrets also where it follows the archive's path."""
    member = shown_name(name)
    if kinds := find_secrets(f"{path}!{member}"):
        member = f"<REDACTED:{kinds[0]}>{_suffix(member)}"
        member = told_apart(member, name.encode("utf-8", "surrogatepass"))
    return member


def told_apart(path: str, raw: bytes) -> str:
    """The path with "#" and 8 hex digits of the raw name's SHA-256 before its suffixes."""
    suffix = _suffix(path)
    return f"{path.removesuffix(suffix)}#{hashlib.sha256(raw).hexdigest()[:8]}{suffix}"


def _redacted(name: str) -> str:
    suffix = _suffix(name)
    stem, _ = redact(name.removesuffix(suffix))
    return _ending_in(redact(stem + suffix)[0], suffix)


def _suffix(name: str) -> str:
    match = _SUFFIXES.search(name)
    return match.group() if match else ""


def _ending_in(name: str, suffix: str) -> str:
    """The name with these suffixes, once, where a part of them may have gone with a secret."""
    left = suffix
    while not name.endswith(left):
        left = left[left.find(".", 1) :] if "." in left[1:] else ""
    return name.removesuffix(left) + suffix


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
