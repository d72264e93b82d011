"""The symptom catalogue: what tools really print, beside causes and fixes told in prose.

The packaged entries stand in catalogue/<ground>.jsonl, one JSON object a line. Users add folders
of the same form.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from mem_assets.hashing import sha256_json
from mem_assets.symptom.words import DATA

CATALOGUE = DATA / "catalogue"
MAX_SYMPTOM = 400
"""Characters of one symptom line, as many as of a line that a note quotes."""

_LISTS = ("subjects", "symptoms", "explains")
_KEYS = ("id", "tool", *_LISTS)


@dataclass(frozen=True)
class CatalogueEntry:
    """One failure.

    subjects  words that name what the failure is about (products, files, settings)
    symptoms  lines that a tool prints, as it prints them
    explains  tellings of the cause and the fix, each a text of its own
    """

    id: str
    tool: str
    subjects: tuple[str, ...]
    symptoms: tuple[str, ...]
    explains: tuple[str, ...]


@cache
def load_catalogue(*extra_folders: Path) -> tuple[CatalogueEntry, ...]:
    """The packaged entries and those of further folders, sorted by id.

    Raises ValueError naming file, line and entry for JSON that does not parse, a missing or unknown
    key, an empty list or line, and an id that stands twice; FileNotFoundError for a folder that is
    not there.
    """
    entries: dict[str, CatalogueEntry] = {}
    places: dict[str, str] = {}
    for folder in (CATALOGUE, *extra_folders):
        if not Path(folder).is_dir():
            raise FileNotFoundError(f"catalogue folder {folder} is missing: give one with *.jsonl")
        for path in sorted(Path(folder).glob("*.jsonl")):
            for place, row in _rows(path):
                entry = _entry(place, row)
                if entry.id in entries:
                    raise ValueError(
                        f"{place}: id {entry.id!r} stands in {places[entry.id]} already; rename it"
                    )
                entries[entry.id], places[entry.id] = entry, place
    return tuple(entries[name] for name in sorted(entries))


def catalogue_sha(entries: Sequence[CatalogueEntry] | None = None) -> str:
    """SHA-256 of the entries' content (the packaged ones by default), whatever file holds them."""
    chosen = load_catalogue() if entries is None else entries
    return sha256_json([asdict(entry) for entry in sorted(chosen, key=lambda entry: entry.id)])


def _rows(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            place = f"{path.name}:{number}"
            try:
                row = json.loads(line)
            except json.JSONDecodeError as error:
                raise ValueError(f"{place}: not JSON: {error.msg} at {error.colno}") from error
            if not isinstance(row, dict):
                raise ValueError(f"{place}: a JSON object is wanted, with keys {list(_KEYS)}")
            yield place, row


def _entry(place: str, row: dict[str, Any]) -> CatalogueEntry:
    where = f"{place}: entry {row.get('id')!r}"
    if set(row) != set(_KEYS):
        wrong = sorted(set(row) ^ set(_KEYS))
        raise ValueError(f"{where}: keys must be exactly {list(_KEYS)}; differing: {wrong}")
    for key in ("id", "tool"):
        if not isinstance(row[key], str) or not row[key].strip() or row[key] != row[key].strip():
            raise ValueError(f"{where}: {key!r} must be a word without spaces around it")
    for key in _LISTS:
        lines = row[key]
        fits = isinstance(lines, list) and all(isinstance(line, str) for line in lines)
        if not fits or not all(line.strip() for line in lines) or not (lines or key == "subjects"):
            raise ValueError(f"{where}: {key!r} must be a list of lines, none of them empty")
        if len(set(lines)) != len(lines):
            raise ValueError(f"{where}: {key!r} holds a line twice")
    if long := [line for line in row["symptoms"] if len(line) > MAX_SYMPTOM or "\n" in line]:
        raise ValueError(
            f"{where}: symptom {long[0][:40]!r}…: one line of at most {MAX_SYMPTOM} characters"
        )
    return CatalogueEntry(
        id=row["id"],
        tool=row["tool"],
        subjects=tuple(row["subjects"]),
        symptoms=tuple(row["symptoms"]),
        explains=tuple(row["explains"]),
    )
