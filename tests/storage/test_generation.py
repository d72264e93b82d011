"""A reader sees a whole generation or the one before it; the pointer never goes back by itself."""

import pytest

from mem_assets.storage.generation import (
    KEPT_GENERATIONS,
    NoGeneration,
    PublishRefused,
    open_current,
    open_generation,
    publish,
    rollback,
    write_generation,
)


def make(home, name, **heads):
    return write_generation(
        home, name, {"log_heads": heads}, lambda folder: (folder / "data").write_text(name)
    )


def test_nothing_published_says_what_to_run(tmp_path):
    with pytest.raises(NoGeneration, match="make demo"):
        open_current(tmp_path)


def test_a_build_that_fails_leaves_nothing_behind(tmp_path):
    def fail(folder):
        (folder / "data").write_text("half")
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        write_generation(tmp_path, "g1", {"log_heads": {}}, fail)
    assert list((tmp_path / "generations").iterdir()) == []
    with pytest.raises(NoGeneration):
        open_generation(tmp_path, "g1")


def test_a_generation_is_not_written_twice(tmp_path):
    make(tmp_path, "g1")
    write_generation(tmp_path, "g1", {"log_heads": {}}, lambda _: pytest.fail("written again"))


def test_publish_and_roll_back(tmp_path):
    for number in (1, 2, 3):
        make(tmp_path, f"g{number}", d1=number)
        publish(tmp_path, f"g{number}")
    assert open_current(tmp_path).id == "g3"
    assert rollback(tmp_path).id == "g2"
    assert open_current(tmp_path).id == "g2"
    publish(tmp_path, "g3")
    assert [rollback(tmp_path).id, rollback(tmp_path).id] == ["g2", "g1"]
    with pytest.raises(NoGeneration, match="nothing to roll back"):
        rollback(tmp_path)


def test_an_overtaken_index_is_not_published(tmp_path):
    make(tmp_path, "new", d1=5, d2=1)
    make(tmp_path, "old", d1=5)
    publish(tmp_path, "new")
    with pytest.raises(PublishRefused, match="fewer records of d2"):
        publish(tmp_path, "old")
    assert open_current(tmp_path).id == "new"


def test_publishing_the_current_one_again_changes_nothing(tmp_path):
    make(tmp_path, "g1")
    publish(tmp_path, "g1")
    pointer = (tmp_path / "CURRENT").read_bytes()
    publish(tmp_path, "g1")
    assert (tmp_path / "CURRENT").read_bytes() == pointer


def test_old_generations_are_pruned_but_never_one_in_use(tmp_path):
    with make(tmp_path, "g00", d1=0).held():
        for number in range(KEPT_GENERATIONS + 4):
            make(tmp_path, f"g{number:02}", d1=number)
            publish(tmp_path, f"g{number:02}")
        kept = {path.name for path in (tmp_path / "generations").iterdir()}
    assert "g00" in kept
    assert kept - {"g00"} == {f"g{n:02}" for n in range(4, KEPT_GENERATIONS + 4)}
    make(tmp_path, "last", d1=99)
    publish(tmp_path, "last")
    assert not (tmp_path / "generations" / "g00").exists()
