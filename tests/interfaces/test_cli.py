import json
import os
import subprocess
import sys

import pytest
from known import BODY, DECISION, ERESOLVE, LOG, MISS, PEER
from small_generation import build

from mem_assets.engines.errors import EngineMissing
from mem_assets.hashing import canonical_json
from mem_assets.interfaces import cli
from mem_assets.settings import Settings
from mem_assets.storage.generation import publish


@pytest.mark.parametrize(
    ("query", "tool", "code", "shown"),
    [
        (ERESOLVE, None, 0, ["high", "exact tier, by signature", "[bold]Pinned[/bold]",
                             "2026-11-20/logs/npm/shop.log", "job build", PEER.sha[:12]]),
        (ERESOLVE, "npm", 0, ["exact tier, by signature"]),
        ("413 Request Entity Too Large", None, 0, ["hybrid tier", "Kong", "[catalogue:test]"]),
        (MISS, None, 1, ["Nothing known"]),
    ],
)  # fmt: skip
def test_context_for_people(mem, query, tool, code, shown):
    result = mem("context", query, *(["--tool", tool] if tool else []))
    assert result.exit_code == code, result.output
    for text in shown:
        assert text in result.stdout
    assert "\x1b" not in result.stdout


@pytest.mark.parametrize("way", ["argument", "stdin", "file"])
def test_context_takes_the_error_from_anywhere(mem, tmp_path, way):
    log = "noise\n" * 200 + ERESOLVE
    path = tmp_path / "run.log"
    path.write_text(log)
    args = {"argument": [log], "stdin": ["-"], "file": ["--file", str(path)]}[way]
    result = mem("context", *args, "--json", input=log if way == "stdin" else None)
    answer = json.loads(result.stdout)
    assert (result.exit_code, answer["tier"], answer["confidence"]) == (0, "exact", "high")
    assert answer["matches"][0]["memory_sha"] == PEER.sha


def test_json_is_canonical_and_stable(mem):
    first, second = (mem("context", ERESOLVE, "--json").stdout for _ in range(2))
    assert first == second
    assert first == canonical_json(json.loads(first)) + "\n"


def test_top_bounds_the_answers(mem):
    query = "Kong buffered the upload. React was bumped ahead of the widget kit."
    counts = [
        len(json.loads(mem("context", query, "--json", "--top", top).stdout)["matches"])
        for top in ("1", "5")
    ]
    assert counts == [1, 2]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ([], "give either the error"),
        (["x", "--file", "y"], "give either the error"),
        (["--file", "/no/such/file"], "cannot read /no/such/file: No such file"),
        (["--file", ""], "the name is empty; give a file"),
        (["  "], "the error is empty"),
        (["x", "--top", "0"], "'--top'"),
    ],
)
def test_wrong_usage(mem, args, message):
    result = mem("context", *args)
    assert result.exit_code == 2
    assert message in result.stderr


def test_a_failed_search_is_exit_code_3(mem, monkeypatch):
    def missing(settings):
        raise EngineMissing("run `make install`")

    monkeypatch.setattr(cli, "start_embedder", missing)
    result = mem("context", MISS, "--json")
    assert result.exit_code == 3
    assert json.loads(result.stdout)["status"] == "search_failed"
    assert result.stderr.startswith("mem: the search failed: EngineMissing: run `make install`")
    assert mem("context", ERESOLVE).exit_code == 0


def test_loading_the_engine_is_said_on_standard_error_first(monkeypatch, tmp_path, capsys):
    opened = []
    monkeypatch.setattr("mem_assets.engines.embedder.open_embedder", opened.append)
    cli.start_embedder(Settings(tmp_path, tmp_path, "2026-11-01"))
    out, err = capsys.readouterr()
    assert (out, len(err.splitlines())) == ("", 1)
    assert "loading the engine" in err
    assert opened == [tmp_path / "cache" / "vectors"]


