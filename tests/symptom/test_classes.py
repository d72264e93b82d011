from pathlib import Path

import pytest

from mem_assets.symptom import classes as module
from mem_assets.symptom import classes_version, project_symptom
from mem_assets.symptom.classes import COMMON, ToolClasses, load_classes

TABLES = sorted({table.tool: table for table in load_classes().values()}.items())
EXAMPLES = [
    pytest.param(tool, entry.id, text, fires, id=f"{entry.id}-{fires}-{number}")
    for tool, table in TABLES
    for entry in table.classes
    for fires, texts in ((True, entry.match), (False, entry.differ))
    for number, text in enumerate(texts)
]


@pytest.mark.parametrize(("tool", "name", "text", "fires"), EXAMPLES)
def test_every_example_fires_its_class_and_no_near_one(
    tool: str, name: str, text: str, fires: bool
) -> None:
    fired = project_symptom("make" if tool == COMMON else tool, text).failure_class
    assert (fired == name) is fires, f"{text!r} fired {fired}"


def test_every_tool_of_the_design_has_classes_and_each_class_a_near_miss() -> None:
    names = {"npm", "cargo", "go", "kubectl", "docker", "terraform", "python", COMMON}
    assert {tool for tool, _ in TABLES} == names
    without = [e.id for _, t in TABLES for e in t.classes if not e.differ and not e.codes]
    assert without == []


def test_no_two_classes_of_a_tool_fire_on_one_example_line() -> None:
    """A class that answered for another's example would hash two failures alike."""
    for tool, table in TABLES:
        for entry in table.classes:
            for text in entry.match:
                fired = project_symptom("make" if tool == COMMON else tool, text)
                assert fired.normalised == entry.words


def read(tmp_path: Path, text: str) -> ToolClasses:
    path = tmp_path / "acme.toml"
    path.write_text(text)
    return module._read_table(path)


HEAD = 'schema = 1\ntool = "acme"\n'
CLASS = '[[class]]\nid = "acme.a"\nwords = "gasket valve"\nmatch = ["x"]\n'


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("tool = 'acme'", "schema = 1"),
        ("schema = 1\ntool = 'other'", "`tool` must be 'acme'"),
        (HEAD + "colour = 1", "unknown key 'colour'"),
        (HEAD + "= 1", "not TOML"),
        (HEAD + CLASS, "give `codes` or `phrases`"),
        (HEAD + CLASS + 'codes = ["X"]\nwhy = 1', "unknown key 'why'"),
        (HEAD + CLASS.replace("gasket valve", "valve gasket") + 'codes = ["X"]', "must be sorted"),
        (HEAD + CLASS.replace("gasket valve", "gone not") + 'codes = ["X"]', "no stop word"),
        (HEAD + CLASS.replace('["x"]', "[]") + 'codes = ["X"]', "'match' is missing"),
        (HEAD + CLASS + 'phrases = ["the of"]', "holds stop words only"),
        (
            HEAD + (CLASS.replace("gasket", "gasket pump") + 'codes = ["X"]\n') * 2,
            "'acme.a' stands twice",
        ),
        (HEAD + '[[family]]\nid = "f"\npattern = "e["\nprefix = "error"', "pattern"),
        (HEAD + '[[family]]\nid = "f"\npattern = "e1"\nprefix = "error"', "one group"),
        (HEAD + '[[family]]\nid = "f"', "keys are id, pattern, prefix"),
    ],
)
def test_a_wrong_table_is_refused_by_file_and_entry(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(ValueError, match=r"^acme\.toml: ") as caught:
        read(tmp_path, text)
    assert says in str(caught.value)


def test_two_classes_with_the_same_words_are_refused(tmp_path: Path) -> None:
    first = CLASS.replace("gasket", "gasket pump") + 'codes = ["X"]\n'
    table = read(tmp_path, HEAD + first + first.replace("acme.a", "acme.b"))
    common = load_classes()[COMMON]
    with pytest.raises(ValueError, match="two failures would hash alike"):
        module._check_distinct({"acme": table, COMMON: common})


def test_version_is_a_hash_of_the_data(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    before = classes_version()
    assert len(before) == 64
    (tmp_path / "a.toml").write_text("schema = 1")
    monkeypatch.setattr(module, "CLASSES", tmp_path)
    assert classes_version.__wrapped__() != before
