"""Whether the published generation still says what the data says; cheap, without dagster."""

import datetime
from pathlib import Path
from typing import Any

from mem_assets.memory.log_faults import LogDamaged
from mem_assets.settings import RulesUnusable, Settings
from mem_assets.signature import rules_version
from mem_assets.storage.days import Days, NotMaterialised, content_version
from mem_assets.storage.generation import (
    Generation,
    GenerationDamaged,
    NoGeneration,
    open_current,
)
from mem_assets.storage.landing import landing_dates
from mem_assets.storage.landing_files import find_files, find_strays
from mem_assets.storage.memory_log import MemoryLog
from mem_assets.symptom import catalogue_sha, classes_version

LISTINGS = ("log_files", "note_files")
"""Tables of what each reading stage has seen: raw_logs, and candidate_memories."""


def file_rows(landing: Path, date: str, listing: str) -> list[dict[str, Any]]:
    """The files of a day that a listing covers: notes and reference documents, or all others."""
    sections = ("notes", "reference") if listing == "note_files" else ("logs",)
    found = [file for section in sections for file in find_files(landing, date, section)]
    if listing == "log_files":
        found += find_strays(landing, date)
    rows = {
        file.path: {
            "path": file.path,
            "bytes": file.size,
            "modified_ns": _modified_ns(file.place),
        }
        for file in found
    }
    return [rows[path] for path in sorted(rows)]


def _modified_ns(place: Path) -> int:
    try:
        return place.stat().st_mtime_ns
    except OSError:  # a link to nothing, a loop, a file that has just gone
        return 0


def files_version(days: Days, date: str) -> str:
    """A version of everything that the day's reading stages have seen."""
    return content_version(row for listing in LISTINGS for row in days.read(listing, date))


def freshness(settings: Settings) -> list[str]:
    """Reasons why the generation is stale, the landing's first; empty when it is fresh.

    Compares what lies in the landing with what each day has read, what was read with what was
    recorded, the memory log with what the index has read, the rules in use with those that signed
    the days and built it, and the serving files with what was written. A file that was removed
    from the landing after it was read is no reason: what was accepted stays.
    """
    try:
        generation = open_current(settings.home)
    except (NoGeneration, GenerationDamaged) as missing:
        return [str(missing)]
    return [
        *_unread_files(settings),
        *_unrecorded_days(Days(settings.home)),
        *_unindexed_records(MemoryLog(settings.home), generation.manifest["log_heads"]),
        *_other_rules(generation, settings),
        *_left_out(generation),
        *generation.faults(),
    ]


def _unread_files(settings: Settings) -> list[str]:
    if not settings.landing.is_dir():
        return [f"{settings.landing} is no folder: set MEM_LANDING to the landing"]
    days = Days(settings.home)
    reasons = []
    for date in landing_dates(settings.landing):
        unread = []
        for listing in LISTINGS:
            read = _read(days, listing, date)
            present = file_rows(settings.landing, date, listing)
            unread += [row["path"] for row in present if row not in read]
        if unread:
            reasons.append(
                f"{date}: {len(unread)} files in the landing are new or changed since they were "
                f"read, {min(unread)} among them{_without_partition(settings, date)}"
            )
    return reasons


def _read(days: Days, listing: str, date: str) -> list[dict[str, Any]]:
    try:
        return days.read(listing, date)
    except NotMaterialised:
        return []


def _without_partition(settings: Settings, date: str) -> str:
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    if date < settings.start_date:
        return f"; it lies before MEM_START_DATE ({settings.start_date}): move them, or set that"
    if date > today:
        return "; the day has not come: move them"
    return ""


def _unrecorded_days(days: Days) -> list[str]:
    """Days whose files were read while the memory log was not reached: a check blocked them."""
    reasons = []
    for date in sorted(set(days.dates("log_files")) & set(days.dates("note_files"))):
        recorded = {row["files_version"] for row in _read(days, "recorded_days", date)}
        if files_version(days, date) not in recorded:
            reasons.append(
                f"{date}: its files were read but not recorded: a check blocked the day, or its "
                "run was not finished; look at it in Dagster and run it again"
            )
    return reasons


def _unindexed_records(log: MemoryLog, heads: dict[str, int]) -> list[str]:
    try:
        counts = log.heads()
    except LogDamaged as damage:
        return [str(damage)]
    reasons = []
    for date in sorted(counts.keys() | heads.keys()):
        more = counts.get(date, 0) - heads.get(date, 0)
        if more > 0:
            reasons.append(f"{date}: {more} records of the memory log are not in the index")
        elif more < 0:
            reasons.append(
                f"{date}: the memory log lost {-more} records that are in the index: restore "
                f"{log.path(date).name} from a copy, or run the day again"
            )
    return reasons


def _other_rules(generation: Generation, settings: Settings) -> list[str]:
    manifest = generation.manifest
    reasons = _other_signature_rules(manifest.get("rules_version"), settings)
    return reasons + [
        f"the {what} changed since the index was built: rebuild the days and the index"
        for what, name, now in (
            ("failure classes", "classes_version", classes_version),
            ("symptom catalogue", "catalogue_sha", catalogue_sha),
        )
        if manifest.get(name) != now()
    ]


def _other_signature_rules(indexed: str | None, settings: Settings) -> list[str]:
    """An exact match needs both sides signed by the same rules."""
    try:
        now = rules_version(settings.rule_book())
    except RulesUnusable as unusable:
        return [str(unusable)]
    reasons = []
    if indexed != now:
        if not settings.rules:
            cause = "set MEM_RULES here if it was set there"
        elif indexed == rules_version():
            cause = f"it was built without the rules in MEM_RULES ({settings.rules})"
        else:
            cause = f"MEM_RULES is {settings.rules} here"
        reasons.append(
            f"the signature rules changed since the index was built ({cause}): the same failure "
            "may not be found by its signature; `mem sig replay` shows what changes, then "
            "rebuild the days and the index"
        )
    days = Days(settings.home)
    other = [
        date
        for date in days.dates("signatures")
        if now not in {row["rules_version"] for row in _read(days, "signed_days", date)}
    ]
    if other:
        reasons.append(
            f"{len(other)} days were signed by other rules than those in use, {other[0]} the "
            "first: materialise `signatures` of these days, and what follows it, again"
        )
    return reasons


def _left_out(generation: Generation) -> list[str]:
    left_out = generation.manifest.get("incomplete", [])
    if not left_out:
        return []
    return [
        f"{len(left_out)} memories are recorded but not in the index, {left_out[0][:12]} among "
        "them: run the job `index` again"
    ]
