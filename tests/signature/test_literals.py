"""No line that matches a pattern is missed by the pieces that the pattern needs."""

import functools
import re

import pytest
import re2
from hypothesis import assume, given
from hypothesis import strategies as st

from mem_assets.signature.literals import needed, needed_by
from mem_assets.signature.rules import packaged_rules

RULES = [rule for one in packaged_rules().sets.values() for rule in one.rules]
PATTERNS = sorted({rule.pattern for rule in RULES})


@functools.cache
def pieces(pattern: str):
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.log_errors = False
    return re2.compile(needed_by((pattern,)).encode(), options)


def is_found(pattern: str, line: str) -> bool:
    return pieces(pattern).search(f"before\n{line}\nafter".encode()) is not None


@pytest.mark.parametrize(
    ("pattern", "line", "other"),
    [
        ("^error: ", "error: x", "error x"),
        ("^error: ", "2026-11-24T10:00:00.0000001Z error: x", "err: x"),
        ("^F: ", "F: x", "xF: x"),
        ("^F: ", "##[error]F: x", "-F: x"),
        ("^error: ", "\x1b[31merror\x1b[0m\x1b[1m: \x1b[0mx", "\x1b[31merr or: "),
        (r"^\S+\.go:\d+:\d+: \S", "cart.go:12:3: undefined: x", "cart.go:12: x"),
        (r"(?i)no such file", "No Such FILE", "no such fail"),
        (r"^npm (?:ERR!|error) code \S", "npm error code E404", "npm warn code"),
        (r"^(?:FAIL|ok).{1,20} \[.+\.phpt\]$", "FAIL x [a.phpt]", "fail x [a.pht]"),
        (r"^_{3,} .+ _{3,}$", "______ test ______", "__ test"),
        (r"^(?:\[string \".+\"\]|\S+\.lua):\d+: \S", "cart.lua:3: x", "cart.lua: x"),
        ("^● \\S", "  ● sums", "o sums"),
        (r"(?:a|b|c)?fatal (?-i:X)y", "fatal Xy", "fatal xy"),
    ],
)
def test_pieces_are_found_in_their_dress_and_not_elsewhere(pattern, line, other):
    assert is_found(pattern, line)
    assert not is_found(pattern, other)


@pytest.mark.parametrize("pattern", [r"^\w+$", r"^.{3,}$", r"[^a]", r"\pL+", "e?", "^(?:error|.)"])
def test_a_pattern_that_needs_no_certain_text_has_every_line_asked(pattern):
    assert needed(pattern) is None
    assert needed_by((pattern,)) == r"[^\n]"


def test_every_packaged_pattern_needs_certain_text():
    assert [pattern for pattern in PATTERNS if needed(pattern) is None] == []


def test_examples_of_rules_hold_a_piece():
    missed = [
        rule.full_name
        for rule in RULES
        for line in rule.example.strip("\n").split("\n")
        if re2.search(rule.pattern, line.rstrip()) and not is_found(rule.pattern, line)
    ]
    assert missed == []


@st.composite
def matching_lines(draw: st.DrawFn) -> tuple[str, str]:
    pattern = draw(st.sampled_from(PATTERNS))
    try:
        line = draw(st.from_regex(re.compile(pattern)))
    except re.error:
        assume(False)
    assume(line.isprintable() and re2.search(pattern, line.rstrip()))
    return pattern, line


@given(matching_lines())
def test_any_line_that_matches_holds_a_piece(made):
    pattern, line = made
    assert is_found(pattern, line)
