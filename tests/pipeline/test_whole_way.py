"""The promises that everything else leans on: run twice, in any order, side by side, killed at
any moment, and the answer is the same; and nothing goes past its gate."""

import itertools
import json
import multiprocessing
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import dagster as dg
import pytest

from mem_assets.memory.log import LogEntry
from mem_assets.memory.settle import settle
from mem_assets.pipeline.assets import index as index_assets
from mem_assets.pipeline.assets import vectors
from mem_assets.pipeline.gates import INDEX_GATES
from mem_assets.pipeline.run import QUIET, run_day, run_index
from mem_assets.retrieval.lookup import lookup
from mem_assets.storage.days import Days
from mem_assets.storage.generation import NoGeneration, open_current
from mem_assets.storage.memory_log import MemoryLog
from tests.pipeline.project import (
    DATES,
    NPM_LOG,
    definitions,
    files_below,
    index,
    land,
    run_days,
    run_everything,
)


@pytest.fixture(scope="module")
def landing(tmp_path_factory):
    root = tmp_path_factory.mktemp("landing")
    land(root)
    return root


@pytest.fixture(scope="module")
def reference(tmp_path_factory, landing):
    """(home, digest) of a plain run: days in order, one process, no accident."""
    home = tmp_path_factory.mktemp("reference")
    return home, run_everything(home, landing)


def test_lessons_reach_the_generation_with_evidence_and_signatures(reference):
    home, _ = reference
    with open_current(home).connect() as connection:
        rows = connection.execute(
            "SELECT text, status FROM memory WHERE level = 'L1' ORDER BY text"
        ).fetchall()
        linked = connection.execute(
            "SELECT DISTINCT tool FROM failure_signature ORDER BY tool"
        ).fetchall()
        kinds = connection.execute(
            "SELECT DISTINCT m.level, v.kind FROM memory_vector v JOIN memory m USING (memory_sha)"
        ).fetchall()
    assert [text.split()[0] for text, _ in rows] == ["A", "The", "Two", "We"]
    assert {status for _, status in rows} == {"published"}
    assert linked == [("go",), ("kubectl",), ("npm",)]
    assert {level for level, kind in kinds if kind == "symptom"} == {"L1"}
    assert {level for level, kind in kinds if kind == "text"} == {"L0", "L1", "R"}


def test_a_broken_file_is_a_reject_and_the_day_goes_on(reference):
    home, _ = reference
    rows = Days(home).read("rejects", "2026-11-26")
    assert [(row["stage"], row["path"]) for row in rows] == [
        ("raw_logs", "2026-11-26/logs/npm/broken.log.gz")
    ]
    assert len(Days(home).read("raw_logs", "2026-11-26")) == 2


def test_materialising_again_changes_no_byte(reference, landing):
    home, digest = reference
    before = files_below(home)
    assert run_everything(home, landing) == digest
    assert files_below(home) == before


def test_what_was_accepted_stays_when_its_note_and_its_log_are_gone(tmp_path, landing):
    """Landing files may be moved away after they were read: only a retraction forgets."""
    own = tmp_path / "landing"
    shutil.copytree(landing, own)
    home = tmp_path / "home"
    digest = run_everything(home, own)
    for name in ("notes/web.md", "logs/npm/web.log"):
        (own / DATES[0] / name).unlink()
    assert run_everything(home, own) == digest
    _assert_whole(home)


def test_lost_vectors_are_made_again(tmp_path, landing, reference):
    run_everything(tmp_path, landing)
    for name in ("text_embeddings", "symptom_embeddings"):
        for path in (tmp_path / "parquet" / name).glob("*.parquet"):
            path.unlink()
    assert index(tmp_path, landing) == reference[1]


def test_vectors_that_their_check_refused_are_not_taken(tmp_path, landing, reference):
    run_everything(tmp_path, landing)
    days = Days(tmp_path)
    rows = days.read("text_embeddings", DATES[0])
    days.write("text_embeddings", DATES[0], [row | {"vector": [9.0] * 384} for row in rows])
    assert index(tmp_path, landing) == reference[1]


