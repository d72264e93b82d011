"""One Parquet file per table and day, replaced whole."""

from collections.abc import Iterable, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from mem_assets.hashing import canonical_json, sha256_lines
from mem_assets.storage.atomic import replaced
from mem_assets.storage.schemas import TABLES, DayTable

Row = Mapping[str, Any]


class NotMaterialised(LookupError):
    """A day's file that another stage should have written is not there."""


class DoubledKey(ValueError):
    """Two rows of a day have one key; writing them would lose one."""


class Days:
    """The daily tables under a data home: parquet/<table>/<date>.parquet."""

    def __init__(self, home: Path) -> None:
        self.folder = home / "parquet"

    def path(self, table: str, date: str) -> Path:
        return self.folder / table / f"{date}.parquet"

    def dates(self, table: str) -> list[str]:
        """Days that have this table, in order."""
        return sorted(p.stem for p in (self.folder / table).glob("*.parquet") if p.name[0] != ".")

    def write(self, table: str, date: str, rows: Iterable[Row]) -> str:
        """Replace a day's rows; returns their content version.

        Rows are sorted by the table's key, so equal content gives equal bytes. A day without
        rows is an explicit empty file. Raises DoubledKey.
        """
        spec = TABLES[table]
        ordered = sorted(rows, key=lambda row: _key(spec, row))
        for one, other in pairwise(ordered):
            if _key(spec, one) == _key(spec, other):
                raise DoubledKey(f"{table} {date}: two rows with the key {_key(spec, one)}")
        frame = pa.Table.from_pylist([dict(row) for row in ordered], schema=spec.schema)
        with replaced(self.path(table, date)) as temporary:
            pq.write_table(frame, temporary, compression="zstd")
        return content_version(ordered)

    def read(self, table: str, date: str, columns: list[str] | None = None) -> list[dict[str, Any]]:
        """A day's rows, in the order of their key.

        Raises NotMaterialised where the day has none, with the way to make it.
        """
        path = self.path(table, date)
        if not path.exists():
            raise NotMaterialised(
                f"{table} of {date} is not there: materialise it first "
                f"(`dagster asset materialize --select {table} --partition {date}`)"
            )
        return pq.read_table(path, columns=columns, schema=_schema(table, columns)).to_pylist()

    def read_all(self, table: str, columns: list[str] | None = None) -> list[dict[str, Any]]:
        """Every day's rows, with their `date`, in the order of day and key."""
        return [
            row | {"date": date}
            for date in self.dates(table)
            for row in self.read(table, date, columns)
        ]


def content_version(rows: Iterable[Row]) -> str:
    """A hash of what rows say, whatever wrote them: file bytes carry the writer's version."""
    return sha256_lines(canonical_json(dict(row)) for row in rows)


def _key(spec: DayTable, row: Row) -> tuple[Any, ...]:
    return tuple(row[column] for column in spec.key)


def _schema(table: str, columns: list[str] | None) -> pa.Schema:
    schema = TABLES[table].schema
    if columns is None:
        return schema
    return pa.schema([schema.field(name) for name in columns])
