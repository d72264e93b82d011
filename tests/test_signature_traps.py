"""How the assertions on signatures could pass for nothing, and what must never be a signature."""

import hashlib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from mem_assets.interfaces import cli
from mem_assets.signature import extract, signature_sha
from tests.captured_failures import (
    CHECKS,
    SPLITS,
    TOOLS,
    UNREPORTED,
    Run,
    pairs,
    params,
    runs,
    signature_of,
)


def unnormalised(tool: str, output: bytes) -> str:
    found = extract(tool, output)
    assert found is not None
    return signature_sha(tool, found.identity)


def constant(tool: str, output: bytes) -> str:
    return "0" * 64


def whole_log(tool: str, output: bytes) -> str:
    return hashlib.sha256(output).hexdigest()


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize(
    ("sign", "fails", "passes"),
    [(unnormalised, *CHECKS), (whole_log, *CHECKS), (constant, *reversed(CHECKS))],
)
def test_a_false_signature_fails(tool, sign, fails, passes):
    passes(sign, tool)
    with pytest.raises(AssertionError):
        fails(sign, tool)


@pytest.mark.parametrize("tool", TOOLS)
def test_the_pairs_need_normalising(tool):
    """Runs that differ in nothing that normalising takes out would show nothing of it."""
    needy = [
        other.name
        for one, other in pairs()
        if one.tool == tool
        and other.name not in SPLITS
        and unnormalised(tool, one.output) != unnormalised(tool, other.output)
    ]
    assert len(needy) >= 2


def test_exit_status_1_and_137_differ():
    by_name = {run.name: signature_of(run) for run in runs()}
    for one, other in (
        ("terraform/local-exec-exit-1.run-a", "terraform/local-exec-exit-137.run-a"),
        ("kubectl/crash-exit-1.run-a", "kubectl/oom-killed.run-a"),
    ):
        assert by_name[one].sig_sha != by_name[other].sig_sha
    for tool in (*TOOLS, None):
        codes = [extract(tool, f"error: worker died: exit status {code}\n") for code in (1, 137)]
        assert codes[0].sig_sha != codes[1].sig_sha


LAST_LINE = "##[error]Process completed with exit code 1."


@pytest.mark.parametrize("run", params(list(runs()), {}))
def test_the_last_line_of_a_runner_is_never_the_signature(run: Run):
    log = b"##[group]Run it\n" + run.output + b"\n" + LAST_LINE.encode() + b"\n"
    found = extract("github-actions", log)
    assert "Process completed" not in found.identity
    assert found.exit_code == 1
    assert found.inner is not None
    assert extract(run.tool, log).sig_sha == signature_of(run).sig_sha


def test_a_log_that_holds_no_more_than_that_line_links_nothing_by_a_rule():
    found = extract("github-actions", LAST_LINE + "\n")
    assert found is None or found.rule == "generic.tail"


def explained(tool: str, log: Path, *more: str) -> str:
    return CliRunner().invoke(cli.app, ["sig", "explain", str(log), "--tool", tool, *more]).stdout


def reported(tool: str, log: Path) -> bool:
    """Whether a rule set that did not match is reported, and `mem sig explain` says so plainly."""
    found = extract(tool, log.read_text())
    assert found is not None
    assert found.rule.startswith("generic.")
    assert ("rule_set_unmatched" in found.diagnostics) == (
        f"no rule of {tool} matched" in explained(tool, log)
    )
    assert ("rule_set_unmatched" in found.diagnostics) == (
        "rule_set_unmatched" in explained(tool, log, "--json")
    )
    return "rule_set_unmatched" in found.diagnostics


@pytest.mark.parametrize("tool", TOOLS)
def test_a_rule_set_that_stops_matching_is_reported(tool, tmp_path):
    """A release that words everything anew: no line of the tool's own is known any more."""
    log = tmp_path / "new.log"
    log.write_text("preparing\nthe quota of the region is used up\nstopped\n")
    assert reported(tool, log)


@pytest.mark.parametrize(
    "tool",
    [
        pytest.param(
            tool,
            marks=[pytest.mark.xfail(strict=True, reason=UNREPORTED[tool])]
            if tool in UNREPORTED
            else [],
        )
        for tool in TOOLS
    ],
)
def test_a_generic_rule_does_not_hide_it(tool, tmp_path):
    log = tmp_path / "new.log"
    log.write_text("preparing\nERROR: quota of region exceeded\nstopped\n")
    assert reported(tool, log)
