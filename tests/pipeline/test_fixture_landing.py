"""The fixture landing, all the way: real failures, real notes, one planted bad day.

Runs with the double as engine, so that what is asserted here holds without a model: rejects,
verdicts, secrets, the exact tier. What the real engine finds is shown by `make demo` and tested in
test_engine_way.py.
"""

import json
import re
from pathlib import Path

import pytest
import zstandard

from mem_assets.retrieval.lookup import lookup
from mem_assets.storage.days import Days
from mem_assets.storage.generation import open_current
from tests.doubles import HashingEmbedder
from tests.pipeline.project import run_everything

FIXTURES = Path(__file__).parents[2] / "fixtures"
LANDING = FIXTURES / "landing"
DATES = ("2026-11-24", "2026-11-25", "2026-11-26", "2026-11-27")
BAD_DAY = DATES[-1]


def read_jsonl(name: str) -> list[dict]:
    return [json.loads(line) for line in (FIXTURES / name).read_text().splitlines()]


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    home = tmp_path_factory.mktemp("fixtures")
    run_everything(home, LANDING, DATES)
    return home


@pytest.fixture(scope="module")
def memories(home):
    return place_memories(home)


def place_memories(home: Path) -> dict[str, dict]:
    """Fixture id to the candidate's row, by its place in the landing."""
    place_of = {}
    for row in Days(home).read_all("candidate_memories"):
        is_record = row["path"].endswith(".jsonl")
        place = f"{row['path']}:{row['line_start']}" if is_record else row["path"]
        place_of[(place, 0 if is_record else row["chunk"])] = row
    return {
        case["id"]: place_of[(case["note"], case["chunk"])] for case in read_jsonl("expected.jsonl")
    }


def test_the_fixtures_are_as_rich_as_they_claim():
    candidates, queries = read_jsonl("expected.jsonl"), read_jsonl("queries.jsonl")
    accepted = [case for case in candidates if case["accept"]]
    assert len(candidates) >= 40
    assert len(accepted) / len(candidates) < 0.3
    assert {case["how"] for case in queries} == {"signature", "meaning", "miss"}


def test_the_gate_agrees_with_the_labels(home, memories):
    verdicts = {row["candidate_sha"]: row for row in Days(home).read_all("gate_verdicts")}
    wrong = {
        case["id"]: (verdict["rule"], verdict["reason"])
        for case in read_jsonl("expected.jsonl")
        if (verdict := verdicts[memories[case["id"]]["candidate_sha"]])
        and (verdict["verdict"] == "accepted") != case["accept"]
    }
    assert wrong == {}


def test_decisions_get_no_symptom_and_incidents_are_known_as_such(home, memories):
    answers = {
        row["memory_sha"]: (row["explains_failure"], len(row["lines"]))
        for row in Days(home).read_all("symptom_projections")
    }
    wrong = {}
    for case in read_jsonl("expected.jsonl"):
        if case["accept"]:
            explains, lines = answers[memories[case["id"]]["memory_sha"]]
            if explains != case["explains_failure"] or (lines and not explains):
                wrong[case["id"]] = (explains, lines)
    assert wrong == {}


def test_what_is_bad_is_rejected_with_its_reason_and_the_rest_is_taken(home):
    found = {
        (f"{row['path'].split('!')[0]}:{row['line']}".removesuffix(":0"), row["reason"])
        for row in Days(home).read("rejects", BAD_DAY)
    }
    expected = {(case["path"], case["reason"]) for case in read_jsonl("expected_rejects.jsonl")}
    assert {(path.removesuffix(":1"), reason) for path, reason in found} == expected
    logs = {row["path"].split("/")[-1] for row in Days(home).read("raw_logs", BAD_DAY)}
    assert logs >= {"price-import.log", "tournee.log", "stock.log", "reports-pin.log"}
    with open_current(home).connect() as connection:
        (published,) = connection.execute(
            "SELECT count(*) FROM memory WHERE date = ? AND status = 'published'", [BAD_DAY]
        ).fetchone() or (0,)
    assert published >= 10


def test_planted_secrets_are_nowhere(home):
    """Not in Parquet, log, evidence, DuckDB, index or manifest, compressed or not."""
    secrets = [s.encode() for s in (FIXTURES / "planted_secrets.txt").read_text().splitlines() if s]
    assert len(secrets) >= 10
    landed = b"".join(p.read_bytes() for p in LANDING.rglob("*") if p.is_file())
    assert any(secret in landed for secret in secrets)
    haystacks = {
        str(path.relative_to(home)): path.read_bytes() for path in home.rglob("*") if path.is_file()
    }
    for table in (home / "parquet").iterdir():
        haystacks[table.name] = json.dumps(Days(home).read_all(table.name)).encode()
    for path in (home / "evidence").rglob("*.zst"):
        data = zstandard.ZstdDecompressor().decompressobj().decompress(path.read_bytes())
        haystacks[path.name] = data
    with open_current(home).connect() as connection:
        for (table,) in connection.execute("SHOW TABLES").fetchall():
            rows = connection.execute(f"SELECT * FROM {table}").fetchall()
            haystacks[f"table {table}"] = repr(rows).encode()
    leaks = {name for name, data in haystacks.items() for secret in secrets if secret in data}
    assert leaks == set()


@pytest.mark.parametrize(
    "case",
    [case for case in read_jsonl("queries.jsonl") if case["how"] == "signature"],
    ids=lambda case: case["expect"],
)
def test_the_same_failure_from_another_run_is_found_exactly(home, memories, case):
    answer = lookup(
        open_current(home),
        case["query"],
        case["tool"],
        embedder=lambda: pytest.fail("the exact tier asked for a model"),
    )
    best = answer.matches[0]
    assert (best.tier, best.memory_sha) == ("exact", memories[case["expect"]]["memory_sha"])
    assert best.evidence


def test_a_note_before_its_log_a_note_after_it_and_a_summary_are_published(home, memories):
    with open_current(home).connect() as connection:
        status = dict(connection.execute("SELECT memory_sha, status FROM memory").fetchall())
    for name in ("git-owner", "docker-engine", "rebuild-lesson"):
        assert status[memories[name]["memory_sha"]] == "published", name


def test_summaries_name_memories_that_exist(home, memories):
    """The hashes in weekend-rebuilds.md follow from other notes' texts; a change of chunking or
    redaction moves them, and then the note must be written anew."""
    note = LANDING / "2026-11-26/notes/weekend-rebuilds.md"
    named = set(re.findall(r"[0-9a-f]{64}", note.read_text()))
    assert named == {memories[name]["memory_sha"] for name in ("kube-ca", "git-owner")}


def test_meaning_queries_share_no_word_with_their_memory(memories):
    from mem_assets.symptom.words import content_stems

    for case in read_jsonl("queries.jsonl"):
        if case["how"] == "meaning":
            text = memories[case["expect"]]["text"]
            shared = content_stems(case["query"]) & content_stems(text)
            assert not {word for word in shared if len(word) > 2}, case["expect"]


def test_the_double_is_no_model(home):
    """Guards this file: were the double good at meaning, these tests would prove less."""
    one, other = HashingEmbedder().embed(["disk is full", "no space left on device"])
    assert one @ other < 0.5
