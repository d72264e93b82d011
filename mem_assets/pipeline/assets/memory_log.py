"""What has passed its gates becomes part of the record."""

import dagster as dg

from mem_assets.pipeline.assets.common import GATED, OWNERS
from mem_assets.pipeline.partitions import daily
from mem_assets.pipeline.resources import Store
from mem_assets.pipeline.stages.acceptance import unfit_for_record
from mem_assets.pipeline.stages.log_entries import log_entries
from mem_assets.pipeline.stages.pairs import check_pairs
from mem_assets.storage.freshness import files_version


@dg.asset(
    deps=["raw_logs", "signatures", "accepted_memories", "symptom_projections"],
    partitions_def=daily,
    group_name="record",
    kinds={"python", "jsonlines"},
    owners=OWNERS,
    backfill_policy=GATED,
)
def memory_log(context: dg.AssetExecutionContext, store: Store) -> dg.MaterializeResult:
    """The day's evidence, memories and projections, appended to the memory log where new.

    It stands behind the blocking checks of everything it reads; the text of the evidence goes
    to the evidence store first, so that no record names a text that is not there.
    """
    date, rules = context.partition_key, store.rule_book
    names = ("raw_logs", "signatures", "accepted_memories", "symptom_projections")
    logs, signatures, accepted, projections = (store.days.read(name, date) for name in names)
    verdicts = store.days.read("gate_verdicts", date)
    problems = [
        *check_pairs(store.home_path, store.pairs_path, rules).problems,
        *unfit_for_record(logs, signatures, accepted, projections, verdicts, store.log.retracted()),
    ]
    if problems:
        raise dg.Failure(f"{date} has not passed its gates: {problems[0]}", allow_retries=False)
    for log in logs:
        store.evidence.write(log["text_sha"], log["text"])
    entries = log_entries(logs, signatures, accepted, projections, rules)
    appended = store.log.append(date, entries)
    version = files_version(store.days, date)
    store.days.write("recorded_days", date, [{"files_version": version}])
    records = store.log.read(date)
    head = records[-1].record_sha if records else "0" * 64
    return dg.MaterializeResult(
        metadata={"appended": appended, "dagster/partition_row_count": len(records)},
        data_version=dg.DataVersion(head),
    )
