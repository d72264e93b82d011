"""From all days to one generation."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from mem_assets.hashing import sha256_text
from mem_assets.memory.settle import settle
from mem_assets.pipeline.stages.embeddings import Embedder
from mem_assets.retrieval.build import build_generation
from mem_assets.retrieval.tables import GenerationTables, VectorOf, build_tables
from mem_assets.signature import rules_version
from mem_assets.storage.days import Days
from mem_assets.storage.generation import Generation
from mem_assets.storage.memory_log import MemoryLog
from mem_assets.symptom import catalogue_sha, classes_version


def build_index(home: Path, days: Days, log: MemoryLog, embedder: Embedder) -> Generation:
    """Build a generation from the memory log and the vectors that the days made.

    No vector is made here: a memory whose day has none yet is left out and named in the
    manifest, so a day that failed holds back nothing but its own.
    """
    records = log.read_all()
    tables = build_tables(
        settle(records),
        day_vectors(days, embedder.model_id),
        embedder.model_id,
        records,
        days.read_all("gate_verdicts"),
    )
    return build_generation(home, tables, index_inputs(log_heads(records), embedder))


def log_heads(records: list[Any]) -> dict[str, int]:
    """How many records of each day were read."""
    heads: dict[str, int] = {}
    for record in records:
        heads[record.date] = max(heads.get(record.date, 0), record.seq)
    return heads


def index_inputs(heads: Mapping[str, int], embedder: Embedder) -> dict[str, Any]:
    """What a manifest says of where a generation came from."""
    return {
        "log_heads": dict(sorted(heads.items())),
        "embedder": {
            "model_id": embedder.model_id,
            "engine_version": embedder.engine_version,
            "dimensions": embedder.dimensions,
        },
        "rules_version": rules_version(),
        "classes_version": classes_version(),
        "catalogue_sha": catalogue_sha(),
    }


def day_vectors(days: Days, model_id: str) -> VectorOf:
    """The vectors of all days by their text; those of another model do not count."""
    found: dict[str, np.ndarray] = {}
    for table in ("text_embeddings", "symptom_embeddings"):
        for row in days.read_all(table, ["text_sha", "vector", "model_id"]):
            if row["model_id"] == model_id:
                found[row["text_sha"]] = np.array(row["vector"], dtype=np.float32)
    return lambda text: found.get(sha256_text(text))


def recomputed_digest(log: MemoryLog, vectors: VectorOf, model_id: str) -> str:
    """The digest that the memory log alone calls for."""
    return _tables_of(log, vectors, model_id).digest()


def _tables_of(log: MemoryLog, vectors: VectorOf, model_id: str) -> GenerationTables:
    return build_tables(settle(log.read_all()), vectors, model_id)
