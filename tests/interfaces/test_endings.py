"""How the command ends, in a process of its own where that is what counts."""

import gzip
import json
import os
import subprocess
import sys

import pytest
from known import BODY, ERESOLVE, MISS, PEER
from small_generation import build

from mem_assets.interfaces import cli, log_input
from mem_assets.storage.generation import publish

MEM = [sys.executable, "-c", "from mem_assets.interfaces.cli import main; main()"]


def run(home, *args, **more):
    env = {**os.environ, "MEM_HOME": str(home), "MEM_LANDING": str(home), **more.pop("env", {})}
    return subprocess.run([*MEM, *args], env=env, stderr=subprocess.PIPE, text=True, **more)


def one_line(text):
    return text.startswith("mem: ") and len(text.splitlines()) == 1 and "Traceback" not in text


@pytest.mark.parametrize(
    "command",
    [["status"], ["status", "--json"], ["context", ERESOLVE], ["context", ERESOLVE, "--json"],
     ["sig", "explain", "-"], ["--help"]],
)  # fmt: skip
def test_a_reader_that_went_away_is_no_answer(home, command):
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = run(home, *command, stdout=writer, input=ERESOLVE)
    finally:
        os.close(writer)
    assert done.returncode == 141
    assert done.stderr == ""


def test_a_full_disk_is_a_failure_in_one_line(home):
    with open("/dev/full", "w") as full:
        done = run(home, "status", stdout=full)
    assert done.returncode == 3
    assert one_line(done.stderr), done.stderr


@pytest.mark.parametrize("command", [["context", "-"], ["sig", "explain", "-"]])
def test_closed_standard_input_is_wrong_usage(home, command):
    done = run(home, *command, stdout=subprocess.PIPE, preexec_fn=lambda: os.close(0))
    assert (done.returncode, done.stdout) == (2, "")
    assert "standard input: it is closed" in done.stderr
    assert one_line(done.stderr), done.stderr


ASKED = [["context", "x"], ["symptoms", "show", "abcd"], ["status"]]


def damage(home):
    generation = publish(home, build(home, [BODY]).id)
    (generation.path / "manifest.json").write_text("{")


def nothing(home):
    """No generation at all."""


def pointless(home):
    (home / "CURRENT").write_text("[]")


@pytest.mark.parametrize("command", ASKED)
@pytest.mark.parametrize(
    ("spoil", "named"),
    [(nothing, "no_generation"), (damage, "generation_damaged"), (pointless, "generation_damaged")],
)
def test_json_stays_json_where_no_generation_opens(
    mem, monkeypatch, tmp_path, command, spoil, named
):
    monkeypatch.setenv("MEM_HOME", str(tmp_path))
    spoil(tmp_path)
    result = mem(*command, "--json")
    assert result.exit_code == 3
    assert one_line(result.stderr), result.stderr
    told = json.loads(result.stdout)
    assert result.stderr == f"mem: {told['reason']}\n"
    if command[0] == "context":
        assert (told["status"], told["matches"]) == ("search_failed", [])
    else:
        assert told["status"] == named
    if command[0] == "status":
        assert told["stale"] == [told["reason"]]


@pytest.mark.parametrize("command", [*ASKED, ["rollback"]])
@pytest.mark.parametrize("inside", ["", "/deeper"])
def test_a_home_that_is_a_file_is_told(mem, monkeypatch, tmp_path, command, inside):
    (tmp_path / "file").write_text("x")
    monkeypatch.setenv("MEM_HOME", f"{tmp_path}/file{inside}")
    result = mem(*command)
    assert result.exit_code == 3
    assert "MEM_HOME must be a folder" in result.stderr
    assert one_line(result.stderr), result.stderr


def test_a_home_that_may_not_be_read_is_told(mem, monkeypatch, tmp_path):
    monkeypatch.setenv("MEM_HOME", str(tmp_path))
    monkeypatch.setattr("os.access", lambda *args: False)
    assert "permission denied" in mem("status").stderr


def test_explaining_needs_no_home(mem, monkeypatch):
    monkeypatch.setenv("MEM_HOME", "/dev/null")
    assert mem("sig", "explain", "-", input=ERESOLVE).exit_code == 0


def boom(*args, **more):
    raise RuntimeError("the disk\nwent \x1b[31maway")


