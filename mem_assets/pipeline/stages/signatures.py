"""From raw logs to signatures."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from mem_assets.memory.model import Reject
from mem_assets.signature import RuleBook, Signature, volatile_parts
from mem_assets.signature.fallback import Choose, extract_or_choose

Row = dict[str, Any]


def signature_rows(
    date: str,
    raw_logs: Iterable[Mapping[str, Any]],
    rules: RuleBook | None = None,
    choose: Choose | None = None,
) -> tuple[list[Row], list[Reject]]:
    """A row for each log's signature and one for the tool inside a wrapper.

    A signature whose normalised form still holds something that changes from run to run would
    never match again: it goes to the rejects, and its log is evidence without a signature.
    `choose` is asked for the error line of a log in which no rule finds one.
    """
    rows: list[Row] = []
    rejects: list[Reject] = []
    for log in raw_logs:
        signature = extract_or_choose(
            log["tool"],
            log["text"],
            choose,
            exit_code=log["exit_code"],
            job=log["job"],
            step=log["step"],
            rules=rules,
        )
        if signature is None:
            continue
        for role, found in (("own", signature), ("inner", signature.inner)):
            if found is None:
                continue
            volatile = volatile_parts(found.normalised)
            if volatile:
                rejects.append(_volatile_reject(date, log["path"], found, volatile))
            else:
                rows.append(_row(log, role, found))
    return rows, rejects


def rows_of_block(
    signatures: Sequence[Mapping[str, Any]], rules: RuleBook | None = None
) -> list[Row]:
    """The rows that the block of one log's recorded signatures gives, extracted by itself.

    By design they are the recorded ones; the lines are counted in the log, as there.
    """
    if not signatures:
        return []
    first = min(signatures, key=lambda row: row["role"] != "own")
    log = dict.fromkeys(("log_id", "path", "job", "step"))
    log |= {"tool": first["tool"], "text": first["raw"], "exit_code": first["exit_code"]}
    rows, _ = signature_rows("", [log], rules)
    above = first["line_start"] - 1
    lines = ("line_start", "line_end")
    again = [row | {name: row[name] + above for name in lines} for row in rows]
    return sorted(again, key=lambda row: row["role"], reverse=True)


def _row(log: Mapping[str, Any], role: str, signature: Signature) -> Row:
    return {
        "log_id": log["log_id"],
        "role": role,
        "path": log["path"],
        "tool": signature.tool,
        "inner_tool": signature.inner_tool,
        "raw": signature.raw,
        "line_start": signature.line_start,
        "line_end": signature.line_end,
        "identity": signature.identity,
        "normalised": signature.normalised,
        "sig_sha": signature.sig_sha,
        "rule": signature.rule,
        "error_found": signature.error_found,
        "job": signature.job,
        "step": signature.step,
        "exit_code": signature.exit_code,
        "diagnostics": list(signature.diagnostics),
    }


def _volatile_reject(date: str, path: str, signature: Signature, volatile: list[str]) -> Reject:
    return Reject(
        date,
        path,
        signature.line_start,
        "volatile_left",
        f"rule {signature.rule} left {', '.join(map(repr, volatile[:3]))} in the normalised form, "
        "which would never match again: add a substitution (`mem sig explain` shows those made)",
    )
