"""From a day's checked rows to what the memory log says of them."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from mem_assets.hashing import sha256_json
from mem_assets.memory.log import LogEntry
from mem_assets.pipeline.stages.signatures import rows_of_block
from mem_assets.signature import RuleBook, rules_version

REDERIVED = (
    "role",
    "tool",
    "inner_tool",
    "raw",
    "line_start",
    "line_end",
    "identity",
    "normalised",
    "sig_sha",
    "rule",
    "error_found",
    "exit_code",
)
"""Fields of a signature that its block alone gives again."""

_SIGNATURE = (*REDERIVED, "diagnostics")
_CONTEXT = ("job", "step", "exit_code", "url", "repo", "commit")
_PROJECTION = (
    "explains_failure",
    "question",
    "lines",
    "projector",
    "model_id",
    "prompt_sha",
    "parameters",
    "engine_version",
)

Rows = Iterable[Mapping[str, Any]]


def log_entries(
    raw_logs: Rows,
    signatures: Rows,
    accepted: Rows,
    projections: Rows,
    rules: RuleBook | None = None,
) -> list[LogEntry]:
    """Evidence first, then memories, then their projections, each by sha: the same rows give
    the same entries in the same order."""
    found: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for row in signatures:
        found[row["log_id"]].append(row)
    entries = [_evidence(log, found[log["log_id"]], rules) for log in raw_logs]
    entries += [_memory(row) for row in accepted]
    entries += [projection_entry(row) for row in projections]
    order = ("evidence", "reference", "memory_accepted", "symptom_projected")
    return sorted(entries, key=lambda entry: (order.index(entry.type), entry.subject))


def _evidence(
    log: Mapping[str, Any], signatures: list[Mapping[str, Any]], rules: RuleBook | None
) -> LogEntry:
    """block_suffices says whether a rebuild, which has the blocks alone, can ask for the same
    signatures; rules_version, under which rules that holds."""
    signatures = sorted(signatures, key=lambda row: row["role"], reverse=True)
    body = {
        "path": log["path"],
        "tool": log["tool"],
        "text_sha": log["text_sha"],
        "context": {name: log[name] for name in _CONTEXT},
        "signatures": [{name: row[name] for name in _SIGNATURE} for row in signatures],
        "block_suffices": rederived(rows_of_block(signatures, rules)) == rederived(signatures),
        "rules_version": rules_version(rules),
    }
    return LogEntry("evidence", log["log_id"], body)


def rederived(signatures: Rows) -> list[dict[str, Any]]:
    """What of signatures is compared when they are extracted again."""
    return [{name: row[name] for name in REDERIVED} for row in signatures]


def _memory(row: Mapping[str, Any]) -> LogEntry:
    names = ("level", "kind", "text", "heading", "source", "evidence", "policy_version")
    kind = "reference" if row["level"] == "R" else "memory_accepted"
    return LogEntry(kind, row["memory_sha"], {name: row[name] for name in names})


def projection_entry(row: Mapping[str, Any]) -> LogEntry:
    """What the log says of a row of symptom_projections."""
    body = {name: row[name] for name in _PROJECTION}
    return LogEntry(
        "symptom_projected", row["memory_sha"], body | {"lines_sha": sha256_json(row["lines"])}
    )
