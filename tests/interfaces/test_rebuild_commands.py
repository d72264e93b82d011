"""`mem rebuild` and `mem gate replay`: exit codes, JSON, and that nothing is touched unasked."""

import json
import shutil
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

sys.path.insert(0, str(Path(__file__).parents[2]))

from mem_assets.interfaces import cli, rebuild_commands
from mem_assets.memory import replay
from mem_assets.memory.model import Verdict
from mem_assets.storage.memory_log import MemoryLog
from tests.pipeline.project import DATES, files_below, land, run_everything
from tests.rebuild.doubles import opener


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    root = tmp_path_factory.mktemp("commands")
    land(root / "landing")
    run_everything(root / "home", root / "landing")
    return root / "home"


@pytest.fixture
def use(made, tmp_path, monkeypatch):
    """Runs `mem` on a copy of the home; `engines` says with what a rebuild is made."""
    home = tmp_path / "home"
    shutil.copytree(made, home)
    monkeypatch.setenv("MEM_HOME", str(home))

    def run(*args, engines=None):
        monkeypatch.setattr(rebuild_commands, "engines", lambda _: engines or opener())
        return CliRunner().invoke(cli.app, list(args))

    run.home = home
    return run


def test_rebuild_without_from_log_is_wrong_usage(use):
    result = use("rebuild")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "--from-log" in result.stderr


def test_rebuild_says_unchanged_and_touches_nothing(use):
    before = files_below(use.home)
    result = use("rebuild", "--from-log")
    assert result.exit_code == 0, result.output
    assert files_below(use.home) == before
    assert "memories: 4 unchanged" in result.stdout
    assert "that of the published generation" in result.stdout
    told = json.loads(use("rebuild", "--from-log", "--json").stdout)
    assert (told["status"], told["counts"]["memory"]) == ("unchanged", {"unchanged": 4})
    assert told["digest"] == told["published_digest"]


def test_rebuild_shows_what_differs_and_accepts_only_when_told(use):
    before = files_below(use.home)
    other = opener("other", model_id="another-double")
    result = use("rebuild", "--from-log", engines=other)
    assert result.exit_code == 5
    assert "memories: 4 model changed" in result.stdout
    assert "model_id: hashing-double -> another-double" in result.stdout
    assert files_below(use.home) == before
    result = use("rebuild", "--from-log", "--accept", "--publish", engines=other)
    assert result.exit_code == 5
    assert "4 records were appended" in result.stdout
    assert use("rebuild", "--from-log", engines=other).exit_code == 0


def test_rebuild_names_a_damaged_record(use):
    path = MemoryLog(use.home).path(DATES[0])
    path.write_bytes(path.read_bytes().replace(b"npm", b"npn", 1))
    for args in ((), ("--json",)):
        result = use("rebuild", "--from-log", *args)
        assert result.exit_code == 3
        assert f"{DATES[0]}.jsonl:1: " in result.stderr
    assert json.loads(result.stdout)["status"] == "failed"


def test_rebuild_of_no_home_is_wrong_usage(use, monkeypatch, tmp_path):
    monkeypatch.setenv("MEM_HOME", str(tmp_path / "nothing"))
    assert use("rebuild", "--from-log").exit_code == 2
    assert not (tmp_path / "nothing").exists()


def test_replay_of_the_same_policy_changes_nothing(use):
    before = files_below(use.home)
    result = use("gate", "replay")
    assert result.exit_code == 0, result.output
    assert "no change" in result.stdout
    assert files_below(use.home) == before
    assert json.loads(use("gate", "replay", "--json", "--date", DATES[0]).stdout)["changes"] == []
    assert use("gate", "replay", "--date", "2020-01-01").exit_code == 1


def test_replay_says_what_another_policy_would_change_and_writes_nothing(use, monkeypatch):
    def strict(candidates, retracted):
        return [
            Verdict(c.candidate_sha, c.memory_sha, "rejected", "says_why", "no cause", "2-strict")
            for c in candidates
        ]

    monkeypatch.setattr(replay, "judge", strict)
    before = files_below(use.home)
    result = use("gate", "replay", "--date", DATES[0])
    assert result.exit_code == 5
    assert f"newly rejected: {DATES[0]}/notes/web.md" in result.stdout
    assert "+ says_why (policy 2-strict): no cause" in result.stdout
    assert "stays until it is retracted" in result.stdout
    changes = json.loads(use("gate", "replay", "--json").stdout)["changes"]
    assert {change["change"] for change in changes} >= {"newly_rejected"}
    assert {change["new_policy"] for change in changes} == {"2-strict"}
    assert files_below(use.home) == before


def test_help_says_that_what_is_accepted_stays(use):
    shown = " ".join(use("gate", "replay", "--help").stdout.split())
    assert "What is accepted stays until it is retracted" in shown
