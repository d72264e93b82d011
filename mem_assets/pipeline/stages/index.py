"""From all days to one generation."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from mem_assets.hashing import sha256_lines, sha256_text
from mem_assets.memory.log import LogRecord
from mem_assets.memory.settle import Settled, settle
from mem_assets.pipeline.stages.acceptance import is_unit_vector
from mem_assets.pipeline.stages.embeddings import Embedder
from mem_assets.retrieval.build import build_generation
from mem_assets.retrieval.tables import GenerationTables, build_tables
from mem_assets.signature import RuleBook, rules_version
from mem_assets.storage.days import Days
from mem_assets.storage.generation import Generation
from mem_assets.storage.memory_log import MemoryLog
from mem_assets.symptom import catalogue_sha, classes_version


def build_index(
    home: Path, days: Days, log: MemoryLog, embedder: Embedder, rules: RuleBook | None = None
) -> Generation:
    """Build a generation from the memory log and the vectors that the days made.

    What is recorded stays, also where its day was made again without it and so holds its vector
    no more: such texts are embedded here, and only those.
    """
    records = log.read_all()
    known = day_vectors(days, embedder)
    tables = complete_tables(records, embedder, known, days.read_all("gate_verdicts"))
    return build_generation(home, tables, index_inputs(log_heads(records), embedder, rules))


def complete_tables(
    records: Sequence[LogRecord],
    embedder: Embedder,
    known: Mapping[str, np.ndarray],
    verdicts: Iterable[Mapping[str, Any]] = (),
) -> GenerationTables:
    """The rows that the records call for, with every vector that they need.

    known: vectors by their text's SHA-256; the embedder is asked for the others.
    """
    settled, verdicts = settled_once(records), list(verdicts)
    vectors = _Vectors(dict(known))
    while True:
        tables = build_tables(settled, vectors, embedder.model_id, records, verdicts)
        if not vectors.missing:
            return tables
        vectors.add_missing(embedder)


@dataclass(frozen=True)
class _Said:
    """Records, equal where they say the same: by their hashes, which their bodies fit."""

    sha: str
    records: Sequence[LogRecord] = field(compare=False)


def settled_once(records: Sequence[LogRecord]) -> Settled:
    """`settle`, done once in a process for the same records.

    Building the index, checking its digest and asking who waits each read and verify the log;
    comparing its texts with each other takes far longer, and is the same each time.
    """
    shas = (f"{record.record_sha} {record.entry.is_purged}" for record in records)
    return _settled(_Said(sha256_lines(shas), records))


@lru_cache(maxsize=1)
def _settled(said: _Said) -> Settled:
    return settle(said.records)


class _Vectors:
    """Vectors by their text's SHA-256, and the texts that were asked for in vain."""

    def __init__(self, known: dict[str, np.ndarray]) -> None:
        self.known = known
        self.missing: set[str] = set()

    def __call__(self, text: str) -> np.ndarray | None:
        vector = self.known.get(sha256_text(text))
        if vector is None:
            self.missing.add(text)
        return vector

    def add_missing(self, embedder: Embedder) -> None:
        texts = sorted(self.missing)
        made = embedder.embed(texts)
        self.known |= {sha256_text(text): v for text, v in zip(texts, made, strict=True)}
        self.missing.clear()


def log_heads(records: Iterable[LogRecord]) -> dict[str, int]:
    """How many records of each day were read."""
    heads: dict[str, int] = {}
    for record in records:
        heads[record.date] = max(heads.get(record.date, 0), record.seq)
    return heads


def index_inputs(
    heads: Mapping[str, int], embedder: Embedder, rules: RuleBook | None = None
) -> dict[str, Any]:
    """What a manifest says of where a generation came from."""
    return {
        "log_heads": dict(sorted(heads.items())),
        "embedder": {
            "model_id": embedder.model_id,
            "engine_version": embedder.engine_version,
            "dimensions": embedder.dimensions,
        },
        "rules_version": rules_version(rules),
        "classes_version": classes_version(),
        "catalogue_sha": catalogue_sha(),
    }


def day_vectors(days: Days, embedder: Embedder) -> dict[str, np.ndarray]:
    """The vectors of all days by their text's SHA-256.

    Those of another model or engine do not count, nor those that the day's own check refused:
    that check stands in another run, so it is asked here as well.
    """
    found: dict[str, np.ndarray] = {}
    for table in ("text_embeddings", "symptom_embeddings"):
        for row in days.read_all(table, ["text_sha", "vector", "model_id", "engine_version"]):
            vector = np.array(row["vector"], dtype=np.float32)
            made_by = (row["model_id"], row["engine_version"])
            if made_by == (embedder.model_id, embedder.engine_version) and is_unit_vector(
                vector, embedder.dimensions
            ):
                found[row["text_sha"]] = vector
    return found


def recomputed_digest(
    log: MemoryLog, heads: Mapping[str, int], days: Days, embedder: Embedder
) -> str:
    """The digest that the records up to `heads` call for; later ones are another index's."""
    records = [r for r in log.read_all() if r.seq <= heads.get(r.date, 0)]
    return complete_tables(records, embedder, day_vectors(days, embedder)).digest()