def test_a_day_recorded_while_the_index_is_checked_does_not_fail_it(tmp_path, landing, monkeypatch):
    run_days(tmp_path, landing, DATES)
    honest = index_assets.build_index

    def overtaken(home, days, log, embedder, rules):
        generation = honest(home, days, log, embedder, rules)
        entry = LogEntry("memory_retracted", "e" * 64, {"reason": "meanwhile"})
        MemoryLog(tmp_path).append(DATES[2], [entry])
        return generation

    monkeypatch.setattr(index_assets, "build_index", overtaken)
    index(tmp_path, landing)


@pytest.mark.parametrize("order", [*itertools.permutations(DATES)][1:], ids=str)
def test_any_order_of_days_gives_the_same_digest(tmp_path, landing, reference, order):
    assert run_everything(tmp_path, landing, order) == reference[1]


def test_an_index_after_each_day_ends_at_the_same_digest(tmp_path, landing, reference):
    for date in reversed(DATES):
        run_days(tmp_path, landing, (date,))
        digest = index(tmp_path, landing)
    assert digest == reference[1]


def _run_day_in_process(home: Path, landing: Path, date: str) -> None:
    run_days(home, landing, (date,))


def test_days_side_by_side_while_a_reader_asks_in_a_loop(tmp_path, landing, reference):
    """No lock error, no half-written generation, no answer that a generation does not hold."""
    run_everything(tmp_path, landing, DATES[:1])
    spawn = multiprocessing.get_context("spawn")
    days = [
        spawn.Process(target=_run_day_in_process, args=(tmp_path, landing, d)) for d in DATES[1:]
    ]
    for day in days:
        day.start()
    asked = 0
    while any(day.is_alive() for day in days) or asked < 10:
        _assert_whole(tmp_path)
        asked += 1
    for day in days:
        day.join()
    assert [day.exitcode for day in days] == [0, 0]
    assert index(tmp_path, landing) == reference[1]


def _assert_whole(home: Path) -> None:
    generation = open_current(home)
    with generation.held(), generation.connect() as connection:
        for table, count in generation.manifest["counts"].items():
            (found,) = connection.execute(f"SELECT count(*) FROM {table}").fetchone() or (None,)
            assert found == count, table
    answer = lookup(generation, NPM_LOG, embedder=lambda: pytest.fail("a model was asked for"))
    assert answer.status == "found", answer.reason
    assert "lagging widget" in answer.matches[0].text
    assert answer.generation == generation.id


_LOOP = """
import sys
from pathlib import Path
from tests.pipeline.project import DATES, run_everything
run_everything(Path(sys.argv[1]), Path(sys.argv[2]))
"""


