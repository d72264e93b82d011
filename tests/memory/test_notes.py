"""Notes are taken or rejected with a line and a way out; no input raises."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mem_assets.memory import notes as module
from mem_assets.memory.chunk import chunk_note, covered
from mem_assets.memory.model import REJECT_REASONS
from mem_assets.memory.notes import Note, parse_note
from mem_assets.memory.redaction import find_secrets

DAY = "2026-11-24"


def parse(text: str, path: str = "notes/a.md"):
    return parse_note(DAY, f"{DAY}/{path}", text)


def test_front_matter_gives_every_field_as_the_string_that_stands_there():
    notes, rejects = parse(
        "---\nlevel: l2\nkind: postmortem\nsource: https://x.example/1\n"
        "evidence:\n  - logs/npm/a.log\n  - 2026-11-24\n  - logs/npm/a.log\n"
        "tags: {team: [a, b]}\nreviewed: yes\n---\n\nThe lock was stale.\n"
    )
    assert rejects == []
    assert notes == [
        Note(
            date=DAY,
            path=f"{DAY}/notes/a.md",
            line_start=12,
            level="L2",
            kind="postmortem",
            source="https://x.example/1",
            evidence=("logs/npm/a.log", "2026-11-24"),
            text="\nThe lock was stale.\n",
        )
    ]


def test_markdown_without_front_matter_is_an_l1_note():
    (note,), rejects = parse("# Title\n\nThe lock was stale.")
    assert (note.level, note.kind, note.source, note.evidence) == ("L1", "note", "", ())
    assert note.line_start == 1
    assert rejects == []


@pytest.mark.parametrize(
    ("evidence", "expected"),
    [
        ("evidence: logs/a.log", ("logs/a.log",)),
        ("evidence: [a.log, b.log]", ("a.log", "b.log")),
        ("evidence:", ()),
        ("evidence: [~, a.log]", ("a.log",)),
        ("evidence: 00123", ("00123",)),
        ("evidence: !!python/name:os.system x.log", ("x.log",)),
    ],
)
def test_evidence_is_one_reference_or_a_list(evidence, expected):
    (note,), _ = parse(f"---\n{evidence}\n---\ntext")
    assert note.evidence == expected


@pytest.mark.parametrize(
    ("text", "reason", "line", "words"),
    [
        ("---\nlevel: L1\ntext", "front_matter", 1, "nothing closes it"),
        ("---\n- a\n---\ntext", "front_matter", 2, "not a mapping"),
        ("---\nlevel: [L1\n---\ntext", "front_matter", None, "not YAML"),
        ("---\nkind: &a x\nsource: *a\n---\ntext", "front_matter", 3, "aliases"),
        (f"---\nkind: {'[' * 5000}\n---\ntext", "front_matter", 2, "too deep"),
        (f"---\nkind: {'x' * 20000}\n---\ntext", "front_matter", 1, "16384"),
        ("---\nkind: a\nkind: b\n---\ntext", "front_matter", 3, "twice"),
        ("---\nkind: \x00\n---\ntext", "front_matter", 1, "not YAML"),
        ("---\nlevel: L0\n---\ntext", "schema", 1, "logs/"),
        ("---\nlevel: [L1]\n---\ntext", "schema", 1, "level"),
        ("---\nevidence: {a: b}\n---\ntext", "schema", 1, "evidence"),
        ("---\nevidence: [[a]]\n---\ntext", "schema", 1, "evidence"),
        (f"---\nkind: {'x' * 3000}\n---\ntext", "schema", 1, "2048"),
        (f"---\nevidence: [{'a.log, ' * 201}]\n---\ntext", "schema", 1, "200"),
        ("---\ntext: a\n---\nb", "schema", 1, "keep one"),
        ("---\nlevel: L1\n---\n \n", "empty", 1, "no text"),
        ("", "empty", 1, "no text"),
    ],
)
def test_a_faulty_note_is_rejected_with_its_line(text, reason, line, words):
    notes, (reject,) = parse(text)
    assert notes == []
    assert reject.reason == reason
    assert line is None or reject.line == line
    assert words in reject.detail


def test_the_text_may_stand_in_the_front_matter():
    (note,), rejects = parse("---\ntext: The lock was stale.\n---\n\n")
    assert (note.text, note.line_start, rejects) == ("The lock was stale.", 1, [])


def test_a_broken_line_of_a_jsonl_does_not_stop_the_others():
    good = json.dumps({"text": "The lock\nwas stale.", "evidence": ["a.log"], "later": 1})
    lines = [
        good,
        "{broken",
        "",
        "[1]",
        '{"text": 3}',
        '{"level": "L1"}',
        '{"text": "a", "level": "R"}',
        '{"text": "a", "text": "b"}',
        "[" * 100_000,
        '{"n": ' + "9" * 5000 + "}",
        '{"text": "last"}',
    ]
    notes, rejects = parse("\r\n".join(lines), "notes/a.jsonl")
    assert [(note.line_start, note.text) for note in notes] == [
        (1, "The lock\nwas stale."),
        (11, "last"),
    ]
    assert [(reject.line, reject.reason) for reject in rejects] == [
        (2, "json"),
        (4, "schema"),
        (5, "schema"),
        (6, "schema"),
        (7, "schema"),
        (8, "json"),
        (9, "json"),
        (10, "json"),
    ]
    assert all(reject.reason in REJECT_REASONS for reject in rejects)


def test_an_empty_jsonl_says_so():
    assert [reject.reason for reject in parse("\n \n", "a.jsonl")[1]] == ["empty"]


def test_a_line_beyond_the_bound_is_not_parsed(monkeypatch):
    monkeypatch.setattr(module, "MAX_RECORD", 100)
    notes, (reject,) = parse('{"text": "' + "x" * 100 + '"}', "a.jsonl")
    assert (notes, reject.reason) == ([], "too_large")
    notes, (reject,) = parse("x" * 101)
    assert (notes, reject.reason) == ([], "too_large")


def test_text_is_normalised_and_can_always_be_stored():
    (note,), _ = parse("\ufeffcafe\u0301\r\nline\rline")
    assert note.text == "caf\u00e9\nline\nline"
    (note,), _ = parse('{"text": "lone \\ud800 half"}', "a.jsonl")
    assert note.text.encode("utf-8") == b"lone ? half"


TOKEN = "ghp_" + "Zk3vQ9xLm2Tn8RpWc5Ys7BdF4GhJ6aEu1oKi"
HIDDEN = r"gh\u0070_" + TOKEN[4:]


@pytest.mark.parametrize("token", [TOKEN, HIDDEN, r"\n" + TOKEN, r"\u0000gh\u0000" + TOKEN[2:]])
@pytest.mark.parametrize("markdown", [True, False])
def test_no_escape_carries_a_secret_into_a_field(token, markdown):
    names = ("text", "kind", "source", "evidence")
    if markdown:
        text = "---\n" + "".join(f'{name}: "of {token}"\n' for name in names) + "---\n"
        text = text.replace(r"\u0000", r"\x07")
    else:
        text = "{" + ", ".join(f'"{name}": "of {token}"' for name in names) + "}"
    (note,), rejects = parse(text, "notes/a.md" if markdown else "notes/a.jsonl")
    assert rejects == []
    values = [note.kind, note.source, *note.evidence]
    values += [note.text] if "u0000" not in token else []
    for value in values:
        assert "<REDACTED:github-token>" in value
        assert find_secrets(value) == []


def test_normal_form_lays_no_secret_bare():
    kelvin = "A\u212aIA" + "Q7R2MPZX9VLCT4NY"
    (note,), _ = parse(f"The id {kelvin} was refused, then ghp_{TOKEN[4:]}\u0338 too.")
    assert find_secrets(note.text) == []
    assert note.text == module.normalise(note.text)


def test_a_reject_tells_no_secret():
    lines = [f'{{"{HIDDEN}": 1, "{HIDDEN}": 2}}', f'{{"text": "a", "level": "{HIDDEN}"}}']
    _, rejects = parse("\n".join(lines), "a.jsonl")
    _, more = parse(f'---\n"{HIDDEN}": 1\n"{HIDDEN}": 2\n---\ntext')
    assert len(rejects) + len(more) == 3
    assert TOKEN[4:16] not in repr((rejects, more))


@pytest.mark.parametrize("markdown", [True, False])
def test_every_field_is_normalised_alike(markdown):
    odd = r"cafe\u0301 \ud800 \ud83d\ude00"
    names = ("text", "kind", "source", "evidence")
    text = "---\n" + "".join(f'{name}: "{odd}"\n' for name in names) + "---\n"
    if not markdown:
        text = "{" + ", ".join(f'"{name}": "{odd}"' for name in names) + "}"
    (note,), _ = parse(text, "a.md" if markdown else "a.jsonl")
    expected = "caf\u00e9 ? \U0001f600"
    assert (note.text, note.kind, note.source) == (expected,) * 3
    assert note.evidence == (expected,)
    assert covered([note], chunk_note(note)) == []


def test_control_and_direction_characters_are_left_out_of_a_line():
    odd = "a\x1b[2J\x9b1m\u202e\u2066b\u2069\x07\x7f\u200fc"
    fields = {"text": "x", "kind": odd, "source": [odd, odd], "evidence": [odd, "\u202c "]}
    (note,), _ = parse(json.dumps(fields), "a.jsonl")
    assert (note.kind, note.source, note.evidence) == ("a[2J1mbc", "a[2J1mbc", ("a[2J1mbc",))


def test_a_reference_keeps_the_spaces_and_marks_of_a_name():
    references = [
        " logs/two  spaces!.log ",
        "logs/cafe\u0301.log",
        "logs/<REDACTED:password>/a.log",
    ]
    (note,), _ = parse(json.dumps({"text": "x", "evidence": references}), "a.jsonl")
    assert note.evidence == (
        "logs/two  spaces!.log",
        "logs/caf\u00e9.log",
        "logs/<REDACTED:password>/a.log",
    )


def test_references_hold_no_secret_side_by_side():
    references = ["name: API_TOKEN", "value: abcdef1234567890"]
    (note,), _ = parse(json.dumps({"text": "x", "evidence": references}), "a.jsonl")
    assert find_secrets("\n".join(note.evidence)) == []


@pytest.mark.parametrize(
    ("path", "expected"),
    [("a.jsonl", True), ("d.d/a.NDJSON", True), ("a.jsonl.gz", True), ("jsonl/a.md", False)],
)
def test_the_path_says_which_kind_of_file_it_is(path, expected):
    assert module.is_jsonl(path) is expected


YAML_LIKE = st.lists(
    st.sampled_from(
        ["---", "...", "level: L1", "kind: ", "text: x", "evidence:", "- a", "*a", "&a", "[", "{",
         "? x", "!!binary a", "\t", "words of a text", "\x85", "%YAML 9", "'", '"', "|", ">-"]
    ),
    max_size=12,
).map("\n".join)  # fmt: skip


@given(st.one_of(st.text(), YAML_LIKE, YAML_LIKE.map(lambda text: f"---\n{text}\n---\nbody")))
def test_any_markdown_is_one_note_or_one_reject(text):
    notes, rejects = parse(text)
    assert len(notes) + len(rejects) == 1
    assert all(reject.detail and reject.reason in REJECT_REASONS for reject in rejects)


RECORD = st.dictionaries(
    st.sampled_from(["text", "level", "kind", "source", "evidence", "other"]),
    st.one_of(st.text(), st.none(), st.integers(), st.lists(st.text()), st.just("L2")),
).map(json.dumps)


@given(st.lists(st.one_of(RECORD, st.text(alphabet=st.characters(exclude_characters="\r\n")))))
def test_any_jsonl_line_is_a_note_or_a_reject(lines):
    notes, rejects = parse("\n".join(lines), "a.jsonl")
    filled = [number for number, line in enumerate(lines, 1) if line.lstrip("\ufeff").strip()]
    assert sorted([*(note.line_start for note in notes), *(r.line for r in rejects)]) == (
        filled or [0]
    )
