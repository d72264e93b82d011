"""What people wrote, and what of it the gate accepts."""

from collections import Counter

import dagster as dg

from mem_assets.memory.gate import judge, policy_version
from mem_assets.pipeline.assets.common import daily_asset, day_result
from mem_assets.pipeline.resources import Engine, Store
from mem_assets.pipeline.stages.landing import reject_rows
from mem_assets.pipeline.stages.memories import (
    accepted_rows,
    candidate_rows,
    candidates_from,
    candidates_of,
    parse_notes,
    verdict_rows,
)
from mem_assets.pipeline.stages.opinions import opinions_on
from mem_assets.storage.freshness import file_rows
from mem_assets.storage.landing import read_notes, read_references


@dg.asset(**daily_asset("candidate_memories", "memories"))
def candidate_memories(context: dg.AssetExecutionContext, store: Store) -> dg.MaterializeResult:
    """The day's notes and reference documents, split into candidates, secrets redacted."""
    date = context.partition_key
    files = file_rows(store.landing_path, date, "note_files")
    landed = read_notes(store.landing_path, date)
    references = read_references(store.landing_path, date)
    notes, faulty = parse_notes(landed.notes)
    rows = candidate_rows(candidates_of(notes, references.notes))
    rejects = reject_rows([*landed.rejects, *references.rejects, *faulty])
    store.days.write("note_rejects", date, rejects)
    store.days.write("note_files", date, files)
    version = store.days.write("candidate_memories", date, rows)
    return day_result(
        version,
        [{k: row[k] for k in ("path", "level", "kind", "text")} for row in rows],
        rejects=len(rejects),
        levels=dict(sorted(Counter(row["level"] for row in rows).items())),
    )


@dg.asset(
    deps=["candidate_memories"],
    **daily_asset("gate_verdicts", "memories"),
    code_version=policy_version(),
)
def gate_verdicts(
    context: dg.AssetExecutionContext, store: Store, engine: Engine
) -> dg.MaterializeResult:
    """One verdict a candidate, with the rule that decided and its reason."""
    date = context.partition_key
    candidates = candidates_from(date, store.days.read("candidate_memories", date))
    opinions = opinions_on(candidates, engine.controller(), engine.prompt("gate"))
    verdicts = judge(candidates, store.log.retracted(), opinions)
    rows = verdict_rows(candidates, verdicts, opinions)
    version = store.days.write("gate_verdicts", date, rows)
    return day_result(
        version,
        [{k: row[k] for k in ("path", "verdict", "rule", "reason")} for row in rows],
        rules=dict(sorted(Counter(row["rule"] for row in rows).items())),
        asked_of_controller=sum(one.model_id is not None for one in opinions.values()),
    )


@dg.asset(
    deps=["candidate_memories", "gate_verdicts"], **daily_asset("accepted_memories", "memories")
)
def accepted_memories(context: dg.AssetExecutionContext, store: Store) -> dg.MaterializeResult:
    """The candidates that the gate accepted, one row a memory."""
    date = context.partition_key
    candidates = store.days.read("candidate_memories", date)
    rows = accepted_rows(candidates, store.days.read("gate_verdicts", date))
    version = store.days.write("accepted_memories", date, rows)
    judged = [row for row in candidates if row["level"] != "R"]
    lessons = [row for row in rows if row["level"] != "R"]
    return day_result(
        version,
        [{k: row[k] for k in ("memory_sha", "level", "kind", "text")} for row in rows],
        lessons=len(lessons),
        candidates=len(judged),
    )
