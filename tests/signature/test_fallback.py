"""Chosen lines count only as lines of the log, and hash alike by themselves."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mem_assets.signature import extract
from mem_assets.signature.fallback import (
    CHOSEN_RULE,
    TAIL_RULE,
    excerpt,
    extract_or_choose,
    log_key,
    read_choice,
)
from mem_assets.templates import TEXT_BYTES

LINES = [
    "2026-11-24T09:12:44Z warming the tiles",
    "tile 17 of 90",
    "the lamp in hall two went dark",
    "nobody came to change it",
    "",
    "bye for now",
]
LOG = "\n".join(LINES) + "\n"


def choosing(*lines):
    return lambda output: lines


def test_the_log_of_these_tests_has_no_error_line():
    assert extract(None, LOG).rule == TAIL_RULE


def test_chosen_lines_are_the_signature():
    found = extract_or_choose("lamps", LOG, choosing(*LINES[2:4]), job="night")
    assert (found.rule, found.error_found, found.links) == (CHOSEN_RULE, True, True)
    assert found.identity == "\n".join(LINES[2:4])
    assert (found.raw, found.line_start, found.line_end) == (found.identity, 3, 4)
    assert (found.tool, found.job, found.inner.rule) == ("lamps", "night", CHOSEN_RULE)
    assert found.sig_sha != extract("lamps", LOG).sig_sha


@pytest.mark.parametrize("tool", [None, "lamps", "npm", "github-actions"])
@pytest.mark.parametrize("exit_code", [None, 1])
def test_the_block_alone_hashes_alike_without_asking(tool, exit_code):
    found = extract_or_choose(tool, LOG, choosing(*LINES[2:4]), exit_code=exit_code)
    for part in (found.raw, found.identity):
        alone = extract(tool, part, exit_code=exit_code)
        assert (alone.sig_sha, alone.identity) == (found.sig_sha, found.identity)


@pytest.mark.parametrize(
    "lines", [(), ("not in the log",), (LINES[0], LINES[2]), (LINES[4],), ("lamp in hall two",)]
)
def test_what_does_not_stand_in_the_log_changes_nothing(lines):
    assert extract_or_choose(None, LOG, choosing(*lines)) == extract(None, LOG)


@pytest.mark.parametrize(
    ("tool", "output", "exit_code"),
    [
        ("npm", "npm ERR! code ERESOLVE\nnpm ERR! ERESOLVE unable to resolve dependency tree", 1),
        (None, "main.c:3:5: error: 'x' undeclared (first use in this function)", None),
        (None, LOG, 0),
        (None, "", None),
        (None, " \n\n", 1),
    ],
)
def test_nobody_is_asked_where_a_rule_knows(tool, output, exit_code):
    def asked(output):
        raise AssertionError("asked")

    found = extract_or_choose(tool, output, asked, exit_code=exit_code)
    assert found == extract(tool, output, exit_code=exit_code)


@pytest.mark.parametrize(
    ("answer", "lines"),
    [
        ("LINE: the lamp in hall two went dark", LINES[2:3]),
        ("\nLINE: the lamp in hall two went dark\nLINE: nobody came to change it\n", LINES[2:4]),
        (f"LINE: {LINES[0]}", LINES[:1]),
        # Not one after the other: the first counts.
        ("LINE: nobody came to change it\nLINE: tile 17 of 90", LINES[3:4]),
        ("NONE", ()),
        ("", ()),
        ("the lamp in hall two went dark", ()),
        ("LINE: the lamp in hall two", ()),
        ("LINE: The lamp in hall two went dark", ()),
        ("LINE: ", ()),
        ("LINE: the lamp in hall two went dark\nThis names the fault.", ()),
        ("LINE: the lamp in hall two went dark\nLINE: invented", ()),
        ("\n".join(f"LINE: {line}" for line in LINES[:4]), ()),
        ("LINE: npm ERR! code E404", ()),
    ],
)
def test_an_answer_is_read_strictly(answer, lines):
    assert read_choice(answer, LOG) == tuple(lines)


def test_a_line_is_recognised_as_it_was_shown():
    """Shown without terminal codes and turns of a chat, taken as it stands in the log."""
    log = "start\r\n\x1b[31mlamp <|im_end|> went dark\x1b[0m\r\nend"
    shown = excerpt(log).split("\n")[1]
    assert "<|" not in shown
    assert "\x1b" not in shown
    assert read_choice(f"LINE: {shown}", log) == ("\x1b[31mlamp <|im_end|> went dark\x1b[0m",)


@settings(deadline=None)
@given(st.text() | st.text(alphabet="ab\n\r\x1b[<|é "))
def test_every_shown_line_can_be_chosen(log):
    for shown in excerpt(log).split("\n"):
        if any(map(str.isalnum, shown)):
            chosen = read_choice(f"LINE: {shown}", log)
            assert len(chosen) == 1


def test_of_a_long_log_the_end_is_shown():
    log = "\n".join(f"line {number} " + "x" * 1000 for number in range(200_000))
    shown = excerpt(log)
    assert len(shown.encode()) <= TEXT_BYTES
    assert shown.split("\n")[-1].startswith("line 199999 ")
    assert len(shown.split("\n")) > 10


def test_a_log_is_known_by_its_content():
    assert log_key("a\r\nb\r\n") == log_key("a\nb") == log_key("\na\nb\n\n") != log_key("a\nb c")
