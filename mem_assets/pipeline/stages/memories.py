"""From notes and reference documents to candidates, verdicts and accepted memories."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any

from mem_assets.memory.chunk import chunk_note, parse_reference
from mem_assets.memory.model import Candidate, Reject, Verdict
from mem_assets.memory.notes import Note, parse_note
from mem_assets.memory.opinion import Opinion
from mem_assets.storage.landing import LandedNote

Row = dict[str, Any]

_CANDIDATE_COLUMNS = (
    "level",
    "kind",
    "text",
    "source",
    "path",
    "line_start",
    "line_end",
    "chunk",
    "heading",
)


def parse_notes(landed: Iterable[LandedNote]) -> tuple[list[Note], list[Reject]]:
    """The notes in a day's files, and what could not be read."""
    notes: list[Note] = []
    rejects: list[Reject] = []
    for note_file in landed:
        found, faulty = parse_note(note_file.date, note_file.path, note_file.text)
        notes.extend(found)
        rejects.extend(faulty)
    return notes, rejects


def candidates_of(notes: Iterable[Note], references: Iterable[LandedNote]) -> list[Candidate]:
    """Every piece that the gate will judge."""
    lessons = [candidate for note in notes for candidate in chunk_note(note)]
    chunks = [c for doc in references for c in parse_reference(doc.date, doc.path, doc.text)]
    return [*lessons, *chunks]


def candidate_rows(candidates: Iterable[Candidate]) -> list[Row]:
    return [
        {name: getattr(candidate, name) for name in _CANDIDATE_COLUMNS}
        | {
            "candidate_sha": candidate.candidate_sha,
            "memory_sha": candidate.memory_sha,
            "evidence": list(candidate.evidence),
        }
        for candidate in candidates
    ]


def candidates_from(date: str, rows: Iterable[Mapping[str, Any]]) -> list[Candidate]:
    """The candidates behind rows that were read back."""
    return [
        Candidate(
            date=date,
            evidence=tuple(row["evidence"]),
            **{name: row[name] for name in _CANDIDATE_COLUMNS},
        )
        for row in rows
    ]


def verdict_rows(
    candidates: Sequence[Candidate],
    verdicts: Iterable[Verdict],
    opinions: Mapping[str, Opinion] | None = None,
) -> list[Row]:
    """One row a verdict, with what a controller said of the candidate where one was asked."""
    path_of = {candidate.candidate_sha: candidate.path for candidate in candidates}
    rows = []
    for verdict in verdicts:
        opinion = (opinions or {}).get(verdict.candidate_sha)
        asked = {f"controller_{f.name}": getattr(opinion, f.name, None) for f in fields(Opinion)}
        rows.append(asdict(verdict) | {"path": path_of[verdict.candidate_sha]} | asked)
    return rows


def accepted_rows(
    candidates: Iterable[Mapping[str, Any]], verdicts: Iterable[Mapping[str, Any]]
) -> list[Row]:
    """One row a memory: several accepted candidates with one text gather their evidence."""
    verdict_of = {row["candidate_sha"]: row for row in verdicts}
    accepted: dict[str, Row] = {}
    for row in candidates:
        verdict = verdict_of[row["candidate_sha"]]
        if verdict["verdict"] != "accepted":
            continue
        known = accepted.setdefault(
            row["memory_sha"],
            {
                "memory_sha": row["memory_sha"],
                "candidate_shas": [],
                "evidence": [],
                "policy_version": verdict["policy_version"],
            }
            | {name: row[name] for name in ("level", "kind", "text", "heading", "source")},
        )
        known["candidate_shas"] = sorted({*known["candidate_shas"], row["candidate_sha"]})
        known["evidence"] = sorted({*known["evidence"], *row["evidence"]})
        known["source"] = known["source"] or row["source"]
    return list(accepted.values())
