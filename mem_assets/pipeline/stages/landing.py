"""From files in the landing to rows."""

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from mem_assets.memory.model import Reject
from mem_assets.storage.landing import LandedLog

Row = dict[str, Any]


def raw_log_rows(logs: Iterable[LandedLog]) -> list[Row]:
    """One row a log; the day is the file's, not a column."""
    rows = []
    for log in logs:
        row = asdict(log)
        row.pop("date")
        row["redacted"] = list(log.redacted)
        rows.append(row)
    return rows


def reject_rows(rejects: Iterable[Reject]) -> list[Row]:
    """One row a place and reason; the first detail stands where a place fails twice alike."""
    rows: dict[tuple[str, int, str], Row] = {}
    for reject in sorted(rejects, key=lambda r: (r.path, r.line, r.reason, r.detail)):
        row = asdict(reject)
        row.pop("date")
        rows.setdefault((reject.path, reject.line, reject.reason), row)
    return list(rows.values())
