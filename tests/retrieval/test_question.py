import pytest
from small_generation import Log, Note, build

from mem_assets.hashing import canonical_json
from mem_assets.memory.redaction import redact
from mem_assets.retrieval.lookup import lookup
from mem_assets.retrieval.question import read_question
from mem_assets.retrieval.symptoms import read_symptoms

TOKEN = "ghp_" + "a1B2c3D4e5F6" * 3
SECRETS = [TOKEN, "AKIA" + "Q7RLZ2MNBVCX3K5T", "postgres://app:s3cr3t-Pa55@db/shop"]


def no_engine():
    raise AssertionError("the exact tier asked for the embedder")


@pytest.mark.parametrize("secret", SECRETS)
def test_a_failure_that_held_a_secret_is_found_by_its_raw_log(tmp_path, secret):
    raw = f"error: could not connect with {secret} to the orders service\n"
    stored, kinds = redact(raw)
    assert kinds
    note = Note("The key had been rotated; deploy the new one.", logs=(Log(stored),))
    answer = lookup(build(tmp_path, [note]), raw, embedder=no_engine)
    assert (answer.tier, answer.matches[0].matched) == ("exact", "signature")
    assert answer.matches[0].how[0].query == answer.matches[0].how[0].stored
    for part in (secret, secret.rpartition(":")[2].partition("@")[0]):
        assert part not in canonical_json(answer.to_dict())


@pytest.mark.parametrize("secret", SECRETS)
def test_a_secret_is_in_no_part_of_a_question(secret):
    question = read_question(f"error: could not connect with {secret} to the orders service")
    for part in (question.query, question.text, *(s.raw for s in question.signatures)):
        assert "REDACTED" in part
        assert secret not in part


HOSTILE = "\x9b31m\u202e\u2066\x1b[2J"


def test_every_field_of_an_answer_is_safe_to_print(tmp_path):
    log = Log(f"error: could {HOSTILE}not connect\n", path=f"d/{HOSTILE}x.log", job=HOSTILE)
    note = Note(f"The key {HOSTILE}was old.", logs=(log,), source=f"a{HOSTILE}", date="2026-11-21")
    generation = build(tmp_path, [note])
    answers = [
        lookup(generation, log.text, tool, embedder=no_engine) for tool in (None, f"npm{HOSTILE}")
    ]
    for value in (*answers, read_symptoms(generation, note.sha)):
        shown = canonical_json(value.to_dict())
        assert "\\u001b" not in shown
        assert not set(shown) & set(HOSTILE) - set("[2J31m")


def test_the_kind_and_heading_are_safe_too():
    from mem_assets.retrieval.records import MemoryRow, Support, make_match

    memory = MemoryRow("s", "L1", *(f"{HOSTILE}{name}" for name in ("text", "date", "kind",
                       "heading", "source")))  # fmt: skip
    match = make_match(memory, Support(), tier="exact", confidence="high", matched="signature",
                       why=HOSTILE, how=())  # fmt: skip
    assert (match.text, match.date, match.kind) == ("text", "date", "kind")
    assert (match.heading, match.source, match.why) == ("heading", "source", "")
