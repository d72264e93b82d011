"""Which failure each log is."""

from collections import Counter

import dagster as dg

from mem_assets.pipeline.assets.common import daily_asset, day_result
from mem_assets.pipeline.resources import Engine, Store
from mem_assets.pipeline.stages.landing import reject_rows
from mem_assets.pipeline.stages.line_choice import LineChooser
from mem_assets.pipeline.stages.signatures import signature_rows
from mem_assets.settings import RulesUnusable, Settings
from mem_assets.signature import rules_version


def _code_version() -> str:
    """Of all rules in use. Wrong ones of one's own fail the asset, not the whole code location."""
    try:
        return rules_version(Settings.from_env().rule_book())
    except RulesUnusable:
        return "unusable"


@dg.asset(deps=["raw_logs"], **daily_asset("signatures", "landing"), code_version=_code_version())
def signatures(
    context: dg.AssetExecutionContext, store: Store, engine: Engine
) -> dg.MaterializeResult:
    """The normalised, hashed signature of each failed log, and of the tool inside a wrapper."""
    date = context.partition_key
    book = store.rule_book
    choose = LineChooser(store.chosen_lines, engine.controller(), engine.prompt("signature"))
    rows, rejects = signature_rows(date, store.days.read("raw_logs", date), book, choose)
    rejected = reject_rows(rejects)
    store.days.write("signature_rejects", date, rejected)
    version = store.days.write("signatures", date, rows)
    store.days.write("signed_days", date, [{"rules_version": rules_version(book)}])
    rules = Counter(row["rule"] for row in rows)
    return day_result(
        version,
        [{k: row[k] for k in ("path", "tool", "rule", "normalised")} for row in rows],
        rules_fired=dict(sorted(rules.items())),
        rejects=len(rejected),
        asked_of_controller=choose.asked,
    )
