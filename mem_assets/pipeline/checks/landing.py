"""Gates of raw_logs and signatures; what was rejected."""

from collections import Counter

import dagster as dg

from mem_assets.pipeline.assets.rejects import STAGES
from mem_assets.pipeline.checks.common import gate, notice, verdict, warning
from mem_assets.pipeline.resources import Store
from mem_assets.pipeline.stages.acceptance import (
    LOG_COLUMNS,
    secrets_left,
    unaccounted_files,
    unstable_signatures,
    volatile_left,
)
from mem_assets.signature.fallback import log_key
from mem_assets.storage.chosen_lines import recorded_lines
from mem_assets.storage.landing import list_files

MOSTLY_GENERIC = 0.5
"""Share of signatures by the generic rule above which the rule sets no longer fit the stream."""


@dg.asset_check(**gate("raw_logs"))
def every_file_accounted_for(
    context: dg.AssetCheckExecutionContext, store: Store
) -> dg.AssetCheckResult:
    """Files in the landing = rows + rejects."""
    date = context.partition_key
    files = [path for path, _ in list_files(store.landing_path, date)]
    rows = store.days.read("raw_logs", date, ["path"])
    problems = unaccounted_files(files, rows, store.days.read("raw_log_rejects", date))
    return verdict(
        problems,
        "a log that is neither taken nor rejected is lost without a word",
        "materialise raw_logs of this day again; files that came meanwhile are then taken",
    )


@dg.asset_check(**gate("raw_logs"))
def logs_hold_no_secret(
    context: dg.AssetCheckExecutionContext, store: Store
) -> dg.AssetCheckResult:
    """No known secret format is left after redaction."""
    rows = store.days.read("raw_logs", context.partition_key)
    problems = secrets_left(rows, LOG_COLUMNS)
    return verdict(
        problems,
        "everything downstream is kept for good and shown to others",
        "add the form to memory/secret_patterns.toml, then materialise raw_logs again",
    )


@dg.asset_check(**gate("signatures"))
def signatures_are_deterministic(
    context: dg.AssetCheckExecutionContext, store: Store
) -> dg.AssetCheckResult:
    """The same bytes when extracted again in another process."""
    date = context.partition_key
    problems = unstable_signatures(
        date,
        store.days.read("raw_logs", date),
        store.days.read("signatures", date),
        store.rules_path,
        recorded_lines(store.home_path, log_key),
    )
    return verdict(
        problems,
        "a signature that depends on the process never matches again",
        "look for the order of a set or a dict in signature/, then materialise again",
    )


@dg.asset_check(**gate("signatures"))
def normal_forms_hold_nothing_volatile(
    context: dg.AssetCheckExecutionContext, store: Store
) -> dg.AssetCheckResult:
    """No timestamp, path, hash, line number or duration in a normal form."""
    return verdict(
        volatile_left(store.days.read("signatures", context.partition_key)),
        "what changes from run to run keeps a failure from being recognised",
        "such rows belong in the rejects: materialise signatures again",
    )


@dg.asset_check(**notice("signatures"))
def rule_sets_match(context: dg.AssetCheckExecutionContext, store: Store) -> dg.AssetCheckResult:
    """Rule sets that matched nothing in their own tool's log; the share of generic signatures."""
    rows = store.days.read("signatures", context.partition_key)
    own = [row for row in rows if row["role"] == "own"]
    problems = [
        f"{row['path']}: no rule of {row['tool']} matched"
        for row in own
        if "rule_set_unmatched" in row["diagnostics"]
    ]
    generic = sum(row["rule"].startswith("generic.") for row in own)
    if own and generic / len(own) > MOSTLY_GENERIC:
        problems.append(f"{generic} of {len(own)} signatures come from the generic rules")
    rules = Counter(row["rule"] for row in rows)
    return warning(
        problems,
        "the tool may have changed its output; its failures are recognised less surely",
        "`mem sig explain FILE` shows the log; add a rule for it",
        generic=generic,
        signatures=len(own),
        rules=dict(sorted(rules.items())),
    )


def _rejects_check(asset: str, table: str) -> dg.AssetChecksDefinition:
    @dg.asset_check(
        **notice(asset), name=f"{asset}_rejects", description=f"Rows that {asset} rejected."
    )
    def check(context: dg.AssetCheckExecutionContext, store: Store) -> dg.AssetCheckResult:
        rows = store.days.read(table, context.partition_key)
        return warning(
            [f"{row['path']}:{row['line']} {row['reason']}: {row['detail']}" for row in rows],
            "these take no part in the memory until they are mended",
            "mend or remove the files, then materialise the day again",
        )

    return check


rejects_checks = [_rejects_check(asset, table) for asset, table in STAGES.items()]
