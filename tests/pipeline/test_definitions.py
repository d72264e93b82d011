"""What people see in the UI: every asset says what it is, whose it is and what its columns mean."""

import dagster as dg
import pytest

from mem_assets.definitions import defs
from mem_assets.pipeline.partitions import daily
from mem_assets.storage.schemas import TABLES

GRAPH = defs.resolve_asset_graph()
ASSETS = sorted(key.to_user_string() for key in GRAPH.materializable_asset_keys)

BLOCKING = {
    "raw_logs": {"every_file_accounted_for", "logs_hold_no_secret"},
    "signatures": {
        "signatures_are_deterministic",
        "normal_forms_hold_nothing_volatile",
        "pairs_hold",
    },
    "candidate_memories": {"chunks_cover_their_notes", "notes_hold_no_secret"},
    "gate_verdicts": {"every_candidate_is_judged"},
    "accepted_memories": {"only_what_passed_is_accepted"},
    "symptom_projections": {"symptoms_only_for_accepted_lessons", "projections_regenerate"},
    "text_embeddings": {"every_text_has_its_vector"},
    "symptom_embeddings": {"every_symptom_has_its_vector"},
    "memory_log": {"log_chain_verifies"},
    "memory_index": {"vectors_reproduce", "digest_follows_from_log"},
    "rebuilt_days": {"day_regenerates"},
}
TELLING = {
    "raw_logs": {"raw_logs_rejects"},
    "signatures": {"rule_sets_match", "signatures_rejects"},
    "candidate_memories": {"candidate_memories_rejects"},
    "accepted_memories": {"acceptance_rate"},
    "memory_index": {"nothing_is_left_out", "references_wait", "symptoms_find_their_memory"},
}


@pytest.mark.parametrize("name", ASSETS)
def test_every_asset_says_what_it_is(name):
    node = GRAPH.get(dg.AssetKey(name))
    assert node.description
    assert node.owners
    assert node.kinds
    assert node.group_name != "default"


def test_daily_assets_show_their_columns():
    shown = [name for name in ASSETS if name in TABLES]
    assert len(shown) == 9
    for name in shown:
        schema = GRAPH.get(dg.AssetKey(name)).metadata["dagster/column_schema"]
        assert [column.name for column in schema.columns] == list(TABLES[name].columns)


@pytest.mark.parametrize("blocking", [True, False])
def test_checks_stand_on_their_assets_with_their_severity(blocking):
    found: dict[str, set[str]] = {}
    for key in GRAPH.asset_check_keys:
        spec = GRAPH.get_check_spec(key)
        if spec.blocking == blocking:
            found.setdefault(key.asset_key.to_user_string(), set()).add(key.name)
    assert found == (BLOCKING if blocking else TELLING)


def test_nothing_of_a_day_goes_past_its_checks():
    """The memory log stands behind every gated asset that it records, the index behind it."""
    upstream = GRAPH.get(dg.AssetKey("memory_log")).parent_keys
    assert {key.to_user_string() for key in upstream} >= {
        "raw_logs", "signatures", "accepted_memories", "symptom_projections"
    }  # fmt: skip


def test_today_is_a_partition():
    assert daily.end_offset == 1
