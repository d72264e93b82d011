"""One failure in the wordings and layouts of several releases of a tool has one signature."""

import tomllib
from pathlib import Path

import pytest

from mem_assets.signature import extract, volatile_parts

FAILURES = tomllib.loads((Path(__file__).parent / "wordings.toml").read_text("utf-8"))["failure"]
NAMES = [failure["name"] for failure in FAILURES]


@pytest.mark.parametrize("failure", FAILURES, ids=NAMES)
def test_wordings_of_one_failure_are_one(failure):
    for asked in (failure["tool"], None):
        found = [extract(asked, log) for log in failure["wordings"]]
        assert {one.normalised for one in found} == {found[0].normalised}
        assert {one.sig_sha for one in found} == {found[0].sig_sha}
        assert {failure["tool"]} <= {found[0].tool, found[0].inner_tool}, found[0].rule
    assert volatile_parts(found[0].normalised) == []


@pytest.mark.parametrize("failure", FAILURES, ids=NAMES)
def test_block_and_identity_give_the_same_again(failure):
    for log in failure["wordings"]:
        found = extract(failure["tool"], log)
        for part in (found.raw, found.identity):
            assert extract(failure["tool"], part).sig_sha == found.sig_sha


def test_other_failures_of_a_tool_differ():
    found = [(one["tool"], extract(one["tool"], one["wordings"][0]).normalised) for one in FAILURES]
    assert len(set(found)) == len(FAILURES)