@pytest.mark.parametrize(
    ("command", "place"),
    [
        (["context", "x"], "mem_assets.storage.generation.open_current"),
        (["status"], "mem_assets.storage.generation.open_current"),
        (["symptoms", "show", "abcd"], "mem_assets.retrieval.symptoms.read_symptoms"),
        (["rollback"], "mem_assets.storage.generation.rollback"),
        (["sig", "explain", "-"], "mem_assets.interfaces.explain.explain_signature"),
        (["context", "-"], "mem_assets.interfaces.log_input.read_log"),
    ],
)
def test_an_unforeseen_error_is_one_line(mem, monkeypatch, command, place):
    monkeypatch.setattr(place, boom)
    result = mem(*command, input=ERESOLVE)
    assert result.exit_code == 3
    assert result.stderr == "mem: RuntimeError: the disk went away\n"


@pytest.mark.parametrize(("debug", "shown"), [("", False), ("1", True)])
def test_debugging_shows_where_it_came_from(home, debug, shown):
    script = (
        "import mem_assets.storage.generation as g\n"
        "g.open_current = lambda home: 1 / 0\n"
        "from mem_assets.interfaces.cli import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, "status"],
        env={**os.environ, "MEM_HOME": str(home), "MEM_DEBUG": debug},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout) == (3, "")
    assert ("Traceback" in done.stderr) is shown
    assert done.stderr.splitlines()[-1] == "mem: ZeroDivisionError: division by zero"


def test_rollback_leaves_a_damaged_generation_behind(mem, monkeypatch, tmp_path):
    monkeypatch.setenv("MEM_HOME", str(tmp_path))
    first = publish(tmp_path, build(tmp_path, [BODY]).id)
    second = publish(tmp_path, build(tmp_path, [BODY, PEER]).id)
    (second.path / "manifest.json").write_text("{")
    assert mem("rollback").stdout == f"rolled back from {second.id} to {first.id}\n"
    (tmp_path / "CURRENT").write_text("{")
    result = mem("rollback")
    assert result.exit_code == 3
    assert one_line(result.stderr), result.stderr


@pytest.mark.parametrize("way", ["file", "stdin"])
def test_a_landed_log_can_be_asked_and_explained(mem, tmp_path, way):
    path = tmp_path / "web.log.gz"
    path.write_bytes(gzip.compress(ERESOLVE.encode()))
    given = {"input": path.read_bytes()} if way == "stdin" else {}
    asked = ["-"] if way == "stdin" else ["--file", str(path)]
    found = json.loads(mem("context", *asked, "--json", **given).stdout)
    assert found["matches"][0]["memory_sha"] == PEER.sha
    explained = mem("sig", "explain", asked[-1], "--json", **given)
    plain = mem("sig", "explain", "-", "--json", input=ERESOLVE)
    assert explained.stdout == plain.stdout


@pytest.mark.parametrize("command", [["context", "--file"], ["sig", "explain"]])
@pytest.mark.parametrize("data", [bytes(range(256)) * 20, b"PK\x03\x04zip", b"\x1f\x8b\x08cut"])
def test_what_is_no_log_is_wrong_usage(mem, tmp_path, command, data):
    path = tmp_path / "x.log"
    path.write_bytes(data)
    result = mem(*command, str(path))
    assert (result.exit_code, result.stdout) == (2, "")
    assert one_line(result.stderr), result.stderr


@pytest.mark.parametrize("command", [["context", "-"], ["sig", "explain", "-"]])
def test_that_the_middle_was_left_out_is_said(mem, monkeypatch, command):
    monkeypatch.setattr(log_input, "HEAD_BYTES", 2 << 20)
    monkeypatch.setattr(log_input, "TAIL_BYTES", 1 << 20)
    monkeypatch.setattr(cli, "start_embedder", None)
    log = "all is well\n" * 400_000 + ERESOLVE
    result = mem(*command, "--json", input=log)
    assert result.exit_code == 0
    assert "the middle of the log was left out" in result.stderr
    assert one_line(result.stderr), result.stderr


def test_what_goes_wrong_late_is_json_too(mem, monkeypatch):
    monkeypatch.setattr(cli, "staleness", boom)
    result = mem("context", MISS, "--json")
    assert (result.exit_code, json.loads(result.stdout)["status"]) == (3, "search_failed")


def test_no_signature_is_json_too(mem):
    result = mem("sig", "explain", "-", "--json", input="")
    assert (result.exit_code, json.loads(result.stdout)["status"]) == (1, "nothing_known")
