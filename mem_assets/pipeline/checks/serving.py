"""Gates of the memory log and of the index."""

import dagster as dg

from mem_assets.memory.log_faults import LogDamaged
from mem_assets.pipeline.checks.common import gate, verdict, warning
from mem_assets.pipeline.gates import latest_generation_id
from mem_assets.pipeline.resources import Engine, Store
from mem_assets.pipeline.stages.index import recomputed_digest
from mem_assets.pipeline.stages.quality import (
    Ranks,
    drifted_vectors,
    pending_references,
    symptom_ranks,
)
from mem_assets.storage.generation import (
    Generation,
    GenerationDamaged,
    NoGeneration,
    open_current,
    open_generation,
)


def published_heads(store: Store) -> dict[str, int]:
    """How many records of each day the published generation has read."""
    try:
        return dict(open_current(store.home_path).manifest["log_heads"])
    except (NoGeneration, GenerationDamaged):
        return {}


FOUND_FIRST_BOUND = 0.8
"""Share of memories that their own symptoms should find first."""


def built_generation(context: dg.AssetCheckExecutionContext, store: Store) -> Generation:
    """The generation that memory_index made last, published or not."""
    return open_generation(store.home_path, latest_generation_id(context.instance))


@dg.asset_check(**gate("memory_log"))
def log_chain_verifies(context: dg.AssetCheckExecutionContext, store: Store) -> dg.AssetCheckResult:
    """The day's chain of records holds, nothing stands in it twice, and no tail is missing."""
    date = context.partition_key
    try:
        records, problems = len(store.log.read(date)), []
    except LogDamaged as damage:
        records, problems = 0, [str(damage)]
    published = published_heads(store).get(date, 0)
    if not problems and records < published:
        problems = [f"{published} records were published, {records} are left"]
    return verdict(
        problems,
        "the memory log is what everything else is rebuilt from",
        "restore log/<date>.jsonl from a copy; never edit it by hand",
        records=records,
    )


@dg.asset_check(asset="memory_index", blocking=True)
def vectors_reproduce(
    context: dg.AssetCheckExecutionContext, store: Store, engine: Engine
) -> dg.AssetCheckResult:
    """A sample chosen by hash, embedded again without cache: identical."""
    problems, checked = drifted_vectors(built_generation(context, store), engine.uncached())
    return verdict(
        problems,
        "vectors of another model or machine do not compare with those of the index",
        "find out what changed (model, vLLM, hardware), then rebuild the embeddings",
        checked=checked,
    )


@dg.asset_check(asset="memory_index", blocking=True)
def digest_follows_from_log(
    context: dg.AssetCheckExecutionContext, store: Store, engine: Engine
) -> dg.AssetCheckResult:
    """The digest, recomputed from the log's records, is the generation's."""
    generation = built_generation(context, store)
    heads = generation.manifest["log_heads"]
    digest = recomputed_digest(store.log, heads, store.days, engine.embedder())
    same = digest == generation.manifest["digest"]
    return verdict(
        [] if same else [f"{generation.id} has {generation.manifest['digest']}, not {digest}"],
        "an index that does not follow from the record cannot be trusted or rebuilt",
        "materialise memory_index again; days that were written meanwhile are then taken",
    )


@dg.asset_check(asset="memory_index")
def nothing_is_left_out(
    context: dg.AssetCheckExecutionContext, store: Store
) -> dg.AssetCheckResult:
    """Every memory and log on record is in the index with all of its vectors."""
    left_out = built_generation(context, store).manifest["incomplete"]
    return warning(
        [f"{sha}: on record without a projection" for sha in left_out],
        "what is accepted must be found; these are not",
        "run their day again: it appends the projection that an interrupted run left out",
    )


@dg.asset_check(asset="memory_index")
def references_wait(context: dg.AssetCheckExecutionContext, store: Store) -> dg.AssetCheckResult:
    """References that wait for their log, the oldest first."""
    return warning(
        pending_references(store.log),
        "a lesson is not published before its evidence has arrived",
        "land the log under the path that the note names, or correct the note",
    )


@dg.asset_check(asset="memory_index")
def symptoms_find_their_memory(
    context: dg.AssetCheckExecutionContext, store: Store
) -> dg.AssetCheckResult:
    """The share of memories that one of their symptoms finds when that line itself is hidden
    (a shared signature counts), and whether symptoms do better than the text."""
    ranks = symptom_ranks(built_generation(context, store))
    return warning(_rank_problems(ranks), *_RANKS, **ranks.as_metadata())


_RANKS = (
    "symptoms that do not find their own memory only make the index larger",
    "`mem symptoms show SHA` shows the lines; look at the catalogue entry or the evidence",
)


def _rank_problems(ranks: Ranks) -> list[str]:
    if not ranks.memories:
        return []
    problems = []
    if ranks.found_first < FOUND_FIRST_BOUND:
        problems.append(f"{ranks.found_first:.0%} of {ranks.memories} memories are found first")
        problems += ranks.worst
    if ranks.symptom_mrr <= ranks.text_mrr:
        problems.append(
            f"mean reciprocal rank by symptom {ranks.symptom_mrr:.2f}, by text {ranks.text_mrr:.2f}"
        )
    return problems
