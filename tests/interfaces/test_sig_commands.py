"""`mem sig`: comparing, replaying, and rules of one's own, as people and scripts see them."""

import json

import pytest
from known import ERESOLVE
from typer.testing import CliRunner

from mem_assets.hashing import canonical_json
from mem_assets.interfaces.cli import app
from mem_assets.storage.evidence import EvidenceStore
from mem_assets.storage.memory_log import MemoryLog
from tests.recorded import DATE, record

OTHER = ERESOLVE.replace("react@18.2.0", "vue@3.4.0")
RULE = (
    'schema = 1\ntool = "frob"\n[[rule]]\nname = "jam"\npattern = "^frob: jam"\n'
    'example = "frob: jam"\ncounter_example = "frob: ok"\n'
)


@pytest.fixture
def mem(monkeypatch, tmp_path):
    """Runs `mem` with a home and rules of the test's own, and sees what it wrote there."""
    for name in ("MEM_RULES", "MEM_PAIRS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("MEM_HOME", str(tmp_path / "home"))
    runner = CliRunner()
    return lambda *args, **more: runner.invoke(app, list(map(str, args)), **more)


@pytest.fixture
def rules(monkeypatch, tmp_path):
    def written(text=RULE):
        folder = tmp_path / "rules"
        folder.mkdir(exist_ok=True)
        (folder / "frob.toml").write_text(text)
        monkeypatch.setenv("MEM_RULES", str(folder))

    return written


@pytest.fixture
def logs(tmp_path):
    def written(*texts):
        paths = [tmp_path / f"{number}.log" for number in range(len(texts))]
        for path, text in zip(paths, texts, strict=True):
            path.write_text(text)
        return paths

    return written


@pytest.mark.parametrize(
    ("a", "b", "code", "shown"),
    [
        (ERESOLVE, ERESOLVE.replace("npm ERR!", "npm error"), 0, ["the same signature"]),
        (ERESOLVE, OTHER, 1, ["different signatures", "parts at line 2, column 17",
                              "npm ERR! Found: react@18.2.0", "npm ERR! Found: vue@3.4.0",
                              "the root line is the same", "nothing was replaced here"]),
        (ERESOLVE, "error[E0599]: no method\n", 1, ["another tool: A was read as output of npm, "
                                                    "B as output of cargo", "another rule fired"]),
        (ERESOLVE, "", 1, ["different signatures", "B has no signature"]),
        ("error: at /srv/a/x.c:3: bad 1\n", "error: at /srv/b/x.c:4: bad 2\n", 1,
         ["replaced absolute_path: ' /srv/a/x.c' by ' <PATH>/x.c'",
          "replaced absolute_path: ' /srv/b/x.c' by ' <PATH>/x.c'"]),
    ],
)  # fmt: skip
def test_compare_for_people(mem, logs, a, b, code, shown):
    result = mem("sig", "compare", *logs(a, b))
    assert result.exit_code == code, result.output
    for text in shown:
        assert text in result.stdout
    assert "\x1b" not in result.stdout


def test_compare_as_json(mem, logs):
    paths = logs(ERESOLVE, OTHER)
    result = mem("sig", "compare", *paths, "--tool", "npm", "--json")
    told = json.loads(result.stdout)
    assert result.stdout == canonical_json(told) + "\n"
    assert (result.exit_code, told["same"]) == (1, False)
    assert [cause["name"] for cause in told["causes"]] == ["other_details"]
    assert (told["parting"]["line"], told["parting"]["column"]) == (2, 17)
    assert told["a"]["name"] == str(paths[0])
    assert told["a"]["sig_sha"] != told["b"]["sig_sha"]
    same = json.loads(mem("sig", "compare", paths[0], "-", "--json", input=ERESOLVE).stdout)
    assert (same["same"], same["parting"], same["causes"]) == (True, None, [])
    missing = json.loads(mem("sig", "compare", paths[0], "-", "--json", input="").stdout)
    assert missing["b"]["sig_sha"] is None


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["-", "-"], "only one of the two can be standard input"),
        (["-", "/no/such/file"], "cannot read /no/such/file: No such file"),
        (["-"], "Missing argument"),
    ],
)
def test_compare_used_wrongly(mem, args, message):
    result = mem("sig", "compare", *args, input=ERESOLVE)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr


def test_what_is_compared_is_safe_to_print_and_without_secrets(mem, logs):
    secret = "ghp_" + "a1B2c3D4e5F6" * 3
    paths = logs(f"fatal: push with {secret} \u202efailed\n", "fatal: no\x9b0m such thing\n")
    for more in ([], ["--json"]):
        shown = mem("sig", "compare", *paths, *more).stdout
        assert secret not in shown
        assert not [c for c in shown if c in "\x1b\x9b\u202e"]


