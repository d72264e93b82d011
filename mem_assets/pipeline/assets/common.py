"""What every asset here shares: its arguments to dagster and its way to report."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import dagster as dg

from mem_assets.pipeline.partitions import daily
from mem_assets.storage.schemas import TABLES

OWNERS = ["team:data-platform"]

GATED = dg.BackfillPolicy.multi_run(max_partitions_per_run=1)
"""One run a partition, so that checks are recorded and block per day (docs/decisions/0004)."""

RANGE = dg.BackfillPolicy.single_run()
"""A range of days in one run: these load the engine, once a backfill and not once a day."""

SAMPLE_ROWS = 5
SAMPLE_CHARACTERS = 120


def column_schema(table: str) -> dict[str, Any]:
    """The table's columns as Dagster shows them."""
    columns = [
        dg.TableColumn(name, str(kind), description=text)
        for name, (kind, text) in TABLES[table].columns.items()
    ]
    return {"dagster/column_schema": dg.TableSchema(columns)}


def daily_asset(table: str, group: str, policy: dg.BackfillPolicy = GATED) -> dict[str, Any]:
    """Arguments of @dg.asset for an asset that writes one Parquet file a day."""
    return {
        "partitions_def": daily,
        "group_name": group,
        "kinds": {"python", "parquet"},
        "owners": OWNERS,
        "backfill_policy": policy,
        "metadata": column_schema(table),
    }


def day_result(
    version: str, rows: Sequence[Mapping[str, Any]], **metadata: Any
) -> dg.MaterializeResult:
    """A day's result: its data version by content, the row count and a few rows to look at."""
    return dg.MaterializeResult(
        metadata={
            "dagster/partition_row_count": len(rows),
            "sample": dg.MetadataValue.md(markdown_table(rows[:SAMPLE_ROWS])),
            **metadata,
        },
        data_version=dg.DataVersion(version),
    )


def markdown_table(rows: Sequence[Mapping[str, Any]], columns: Iterable[str] = ()) -> str:
    """Rows as a Markdown table, long values cut; "none" where there are no rows."""
    if not rows:
        return "none"
    names = [n for n in (list(columns) or list(rows[0])) if n not in ("vector", "text_sha")]
    lines = ["| " + " | ".join(names) + " |", "|" + " --- |" * len(names)]
    lines += ["| " + " | ".join(_cell(row[name]) for name in names) + " |" for row in rows]
    return "\n".join(lines)


def _cell(value: Any) -> str:
    text = str(value)
    if len(text) > SAMPLE_CHARACTERS:
        text = text[: SAMPLE_CHARACTERS - 1] + "…"
    return text.replace("\n", " ⏎ ").replace("|", "\\|").replace("`", "'")
