"""Nothing goes past its gate, also where an asset is run alone.

Inside one run Dagster itself holds back what stands behind a failed blocking check. A run of
`published_generation` alone has no such check in it, so it asks for the results on record.
"""

from collections.abc import Sequence

import dagster as dg

INDEX_GATES = ("vectors_reproduce", "digest_follows_from_log")
"""The blocking checks of memory_index."""


def latest_generation_id(instance: dg.DagsterInstance) -> str:
    """The generation that memory_index built last, published or not."""
    event = instance.get_latest_materialization_event(dg.AssetKey("memory_index"))
    if event is None or event.asset_materialization is None:
        raise dg.Failure("memory_index was never materialised: run the job `index`")
    return str(event.asset_materialization.metadata["generation"].value)


def require_blocking_checks(instance: dg.DagsterInstance, asset: str, names: Sequence[str]) -> None:
    """Raise dg.Failure unless each check passed on the asset's latest materialisation."""
    built = instance.get_latest_materialization_event(dg.AssetKey(asset))
    for name in names:
        key = dg.AssetCheckKey(dg.AssetKey(asset), name)
        record = instance.get_latest_asset_check_evaluation_record(key)
        evaluation = record.evaluation if record else None
        if built is None or evaluation is None or evaluation.target_materialization_data is None:
            raise dg.Failure(f"{asset} has no result of {name}: run the job `index`")
        is_of_latest = evaluation.target_materialization_data.run_id == built.run_id
        if not evaluation.passed or not is_of_latest:
            raise dg.Failure(
                f"{name} has not passed on the latest {asset}: read its result, mend what it "
                "names, then run the job `index`"
            )