def test_a_stale_index_is_said_beside_the_answer(mem, set_stale):
    set_stale(["2026-11-30 has logs that were never indexed"])
    result = mem("context", MISS, "--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout)["stale"] == "2026-11-30 has logs that were never indexed"
    assert "the index is stale: 2026-11-30" in result.stderr


@pytest.mark.parametrize("command", [["context", "x"], ["status"], ["symptoms", "show", "abcd"],
                                     ["rollback"]])  # fmt: skip
def test_without_a_generation(mem, monkeypatch, tmp_path, command):
    monkeypatch.setenv("MEM_HOME", str(tmp_path))
    result = mem(*command)
    assert result.exit_code == 3
    assert "no generation is published" in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


def test_explain_shows_the_way_to_the_hash(mem):
    result = mem("sig", "explain", "-", "--tool", "npm", input=ERESOLVE)
    explained = mem("sig", "explain", "-", "--tool", "npm", "--json", input=ERESOLVE)
    signature = json.loads(explained.stdout)["signature"]
    assert (result.exit_code, explained.exit_code) == (0, 0)
    for key in ("rule", "normalised", "sig_sha", "identity"):
        assert signature[key].splitlines()[0] in result.stdout
    assert f"{signature['line_start']}-{signature['line_end']}" in result.stdout


def test_explain_names_each_substitution(mem):
    line = "error: cannot open /home/ada/work/7f3a/demo.txt at 2026-11-20T10:11:12Z"
    signature = json.loads(mem("sig", "explain", "-", "--json", input=line).stdout)["signature"]
    assert signature["substitutions"]
    for change in signature["substitutions"]:
        assert sorted(change) == ["after", "before", "name"]
        assert change["name"] in mem("sig", "explain", "-", input=line).stdout


def test_explain_says_plainly_when_no_rule_matched(mem):
    line = "the flux capacitor is failing: error 88"
    result = mem("sig", "explain", "-", "--tool", "npm", input=line)
    assert "no rule of npm matched: read by the generic rules" in result.stdout


def test_explain_of_nothing(mem, tmp_path):
    assert mem("sig", "explain", "-", input="").exit_code == 1
    assert mem("sig", "explain", str(tmp_path / "absent")).exit_code == 2


def test_symptoms_show(mem):
    result = mem("symptoms", "show", BODY.sha[:8])
    assert result.exit_code == 0
    for text in ("413 Request Entity Too Large", "catalogue:test", "word-hash@1", "c0ffee"):
        assert text in result.stdout
    shown = json.loads(mem("symptoms", "show", PEER.sha, "--json").stdout)
    assert shown["symptoms"][0]["origin"] == f"evidence:{LOG.log_id}"
    assert shown["symptoms"][0]["line"]


@pytest.mark.parametrize(
    ("sha", "code", "message"),
    [
        (DECISION.sha, 0, "explains no failure"),
        ("f" * 64, 1, "no memory in generation"),
        ("ab", 2, "at least 4 characters"),
    ],
)
def test_symptoms_of_what_has_none(mem, sha, code, message):
    result = mem("symptoms", "show", sha)
    assert (result.exit_code, message in result.output) == (code, True)


def test_status(mem, set_stale):
    fresh = mem("status")
    assert fresh.exit_code == 0
    assert "fresh" in fresh.stdout
    assert "memory 4" in fresh.stdout
    set_stale(["2026-11-30: 3 records are not indexed"])
    stale = mem("status", "--json")
    assert stale.exit_code == 4
    assert json.loads(stale.stdout)["stale"] == ["2026-11-30: 3 records are not indexed"]
    assert "stale: 2026-11-30" in mem("status").stdout


def test_rollback_goes_one_back_and_then_says_that_there_is_no_more(mem, monkeypatch, tmp_path):
    monkeypatch.setenv("MEM_HOME", str(tmp_path))
    first = publish(tmp_path, build(tmp_path, [BODY]).id)
    second = publish(tmp_path, build(tmp_path, [BODY, PEER]).id)
    result = mem("rollback")
    assert result.stdout == f"rolled back from {second.id} to {first.id}\n"
    assert json.loads(mem("status", "--json").stdout)["generation"] == first.id
    assert mem("rollback").exit_code == 3


def test_help_documents_the_exit_codes(mem):
    for command in ([], ["context"], ["status"]):
        assert "Exit codes: 0 found" in " ".join(mem(*command, "--help").stdout.split())


def test_the_command_answers_exactly_without_anything_heavy(home):
    script = (
        "import sys\n"
        "from mem_assets.interfaces.cli import app\n"
        "code = app(sys.argv[1:], standalone_mode=False)\n"
        "heavy = {'dagster', 'torch', 'vllm', 'numpy', 'usearch', 'bm25s', 'polars', 'pyarrow'}\n"
        "print(code, sorted(heavy & set(sys.modules)), file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, "context", "-", "--json"],
        input=ERESOLVE,
        capture_output=True,
        text=True,
        env={**os.environ, "MEM_HOME": str(home)},
    )
    assert done.stderr.splitlines()[-1] == "0 []", done.stderr
    assert json.loads(done.stdout)["tier"] == "exact"
