"""What must hold of a day's rows before they count; each function returns what is wrong.

A problem is one sentence that names its row. The checks show these in Dagster, and `memory_log`
asks the blocking ones once more before it appends, so that no way of running it goes past them.
"""

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mem_assets.hashing import canonical_json, sha256_text
from mem_assets.memory.redaction import find_secrets
from mem_assets.pipeline.stages.embeddings import Embedder
from mem_assets.pipeline.stages.signatures import signature_rows
from mem_assets.settings import read_rules
from mem_assets.signature import volatile_parts
from mem_assets.signature.fallback import CHOSEN_RULE, Choose, log_key

Rows = Sequence[Mapping[str, Any]]

UNIT_TOLERANCE = 1e-5
"""How far from 1 the length of a float32 unit vector of 384 numbers may lie."""


LOG_COLUMNS = ("text", "path", "job", "step", "url", "repo", "commit")
"""Columns of raw_logs that come from outside."""

NOTE_COLUMNS = ("text", "kind", "heading", "source", "evidence")
"""Columns of candidates and memories that come from outside."""


def unaccounted_files(files: Iterable[str], rows: Rows, rejects: Rows) -> list[str]:
    """Files of the landing that are neither a row nor a reject, and rows from nowhere."""
    taken = {row["path"].split("!", 1)[0] for row in (*rows, *rejects)}
    present = set(files)
    logs = {
        path
        for path in present
        if path.split("/")[1:2] == ["logs"] and not path.endswith(".meta.json")
    }
    return [f"{path}: neither a row nor a reject" for path in sorted(logs - taken)] + [
        f"{path}: a row without a file" for path in sorted(taken - present)
    ]


def secrets_left(rows: Rows, columns: Collection[str]) -> list[str]:
    """Known kinds of secrets that redaction should have replaced."""
    problems = []
    for row in rows:
        for column in columns:
            value = row[column] or ""
            kinds = find_secrets(value if isinstance(value, str) else "\n".join(value))
            if kinds:
                place = row.get("path") or row["memory_sha"]
                problems.append(f"{place}: {column} still holds {', '.join(sorted(kinds))}")
    return problems


def unstable_signatures(
    date: str,
    raw_logs: Rows,
    signatures: Rows,
    rules: Path | None = None,
    recorded: Choose | None = None,
) -> list[str]:
    """Signatures that another process, with another hash seed, extracts otherwise.

    `recorded` gives the lines on record for a log without an error line; no model is asked.
    """
    columns = ("log_id", "path", "tool", "text", "exit_code", "job", "step")
    chosen = {row["log_id"] for row in signatures if row["rule"] == CHOSEN_RULE}
    lines = {
        log_key(log["text"]): list(recorded(log["text"]))
        for log in raw_logs
        if recorded is not None and log["log_id"] in chosen
    }
    logs = [{name: log[name] for name in columns} for log in raw_logs]
    request = canonical_json({"logs": logs, "lines": lines})
    answer = subprocess.run(
        [sys.executable, "-m", "mem_assets.pipeline.stages.acceptance", date, str(rules or "")],
        input=request.encode(),
        capture_output=True,
        check=True,
    )
    here = {(r["log_id"], r["role"]): canonical_json(dict(r)) for r in signatures}
    there = {(r["log_id"], r["role"]): canonical_json(r) for r in json.loads(answer.stdout)}
    return [
        f"log {log_id} ({role}): extracted otherwise in another process"
        for log_id, role in sorted(here.keys() | there.keys())
        if here.get((log_id, role)) != there.get((log_id, role))
    ]


def volatile_left(signatures: Rows) -> list[str]:
    """Normal forms that would differ on the next run of the same failure."""
    return [
        f"{row['path']} ({row['rule']}): {', '.join(parts)}"
        for row in signatures
        if (parts := volatile_parts(row["normalised"]))
    ]


def without_origin(candidates: Rows) -> list[str]:
    """Candidates that do not say where they came from."""
    return [
        f"{row['path']}:{row['line_start']} chunk {row['chunk']}: no origin"
        for row in candidates
        if not row["path"] or row["line_start"] < 1 or row["line_end"] < row["line_start"]
    ]


def unjudged(candidates: Rows, verdicts: Rows) -> list[str]:
    """Candidates without exactly one verdict that names its rule and reason."""
    counted = Counter(row["candidate_sha"] for row in verdicts)
    known = {row["candidate_sha"] for row in candidates}
    problems = [
        f"{row['path']}: {counted[row['candidate_sha']]} verdicts for {row['candidate_sha']}"
        for row in candidates
        if counted[row["candidate_sha"]] != 1
    ]
    problems += [f"a verdict for unknown candidate {sha}" for sha in sorted(set(counted) - known)]
    return problems + [
        f"{row['path']}: a verdict without rule or reason"
        for row in verdicts
        if not (row["rule"] and row["reason"] and row["policy_version"])
    ]


