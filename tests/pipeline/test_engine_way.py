"""The fixture landing on the real engine: errors find lessons that share no word with them."""

import dagster as dg
import pytest

from mem_assets.engines.embedder import CachedEmbedder, open_embedder
from mem_assets.pipeline.resources import Engine
from mem_assets.pipeline.run import run_day, run_index
from mem_assets.retrieval.lookup import lookup
from mem_assets.storage.generation import Generation, open_current
from tests.pipeline.project import with_engine
from tests.pipeline.test_fixture_landing import DATES, LANDING, place_memories, read_jsonl

pytestmark = pytest.mark.engine


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    home = tmp_path_factory.mktemp("engine")
    defs = with_engine(home, LANDING, Engine(cache=str(home / "cache")))
    with dg.DagsterInstance.ephemeral() as instance:
        for date in DATES:
            assert run_day(defs, instance, date).success, date
        result = run_index(defs, instance)
        assert result.success
        blocking = {"vectors_reproduce", "digest_follows_from_log"}
        passed = {e.check_name for e in result.get_asset_check_evaluations() if e.passed}
        assert blocking <= passed
    return home


@pytest.fixture(scope="module")
def generation(home) -> Generation:
    return open_current(home)


@pytest.fixture(scope="module")
def embedder(home) -> CachedEmbedder:
    return open_embedder(home / "cache")


@pytest.fixture(scope="module")
def memories(home):
    return {name: row["memory_sha"] for name, row in place_memories(home).items()}


def by_kind(how: str) -> list[dict]:
    return [case for case in read_jsonl("queries.jsonl") if case["how"] == how]


def test_errors_find_lessons_that_share_no_word_with_them(generation, embedder, memories):
    first = []
    for case in by_kind("meaning"):
        answer = lookup(generation, case["query"], case["tool"], embedder=lambda: embedder)
        if answer.matches and answer.matches[0].memory_sha == memories[case["expect"]]:
            first.append(case["expect"])
    assert len(first) >= 5, first


def test_a_lesson_without_any_log_is_found_by_its_projected_symptoms(
    generation, embedder, memories
):
    answer = lookup(generation, "413 Payload Too Large", embedder=lambda: embedder)
    best = answer.matches[0]
    assert (best.memory_sha, best.evidence) == (memories["upload-413"], ())
    assert any(line.origin.startswith("catalogue:") for line in best.how)


def test_what_nobody_wrote_about_is_never_sure(generation, embedder):
    statuses = []
    for case in by_kind("miss"):
        answer = lookup(generation, case["query"], case["tool"], embedder=lambda: embedder)
        statuses.append(answer.status)
        assert all(match.confidence == "low" for match in answer.matches), case["query"]
    assert "nothing_known" in statuses


def test_the_same_days_in_another_home_give_the_same_digest(home, generation, tmp_path):
    """Another order, and vectors from the cache: the digest names content and nothing else."""
    defs = with_engine(tmp_path, LANDING, Engine(cache=str(home / "cache")))
    with dg.DagsterInstance.ephemeral() as instance:
        for date in reversed(DATES):
            assert run_day(defs, instance, date).success, date
        assert run_index(defs, instance).success
    assert open_current(tmp_path).manifest == generation.manifest
