"""The gate of the signature rules themselves."""

import dagster as dg

from mem_assets.pipeline.checks.common import gate, verdict
from mem_assets.pipeline.resources import Store
from mem_assets.pipeline.stages.pairs import check_pairs


@dg.asset_check(**gate("signatures"))
def pairs_hold(context: dg.AssetCheckExecutionContext, store: Store) -> dg.AssetCheckResult:
    """Failures that must hash alike do, and those that must not do not, by the rules in use."""
    outcome = check_pairs(store.home_path, store.pairs_path, store.rule_book)
    return verdict(
        outcome.problems,
        "a rule that splits a failure loses its memories, one that merges two finds wrong ones",
        "`mem sig compare` shows why a pair differs; mend the rule, or, where the pair is wrong "
        "for you, say so by a row of your own in the file that MEM_PAIRS names",
        checked=outcome.checked,
        left_out=outcome.left_out,
    )