@pytest.mark.slow
def test_killed_at_ten_random_moments_and_run_again(tmp_path, landing, reference):
    """Nothing lost, nothing half-written is read, and the earlier generation stays readable."""
    run_everything(tmp_path, landing, DATES[:1])
    command = [sys.executable, "-c", _LOOP, str(tmp_path), str(landing)]
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
    started = time.monotonic()
    subprocess.run(command, env=environment, check=True, capture_output=True)
    whole = time.monotonic() - started
    moments = random.Random(20261124)
    killed = 0
    for _ in range(10):
        for path in (tmp_path / "parquet").rglob("2026-11-2[56].parquet"):
            path.unlink()
        run = subprocess.Popen(
            command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        # Most of a run is start-up; the later part is where files are written.
        until = time.monotonic() + whole * moments.uniform(0.4, 0.98)
        while time.monotonic() < until and run.poll() is None:
            _assert_whole(tmp_path)
        if run.poll() is None:
            run.send_signal(signal.SIGKILL)
            killed += 1
        run.wait()
        _assert_whole(tmp_path)
        for table in (tmp_path / "parquet").iterdir():
            for date in Days(tmp_path).dates(table.name):
                Days(tmp_path).read(table.name, date)
    assert killed >= 5
    assert run_everything(tmp_path, landing) == reference[1]
    told = settle(MemoryLog(tmp_path).read_all())
    assert told == settle(MemoryLog(reference[0]).read_all())


def test_a_failing_check_of_the_index_leaves_the_pointer(tmp_path, landing):
    """As after a change of model: vectors that are embedded again come out otherwise."""
    run_everything(tmp_path, landing, DATES[:2])
    pointer = (tmp_path / "CURRENT").read_bytes()
    run_days(tmp_path, landing, DATES[2:])
    defs = definitions(tmp_path, landing, uncached_seed="another model")
    with dg.DagsterInstance.ephemeral() as instance:
        result = run_index(defs, instance)
        failed = {e.check_name for e in result.get_asset_check_evaluations() if not e.passed}
        assert failed & set(INDEX_GATES) == {"vectors_reproduce"}
        assert (tmp_path / "CURRENT").read_bytes() == pointer
        alone = dg.materialize(
            [a for a in defs.assets or [] if a.key.path == ["published_generation"]],
            resources=defs.resources,
            instance=instance,
            raise_on_error=False,
        )
        assert not alone.success
    assert (tmp_path / "CURRENT").read_bytes() == pointer


def test_a_failing_check_of_projections_leaves_the_log_without_them(tmp_path, landing, monkeypatch):
    """A projector that invents symptoms for something the gate never accepted."""
    honest = vectors.projection_rows

    def inventing(accepted, embedder, projector):
        rows = honest(accepted, embedder, projector)
        return [*rows, rows[0] | {"memory_sha": "f" * 64}]

    monkeypatch.setattr(vectors, "projection_rows", inventing)
    defs = definitions(tmp_path, landing)
    with dg.DagsterInstance.ephemeral() as instance:
        result = run_day(defs, instance, DATES[0])
        failed = [e for e in result.get_asset_check_evaluations() if not e.passed]
        assert "symptoms_only_for_accepted_lessons" in {e.check_name for e in failed}
        assert MemoryLog(tmp_path).read(DATES[0]) == []
        alone = dg.materialize(
            [a for a in defs.assets or [] if a.key.path == ["memory_log"]],
            resources=defs.resources,
            instance=instance,
            partition_key=DATES[0],
            raise_on_error=False,
        )
        assert not alone.success
    assert MemoryLog(tmp_path).read(DATES[0]) == []
    with pytest.raises(NoGeneration):
        open_current(tmp_path)
    monkeypatch.undo()
    run_days(tmp_path, landing, DATES[:1])
    assert MemoryLog(tmp_path).read(DATES[0])


def test_checks_are_recorded_per_partition(tmp_path, landing):
    defs = definitions(tmp_path, landing)
    with dg.DagsterInstance.ephemeral() as instance:
        result = run_day(defs, instance, DATES[2])
        evaluations = result.get_asset_check_evaluations()
        assert {e.partition for e in evaluations} == {DATES[2]}
        failed = {e.check_name: e for e in evaluations if not e.passed}
        assert set(failed) == {"raw_logs_rejects"}
        warned = failed["raw_logs_rejects"]
        assert warned.severity == dg.AssetCheckSeverity.WARN
        assert "broken.log.gz" in json.dumps(warned.metadata["problems"].value)
    assert result.success


def test_a_range_of_days_loads_the_engine_once_and_its_check_names_the_bad_day(
    tmp_path, landing, monkeypatch
):
    defs = definitions(tmp_path, landing)
    with dg.DagsterInstance.ephemeral() as instance:
        for date in DATES:
            assert run_day(defs, instance, date).success
        result = _run_range(defs, instance, "symptom_projections", "symptom_embeddings")
        assert result.success
        honest = vectors.projection_rows

        def inventing(accepted, embedder, projector):
            rows = honest(accepted, embedder, projector)
            is_second_day = any("Fetched the credentials" in row["text"] for row in accepted)
            return [*rows, rows[0] | {"memory_sha": "f" * 64}] if is_second_day else rows

        monkeypatch.setattr(vectors, "projection_rows", inventing)
        result = _run_range(defs, instance, "symptom_projections", "symptom_embeddings")
    failed = [e for e in result.get_asset_check_evaluations() if not e.passed]
    named = {e.description.split(": ")[1] for e in failed if e.description}
    assert (result.success, named) == (False, {DATES[1]})


def _run_range(defs, instance, *names):
    job = dg.define_asset_job("range", selection=dg.AssetSelection.assets(*names))
    ranged = dg.Definitions(
        assets=defs.assets,
        asset_checks=defs.asset_checks,
        jobs=[job],
        resources=defs.resources,
        executor=dg.in_process_executor,
    )
    return ranged.resolve_job_def("range").execute_in_process(
        instance=instance,
        tags={
            "dagster/asset_partition_range_start": DATES[0],
            "dagster/asset_partition_range_end": DATES[-1],
        },
        raise_on_error=False,
        run_config=QUIET,
    )
