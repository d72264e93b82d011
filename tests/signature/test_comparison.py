"""Why did this not match? Each cause must be told, and the place where normal forms part."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mem_assets.signature import extract, load_rules, normalise
from mem_assets.signature.comparison import MAX_AROUND, compare

GO = "--- FAIL: TestClient (0.03s)\n    client_test.go:41: got status 500, want 200\n"
RULE = (
    'schema = 1\ntool = "frob"\n[[rule]]\nname = "jam"\npattern = "^frob: jam"\nafter = "."\n'
    'detail = ["gate"]\ncontext = ["^at "]\nbefore = "^at "\n'
    'example = "frob: jam"\ncounter_example = "frob: ok"\n'
)


def compared(tool, a, b, **more):
    return compare(extract(tool, a, **more), extract(tool, b, **more), **more)


@pytest.mark.parametrize(
    ("tool", "a", "b", "causes"),
    [
        ("go", GO, GO.replace("500", "404"), ["other_details"]),
        ("go", GO, GO.replace("TestClient", "TestServer"), ["other_root_line"]),
        ("go", GO, "./main.go:3:7: undefined: x\n", ["other_rule", "other_root_line"]),
        (None, GO, "npm ERR! code E404\nnpm ERR! 404 Not Found - GET https://r.example/x\n",
         ["other_tool", "other_rule", "other_root_line"]),
        ("npm", "error: frobs\n", "npm ERR! Missing script: \"x\"\n",
         ["rule_set_unmatched", "other_rule", "other_root_line"]),
        ("go", GO, "", ["no_signature"]),
        ("go", "\n", "", ["no_signature", "no_signature"]),
    ],
)  # fmt: skip
def test_every_cause_is_told(tool, a, b, causes):
    found = compared(tool, a, b)
    assert not found.same
    assert [cause.name for cause in found.causes] == causes
    assert [cause.name for cause in compared(tool, b, a).causes] == causes
    assert (found.parting is None) == ("no_signature" in causes)


def test_the_same_failure_is_the_same():
    found = compared("go", GO, GO.replace("0.03s", "1.20s").replace(":41:", ":57:"))
    assert (found.same, found.causes, found.parting) == (True, (), None)


def test_the_tool_alone_may_part_them():
    a, b = extract("go", "ERROR: quota\n"), extract("maven", "ERROR: quota\n")
    found = compare(a, b)
    assert found.causes[0].text.endswith("equal, but the tool is part of the hash")
    assert found.parting is None
    assert found.shared == (a.inner.sig_sha,)


@pytest.mark.parametrize(
    ("a", "b", "line", "column", "around"),
    [
        ("error: one two", "error: one six", 1, 12, ("error: one two", "error: one six")),
        ("error: one", "error: one more", 1, 11, ("error: one", "error: one more")),
        ("error: abc", "error: xyz", 1, 8, ("error: abc", "error: xyz")),
        ("error: a b c d e f g h i j", "error: a b c d E f g h i j", 1, 16,
         ("… b c d e f g h …", "… b c d E f g h …")),
    ],
)  # fmt: skip
def test_the_place_and_the_words_around_it(a, b, line, column, around):
    parting = compared("generic", a, b).parting
    assert (parting.line, parting.column) == (line, column)
    assert (parting.a.around, parting.b.around) == around


def test_one_form_may_end_before_the_other(tmp_path):
    (tmp_path / "frob.toml").write_text(RULE)
    rules = load_rules(tmp_path)
    parting = compared("frob", "frob: jam\n", "frob: jam\nin gate 3\n", rules=rules).parting
    assert (parting.line, parting.column) == (2, 1)
    assert (parting.a.around, parting.b.around) == ("", "in gate 3")
    assert parting.a.substitutions == ()


def test_the_root_line_is_that_of_the_rule_and_not_the_first_one(tmp_path):
    (tmp_path / "frob.toml").write_text(RULE)
    rules = load_rules(tmp_path)
    found = compared("frob", "at dawn\nfrob: jam\n", "at noon\nfrob: jam\n", rules=rules)
    assert [cause.name for cause in found.causes] == ["other_details"]
    assert "'frob: jam'" in found.causes[0].text


def test_substitutions_are_those_made_at_that_place_on_each_side():
    a = "error: cannot read /home/ada/a.txt at 10:11:12 while the node was busy: code 7"
    b = "error: cannot read /srv/b/b.txt at 10:11:13 while the node was busy: code 7"
    parting = compared("generic", a, b).parting
    for side, path in ((parting.a, " /home/ada/a.txt"), (parting.b, " /srv/b/b.txt")):
        assert ("absolute_path", path) in [change[:2] for change in side.substitutions]
    far = compared("generic", a, a.replace("code 7", "code 8")).parting
    assert far.a.substitutions == ()
    assert far.a.identity == a


def test_substitutions_are_those_of_the_line_that_differs():
    log = "--- FAIL: TestA (0.10s)\n    a_test.go:{line}: read 10.0.0.7: got {status}\n"
    parting = compared("go", log.format(line=4, status=1), log.format(line=5, status=2)).parting
    names = [change[0] for change in parting.a.substitutions]
    assert "duration_letters" not in names  # stands in the line above
    assert parting.a.identity.strip().startswith("a_test.go:4")


def test_a_line_that_is_one_long_word_is_cut():
    long = "error: " + "x" * 400
    parting = compared("generic", long + "a" + "y" * 40, long + "b" + "y" * 40).parting
    assert len(parting.a.around) <= MAX_AROUND + 4
    assert "a" in parting.a.around


WORDS = st.lists(
    st.sampled_from(
        ["error:", "a", "b", "/tmp/x/y.c:3", "10.0.0.7", "took 3s", "\n", "\x1b[1m", ""]
    ),
    min_size=1,
    max_size=12,
)


@settings(max_examples=150, deadline=None)
@given(WORDS, WORDS)
def test_a_parting_is_where_the_normal_forms_differ(one, other):
    a, b = extract("generic", " ".join(one)), extract("generic", " ".join(other))
    found = compare(a, b)
    assert found.same == (a is not None and b is not None and a.sig_sha == b.sig_sha)
    if found.parting is None:
        return
    at = found.parting.line - 1, found.parting.column - 1
    lines = [form.split("\n") for form in (a.normalised, b.normalised)]
    assert lines[0][: at[0]] == lines[1][: at[0]]
    ours, theirs = (line[at[0]] if at[0] < len(line) else "" for line in lines)
    assert ours[: at[1]] == theirs[: at[1]]
    assert ours[at[1] : at[1] + 1] != theirs[at[1] : at[1] + 1] or not (ours and theirs)
    for side in (found.parting.a, found.parting.b):
        assert not side.around or normalise(side.identity)
