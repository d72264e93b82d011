"""A reader sees a whole generation or the one before it; the pointer never goes back by itself."""

import pytest

from mem_assets.storage.generation import (
    KEPT_GENERATIONS,
    GenerationDamaged,
    NoGeneration,
    PublishRefused,
    current_id,
    open_current,
    open_generation,
    publish,
    rollback,
    write_generation,
)


def manifest(name, **heads):
    return {"generation": name, "digest": name, "log_heads": heads, "counts": {}, "embedder": {}}


def make(home, name, **heads):
    return write_generation(
        home, name, manifest(name, **heads), lambda folder: (folder / "data").write_text(name)
    )


def test_nothing_published_says_what_to_run(tmp_path):
    with pytest.raises(NoGeneration, match="make demo"):
        open_current(tmp_path)


def test_a_build_that_fails_leaves_nothing_behind(tmp_path):
    def fail(folder):
        (folder / "data").write_text("half")
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        write_generation(tmp_path, "g1", manifest("g1"), fail)
    assert list((tmp_path / "generations").iterdir()) == []
    with pytest.raises(NoGeneration):
        open_generation(tmp_path, "g1")


def test_a_generation_is_not_written_twice(tmp_path):
    make(tmp_path, "g1")
    write_generation(tmp_path, "g1", manifest("g1"), lambda _: pytest.fail("written again"))


@pytest.mark.parametrize(
    "damage",
    [
        lambda folder: (folder / "data").unlink(),
        lambda folder: (folder / "data").write_text("other"),
        lambda folder: (folder / "manifest.json").unlink(),
        lambda folder: (folder / "manifest.json").write_text("{"),
        lambda folder: (folder / "manifest.json").write_text("{}"),
        lambda folder: (folder / "files.json").write_text("[]"),
    ],
)
def test_a_damaged_generation_is_written_anew(tmp_path, damage):
    damage(make(tmp_path, "g1").path)
    again = make(tmp_path, "g1")
    assert (again.path / "data").read_text() == "g1"
    assert again.faults(by_hash=True) == []
    hidden = [p for p in (tmp_path / "generations").iterdir() if p.name.endswith(".tmp")]
    assert hidden == []


def test_damage_is_named_by_size_and_by_hash(tmp_path):
    generation = make(tmp_path, "g1")
    (generation.path / "data").write_text("xx")
    assert generation.faults() == []
    assert generation.faults(by_hash=True) == ["g1: data is damaged"]
    (generation.path / "data").write_text("x")
    assert generation.faults() == ["g1: data is damaged"]
    (generation.path / "data").unlink()
    assert generation.faults() == ["g1: data is missing"]


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"generation": 5}', "[" * 100_000])
def test_a_damaged_pointer_says_so_and_is_mended_by_publishing(tmp_path, text):
    make(tmp_path, "g1")
    (tmp_path / "CURRENT").write_text(text)
    assert current_id(tmp_path) is None
    with pytest.raises(GenerationDamaged, match="CURRENT is damaged: run the job `index`"):
        open_current(tmp_path)
    publish(tmp_path, "g1")
    assert open_current(tmp_path).id == current_id(tmp_path) == "g1"


def test_rollback_skips_what_cannot_be_opened(tmp_path):
    for number in (1, 2, 3, 4):
        make(tmp_path, f"g{number}", d1=number)
        publish(tmp_path, f"g{number}")
    (tmp_path / "generations/g4/manifest.json").unlink()
    (tmp_path / "generations/g3/manifest.json").unlink()
    (tmp_path / "generations/g2/data").unlink()
    assert rollback(tmp_path).id == "g1"
    assert open_current(tmp_path).id == "g1"


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