def test_compare_tells_that_a_lookup_finds_it_all_the_same(mem, logs):
    told = mem(
        "sig", "compare", *logs(ERESOLVE, f"##[group]Run npm ci\n{ERESOLVE}##[error]npm failed\n")
    )
    assert told.exit_code == 1
    assert "another tool: A was read as output of npm, B as output of github-actions" in told.stdout
    assert "so a lookup finds one from the other" in told.stdout


def test_explain_names_the_tool_without_rules_and_the_exit_code(mem):
    line = "the flux capacitor is failing: error 88\n"
    shown = mem("sig", "explain", "-", "--tool", "frob", input=line).stdout
    assert "there are no rules for frob: read by the generic rules" in shown
    told = json.loads(mem("sig", "explain", "-", "--tool", "npm", "--json", input=line).stdout)
    assert told["signature"]["notes"][0].startswith("no rule of npm matched")
    ended = mem(
        "sig", "explain", "-", input=f"{line}##[error]Process completed with exit code 3.\n"
    )
    assert "exit     3" in ended.stdout


def test_replay_where_nothing_differs(mem, tmp_path):
    record(tmp_path / "home", {"a.log": ERESOLVE, "b.log": OTHER})
    result = mem("sig", "replay")
    assert result.exit_code == 0, result.output
    assert "2 logs run again" in result.stdout
    assert "2 unchanged" in result.stdout
    assert result.stdout.endswith("nothing differs\n")


def test_replay_tells_what_rules_of_ones_own_change_and_writes_nothing(mem, tmp_path, rules):
    home = tmp_path / "home"
    record(home, {"a.log": "frob: jam 3\n", "b.log": ERESOLVE})
    before = {path: path.read_bytes() for path in home.rglob("*") if path.is_file()}
    rules()
    result = mem("sig", "replay")
    told = json.loads(mem("sig", "replay", "--json").stdout)
    assert {path: path.read_bytes() for path in home.rglob("*") if path.is_file()} == before
    assert result.exit_code == 1
    assert told["differs"] is True
    (moved,) = [group for group in told["groups"] if group["kind"] not in ("unchanged", "new")]
    (log,) = moved["logs"]
    assert log["path"] == f"{DATE}/logs/a.log"
    assert (log["before"]["rule"], log["after"]["rule"]) == ("generic.tail", "frob.jam")
    for text in (log["path"], "by generic.tail: frob: jam 3", "by frob.jam: frob: jam 3"):
        assert text in result.stdout
    assert [group["logs"][0]["path"] for group in told["groups"] if group["kind"] == "unchanged"]


def test_replay_names_what_could_not_be_run_and_then_is_no_success(mem, tmp_path):
    home = tmp_path / "home"
    record(home, {"a.log": ERESOLVE, "b.log": OTHER})
    body = MemoryLog(home).read(DATE)[0].entry.body
    EvidenceStore(home).path(body["text_sha"]).unlink()
    result = mem("sig", "replay")
    assert result.exit_code == 3
    assert "1 logs could not be run again" in result.stdout
    assert f"{body['path']}: its text is not stored any more" in result.stdout
    told = json.loads(mem("sig", "replay", "--json").stdout)
    assert (told["run"], [log["path"] for log in told["not_run"]]) == (1, [body["path"]])


def test_replay_shows_a_few_logs_of_a_group_and_says_how_many_more(mem, tmp_path, rules):
    record(tmp_path / "home", {f"{n}.log": "frob: jam 3\n" for n in range(8)})
    rules()
    assert "… and 3 more: --json shows all" in mem("sig", "replay").stdout


def test_replay_without_evidence(mem):
    result = mem("sig", "replay", "--json")
    assert (result.exit_code, json.loads(result.stdout)["status"]) == (3, "no_evidence")
    assert "run the daily job, or set MEM_HOME" in result.stderr


@pytest.mark.parametrize(
    "command",
    [["sig", "explain", "-"], ["sig", "compare", "-", "a.log"], ["sig", "replay"]],
)
def test_wrong_rules_of_ones_own_are_told_in_one_line(mem, tmp_path, monkeypatch, rules, command):
    rules(RULE.replace("^frob: jam", "("))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.log").write_text(ERESOLVE)
    record(tmp_path / "home", {"a.log": ERESOLVE})
    result = mem(*command, "--json", input=ERESOLVE)
    assert (result.exit_code, json.loads(result.stdout)["status"]) == (3, "rules_unusable")
    assert len(result.stderr.splitlines()) == 1
    for text in ("frob.toml: rule 'jam': 'pattern' is no RE2 pattern", "unset MEM_RULES"):
        assert text in result.stderr


def test_rules_of_ones_own_are_used(mem, rules):
    rules()
    told = json.loads(mem("sig", "explain", "-", "--json", input="frob: jam 3\n").stdout)
    assert told["signature"]["rule"] == "frob.jam"


@pytest.mark.parametrize("command", ["explain", "compare", "replay"])
def test_help_documents_the_exit_codes(mem, command):
    shown = " ".join(mem("sig", command, "--help").stdout.split())
    assert "Exit codes: 0 explained, the same signature, or nothing differs; 1" in shown
