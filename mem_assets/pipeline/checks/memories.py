"""Gates of the candidates, the verdicts and the accepted memories."""

import datetime

import dagster as dg

from mem_assets.memory.chunk import covered
from mem_assets.pipeline.checks.common import gate, notice, verdict, warning
from mem_assets.pipeline.resources import Store
from mem_assets.pipeline.stages.acceptance import (
    NOTE_COLUMNS,
    secrets_left,
    unjudged,
    without_origin,
    wrongly_accepted,
)
from mem_assets.pipeline.stages.memories import candidates_from, parse_notes
from mem_assets.storage.landing import read_notes

RATE_BOUND = 0.30
RATE_DAYS = 30
RATE_FROM = 50
"""By design under 30 % are accepted; watched over 30 days once 50 candidates were judged."""


@dg.asset_check(**gate("candidate_memories"))
def chunks_cover_their_notes(
    context: dg.AssetCheckExecutionContext, store: Store
) -> dg.AssetCheckResult:
    """Every line of a note stands in one of its candidates, and each says where it came from."""
    date = context.partition_key
    rows = store.days.read("candidate_memories", date)
    notes, _ = parse_notes(read_notes(store.landing_path, date).notes)
    lessons = [row for row in rows if row["level"] != "R"]
    problems = covered(notes, candidates_from(date, lessons)) + without_origin(rows)
    return verdict(
        problems,
        "a line that no candidate holds is lost without a word",
        "materialise candidate_memories of this day again; if it stays, mend memory/chunk.py",
    )


@dg.asset_check(**gate("candidate_memories"))
def notes_hold_no_secret(
    context: dg.AssetCheckExecutionContext, store: Store
) -> dg.AssetCheckResult:
    """No known secret format is left after redaction."""
    rows = store.days.read("candidate_memories", context.partition_key)
    return verdict(
        secrets_left(rows, (*NOTE_COLUMNS, "path")),
        "everything downstream is kept for good and shown to others",
        "add the form to memory/secret_patterns.toml, then materialise again",
    )


@dg.asset_check(**gate("gate_verdicts"))
def every_candidate_is_judged(
    context: dg.AssetCheckExecutionContext, store: Store
) -> dg.AssetCheckResult:
    """One verdict a candidate, with rule and reason."""
    date = context.partition_key
    problems = unjudged(
        store.days.read("candidate_memories", date), store.days.read("gate_verdicts", date)
    )
    return verdict(
        problems,
        "a candidate without a verdict is lost, one with two is both in and out",
        "materialise gate_verdicts of this day again",
    )


@dg.asset_check(**gate("accepted_memories"))
def only_what_passed_is_accepted(
    context: dg.AssetCheckExecutionContext, store: Store
) -> dg.AssetCheckResult:
    """Shas unique; none rejected or retracted; every one names its evidence or source."""
    date, days = context.partition_key, store.days
    problems = wrongly_accepted(
        days.read("accepted_memories", date),
        days.read("gate_verdicts", date),
        store.log.retracted(),
    )
    return verdict(
        problems,
        "what is accepted enters the memory log and stays",
        "materialise gate_verdicts and accepted_memories of this day again",
    )


@dg.asset_check(**notice("accepted_memories"))
def acceptance_rate(context: dg.AssetCheckExecutionContext, store: Store) -> dg.AssetCheckResult:
    """The share of candidates accepted over the last thirty days, once fifty were judged."""
    last = datetime.date.fromisoformat(context.partition_key)
    since = (last - datetime.timedelta(days=RATE_DAYS - 1)).isoformat()
    judged = accepted = 0
    for date in store.days.dates("gate_verdicts"):
        if since <= date <= context.partition_key:
            levels = store.days.read("candidate_memories", date, ["candidate_sha", "level"])
            lessons = {row["candidate_sha"] for row in levels if row["level"] != "R"}
            rows = store.days.read("gate_verdicts", date, ["candidate_sha", "verdict"])
            rows = [row for row in rows if row["candidate_sha"] in lessons]
            judged += len(rows)
            accepted += sum(row["verdict"] == "accepted" for row in rows)
    rate = accepted / judged if judged else 0.0
    too_high = judged >= RATE_FROM and rate >= RATE_BOUND
    problems = [f"{accepted} of {judged} candidates were accepted"] if too_high else []
    return warning(
        problems,
        "a gate that lets most of a stream through fills the memory with noise",
        "read the accepted rows of these days; tighten memory/gate.py where they say nothing",
        judged=judged,
        accepted=accepted,
        rate=rate,
    )
