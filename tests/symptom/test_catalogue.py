import json
from collections.abc import Callable
from pathlib import Path

import pytest

from mem_assets.symptom import catalogue_sha, load_catalogue
from mem_assets.symptom.catalogue import MAX_SYMPTOM

ROW = {
    "id": "acme-gasket",
    "tool": "acme",
    "subjects": ["gasket"],
    "symptoms": ["acme: gasket blown"],
    "explains": ["The seal gave way under load."],
}
Writer = Callable[..., Path]


@pytest.fixture
def folder(tmp_path: Path) -> Writer:
    def write(*rows: object, name: str = "acme.jsonl") -> Path:
        texts = [row if isinstance(row, str) else json.dumps(row) for row in rows]
        (tmp_path / name).write_text("\n".join(texts) + "\n")
        return tmp_path

    return write


def test_the_packaged_catalogue_is_sound() -> None:
    entries = load_catalogue()
    assert len(entries) > 100
    assert [entry.id for entry in entries] == sorted({entry.id for entry in entries})


def test_users_add_folders(folder: Writer) -> None:
    path = folder(ROW, "", {**ROW, "id": "acme-valve", "subjects": []})
    entries = load_catalogue(path)
    added = {entry.id: entry for entry in entries if entry.tool == "acme"}
    assert set(added) == {"acme-gasket", "acme-valve"}
    assert added["acme-gasket"].symptoms == ("acme: gasket blown",)
    assert catalogue_sha(entries) != catalogue_sha()


def test_sha_is_of_content_in_any_order() -> None:
    entries = load_catalogue()
    assert catalogue_sha(entries[::-1]) == catalogue_sha() == catalogue_sha(entries)
    assert catalogue_sha(entries[1:]) != catalogue_sha()


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ("{", "not JSON"),
        ("[]", "a JSON object is wanted"),
        ({key: ROW[key] for key in ROW if key != "tool"}, "['tool']"),
        ({**ROW, "why": 1}, "['why']"),
        ({**ROW, "id": " x "}, "'id' must be a word"),
        ({**ROW, "tool": 3}, "'tool' must be a word"),
        ({**ROW, "symptoms": []}, "'symptoms' must be a list of lines"),
        ({**ROW, "explains": "prose"}, "'explains' must be a list of lines"),
        ({**ROW, "symptoms": [" "]}, "'symptoms' must be a list of lines"),
        ({**ROW, "symptoms": ["x", "x"]}, "holds a line twice"),
        ({**ROW, "symptoms": ["x" * (MAX_SYMPTOM + 1)]}, "one line of at most"),
        ({**ROW, "symptoms": ["x\ny"]}, "one line of at most"),
    ],
)
def test_a_wrong_entry_is_refused_by_file_and_line(folder: Writer, row: object, says: str) -> None:
    with pytest.raises(ValueError, match=r"^acme\.jsonl:2: ") as caught:
        load_catalogue(folder({**ROW, "id": "acme-first"}, row))
    assert says in str(caught.value)


def test_an_id_that_stands_twice_names_both_places(folder: Writer) -> None:
    folder(ROW, name="a.jsonl")
    with pytest.raises(ValueError, match=r"^b\.jsonl:1: .*a\.jsonl:1 already"):
        load_catalogue(folder(ROW, name="b.jsonl"))


def test_a_missing_folder_says_so(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="is missing"):
        load_catalogue(tmp_path / "none")
