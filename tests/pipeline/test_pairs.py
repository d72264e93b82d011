"""The gate of the rules themselves: a broken pair stops a day, and a backfill asks once."""

import dagster as dg
import pytest

from mem_assets.pipeline.run import run_day
from mem_assets.pipeline.stages import pairs
from mem_assets.pipeline.stages.pairs import check_pairs
from mem_assets.signature import load_rules
from mem_assets.signature.pairs import FIELDS
from mem_assets.signature.rules import packaged_rules
from mem_assets.storage.memory_log import MemoryLog
from tests.doubles import DoubleEngine
from tests.pipeline.project import DATES, land, with_engine

HEAD = "\t".join(FIELDS) + "\n"
BROKEN = HEAD + "merge\tnpm\tnpm error a 1\tnpm error b 2\talike to nobody\n"
RULE = (
    'schema = 1\ntool = "frob"\n[[rule]]\nname = "jam"\npattern = "^frob: jam"\n'
    'example = "frob: jam"\ncounter_example = "frob: ok"\n'
)


@pytest.fixture
def runs(monkeypatch):
    """Counts how many pairs were really run."""
    counted = []
    real = pairs.broken
    monkeypatch.setattr(
        pairs, "broken", lambda pair, *a, **more: counted.append(pair) or real(pair, *a, **more)
    )
    return counted


@pytest.fixture
def own(tmp_path):
    file = tmp_path / "own.tsv"
    file.write_text(BROKEN)
    return file


def test_the_packaged_pairs_hold_and_are_run_once(tmp_path, runs):
    first = check_pairs(tmp_path, None, packaged_rules())
    assert first.problems == ()
    assert len(runs) == first.checked >= 40
    assert [check_pairs(tmp_path, None, packaged_rules()) for _ in range(3)] == [first] * 3
    assert len(runs) == first.checked


def test_they_are_run_again_when_pairs_rules_or_code_change(tmp_path, runs, own, monkeypatch):
    once = check_pairs(tmp_path, None, packaged_rules()).checked
    check_pairs(tmp_path, own, packaged_rules())
    assert len(runs) == 2 * once + 1
    own.write_text(BROKEN.replace("npm error b 2", "npm error c 2"))
    check_pairs(tmp_path, own, packaged_rules())
    assert len(runs) == 3 * once + 2
    (tmp_path / "frob.toml").write_text(RULE)
    check_pairs(tmp_path, None, load_rules(tmp_path))
    assert len(runs) == 4 * once + 2
    monkeypatch.setattr(pairs, "_code_version", lambda: "another")
    check_pairs(tmp_path, None, packaged_rules())
    assert len(runs) == 5 * once + 2


@pytest.mark.parametrize("damage", [b"", b"{", b"[1]", b"\xff"])
def test_a_damaged_file_of_the_cache_counts_as_absent(tmp_path, runs, own, damage):
    told = check_pairs(tmp_path, own, packaged_rules())
    (kept,) = (tmp_path / "cache" / "pairs").glob("*.json")
    kept.write_bytes(damage)
    assert check_pairs(tmp_path, own, packaged_rules()) == told
    assert len(runs) == 2 * told.checked


def test_what_is_kept_still_tells_what_broke(tmp_path, own):
    for _ in range(2):
        (problem,) = check_pairs(tmp_path, own, packaged_rules()).problems
        assert problem.startswith(f"{own}:2: must merge (alike to nobody): ")


def test_a_wrong_file_is_a_problem_with_line_and_field(tmp_path, own):
    own.write_text(HEAD + "join\tnpm\ta\tb\tw\n")
    (problem,) = check_pairs(tmp_path, own, packaged_rules()).problems
    assert problem.startswith(f"{own}:2: field 'verdict': 'join'")


def test_a_broken_pair_blocks_the_day(tmp_path, own):
    home, landing = tmp_path / "home", tmp_path / "landing"
    land(landing, DATES[:1])
    defs = with_engine(home, landing, DoubleEngine(), pairs=str(own))
    with dg.DagsterInstance.ephemeral() as instance:
        result = run_day(defs, instance, DATES[0])
        (told,) = [e for e in result.get_asset_check_evaluations() if e.check_name == "pairs_hold"]
    assert not result.success
    assert not told.passed
    assert told.description.startswith(f"1: {own}:2: must merge")
    assert MemoryLog(home).read(DATES[0]) == []


def test_the_memory_log_alone_does_not_go_past_it(tmp_path, own):
    home, landing = tmp_path / "home", tmp_path / "landing"
    land(landing, DATES[:1])
    sound = with_engine(home, landing, DoubleEngine())
    broken = with_engine(home, landing, DoubleEngine(), pairs=str(own))
    with dg.DagsterInstance.ephemeral() as instance:
        assert run_day(sound, instance, DATES[0]).success
        recorded = MemoryLog(home).read(DATES[0])
        job = broken.resolve_job_def("daily")
        alone = job.execute_in_process(
            instance=instance,
            partition_key=DATES[0],
            asset_selection=[dg.AssetKey("memory_log")],
            raise_on_error=False,
        )
    assert not alone.success
    assert MemoryLog(home).read(DATES[0]) == recorded
