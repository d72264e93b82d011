"""Pieces keep their place, their evidence and every line of their document."""

import dataclasses
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mem_assets.memory.chunk import PIECE_SIZE, chunk_note, covered, mentions, parse_reference
from mem_assets.memory.markdown import MAX_TITLE
from mem_assets.memory.notes import Note, parse_note
from mem_assets.memory.redaction import find_secrets

DAY = "2026-11-24"
SHA = "ab12" * 16


def note(text: str, evidence: tuple[str, ...] = (), path: str = "notes/a.md") -> Note:
    front = "".join(f"  - {name}\n" for name in evidence)
    if path.endswith(".jsonl"):
        text = json.dumps({"text": text, "evidence": list(evidence)})
    elif front:
        text = f"---\nevidence:\n{front}---\n{text}"
    (one,), _ = parse_note(DAY, f"{DAY}/{path}", text)
    return one


def sentences(word: str, count: int) -> str:
    return " ".join(f"The {word} number {index} was stale." for index in range(count))


def test_a_short_note_is_one_candidate_with_all_its_evidence():
    (one,) = chunk_note(note("\n# Title\n\n## Cause\nIt was.\n\n## Fix\nDid.\n", ("a.log", SHA)))
    assert one.text == "# Title\n\n## Cause\nIt was.\n\n## Fix\nDid."
    assert one.evidence == ("a.log", SHA)
    assert (one.line_start, one.line_end, one.chunk, one.heading) == (7, 13, 0, "")


def test_a_long_note_is_split_by_heading():
    text = f"# Week\n\n## npm\n{sentences('lock', 20)}\n\n## go\n{sentences('module', 20)}\n"
    first, second = chunk_note(note(text))
    assert (first.heading, first.line_start, first.line_end) == ("Week > npm", 1, 4)
    assert (second.heading, second.line_start, second.line_end) == ("Week > go", 6, 7)
    assert second.text.startswith("## go\nThe module number 0")


def test_a_cause_is_not_cut_from_its_fix():
    parts = f"### Cause\n{sentences('lock', 15)}\n### Fix\n{sentences('fix', 15)}\n"
    text = f"# Week\n## npm\n{parts}## go\n{parts}"
    first, second = chunk_note(note(text))
    assert (first.heading, second.heading) == ("Week > npm", "Week > go")
    assert "### Cause" in first.text
    assert "### Fix" in first.text


def test_a_long_section_is_split_by_paragraph_and_each_piece_stays_within_the_size():
    paragraphs = [sentences(word, 14) for word in ("a", "b", "c", "d", "e")]
    pieces = chunk_note(note("## npm\n\n" + "\n\n".join(paragraphs)))
    assert len(pieces) > 1
    assert {piece.heading for piece in pieces} == {"npm"}
    assert all(len(piece.text) <= PIECE_SIZE for piece in pieces)
    for paragraph in paragraphs:
        assert sum(paragraph in piece.text for piece in pieces) == 1


def test_a_fence_stays_whole_where_it_fits_and_hides_headings():
    fence = "```sh\n# not a heading\n\nmake\n```"
    text = f"{sentences('lock', 30)}\n\n{fence}\n\n{sentences('lock', 20)}"
    pieces = chunk_note(note(text))
    assert sum(fence in piece.text for piece in pieces) == 1
    assert {piece.heading for piece in pieces} == {""}


def test_a_heading_goes_with_what_follows_it():
    text = f"{sentences('lock', 33)}\n\n### Fix\n\n{sentences('fix', 30)}"
    pieces = chunk_note(note(text))
    assert not any(piece.text.rstrip().endswith("### Fix") for piece in pieces)


@pytest.mark.parametrize("line", ["word " * 2000, "x" * 5000, sentences("lock", 200)])
def test_a_line_beyond_the_size_is_cut(line):
    one = note(line)
    pieces = chunk_note(one)
    assert all(len(piece.text) <= PIECE_SIZE for piece in pieces)
    assert {(piece.line_start, piece.line_end) for piece in pieces} == {(1, 1)}
    assert covered([one], pieces) == []


def test_a_reference_goes_to_the_piece_that_cites_it():
    text = (
        f"## npm\n{sentences('lock', 20)} See `a.log`.\n"
        f"## go\n{sentences('module', 20)} Memory {SHA[:14]} says more, logs/b.log too.\n"
    )
    first, second = chunk_note(note(text, ("logs/npm/a.log.gz", "logs/b.log", SHA, "logs/c.log")))
    assert first.evidence == ("logs/npm/a.log.gz", "logs/c.log")
    assert second.evidence == ("logs/b.log", SHA, "logs/c.log")


