"""The inputs in one file of the landing: the file itself, or each member of a ZIP."""

import zipfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from mem_assets.storage.archives import (
    InputError,
    Limits,
    list_members,
    open_zip,
    read_member,
    unpack,
)
from mem_assets.storage.landing_files import FoundFile, open_file, shown_member, told_apart
from mem_assets.storage.run_archives import whole_job_logs


@dataclass(frozen=True)
class Content:
    """One input.

    path    of the file, with "!" and the member's path for a ZIP's member
    member  the member's path, empty for a file of its own
    data    its bytes after unpacking; why there are none; or None where its text stands in
            other members already
    """

    path: str
    member: str
    data: bytes | InputError | None


def read_contents(
    file: FoundFile, root: Path, limits: Limits, *, run_archive: bool
) -> Iterator[Content]:
    """Each input in a file, one at a time; a bad one is a Content that says so.

    run_archive: a ZIP may be a workflow run's, whose whole-job logs repeat its steps.
    """
    try:
        with open_file(file, root) as stream:
            if file.place.name.lower().endswith(".zip"):
                with open_zip(stream, limits) as archive:
                    yield from _members(file.path, archive, limits, run_archive)
            else:
                yield Content(file.path, "", unpack(stream, file.place.name, limits.log_bytes))
    except InputError as fault:
        yield Content(file.path, "", fault)
    except OSError as error:
        yield Content(file.path, "", InputError("unreadable", f"cannot be read ({error.strerror})"))


def _members(
    path: str, archive: zipfile.ZipFile, limits: Limits, run_archive: bool
) -> Iterator[Content]:
    infos = list_members(archive, limits)
    repeated = whole_job_logs(info.filename for info in infos) if run_archive else set()
    shown = [shown_member(path, info.filename[: limits.name_bytes]) for info in infos]
    alike = Counter(shown)
    left, seen = limits.archive_bytes, set()
    for info, member in zip(infos, shown, strict=True):
        if alike[member] > 1 and member != info.filename:
            member = told_apart(member, info.filename.encode("utf-8", "surrogatepass"))
        data: bytes | InputError | None = None
        if member in seen:
            member = f"{member}#{info.header_offset}"
            data = InputError("corrupt", "a member of the same name stands before it")
        elif info.filename not in repeated:
            data = _member_data(archive, info, left, limits)
        seen.add(member)
        left -= len(data) if isinstance(data, bytes) else 0
        yield Content(f"{path}!{member}", member, data)


def _member_data(
    archive: zipfile.ZipFile, info: zipfile.ZipInfo, left: int, limits: Limits
) -> bytes | InputError:
    try:
        if left <= 0:
            raise InputError(
                "too_large", f"the archive holds more than {limits.archive_bytes} bytes"
            )
        return read_member(archive, info, replace(limits, log_bytes=min(limits.log_bytes, left)))
    except InputError as fault:
        return fault
