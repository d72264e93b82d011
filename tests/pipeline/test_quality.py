"""What the index says of itself: who waits, whose vectors drift, whose symptoms find nothing."""

import pytest

from mem_assets.memory.log import LogEntry
from mem_assets.pipeline.stages.quality import (
    drifted_vectors,
    pending_references,
    symptom_ranks,
)
from mem_assets.storage.generation import open_current
from mem_assets.storage.memory_log import MemoryLog
from tests.doubles import HashingEmbedder
from tests.pipeline.project import land, run_everything


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    root = tmp_path_factory.mktemp("quality")
    land(root / "landing")
    run_everything(root / "home", root / "landing")
    return root / "home"


def test_vectors_that_come_out_otherwise_are_named(home):
    generation = open_current(home)
    assert drifted_vectors(generation, HashingEmbedder()) == ([], 16)
    problems, checked = drifted_vectors(generation, HashingEmbedder("other"))
    assert len(problems) == checked == 16
    assert "differs by up to" in problems[0]


def test_lessons_that_wait_are_listed_the_oldest_first(tmp_path):
    def waiting(sha: str, log: str) -> LogEntry:
        body = {"level": "L1", "kind": "incident", "text": f"lesson {sha}", "heading": ""}
        return LogEntry("memory_accepted", sha * 64, body | {"source": "", "evidence": [log]})

    log = MemoryLog(tmp_path)
    log.append("2026-11-26", [waiting("a", "2026-12-24/logs/x.log")])
    log.append("2026-11-24", [waiting("b", "2026-12-24/logs/y.log")])
    assert pending_references(log) == [
        "2026-11-24 bbbbbbbbbbbb waits for 2026-12-24/logs/y.log",
        "2026-11-26 aaaaaaaaaaaa waits for 2026-12-24/logs/x.log",
    ]


def test_symptoms_do_better_than_the_text(home):
    """Also with the double: a hidden line is found by its sister lines, not by the prose."""
    ranks = symptom_ranks(open_current(home))
    assert ranks.memories >= 1
    assert 0 < ranks.symptom_mrr <= 1
    assert ranks.symptom_mrr > ranks.text_mrr
