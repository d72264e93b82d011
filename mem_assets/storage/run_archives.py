"""The archive GitHub gives for a workflow run: which member is which job and step.

It holds `<n>_<job>.txt`, the job's whole log, and for most jobs a folder `<job>/` with
`<n>_<step>.txt`, the same lines once more, a file per step.
"""

import re
from collections.abc import Iterable

_NUMBERED = re.compile(r"(?:[0-9]+_)?([^/]+)\.txt(?:\.gz|\.zst)?")
_STEP = re.compile(r"[0-9]+_[^/]+\.txt(?:\.gz|\.zst)?")


def job_and_step(member: str) -> tuple[str | None, str | None]:
    """Job and step as the member's path names them: "build/3_npm ci.txt" is build, npm ci.

    A file at the top is a job's whole log: it has no step. None where the path names none.
    """
    *folders, name = member.split("/")
    match = _NUMBERED.fullmatch(name)
    if not match:
        return (folders[-1] if folders else None), None
    if folders:
        return folders[-1], match.group(1)
    return (match.group(1) if _STEP.fullmatch(name) else None), None


def whole_job_logs(members: Iterable[str]) -> set[str]:
    """Members at the top that repeat a job whose steps lie in a folder of the same name.

    The steps are kept: they say where the job failed.
    """
    names = list(members)
    stepped = {
        folder
        for folder, _, name in (member.rpartition("/") for member in names)
        if folder and _STEP.fullmatch(name)
    }
    return {
        name
        for name in names
        if "/" not in name and _STEP.fullmatch(name) and job_and_step(name)[0] in stepped
    }