@pytest.mark.parametrize(
    ("text", "reference", "expected"),
    [
        ("see a.log.", "logs/a.log", True),
        ("(a.log)", "logs/a.log", True),
        ("data.log", "logs/a.log", False),
        ("a.log.old", "logs/a.log", False),
        ("a.log-2", "logs/a.log", False),
        (f"memory {SHA[:12]}", SHA, True),
        (f"memory {SHA[:8]}", SHA, False),
        ("PLAT-12 has it", "PLAT-12", True),
        ("PLAT-123 has it", "PLAT-12", False),
    ],
)
def test_when_a_text_mentions_a_reference(text, reference, expected):
    assert mentions(text, reference) is expected


def test_a_record_keeps_the_line_of_its_file():
    text = '{"text": "first"}\n' + json.dumps({"text": f"# A\n\n{sentences('lock', 80)}"})
    _, long = parse_note(DAY, f"{DAY}/notes/a.jsonl", text)[0]
    pieces = chunk_note(long)
    assert len(pieces) > 1
    assert {(piece.line_start, piece.line_end) for piece in pieces} == {(2, 2)}
    assert [piece.chunk for piece in pieces] == list(range(len(pieces)))


def test_a_reference_document_is_chunked_by_heading():
    text = (
        "---\nsource: https://docs.example/cache\n---\nIntro.\n\n# Cache\n\nHow it works.\n\n"
        "## Eviction\n\nLeast recent.\n\nPolicy\n------\n\nLast.\n\n# Queue #\ntext\n"
    )
    pieces = parse_reference(DAY, f"{DAY}/reference/cache.md", text)
    assert [(piece.heading, piece.line_start, piece.line_end) for piece in pieces] == [
        ("", 4, 4),
        ("Cache", 6, 8),
        ("Cache > Eviction", 10, 12),
        ("Cache > Policy", 14, 17),
        ("Queue", 19, 20),
    ]
    assert {(piece.level, piece.kind, piece.source) for piece in pieces} == {
        ("R", "reference", "https://docs.example/cache")
    }


def test_many_headings_and_blank_lines_take_linear_work():
    pieces = parse_reference(DAY, "r.md", "# a\n" * 50_000 + "\n" * 50_000 + "text")
    assert sum(piece.text.count("#") for piece in pieces) == 50_000
    assert len(pieces) < 200


def test_a_long_list_is_cut_between_its_items():
    items = [f"- item {n}\n  1. {sentences('lock', 4)}\n     more of {n}" for n in range(20)]
    pieces = chunk_note(note("## Week\n\n" + "\n".join(items)))
    assert len(pieces) > 1
    for item in items:
        assert sum(item in piece.text for piece in pieces) == 1


@pytest.mark.parametrize(
    "hidden",
    ["<!--\n# Not a heading\n-->", "```\n# Not a heading\n```", "~~~\n# Not a heading\n~~~"],
)
def test_what_is_no_heading_begins_no_piece(hidden):
    pieces = chunk_note(note(f"# Week\n\n{hidden}\n\n{sentences('lock', 60)}"))
    assert {piece.heading for piece in pieces} == {"Week"}
    assert sum(hidden in piece.text for piece in pieces) == 1


def test_a_table_and_a_long_fence_are_cut_by_lines():
    rows = [f"| row {n} | {'x' * 40} |" for n in range(60)]
    code = [f"echo {n} {'y' * 40}" for n in range(60)]
    one = note("\n".join(["## T", "", *rows, "", "```", *code, "```"]))
    pieces = chunk_note(one)
    assert covered([one], pieces) == []
    assert all(len(piece.text) <= PIECE_SIZE for piece in pieces)
    for line in (*rows, *code):
        assert sum(line in piece.text.split("\n") for piece in pieces) == 1


def test_a_heading_too_long_for_a_piece_is_text():
    one = note(f"# {'long ' * 1000}\n\ntext of it\n\n## {'t' * 500}\n\n{sentences('lock', 40)}")
    pieces = chunk_note(one)
    assert covered([one], pieces) == []
    assert all(len(piece.text) <= 2 * PIECE_SIZE for piece in pieces)
    assert max(len(piece.heading) for piece in pieces) == MAX_TITLE


