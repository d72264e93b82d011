"""What came in: logs, redacted, one row each."""

from collections import Counter

import dagster as dg

from mem_assets.pipeline.assets.common import daily_asset, day_result
from mem_assets.pipeline.resources import Store
from mem_assets.pipeline.stages.landing import raw_log_rows, reject_rows
from mem_assets.storage.freshness import file_rows
from mem_assets.storage.landing import known_tools, read_logs


@dg.asset(**daily_asset("raw_logs", "landing"))
def raw_logs(context: dg.AssetExecutionContext, store: Store) -> dg.MaterializeResult:
    """The day's logs: unpacked, decoded, secrets redacted before any id is made."""
    date = context.partition_key
    files = file_rows(store.landing_path, date, "log_files")
    known = known_tools() | store.rule_book.sets.keys()
    landed = read_logs(store.landing_path, date, tools=known)
    rows, rejects = raw_log_rows(landed.logs), reject_rows(landed.rejects)
    store.days.write("raw_log_rejects", date, rejects)
    store.days.write("log_files", date, files)
    version = store.days.write("raw_logs", date, rows)
    tools = Counter(row["tool"] or "to be detected" for row in rows)
    return day_result(
        version,
        [{k: row[k] for k in ("path", "tool", "exit_code", "bytes", "redacted")} for row in rows],
        inputs=landed.inputs,
        rejects=len(rejects),
        tools=dict(sorted(tools.items())),
        bytes=sum(row["bytes"] for row in rows),
    )