def wrongly_accepted(accepted: Rows, verdicts: Rows, retracted: Collection[str]) -> list[str]:
    """Memories that are doubled, rejected, retracted, or stand on nothing."""
    counted = Counter(row["memory_sha"] for row in accepted)
    good = {row["candidate_sha"] for row in verdicts if row["verdict"] == "accepted"}
    problems = [f"{sha}: {n} rows" for sha, n in sorted(counted.items()) if n > 1]
    for row in accepted:
        sha = row["memory_sha"]
        if not set(row["candidate_shas"]) <= good or not row["candidate_shas"]:
            problems.append(f"{sha}: accepted without a verdict that says so")
        if sha in retracted:
            problems.append(f"{sha}: was retracted")
        if row["level"] != "R" and not row["evidence"] and not row["source"]:
            problems.append(f"{sha}: names neither evidence nor source")
    return problems


def wrongly_projected(projections: Rows, accepted: Rows) -> list[str]:
    """Symptoms for L0, R or rejected candidates; lessons without a projection record."""
    level_of = {row["memory_sha"]: row["level"] for row in accepted}
    lessons = {sha for sha, level in level_of.items() if level in ("L1", "L2")}
    projected = {row["memory_sha"] for row in projections}
    problems = [
        f"{sha}: a projection, but it is {level_of.get(sha, 'not accepted')}"
        for sha in sorted(projected - lessons)
    ]
    problems += [f"{sha}: accepted, but never projected" for sha in sorted(lessons - projected)]
    return problems + [
        f"{row['memory_sha']}: has symptoms but explains no failure"
        for row in projections
        if row["lines"] and not row["explains_failure"]
    ]


def unsigned_projections(projections: Rows) -> list[str]:
    """Projections that do not record what made them."""
    names = ("projector", "model_id", "prompt_sha", "parameters", "engine_version")
    return [
        f"{row['memory_sha']}: no {name}" for row in projections for name in names if not row[name]
    ]


def faulty_vectors(
    expected: Mapping[tuple[str, int], str], rows: Rows, embedder: Embedder
) -> list[str]:
    """Texts without their one vector, and vectors that are not finite, unit and whole.

    expected: (memory_sha, line) to the text that was embedded; rows of texts count as line 0.
    """
    problems = []
    found = {(row["memory_sha"], row.get("line_no", 0)): row for row in rows}
    if len(found) != len(rows):
        problems.append(f"{len(rows) - len(found)} vectors stand twice")
    problems += [f"{key}: no vector" for key in sorted(expected.keys() - found.keys())]
    problems += [f"{key}: a vector of nothing" for key in sorted(found.keys() - expected.keys())]
    for key in sorted(expected.keys() & found.keys()):
        vector = np.array(found[key]["vector"], dtype=np.float32)
        if found[key]["text_sha"] != sha256_text(expected[key]):
            problems.append(f"{key}: the vector of another text")
        elif not is_unit_vector(vector, embedder.dimensions):
            problems.append(f"{key}: not {embedder.dimensions} finite numbers of unit length")
    return problems


def is_unit_vector(vector: np.ndarray, dimensions: int) -> bool:
    """Whether it is whole, finite and of unit length."""
    is_whole = vector.shape == (dimensions,) and bool(np.isfinite(vector).all())
    return is_whole and abs(float(np.linalg.norm(vector)) - 1) <= UNIT_TOLERANCE


def unfit_for_record(
    raw_logs: Rows,
    signatures: Rows,
    accepted: Rows,
    projections: Rows,
    verdicts: Rows,
    retracted: Collection[str],
) -> list[str]:
    """What keeps a day's rows out of the memory log, whichever way they came to it."""
    return [
        *secrets_left(raw_logs, LOG_COLUMNS),
        *secrets_left(accepted, NOTE_COLUMNS),
        *volatile_left(signatures),
        *wrongly_accepted(accepted, verdicts, retracted),
        *wrongly_projected(projections, accepted),
        *unsigned_projections(projections),
    ]


def _extract_again() -> None:
    """The other process of `unstable_signatures`: rows in on stdin, signatures out on stdout."""
    date, rules = sys.argv[1:3]
    book = read_rules(Path(rules) if rules else None)
    request = json.loads(sys.stdin.buffer.read())
    lines = request["lines"]
    rows, _ = signature_rows(
        date, request["logs"], book, lambda output: lines.get(log_key(output), ()) if lines else ()
    )
    sys.stdout.buffer.write(canonical_json(rows).encode())


if __name__ == "__main__":
    _extract_again()
