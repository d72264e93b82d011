"""What was recorded first stands; a damaged record is said, never overwritten."""

from dataclasses import replace

import pytest

from mem_assets.storage.chosen_lines import (
    ChoiceDamaged,
    ChosenLines,
    ChosenLineStore,
    recorded_lines,
)

KEY = "ab" * 32
FIRST = ChosenLines(("é one", "two\x1b[0m"), "LINE: one", "model@sha256:0", "p", "{}", "vllm 1")


def test_the_first_record_stands(tmp_path):
    store = ChosenLineStore(tmp_path)
    assert store.read(KEY) is None
    assert store.record(KEY, FIRST) == FIRST
    assert store.record(KEY, replace(FIRST, lines=(), model_id="other")) == FIRST
    assert ChosenLineStore(tmp_path).read(KEY) == FIRST
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == [f"{KEY}.json"]


def test_nothing_chosen_is_a_record_too(tmp_path):
    ChosenLineStore(tmp_path).record(KEY, replace(FIRST, lines=()))
    assert ChosenLineStore(tmp_path).record(KEY, FIRST).lines == ()


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b"{}", b'{"lines": 3}', b"\xff", b"null"])
def test_a_damaged_record_is_named(tmp_path, damage):
    store = ChosenLineStore(tmp_path)
    store.record(KEY, FIRST)
    store.path(KEY).write_bytes(damage)
    for use in (lambda: store.read(KEY), lambda: store.record(KEY, FIRST)):
        with pytest.raises(ChoiceDamaged, match=KEY):
            use()


def test_a_reader_gets_lines_and_writes_nothing(tmp_path):
    lines = recorded_lines(tmp_path, lambda text: KEY)
    assert lines("any") == ()
    ChosenLineStore(tmp_path).record(KEY, FIRST)
    assert lines("any") == FIRST.lines
    assert recorded_lines(tmp_path, lambda text: "cd" * 32)("any") == ()
