"""Writing a generation's serving files from its rows."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from mem_assets.hashing import sha256_json
from mem_assets.retrieval import lexical, vectors
from mem_assets.retrieval.tables import GenerationTables, Row
from mem_assets.storage.generation import Generation, write_generation
from mem_assets.storage.tables import DDL

SCHEMA_VERSION = 2
"""Of the tables and files of a generation."""


def build_generation(home: Path, tables: GenerationTables, inputs: Mapping[str, Any]) -> Generation:
    """Write generations/<id>/ and return it; nothing is published by that.

    inputs: log_heads {date: number of records}, embedder {model_id, engine_version, dimensions},
    rules_version, classes_version, catalogue_sha, policy_versions. The id is made of the digest
    and of everything else in the manifest, so that it names the content and nothing else.
    """
    manifest = {
        **inputs,
        "schema": SCHEMA_VERSION,
        "digest": tables.digest(),
        "incomplete": list(tables.incomplete),
        "counts": {name: len(rows) for name, rows in tables.rows.items()},
        "verdicts_sha": sha256_json([list(row) for row in tables.rows["gate_verdict"]]),
    }
    generation_id = f"{manifest['digest'][:16]}-{sha256_json(manifest)[:8]}"
    manifest["generation"] = generation_id
    return write_generation(home, generation_id, manifest, lambda folder: _fill(folder, tables))


def _fill(folder: Path, tables: GenerationTables) -> None:
    with duckdb.connect(str(folder / "memory.duckdb")) as connection:
        for table, columns in DDL.items():
            connection.execute(f"CREATE TABLE {table} ({columns})")
            insert(connection, table, tables.rows[table])
    published = {row[0]: row for row in tables.rows["memory"] if row[7] == "published"}
    for kind in ("text", "symptom"):
        rows = [
            (sha, line_no, vector)
            for sha, found_kind, line_no, vector, _ in tables.rows["memory_vector"]
            if found_kind == kind
        ]
        vectors.build_index(folder, kind, rows)
    symptoms: dict[str, list[str]] = {}
    for sha, _, line, *_ in tables.rows["symptom"]:
        symptoms.setdefault(sha, []).append(line)
    documents = [
        (sha, "\n".join([row[2], *symptoms.get(sha, [])]))
        for sha, row in sorted(published.items())
        if row[1] != "L0"
    ]
    lexical.build_index(folder, documents)


def insert(connection: duckdb.DuckDBPyConnection, table: str, rows: Sequence[Row]) -> None:
    """Add rows, given in the order of the table's columns."""
    if not rows:
        return
    names = [f"c{number}" for number in range(len(rows[0]))]
    arrow = pa.table(
        {n: pa.array(list(c)) for n, c in zip(names, zip(*rows, strict=True), strict=True)}
    )
    connection.register("incoming", arrow)
    connection.execute(f"INSERT INTO {table} SELECT * FROM incoming")
    connection.unregister("incoming")
