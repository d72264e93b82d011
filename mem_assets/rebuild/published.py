"""The published generation, compared row by row with the one that the log gives."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import duckdb
import numpy as np

from mem_assets.hashing import canonical_json
from mem_assets.memory.log import LogRecord
from mem_assets.rebuild.report import (
    BEHIND,
    DAMAGED,
    DRIFT,
    GENERATION,
    MODEL,
    RULES,
    UNCHANGED,
    Finding,
    changes,
)
from mem_assets.retrieval.tables import GenerationTables, Row, digest_of, plain_row
from mem_assets.storage.generation import Generation
from mem_assets.storage.tables import DIGESTED

SHOWN_ROWS = 10

RULE_VERSIONS = ("rules_version", "classes_version", "catalogue_sha")
"""Names in a manifest; the first shows in signatures, not in a digest, until it is accepted."""


def read_by(generation: Generation, records: Iterable[LogRecord]) -> list[LogRecord]:
    """The records that a generation was built from: later ones are no difference."""
    heads = generation.manifest["log_heads"]
    return [record for record in records if record.seq <= heads.get(record.date, 0)]


def lost_records(generation: Generation, records: Sequence[LogRecord]) -> list[str]:
    """Days of which the generation knows more records than the log has."""
    left: dict[str, int] = {}
    for record in records:
        left[record.date] = max(record.seq, left.get(record.date, 0))
    return [
        f"log/{date}.jsonl: {count} records were published, {left.get(date, 0)} are left; "
        "restore it from a copy"
        for date, count in sorted(generation.manifest["log_heads"].items())
        if left.get(date, 0) < count
    ]


def compare_generation(
    generation: Generation,
    records: Sequence[LogRecord],
    tables: GenerationTables,
    inputs: Mapping[str, Any],
) -> Finding:
    """Whether a published generation is what the records that it has read give now.

    tables: made of the records of `read_by`. inputs: as its manifest would name them now.
    """
    damage = generation.faults(by_hash=True)
    rows = None if damage else _rows_of(generation, damage)
    if rows is not None and digest_of(rows) != generation.manifest["digest"]:
        damage.append(f"{generation.id}: the rows of memory.duckdb do not have its digest")
    lost = lost_records(generation, records)
    same = tables.digest() == generation.manifest["digest"]
    causes, details = _versions(generation.manifest, inputs)
    if not same and not causes and not lost:
        causes = [DRIFT]
    if not same and rows is not None:
        details += _row_differences(rows, tables.rows)
    if same and causes:
        details.append("the digest comes out the same")
    causes = [*([DAMAGED] if damage else []), *([BEHIND] if lost else []), *causes]
    return Finding(
        GENERATION,
        generation.id,
        "",
        tuple(causes) or (UNCHANGED,),
        (*damage, *lost, *details),
        () if same else (f"digest {generation.manifest['digest']}",),
        () if same else (f"digest {tables.digest()}",),
    )


def _versions(then: Mapping[str, Any], now: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """What was changed since a generation was built: causes, and sentences."""
    embedder = changes(then["embedder"], now["embedder"], sorted(now["embedder"]))
    rules = changes(then, now, RULE_VERSIONS)
    causes = [*([MODEL] if embedder else []), *([RULES] if rules else [])]
    return causes, [*embedder, *rules]


def _rows_of(generation: Generation, damage: list[str]) -> dict[str, list[Row]] | None:
    """The digested tables as they stand in memory.duckdb; None, with a sentence, where it fails."""
    try:
        with generation.held(), generation.connect() as connection:
            return {
                table: [_typed(table, row) for row in _select(connection, table)]
                for table in DIGESTED
            }
    except duckdb.Error as error:
        damage.append(f"{generation.id}: memory.duckdb cannot be read ({error})")
        return None


def _select(connection: duckdb.DuckDBPyConnection, table: str) -> list[Row]:
    return connection.execute(f"SELECT * FROM {table}").fetchall()


def _typed(table: str, row: Row) -> Row:
    if table != "memory_vector":
        return row
    return (*row[:3], np.array(row[3], dtype=np.float32), *row[4:])


def _row_differences(
    published: Mapping[str, Sequence[Row]], rebuilt: Mapping[str, Sequence[Row]]
) -> list[str]:
    """A sentence a table that differs, and the first vectors that do."""
    found = []
    for table in DIGESTED:
        old, new = ({canonical_json(plain_row(r)): r for r in rows[table]}
                    for rows in (published, rebuilt))  # fmt: skip
        gone, come = old.keys() - new.keys(), new.keys() - old.keys()
        if gone or come:
            found.append(f"{table}: {len(gone)} published rows did not come again, {len(come)} new")
        if table == "memory_vector":
            found += _vector_differences([old[key] for key in gone], [new[key] for key in come])
    return found


def _vector_differences(gone: Iterable[Row], come: Iterable[Row]) -> list[str]:
    made = {row[:3]: row[3] for row in come}
    pairs = [(row[:3], row[3]) for row in gone if row[:3] in made]
    pairs.sort(key=lambda pair: pair[0])
    told = [
        f"vector {sha} {kind} {line}: differs by up to "
        f"{float(np.abs(vector - made[sha, kind, line]).max()):.2e}"
        for (sha, kind, line), vector in pairs[:SHOWN_ROWS]
    ]
    more = len(pairs) - len(told)
    return [*told, f"… and {more} more vectors"] if more > 0 else told
