"""The labelled set is sound, and the gate keeps its bars on it."""

import json
from pathlib import Path

import pytest

from bench.gate_quality import DESERVING_BAR, UNDESERVING_BAR, table, told
from bench.gate_set import RIGHT, WRONG, WRONG_RULE, judged, load, rates

SET = Path(__file__).parents[2] / "fixtures" / "gate" / "labelled.jsonl"
LESSON = (
    "The cluster was rebuilt over the weekend and signs with a fresh authority; laptops still "
    "trusted the old one. Fetched the credentials again."
)
ENTRY = {
    "id": "g1", "level": "L1", "text": LESSON, "evidence": [], "source": "OPS-12", "kind": "note",
    "deserves": True, "why": "cause and fix: cluster",
}  # fmt: skip


def written(folder: Path, *entries: dict) -> Path:
    path = folder / "set.jsonl"
    path.write_text("\n".join(json.dumps(entry) for entry in entries) + "\n")
    return path


@pytest.fixture(scope="module")
def results():
    return judged(load(SET))


def test_the_labelled_set_is_large_enough(results):
    deserving = sum(one.label.deserves for one in results)
    assert deserving >= 60
    assert len(results) - deserving >= 140


def test_the_bars_hold(results):
    deserving, others = rates(results)
    misses = [told(one) for one in results if one.outcome != RIGHT]
    assert deserving >= DESERVING_BAR, misses
    assert others >= UNDESERVING_BAR, misses


def test_every_reason_says_what_to_do(results):
    for one in results:
        for verdict in one.verdicts:
            if not verdict.accepted:
                assert verdict.reason.startswith(("it ", "a ", "what ")), verdict.reason
                assert ": " in verdict.reason
                assert len(verdict.reason) < 220


def test_the_table_counts_each_kind_and_language(tmp_path):
    rejected = {"id": "g2", "deserves": False, "rule": "is_safe", "why": "vague remark"}
    german = {"id": "g3", "lang": "de", "text": "Keine Ahnung, läuft wieder.", "deserves": False}
    german |= {"rule": "says_why", "why": "other language"}
    path = written(tmp_path, ENTRY, ENTRY | rejected | {"text": "Fixed."}, ENTRY | german)
    lines = "\n".join(table(judged(load(path))))
    for kind, counts in (
        ("deserves: cause and fix", [1, 0, 0]),
        ("does not: vague remark", [0, 1, 0]),
        ("does not: language de", [1, 0, 0]),
        ("does not: together", [1, 1, 0]),
    ):
        (line,) = (line for line in lines.split("\n") if line.startswith(kind + " "))
        assert [int(count) for count in line.removeprefix(kind).split()] == counts


@pytest.mark.parametrize("kept", [0, 1])
def test_of_a_duplicate_and_its_original_either_may_stand(tmp_path, kept):
    longer = {"text": "FYI: " + LESSON}
    copy = {"id": "g2", "deserves": False, "rule": "is_new", "duplicate_of": "g1", "why": "copy"}
    entries = [ENTRY | (longer if kept == 0 else {}), ENTRY | copy | (longer if kept else {})]
    results = judged(load(written(tmp_path, *entries)))
    assert [one.accepted for one in results] == [kept == 0, kept == 1]
    assert {one.outcome for one in results} == {RIGHT}


def test_two_that_both_stand_are_no_duplicates(tmp_path):
    copy = {"id": "g2", "deserves": False, "rule": "is_new", "duplicate_of": "g1", "why": "copy"}
    other = {"text": "go build took the vendored copy of zlib, which is older. go mod vendor."}
    results = judged(load(written(tmp_path, ENTRY, ENTRY | copy | other)))
    assert [one.outcome for one in results] == [RIGHT, WRONG]
    assert WRONG_RULE not in {one.outcome for one in results}


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        (["{"], r"set\.jsonl:1: not JSON"),
        (["[]"], r"set\.jsonl:1: not an object"),
        ([{"id": "g1"}], r"no field deserves"),
        ([ENTRY | {"mood": 1}], r"unknown field 'mood'"),
        ([ENTRY | {"evidence": "a"}], r"the field evidence is no list"),
        ([ENTRY, ENTRY], r"set\.jsonl:2: the id 'g1' stands twice"),
        ([ENTRY | {"rule": "says_why"}], r"has a rule, and only that"),
        ([ENTRY | {"deserves": False}], r"has a rule, and only that"),
        ([ENTRY | {"deserves": False, "rule": "nice"}], r"'nice' is no rule"),
        ([ENTRY | {"level": "L7"}], r"not a note"),
        ([ENTRY | {"near_miss_of": "g9"}], r"g1: names g9"),
    ],
)
def test_a_faulty_set_is_refused_with_its_place(tmp_path, entries, message):
    path = tmp_path / "set.jsonl"
    path.write_text("\n".join(one if isinstance(one, str) else json.dumps(one) for one in entries))
    with pytest.raises(ValueError, match=message):
        load(path)