def test_without_fields_a_piece_stands_on_what_its_own_text_names():
    text = (
        f"## npm\n{sentences('lock', 20)} See 2026-11-24/logs/npm/a.log.\n"
        f"## go\n{sentences('module', 20)} Fixes OPS-12.\n## rust\n{sentences('crate', 20)}\n"
    )
    pieces = chunk_note(note(text))
    assert [(piece.evidence, piece.source) for piece in pieces] == [
        (("2026-11-24/logs/npm/a.log",), ""),
        ((), "OPS-12"),
        ((), ""),
    ]
    (given,) = chunk_note(note("The lock was stale, see OPS-12.", ("b.log",)))
    assert (given.evidence, given.source) == (("b.log",), "")


def test_covered_names_what_is_wrong():
    one = note(f"first line\n\n{sentences('lock', 40)}\n\n{sentences('fix', 40)}")
    pieces = chunk_note(one)
    assert covered([one], pieces) == []
    assert "stands in no candidate" in covered([one], pieces[:-1])[0]
    assert "beyond the note's" in covered([one], [*pieces, pieces[-1]])[0]
    changed = dataclasses.replace(pieces[0], text="new " + pieces[0].text)
    assert "hold other text" in covered([one], [changed, *pieces[1:]])[0]
    stray = dataclasses.replace(pieces[0], path="other.md")
    assert "has no note" in covered([one], [*pieces, stray])[0]
    assert covered([one], []) != []


LINES = st.lists(
    st.one_of(
        st.sampled_from(
            [
                "",
                "# A",
                "## Cause",
                "```",
                "~~~~",
                "Title\n===",
                "---",
                "- item",
                "  - in",
                "    code",
                "<!--",
                "-->",
                "# " + "h" * 1300,
                "| a | b |",
            ]
        ),
        st.text(max_size=40),
        st.sampled_from(["word " * 100, "x" * 1500, "e\u0301 " * 700]),
    ),
    min_size=1,
    max_size=25,
).map("\n".join)


@given(LINES, st.sampled_from(["a.md", "a.jsonl"]))
def test_chunks_cover_any_note(text, path):
    source = json.dumps({"text": text}) if path == "a.jsonl" else "\n" + text
    notes, _ = parse_note(DAY, path, source)
    pieces = [piece for one in notes for piece in chunk_note(one)]
    assert covered(notes, pieces) == []
    for one in notes:
        last = one.line_start + (0 if one.is_record else one.text.count("\n"))
        assert all(one.line_start <= p.line_start <= p.line_end <= last for p in pieces)
    assert len({piece.candidate_sha for piece in pieces}) == len(pieces)
    assert all(len(piece.text) <= 2 * PIECE_SIZE for piece in pieces)
    for one in notes:
        own = [piece for piece in pieces if piece.line_start >= one.line_start]
        squashed = "".join("".join(piece.text.split()) for piece in own)
        assert squashed == "".join(one.text.split())


@given(LINES)
def test_any_document_is_chunked(text):
    pieces = parse_reference(DAY, "r.md", text)
    assert [piece.chunk for piece in pieces] == list(range(len(pieces)))
    assert all(piece.text.strip() for piece in pieces)


TOKEN = "ghp_" + "Zk3vQ9xLm2Tn8RpWc5Ys7BdF4GhJ6aEu1oKi"


def test_no_piece_holds_a_secret_that_its_note_did_not():
    """A cut makes a line's beginning and its end, which some secrets are known by."""
    glued = "x" * (PIECE_SIZE - 1) + "_" + TOKEN + "_" + "y" * PIECE_SIZE
    prose = (
        sentences("lock", 44)[: PIECE_SIZE - 60] + " Then. password: correcthorse. " + "a " * 500
    )
    for text in (glued, prose):
        one = note(text)
        pieces = chunk_note(one)
        assert len(pieces) > 1
        assert [find_secrets(piece.text) for piece in pieces] == [[]] * len(pieces)
        assert covered([one], pieces) == []


def test_a_document_is_clean_in_every_field():
    heading = f"# gh\x1bp_{TOKEN[4:]}"
    text = f'---\nsource: "of gh\\u0070_{TOKEN[4:]}\\u202e"\n---\n{heading}\n\nuse {TOKEN}\n'
    (piece,) = parse_reference(DAY, "reference/a.md", text)
    assert (piece.source, piece.heading) == (
        "of <REDACTED:github-token>",
        "<REDACTED:github-token>",
    )
    assert piece.text.endswith("use <REDACTED:github-token>")
    assert (piece.line_start, piece.line_end) == (4, 6)
