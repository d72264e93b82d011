"""Each gate must be able to fail: what it lets through becomes part of the record for good."""

import numpy as np
import pytest

from mem_assets.hashing import sha256_text
from mem_assets.pipeline.stages import acceptance
from tests.doubles import HashingEmbedder

SHA, OTHER = "a" * 64, "b" * 64
DATE = "2026-11-24"
LOG = {
    "log_id": SHA,
    "path": f"{DATE}/logs/go/a.log",
    "tool": "go",
    "text": "./main.go:3:7: undefined: parseLimit\n",
    "exit_code": None,
    "job": None,
    "step": None,
    "url": None,
    "repo": None,
    "commit": None,
}
TOKEN = "ghp_" + "x7Qk2" * 7 + "z"
ACCEPTED = {
    "memory_sha": SHA,
    "candidate_shas": [SHA],
    "level": "L1",
    "evidence": ["logs/go/a.log"],
    "source": "",
}
ACCEPTING = {
    "candidate_sha": SHA,
    "path": "n.md",
    "verdict": "accepted",
    "rule": "accepted",
    "reason": "all rules passed",
    "policy_version": "1",
}
CANDIDATE = {"candidate_sha": SHA, "path": "n.md", "line_start": 1, "line_end": 2, "chunk": 0}
PROJECTION = {
    "memory_sha": SHA,
    "explains_failure": True,
    "lines": [{"line": "x", "origin": "quoted"}],
    "projector": "catalogue",
    "model_id": "m",
    "prompt_sha": "p",
    "parameters": "{}",
    "engine_version": "e",
}


def test_files_are_rows_or_rejects():
    files = [f"{DATE}/logs/a.log", f"{DATE}/logs/run.zip", f"{DATE}/logs/a.log.meta.json"]
    rows = [{"path": f"{DATE}/logs/a.log"}, {"path": f"{DATE}/logs/run.zip!1_build.txt"}]
    assert acceptance.unaccounted_files(files, rows, []) == []
    assert acceptance.unaccounted_files(files, rows[:1], [{"path": f"{DATE}/logs/run.zip"}]) == []
    assert "run.zip: neither" in acceptance.unaccounted_files(files, rows[:1], [])[0]
    assert "a row without a file" in acceptance.unaccounted_files(files[1:], rows, [])[0]


def test_secrets_left():
    assert acceptance.secrets_left([LOG], ("text", "url")) == []
    leaking = LOG | {"text": f"cloning with {TOKEN} failed"}
    assert LOG["path"] in acceptance.secrets_left([leaking], ("text",))[0]


def test_signatures_are_extracted_again_elsewhere():
    rows, _ = acceptance.signature_rows(DATE, [LOG])
    assert rows
    assert acceptance.unstable_signatures(DATE, [LOG], rows) == []
    tampered = [rows[0] | {"sig_sha": OTHER}]
    assert SHA in acceptance.unstable_signatures(DATE, [LOG], tampered)[0]
    assert acceptance.unstable_signatures(DATE, [LOG], []) != []


def test_volatile_parts_in_a_normal_form():
    row = {"path": "p", "rule": "go.build", "normalised": "undefined: parseLimit"}
    assert acceptance.volatile_left([row]) == []
    for part in ("2026-11-24T10:00:00Z", "/home/ci/src/a.go", "took 4m21s", "main.go:12:7"):
        assert acceptance.volatile_left([row | {"normalised": f"x {part} y"}]), part


@pytest.mark.parametrize(
    ("verdicts", "problem"),
    [
        ([ACCEPTING], None),
        ([], "0 verdicts"),
        ([ACCEPTING, ACCEPTING], "2 verdicts"),
        ([ACCEPTING, ACCEPTING | {"candidate_sha": OTHER}], "unknown candidate"),
        ([ACCEPTING | {"reason": ""}], "without rule or reason"),
    ],
)
def test_verdicts(verdicts, problem):
    problems = acceptance.unjudged([CANDIDATE], verdicts)
    assert problems == [] if problem is None else problem in " ".join(problems)


@pytest.mark.parametrize(
    ("accepted", "verdict", "retracted", "problem"),
    [
        ([ACCEPTED], ACCEPTING, (), None),
        ([ACCEPTED | {"evidence": [], "source": "T-1"}], ACCEPTING, (), None),
        ([ACCEPTED, ACCEPTED], ACCEPTING, (), "2 rows"),
        ([ACCEPTED], ACCEPTING | {"verdict": "rejected"}, (), "without a verdict"),
        ([ACCEPTED | {"candidate_shas": []}], ACCEPTING, (), "without a verdict"),
        ([ACCEPTED], ACCEPTING, {SHA}, "was retracted"),
        ([ACCEPTED | {"evidence": []}], ACCEPTING, (), "neither evidence nor source"),
    ],
)
def test_accepted(accepted, verdict, retracted, problem):
    problems = acceptance.wrongly_accepted(accepted, [verdict], retracted)
    assert problems == [] if problem is None else problem in " ".join(problems)


@pytest.mark.parametrize(
    ("projections", "accepted", "problem"),
    [
        ([PROJECTION], [ACCEPTED], None),
        ([PROJECTION], [ACCEPTED | {"level": "R"}], "it is R"),
        ([PROJECTION], [], "not accepted"),
        ([], [ACCEPTED], "never projected"),
        ([PROJECTION | {"explains_failure": False}], [ACCEPTED], "explains no failure"),
        ([PROJECTION | {"explains_failure": False, "lines": []}], [ACCEPTED], None),
    ],
)
def test_projected(projections, accepted, problem):
    problems = acceptance.wrongly_projected(projections, accepted)
    assert problems == [] if problem is None else problem in " ".join(problems)


@pytest.mark.parametrize(
    "name", ["projector", "model_id", "prompt_sha", "parameters", "engine_version"]
)
def test_projections_name_what_made_them(name):
    assert acceptance.unsigned_projections([PROJECTION]) == []
    assert acceptance.unsigned_projections([PROJECTION | {name: ""}]) == [f"{SHA}: no {name}"]


def embedding(**changes):
    vector = HashingEmbedder().embed(["text"])[0].tolist()
    return {"memory_sha": SHA, "vector": vector, "text_sha": sha256_text("text")} | changes


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ([embedding()], None),
        ([], "no vector"),
        ([embedding(), embedding()], "stand twice"),
        ([embedding(), embedding(memory_sha=OTHER)], "vector of nothing"),
        ([embedding(text_sha=sha256_text("other"))], "another text"),
        ([embedding(vector=[0.0] * 384)], "unit length"),
        ([embedding(vector=[float("nan")] * 384)], "finite"),
        ([embedding(vector=np.ones(3).tolist())], "finite"),
    ],
)
def test_vectors(rows, problem):
    problems = acceptance.faulty_vectors({(SHA, 0): "text"}, rows, HashingEmbedder())
    assert problems == [] if problem is None else problem in " ".join(problems)


def test_origins():
    assert acceptance.without_origin([CANDIDATE]) == []
    for change in ({"path": ""}, {"line_start": 0}, {"line_end": 0}):
        assert acceptance.without_origin([CANDIDATE | change]), change
