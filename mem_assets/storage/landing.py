"""From a day's landing to decoded, redacted logs, notes and reference documents.

Layout: `<root>/<date>/logs/**`, `notes/**`, `reference/**`. A file may be plain, .gz, .zst or
.zip; the path of a ZIP's member stands after "!". Every input found is a row, a reject, or set
aside for a reason that the result names; none raises.
"""

from collections.abc import Collection
from dataclasses import asdict, dataclass, replace
from functools import cache
from importlib.resources import files
from pathlib import Path

from mem_assets.hashing import sha256_json, sha256_text
from mem_assets.memory.model import Reject
from mem_assets.memory.redaction import redact
from mem_assets.storage.archives import InputError, Limits, unpack
from mem_assets.storage.decoding import decode
from mem_assets.storage.landing_contents import Content, read_contents
from mem_assets.storage.landing_files import (
    SECTIONS,
    FoundFile,
    find_files,
    find_strays,
    landing_dates,
    open_file,
)
from mem_assets.storage.run_archives import job_and_step
from mem_assets.storage.sidecars import MAX_BYTES, SUFFIX, Metadata, parse_metadata

__all__ = [
    "LandedDay",
    "LandedLog",
    "LandedNote",
    "LandedNotes",
    "known_tools",
    "landing_dates",
    "list_files",
    "read_logs",
    "read_notes",
    "read_references",
]

NOTE_SUFFIXES = (".md", ".markdown", ".txt", ".jsonl", ".ndjson")
REFERENCE_SUFFIXES = (".md", ".markdown", ".txt")
NOTE_LIMITS = Limits(log_bytes=8 << 20, archive_bytes=64 << 20)

TOOLS = ("cargo", "docker", "github-actions", "go", "kubectl", "npm", "terraform")
"""Tools with a folder of their own where no rule files are installed."""


@dataclass(frozen=True)
class LandedLog:
    """One log; every string is redacted.

    path         under the landing, with its date; a member of a ZIP after "!"
    text         decoded, line breaks as they are; text_sha is its SHA-256
    log_id       content hash of path and text
    tool         None where it must be detected; tool_origin is "sidecar", "folder" or ""
    bytes        size of the log, unpacked
    redacted     kinds of secrets that were in it, sorted
    decoding     "utf-8", or "replacement" where bytes were broken
    """

    date: str
    path: str
    text: str
    text_sha: str
    log_id: str
    tool: str | None
    tool_origin: str
    job: str | None
    step: str | None
    exit_code: int | None
    url: str | None
    repo: str | None
    commit: str | None
    bytes: int
    redacted: tuple[str, ...]
    decoding: str


@dataclass(frozen=True)
class LandedNote:
    """One note's or reference document's file, decoded and redacted; path as in LandedLog."""

    date: str
    path: str
    text: str


@dataclass(frozen=True)
class LandedDay:
    """A day's logs.

    inputs     how many there were: files, members of archives, sidecars
    set_aside  paths of inputs that are neither log nor reject: sidecars that were read, and a
               job's whole log where its steps are taken
    """

    logs: list[LandedLog]
    rejects: list[Reject]
    inputs: int
    set_aside: tuple[str, ...] = ()

    @property
    def is_complete(self) -> bool:
        """Whether every input found is accounted for once."""
        return self.inputs == len(self.logs) + len(self.rejects) + len(self.set_aside)


@dataclass(frozen=True)
class LandedNotes:
    """A day's notes or reference documents; inputs as in LandedDay."""

    notes: list[LandedNote]
    rejects: list[Reject]
    inputs: int

    @property
    def is_complete(self) -> bool:
        """Whether every input found is accounted for once."""
        return self.inputs == len(self.notes) + len(self.rejects)


@cache
def known_tools() -> frozenset[str]:
    """Names that a folder of logs/ may have to say its tool: the rule files' names."""
    rules = files("mem_assets.signature").joinpath("rules")
    names = {p.name.removesuffix(".toml") for p in rules.iterdir()} if rules.is_dir() else set()
    return frozenset(n for n in names if n != "generic" and not n.startswith("_")) or (
        frozenset(TOOLS)
    )


def list_files(root: Path, date: str) -> list[tuple[str, int]]:
    """Path and size in bytes of everything in a day's landing, sorted; links not followed.

    Every path of a row or a reject, up to its "!", is one of these. Raises ValueError for a bad
    date.
    """
    found = [file for section in SECTIONS for file in find_files(root, date, section)]
    return sorted((file.path, file.size) for file in (*found, *find_strays(root, date)))


