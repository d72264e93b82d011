"""A day's file is replaced whole, in the order of its key, with the same bytes each time."""

import random

import pytest

from mem_assets.storage.days import Days, DoubledKey, NotMaterialised
from mem_assets.storage.schemas import TABLES

DATE = "2026-11-24"


def verdict(name: str, rule: str = "says_why") -> dict[str, str]:
    return {
        "candidate_sha": name,
        "memory_sha": name * 2,
        "path": f"{DATE}/notes/{name}.md",
        "verdict": "rejected",
        "rule": rule,
        "reason": "no cause — keine Ursache",
        "policy_version": "1",
        "controller_answer": None,
        "controller_model_id": None,
        "controller_prompt_sha": None,
        "controller_parameters": None,
        "controller_engine_version": None,
    }


def test_any_order_of_rows_gives_the_same_bytes_and_version(tmp_path):
    days, rows = Days(tmp_path), [verdict(f"{n:03}") for n in range(50)]
    version = days.write("gate_verdicts", DATE, rows)
    written = days.path("gate_verdicts", DATE).read_bytes()
    for seed in range(5):
        random.Random(seed).shuffle(rows)
        assert days.write("gate_verdicts", DATE, rows) == version
        assert days.path("gate_verdicts", DATE).read_bytes() == written
    assert days.read("gate_verdicts", DATE) == sorted(rows, key=lambda r: r["candidate_sha"])


def test_other_content_is_another_version(tmp_path):
    days = Days(tmp_path)
    one = days.write("gate_verdicts", DATE, [verdict("a")])
    assert days.write("gate_verdicts", DATE, [verdict("a", "is_new")]) != one


def test_an_empty_day_is_a_file_and_a_missing_one_says_what_to_run(tmp_path):
    days = Days(tmp_path)
    with pytest.raises(NotMaterialised, match="--select gate_verdicts --partition 2026-11-24"):
        days.read("gate_verdicts", DATE)
    days.write("gate_verdicts", DATE, [])
    assert days.read("gate_verdicts", DATE) == []
    assert days.dates("gate_verdicts") == [DATE]


def test_two_rows_with_one_key_are_refused_and_the_old_file_stays(tmp_path):
    days = Days(tmp_path)
    days.write("gate_verdicts", DATE, [verdict("a")])
    with pytest.raises(DoubledKey, match="gate_verdicts 2026-11-24"):
        days.write("gate_verdicts", DATE, [verdict("b"), verdict("b", "is_new")])
    assert [row["candidate_sha"] for row in days.read("gate_verdicts", DATE)] == ["a"]


def test_a_failed_write_leaves_no_temporary_file(tmp_path):
    days = Days(tmp_path)
    with pytest.raises(TypeError, match="int"):
        days.write("gate_verdicts", DATE, [verdict("a") | {"rule": 5}])
    assert [p.name for p in days.path("gate_verdicts", DATE).parent.glob("*")] == []


def test_every_table_has_its_key_among_its_columns_and_describes_them():
    for table in TABLES.values():
        assert set(table.key) <= set(table.columns), table.name
        assert all(text for _, text in table.columns.values()), table.name
