"""Projections made again, and compared with those on record byte by byte."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from mem_assets.hashing import canonical_json, sha256_json
from mem_assets.memory.log import LogEntry
from mem_assets.memory.settle import SettledMemory, Told
from mem_assets.pipeline.stages.log_entries import projection_entry
from mem_assets.rebuild.report import (
    DRIFT,
    MEMORY,
    MISSING,
    MODEL,
    PROJECTOR,
    PROMPT,
    RULES,
    UNCHANGED,
    Finding,
    changes,
)

Row = Mapping[str, Any]
Project = Callable[[Sequence[Row]], Sequence[Row]]
"""From accepted memories (memory_sha, level, kind, text) to rows of symptom_projections."""

LESSONS = ("L1", "L2")

MADE_BY = ("projector", "model_id", "engine_version", "prompt_sha", "parameters")
"""Fields of a record that say what made it."""

SAYS = ("explains_failure", "question", "lines")
"""Fields of a record that say what was made."""


def lessons_of(told: Told) -> list[SettledMemory]:
    """The memories that have a projection to regenerate: lessons that are not retracted."""
    return [
        memory
        for sha, memory in sorted(told.memories.items())
        if memory.level in LESSONS and sha not in told.retracted
    ]


def regenerate(lessons: Iterable[SettledMemory], project: Project) -> dict[str, LogEntry]:
    """What the log would say of each lesson if it were projected now, by memory sha."""
    rows = project(
        [
            {"memory_sha": m.memory_sha, "level": m.level, "kind": m.kind, "text": m.text}
            for m in lessons
        ]
    )
    return {row["memory_sha"]: projection_entry(row) for row in rows}


def compare_projections(
    told: Told, lessons: Iterable[SettledMemory], made: Mapping[str, LogEntry]
) -> list[Finding]:
    """One finding a lesson. Only the projection recorded on the memory's own day counts."""
    return [
        compare_projection(
            memory, told.projections[memory.memory_sha].get(memory.date), made[memory.memory_sha]
        )
        for memory in lessons
    ]


def compare_projection(memory: SettledMemory, recorded: Row | None, made: LogEntry) -> Finding:
    """What became of one lesson's projection, and why."""
    new = made.body
    new_lines = [_shown(line) for line in new["lines"]]
    if recorded is None:
        return Finding(MEMORY, memory.memory_sha, memory.date, (MISSING,), new=tuple(new_lines))
    old_lines = [_shown(line) for line in recorded["lines"]]
    said_otherwise = any(_bytes(recorded, name) != _bytes(new, name) for name in SAYS)
    details = changes(recorded, new, ("explains_failure", "question"))
    if sha256_json(recorded["lines"]) != recorded["lines_sha"]:
        said_otherwise = True
        details.append("lines_sha on record is not that of the lines on record")
    causes = _causes(recorded, new)
    details += _provenance(recorded, new)
    if said_otherwise and not causes:
        causes = (DRIFT,)
    elif causes and not said_otherwise:
        details.append("the lines come out the same")
    if said_otherwise and old_lines != new_lines and sorted(old_lines) == sorted(new_lines):
        details.append("the lines stand in another order")
    return Finding(
        MEMORY,
        memory.memory_sha,
        memory.date,
        causes or (UNCHANGED,),
        tuple(details),
        tuple(line for line in old_lines if line not in new_lines),
        tuple(line for line in new_lines if line not in old_lines),
    )


def _causes(recorded: Row, new: Row) -> tuple[str, ...]:
    changed = {name for name in MADE_BY if recorded.get(name) != new.get(name)}
    # Another projector has another prompt and other parameters as a matter of course.
    if "projector" in changed:
        return (PROJECTOR,)
    prompt = RULES if new["projector"] == "catalogue" else PROMPT
    cause_of = {
        "model_id": MODEL,
        "engine_version": MODEL,
        "prompt_sha": prompt,
        "parameters": RULES,
    }
    return tuple(sorted({cause_of[name] for name in changed}))


def _provenance(recorded: Row, new: Row) -> list[str]:
    found = changes(recorded, new, [name for name in MADE_BY if name != "parameters"])
    old, now = (_parameters(row.get("parameters")) for row in (recorded, new))
    return found + changes(old, now, sorted(old.keys() | now.keys()))


def _parameters(text: Any) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (TypeError, ValueError):
        value = None
    return value if isinstance(value, dict) else {"parameters": text}


def _bytes(row: Row, name: str) -> str:
    return canonical_json(row.get(name))


def _shown(line: Row) -> str:
    return f"{line['line']}   [{line['origin']}]"
