import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mem_assets.retrieval.answer import (
    Evidence,
    clipped,
    pair_lines,
    printable,
    safe,
    safe_evidence,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\x1b[31merror\x1b[0m: no", "error: no"),
        ("\x1b]0;title\x07left", "left"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("a\rb\r\nc", "a\nb\nc"),
        ("a\x00b\x08c\x7fd\x85e", "abcde"),
        ("\x9b31mred\x9b0m \x9d0;t\x9c", "red 0;t"),
        ("\x1b]0;an open title\nthe next line", "\nthe next line"),
        ("\x1bPq#0\x1b\\x", "x"),
        ("\u202eevil\u2066x\u061c", "evilx"),
        ("tab\tand\nline", "tab\tand\nline"),
        ("half \ud800 pair", "half ? pair"),
        ("\x1b", ""),
    ],
)
def test_printable(text, expected):
    assert printable(text) == expected


@given(st.text(st.characters(), max_size=200) | st.text("\x1b[]0;m\x07\\P\r\n", max_size=60))
def test_nothing_that_drives_a_terminal_is_left(text):
    shown = printable(text)
    assert not [c for c in shown if unicodedata.category(c) in ("Cc", "Cs") and c not in "\n\t"]
    assert printable(shown) == shown


def test_safe_reaches_every_text_however_deep():
    evidence = Evidence("i\x9b1m", "d", "p", "npm\u202e", None, "\x07s", 1, None, "\x1b[2Jr")
    value = {"ke\x9b0my": [evidence, ("\u2066t", 1, None)], "n": 0.5}
    shown = Evidence("i", "d", "p", "npm", None, "s", 1, None, "r")
    assert safe(value) == {"key": [shown, ("t", 1, None)], "n": 0.5}


def test_lines_are_paired_by_the_words_they_share():
    pairs = pair_lines(
        "noise\nERESOLVE unable to resolve\nFound: react@18",
        "Found: react@17\nERESOLVE unable to resolve",
        "signature",
    )
    assert [(p.query, p.stored) for p in pairs] == [
        ("Found: react@18", "Found: react@17"),
        ("ERESOLVE unable to resolve", "ERESOLVE unable to resolve"),
    ]


@pytest.mark.parametrize(("query", "stored"), [("", "a"), ("a", ""), ("\n \n", "b")])
def test_nothing_is_paired_with_nothing(query, stored):
    assert pair_lines(query, stored, "memory") == ()


def test_a_raw_block_is_bounded_and_says_so():
    evidence = Evidence("i", "d", "p", "npm", None, None, 1, None, "x" * 20_000)
    raw = safe_evidence(evidence).raw
    assert raw.endswith("… [12000 more characters]")
    assert clipped("short", 10) == "short"
