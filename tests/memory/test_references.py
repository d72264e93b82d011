"""What stands behind a note: in its fields, and in its text where those are empty."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mem_assets.memory.references import is_reference, is_source, memories, named_in

SHA = "ab12" * 16


@pytest.mark.parametrize(
    "text",
    ["https://git.example/a/1", "wiki.example/ops/ldap", "PLAT-1234", "INC-0399", "see (#77)",
     "acme/shop#12", "!231", "commit 3f2a1b0", "PR 512", "build 8812", "ADR 34", "run 7"],
)  # fmt: skip
def test_a_source_can_be_looked_up(text):
    assert is_source(text)


@pytest.mark.parametrize(
    "text",
    ["", "?", "-", "n/a", "TBD", "none", "a colleague told me", "see chat", "UTF-8 and SHA-256",
     "deadbeef", "1234567", "a" * 40, "internal", "yesterday"],
)  # fmt: skip
def test_no_source(text):
    assert not is_source(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-11-24/logs/a.log", True), ("build.log", True), ("run.zip!build/3_npm ci.txt", True),
        (SHA, True), (SHA[:12], True), ("OPS-1", True), ("none", False), ("n/a", False),
        ("see chat", False), ("-", False), ("/", False),
    ],
)  # fmt: skip
def test_what_counts_as_evidence(text, expected):
    assert is_reference(text) is expected


def test_a_memory_named_twice_counts_once():
    assert memories((SHA, SHA[:12], "cd34" * 16, "OPS-1", "ab12")) == [SHA, "cd34" * 16]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("See 2026-11-24/logs/go/a.log: the lock", (("2026-11-24/logs/go/a.log",), "")),
        ("in `logs/npm/a.log.gz`.", (("logs/npm/a.log.gz",), "")),
        ("Fixes: https://git.example/a/issues/4\n", ((), "https://git.example/a/issues/4")),
        ("it was the lock (https://git.example/a/1).", ((), "https://git.example/a/1")),
        ("it was the lock, see OPS-12.", ((), "OPS-12")),
        ("it was the lock (acme/shop#12)", ((), "acme/shop#12")),
        ("broken by 9be1f37, reverted", ((), "commit 9be1f37")),
        ("Introduced-by: commit 9be1f37", ((), "commit 9be1f37")),
        ("siehe INF-422", ((), "INF-422")),
        ("calls to https://api.example/v1 time out", ((), "")),
        ("see `https://git.example/a/1`", ((), "")),
        ("the band EU-868 (UTF-8) is off", ((), "")),
        ("/var/log/syslog and app.log were full", ((), "")),
        ("since deadbeef and 1234567", ((), "")),
        ("http://localhost:8080/", ((), "")),
    ],
)
def test_what_a_text_names(text, expected):
    assert named_in(text) == expected


@given(st.text())
def test_any_text_is_read(text):
    logs, source = named_in(text)
    assert all(log in text for log in logs)
    assert source.removeprefix("commit ") in text
