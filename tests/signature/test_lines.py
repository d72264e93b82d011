"""A log's lines by offset are those that splitting it would give."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mem_assets.signature import lines
from mem_assets.signature.lines import Log, Near

TEXTS = st.text(st.sampled_from("ab \t\r\n\r\nü"), max_size=60)


def split(text: str) -> list[str]:
    return re.split("\r\n|\n|\r", text)


@given(TEXTS)
def test_walking_forward_gives_the_lines_and_their_numbers(text):
    log = Log(text)
    span, found = log.around(0), []
    while span is not None:
        assert log.number(span[0]) == len(found)
        found.append(log.raw(span))
        span = log.after(span)
    assert found == split(text)


@given(TEXTS)
def test_walking_backward_gives_them_from_the_last_that_says_something(text):
    log = Log(text)
    found = [log.raw(span) for span in log.backwards()]
    every = split(text)
    said = [number for number, line in enumerate(every, start=1) if line.strip(" \t")]
    expected = every[: said[-1]] if said else []
    assert found[::-1] == expected


@given(TEXTS, st.data())
def test_the_line_around_an_offset_is_the_one_that_holds_it(text, data):
    log = Log(text.replace("ü", "u"))
    offset = data.draw(st.integers(0, len(text)))
    start, end = log.around(offset)
    assert start <= offset <= end
    assert not re.search("[\r\n]", text[start:end])
    assert start == 0 or text[start - 1] in "\r\n"


@given(TEXTS)
def test_neighbours_are_numbered_from_a_line(text):
    log = Log(text)
    every = split(text)
    spans = [log.around(0)]
    while (after := log.after(spans[-1])) is not None:
        spans.append(after)
    for number, span in enumerate(spans):
        near = Near(log, span)
        assert [near.raw(i - number, i - number) for i in range(len(every))] == every
        assert near.line(len(every) - number) is None
        assert near.line(-number - 1) is None


def test_a_long_log_keeps_its_line_numbers_without_its_middle(monkeypatch):
    monkeypatch.setattr(lines, "MAX_INPUT", 100)
    text = "".join(f"line {number}\n" for number in range(500))
    log = Log(text)
    assert log.truncated
    last = next(log.backwards())
    assert (log.raw(last), log.number(last[0])) == ("line 499", 499)


def test_a_line_that_begins_far_away_is_none():
    log = Log("x" * 20_000 + "\nend")
    assert log.around(15_000) is None
    assert log.raw(log.around(20_002)) == "end"


@pytest.mark.parametrize("mark", ["utf-16", "utf-8"])
def test_encodings_are_told_by_their_mark(mark):
    assert Log("error: ü\n".encode(mark)).text.decode() == "error: ü\n"
