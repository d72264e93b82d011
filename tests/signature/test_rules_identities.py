"""The identity of a failure: its root, and never a headline, a frame or an exit code alone."""

import tomllib
from pathlib import Path

import pytest

from mem_assets.signature import extract

LOGS = tomllib.loads((Path(__file__).parent / "identities.toml").read_text("utf-8"))["log"]


@pytest.mark.parametrize("log", LOGS, ids=[log["name"] for log in LOGS])
def test_the_identity_is_the_root(log):
    found = extract(None, log["text"])
    assert (found.rule, found.normalised) == (log["rule"], log["identity"])
    assert found.error_found
    for part in (found.raw, found.identity):
        assert extract(found.tool, part).sig_sha == found.sig_sha


@pytest.mark.parametrize("log", LOGS, ids=[log["name"] for log in LOGS])
def test_it_is_the_same_on_a_runner(log):
    lines = log["text"].strip("\n").split("\n")
    stamped = "\n".join(f"2026-11-24T09:12:33.{i:07d}Z {line}" for i, line in enumerate(lines))
    end = "\n2026-11-24T09:12:34.0000000Z ##[error]Process completed with exit code 1.\n"
    assert extract(None, stamped + end).normalised == log["identity"]