def read_logs(
    root: Path, date: str, limits: Limits | None = None, tools: Collection[str] | None = None
) -> LandedDay:
    """A day's logs, sorted by path; a day without a folder has none.

    `logs/<tool>/` names the tool where it is one of tools (else known_tools()). Entries outside
    the three folders become rejects here. Raises ValueError for a bad date, and for nothing else.
    """
    limits = limits or Limits()
    tools = known_tools() if tools is None else tools
    found = find_files(root, date, "logs")
    metadata, rejects, set_aside = _read_sidecars(found, root, date)
    strays = find_strays(root, date)
    rejects += [_reject(date, file.path, file.fault) for file in strays if file.fault]
    logs: list[LandedLog] = []
    inputs = len(strays) + sum(file.place.name.endswith(SUFFIX) for file in found)
    for file in found:
        if file.place.name.endswith(SUFFIX):
            continue
        known = metadata.get(file.place, Metadata())
        if file.place.name.lower().endswith(".zip"):
            # The exit code of a run says nothing of each of its steps: most of them passed.
            known = replace(known, exit_code=None)
        for content in read_contents(file, root, limits, run_archive=True):
            inputs += 1
            if content.data is None:
                set_aside.append(content.path)
                continue
            try:
                logs.append(_log(date, content, known, tools))
            except InputError as fault:
                rejects.append(_reject(date, content.path, fault))
    logs.sort(key=lambda log: log.path)
    return LandedDay(logs, _sorted(rejects), inputs, tuple(sorted(set_aside)))


def read_notes(root: Path, date: str, limits: Limits | None = None) -> LandedNotes:
    """A day's notes as text, sorted by path; other formats than NOTE_SUFFIXES are rejects.

    Raises ValueError for a bad date, and for nothing else.
    """
    return _read_texts(root, date, "notes", NOTE_SUFFIXES, limits or NOTE_LIMITS)


def read_references(root: Path, date: str, limits: Limits | None = None) -> LandedNotes:
    """A day's reference documents as text, sorted by path; as read_notes, without JSONL."""
    return _read_texts(root, date, "reference", REFERENCE_SUFFIXES, limits or NOTE_LIMITS)


def _read_texts(
    root: Path, date: str, section: str, suffixes: tuple[str, ...], limits: Limits
) -> LandedNotes:
    notes: list[LandedNote] = []
    rejects: list[Reject] = []
    inputs = 0
    for file in find_files(root, date, section):
        for content in read_contents(file, root, limits, run_archive=False):
            inputs += 1
            try:
                if isinstance(content.data, InputError):
                    raise content.data
                if not _plain_name(content.path).endswith(suffixes):
                    raise InputError("unreadable", f"no format of {section}/: use {suffixes[0]}")
                text, _ = decode(content.data or b"")
                notes.append(LandedNote(date, content.path, redact(text)[0]))
            except InputError as fault:
                rejects.append(_reject(date, content.path, fault))
    return LandedNotes(sorted(notes, key=lambda note: note.path), _sorted(rejects), inputs)


def _plain_name(path: str) -> str:
    return path.lower().removesuffix(".gz").removesuffix(".zst")


def _read_sidecars(
    found: list[FoundFile], root: Path, date: str
) -> tuple[dict[Path, Metadata], list[Reject], list[str]]:
    """What sidecars say by their log's place; those that are refused; those that were read."""
    beside = {file.place for file in found}
    metadata: dict[Path, Metadata] = {}
    rejects, used = [], []
    for file in found:
        if not file.place.name.endswith(SUFFIX):
            continue
        try:
            log = file.place.with_name(file.place.name.removesuffix(SUFFIX))
            if log not in beside:
                name = file.path.rsplit("/", 1)[-1].removesuffix(SUFFIX)
                raise InputError("metadata", f"there is no {name} beside it")
            with open_file(file, root) as stream:
                metadata[log] = parse_metadata(unpack(stream, "", MAX_BYTES))
            used.append(file.path)
        except (InputError, OSError) as error:
            fault = InputError("metadata", getattr(error, "detail", "cannot be read"))
            rejects.append(_reject(date, file.path, fault))
    return metadata, rejects, used


def _log(date: str, content: Content, known: Metadata, tools: Collection[str]) -> LandedLog:
    """The row for one input. Raises InputError where it is no text."""
    if not isinstance(content.data, bytes):
        raise content.data or InputError("empty", "no text in it")
    text, decoding = decode(content.data)
    text, kinds = redact(text)
    job, step = job_and_step(content.member) if content.member else (None, None)
    folder = content.path.split("/")[2].lower()
    origin = "sidecar" if known.tool else "folder" if folder in tools else ""
    known = replace(known, job=job or known.job, step=step or known.step)
    known, more = replace(known, tool=known.tool or (folder if origin else None)).redacted()
    text_sha = sha256_text(text)
    return LandedLog(
        date=date,
        path=content.path,
        text=text,
        text_sha=text_sha,
        log_id=sha256_json({"log": content.path, "text": text_sha}),
        tool_origin=origin,
        bytes=len(content.data),
        redacted=tuple(sorted({*kinds, *more})),
        decoding=decoding,
        **asdict(known),
    )


def _reject(date: str, path: str, fault: InputError) -> Reject:
    return Reject(date, path, 0, fault.reason, redact(fault.detail)[0])


def _sorted(rejects: list[Reject]) -> list[Reject]:
    return sorted(rejects, key=lambda reject: (reject.path, reject.reason, reject.detail))
