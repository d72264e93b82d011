import gzip

import pytest

from mem_assets.signature.pairs import FIELDS, PairError
from mem_assets.storage import pair_files
from mem_assets.storage.pair_files import load_pairs, packaged_pairs

HEAD = "\t".join(FIELDS) + "\n"
SECRET = "ghp_" + "a1B2c3D4e5F6" * 3


@pytest.fixture
def own(tmp_path):
    def written(*rows):
        file = tmp_path / "own.tsv"
        file.write_text(HEAD + "\n".join("\t".join(row) for row in rows) + "\n")
        return file

    return written


def test_logs_are_read_from_the_folder_of_the_file_and_redacted(own, tmp_path):
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs/a.log.gz").write_bytes(gzip.compress(f"fatal: {SECRET}\n".encode()))
    (tmp_path / "b.log").write_text("error: b\n")
    file = own(("split", "git", "@logs/a.log.gz", "@b.log", "w"))
    mine = load_pairs(file).pairs[-1]
    assert mine.b == "error: b\n"
    assert mine.a.startswith("fatal: ")
    assert SECRET not in mine.a


def test_a_row_of_ones_own_stands_instead_of_the_packaged_one(own):
    packaged = load_pairs()
    inline = next(p.pair for p in packaged.pairs if p.pair.verdict == "split" and not p.pair.a.log)
    row = packaged_pairs().read_text().split("\n")[int(inline.place.rsplit(":", 1)[1]) - 1]
    _, tool, a, b, _ = row.split("\t")
    loaded = load_pairs(own(("merge", tool, a, b, "alike to us")))
    assert len(loaded.pairs) == len(packaged.pairs)
    (mine,) = [one for one in loaded.pairs if one.pair.key == inline.key]
    assert (mine.pair.verdict, mine.pair.why) == ("merge", "alike to us")


def test_an_installed_package_leaves_out_what_needs_the_logs(monkeypatch, tmp_path):
    whole = load_pairs()
    alone = tmp_path / "pairs.tsv"
    alone.write_text(packaged_pairs().read_text())
    monkeypatch.setattr(pair_files, "packaged_pairs", lambda: alone)
    found = load_pairs()
    assert found.left_out > 0
    assert len(found.pairs) + found.left_out == len(whole.pairs)
    assert len(found.pairs) >= 40
    assert not any(one.pair.a.log or one.pair.b.log for one in found.pairs)


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("a.log", None, "field 'a': a.log: No such file"),
        ("a.log", bytes(range(256)) * 9, "field 'a': a.log: "),
        ("a.log.gz", b"\x1f\x8b\x08cut", "field 'a': a.log.gz: "),
    ],
)
def test_a_log_that_cannot_be_read_is_named(own, tmp_path, name, data, says):
    if data is not None:
        (tmp_path / name).write_bytes(data)
    with pytest.raises(PairError) as error:
        load_pairs(own(("split", "git", f"@{name}", "b", "w")))
    assert f"own.tsv:2: {says}" in str(error.value)


@pytest.mark.parametrize("data", [None, b"\xff\xfe\x00"])
def test_a_file_that_cannot_be_read_is_named(tmp_path, data):
    file = tmp_path / "own.tsv"
    if data is not None:
        file.write_bytes(data)
    with pytest.raises(PairError, match=r"own\.tsv: cannot be read"):
        load_pairs(file)
