"""Signatures extracted again from the blocks on record, and compared with those on record.

Only the log is read, never the texts in the evidence store: a record says whether its block alone
gives its signatures again (`block_suffices`), and where it does not, they stand as recorded.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from mem_assets.memory.log import LogEntry
from mem_assets.memory.settle import EvidenceNode, Told
from mem_assets.pipeline.stages.log_entries import REDERIVED, rederived
from mem_assets.pipeline.stages.signatures import rows_of_block
from mem_assets.rebuild.report import DRIFT, LOG, RULES, UNCHANGED, Finding, changes
from mem_assets.signature import RuleBook, rules_version

NOT_COMPARED = "its block alone does not give its signatures: they stand as recorded"


def logs_of(told: Told) -> list[EvidenceNode]:
    """The logs that are not retracted."""
    return [node for sha, node in sorted(told.evidence.items()) if sha not in told.retracted]


def compare_signatures(
    logs: Iterable[EvidenceNode], rules: RuleBook | None = None
) -> list[Finding]:
    """One finding a log: the present rules on the recorded block, against the record."""
    return [_compare(node, rules) for node in logs]


def _compare(node: EvidenceNode, rules: RuleBook | None) -> Finding:
    finding = Finding(LOG, node.log_id, node.date, (UNCHANGED,), (node.path,))
    if not node.body["block_suffices"]:
        return replace(finding, details=(node.path, NOT_COMPARED))
    recorded = node.body["signatures"]
    old, new = rederived(recorded), rederived(rows_of_block(recorded, rules))
    if old == new:
        return finding
    then, now = node.body["rules_version"], rules_version(rules)
    cause = DRIFT if then == now else RULES
    return Finding(
        LOG,
        node.log_id,
        node.date,
        (cause,),
        (node.path, *changes({"rules_version": then}, {"rules_version": now}, ["rules_version"])),
        *_lines(old, new),
    )


def _lines(old: list[dict[str, Any]], new: list[dict[str, Any]]) -> tuple[tuple[str, ...], ...]:
    """(values on record that did not come again, values that came instead)."""
    told = [{(row["role"], n): _shown(row, n) for row in rows for n in REDERIVED}
            for rows in (old, new)]  # fmt: skip
    before, after = told
    places = [place for place in dict.fromkeys((*before, *after)) if place[1] != "role"]
    differing = [place for place in places if before.get(place) != after.get(place)]
    return tuple(
        tuple(said[place] for place in differing if place in said) for said in (before, after)
    )


def _shown(row: Mapping[str, Any], name: str) -> str:
    return f"{row['role']} {name}: {row[name]}"


def signature_entries(
    logs: Iterable[EvidenceNode], findings: Iterable[Finding], rules: RuleBook | None = None
) -> list[tuple[str, LogEntry]]:
    """(day, record) of what the present rules find in the logs of these findings.

    A log in whose block they find nothing keeps its record: to forget takes a retraction.
    """
    wanted = {finding.name for finding in findings}
    entries = []
    for node in logs:
        rows = rows_of_block(node.body["signatures"], rules) if node.log_id in wanted else []
        if rows:
            entries.append(
                (node.date, LogEntry("evidence", node.log_id, _with(node.body, rows, rules)))
            )
    return entries


def _with(
    body: Mapping[str, Any], rows: list[dict[str, Any]], rules: RuleBook | None
) -> dict[str, Any]:
    diagnostics = {row["role"]: row["diagnostics"] for row in body["signatures"]}
    again = rederived(rows_of_block(rows, rules))
    return {
        **body,
        "signatures": [
            row | {"diagnostics": diagnostics.get(row["role"], [])} for row in rederived(rows)
        ],
        "block_suffices": again == rederived(rows),
        "rules_version": rules_version(rules),
    }
