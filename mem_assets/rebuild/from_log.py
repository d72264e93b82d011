"""A rebuild from the memory log and nothing else: regenerate, compare, and only then, where asked,
record and publish."""

import os
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyarrow import ArrowException

from mem_assets.memory.log import LogEntry, LogRecord
from mem_assets.memory.settle import Told, collect
from mem_assets.pipeline.stages.embeddings import Embedder
from mem_assets.pipeline.stages.index import complete_tables, index_inputs, log_heads
from mem_assets.rebuild.cached import compare_caches
from mem_assets.rebuild.projections import Project, Row, compare_projections, lessons_of, regenerate
from mem_assets.rebuild.published import compare_generation, read_by
from mem_assets.rebuild.report import DAMAGED, DRIFT, GENERATION, Finding, Report
from mem_assets.rebuild.signatures import compare_signatures, logs_of, signature_entries
from mem_assets.retrieval.build import build_generation
from mem_assets.retrieval.tables import GenerationTables
from mem_assets.signature import RuleBook
from mem_assets.storage.days import Days
from mem_assets.storage.generation import (
    FILES,
    MANIFEST,
    Generation,
    GenerationDamaged,
    NoGeneration,
    open_current,
    publish,
    write_generation,
)
from mem_assets.storage.memory_log import MemoryLog


@dataclass(frozen=True)
class Engines:
    """What a rebuild makes things with: vectors, projections of accepted memories, signatures."""

    embedder: Embedder
    project: Project
    rules: RuleBook | None = None


OpenEngines = Callable[[Path], Engines]
"""Engines whose caches lie below a folder, laid out as a home's `cache`."""


def rebuild(
    home: Path,
    open_engines: OpenEngines,
    *,
    use_cache: bool = False,
    accept: bool = False,
    publishing: bool = False,
) -> Report:
    """Make everything derived again from the log of a home, and compare.

    Works in a scratch folder beside the home and leaves the home as it is, but where `accept`
    appends records for changes that somebody made (never for drift), and `publishing` publishes
    the generation that the log then gives. `use_cache` begins with a copy of the home's cache
    instead of an empty one.

    Raises LogDamaged, naming file and line, where the log does not verify.
    """
    log = MemoryLog(home)
    with scratch_beside(home) as scratch:
        anew = engines = open_engines(scratch / "anew")
        if use_cache and (home / "cache").is_dir():
            shutil.copytree(home / "cache", scratch / "copied")
            engines = open_engines(scratch / "copied")
        records, current = log.read_all(), _current(home)
        told = collect(records)
        findings, proposed = regenerated(told, engines)
        findings += _compared(current, records, engines)
        if engines is not anew and any(DRIFT in finding.causes for finding in findings):
            # Made once more without the cache, which then is what is told apart.
            regenerated(told, anew)
            _tables(records, anew.embedder)
        accepted = _append(log, proposed) if accept else 0
        # What is published was made anew, whatever it was compared with.
        last = anew if publishing else engines
        generation = _build(scratch, log.read_all() if accepted else records, last, home)
        findings += compare_caches(home, scratch / "anew", scratch / "copied")
        if publishing:
            _publish(home, generation)
    return Report(
        tuple(findings),
        generation.manifest["digest"],
        (current.id, current.manifest["digest"]) if isinstance(current, Generation) else None,
        accepted,
        generation.id if publishing else None,
    )


@contextmanager
def scratch_beside(home: Path) -> Iterator[Path]:
    """An empty folder beside a home (else in the system's place for such), gone afterwards."""
    beside = home.parent if os.access(home.parent, os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix=f".{home.name}.rebuild.", dir=beside) as folder:
        yield Path(folder)


def regenerated(
    told: Told, engines: Engines, dates: Sequence[str] | None = None
) -> tuple[list[Finding], list[tuple[str, LogEntry]]]:
    """Findings on memories and logs, of all days or of some; and (day, record) to accept."""
    lessons = [m for m in lessons_of(told) if dates is None or m.date in dates]
    logs = [node for node in logs_of(told) if dates is None or node.date in dates]
    made = regenerate(lessons, engines.project)
    projections = compare_projections(told, lessons, made)
    signatures = compare_signatures(logs, engines.rules)
    proposed = [(f.date, made[f.name]) for f in projections if f.wanted]
    wanted = [finding for finding in signatures if finding.wanted]
    proposed += signature_entries(logs, wanted, engines.rules)
    return projections + signatures, proposed


def _current(home: Path) -> Generation | NoGeneration | GenerationDamaged:
    try:
        return open_current(home)
    except (NoGeneration, GenerationDamaged) as fault:
        return fault


def _tables(
    records: Sequence[LogRecord], embedder: Embedder, verdicts: Iterable[Row] = ()
) -> GenerationTables:
    return complete_tables(records, embedder, {}, verdicts)


def _compared(
    current: Generation | NoGeneration | GenerationDamaged,
    records: Sequence[LogRecord],
    engines: Engines,
) -> list[Finding]:
    """What became of the published generation; nothing where none is published."""
    match current:
        case NoGeneration():
            return []
        case GenerationDamaged():
            return [Finding(GENERATION, "CURRENT", "", (DAMAGED,), (str(current),))]
    read = read_by(current, records)
    inputs = index_inputs(log_heads(read), engines.embedder, engines.rules)
    return [compare_generation(current, records, _tables(read, engines.embedder), inputs)]


def _append(log: MemoryLog, proposed: Iterable[tuple[str, LogEntry]]) -> int:
    """Append what is new, day by day; the number of records."""
    of_day: dict[str, list[LogEntry]] = defaultdict(list)
    for date, entry in proposed:
        of_day[date].append(entry)
    return sum(log.append(date, of_day[date]) for date in sorted(of_day))


def _build(scratch: Path, records: Sequence[LogRecord], engines: Engines, home: Path) -> Generation:
    """A generation in the scratch folder. Verdicts are no part of what a rebuild needs or of a
    digest; those that still lie in the home go along, so that they can still be asked for."""
    tables = _tables(records, engines.embedder, _verdicts(home))
    inputs = index_inputs(log_heads(records), engines.embedder, engines.rules)
    return build_generation(scratch, tables, inputs)


def _verdicts(home: Path) -> list[dict[str, Any]]:
    try:
        return Days(home).read_all("gate_verdicts")
    except (OSError, ArrowException):
        return []


def _publish(home: Path, generation: Generation) -> None:
    """Move a generation from the scratch folder into the home, and the pointer to it."""

    def fill(folder: Path) -> None:
        left_out = shutil.ignore_patterns(MANIFEST, FILES)
        shutil.copytree(generation.path, folder, dirs_exist_ok=True, ignore=left_out)

    write_generation(home, generation.id, generation.manifest, fill)
    publish(home, generation.id)
