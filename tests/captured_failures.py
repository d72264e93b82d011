"""The captured failures as test cases, and what of them is known to go wrong.

Assertions 1 and 2 are functions of a way to sign, so that false ways can be shown to fail them.
"""

import csv
import functools
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations, groupby
from pathlib import Path

import pytest

from mem_assets.signature import Signature, extract

FIXTURES = Path(__file__).parents[1] / "fixtures"
FAILURES = FIXTURES / "failures"
TOOLS = ("cargo", "docker", "go", "kubectl", "npm", "terraform")

SignatureOf = Callable[[str, bytes], str]
"""A way to sign an output of a tool: (tool, output) to hash."""


@dataclass(frozen=True)
class Run:
    """One captured run; runs with one failure_id are one failure."""

    path: str
    tool: str
    failure_id: str
    output: bytes

    @property
    def name(self) -> str:
        return self.path.removesuffix(".txt")


@functools.cache
def runs(folder: Path = FAILURES) -> tuple[Run, ...]:
    """Every run that the folder's INDEX.tsv names, by path."""
    with (folder / "INDEX.tsv").open(encoding="utf-8", newline="") as table:
        rows = list(csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE))
    found = [
        Run(row["path"], row["tool"], row["failure_id"], (folder / row["path"]).read_bytes())
        for row in rows
    ]
    return tuple(sorted(found, key=lambda run: run.path))


def failures_of(tool: str) -> list[list[Run]]:
    """The runs of a tool, those of one failure together."""
    of_tool = sorted(
        (run for run in runs() if run.tool == tool), key=lambda run: (run.failure_id, run.path)
    )
    return [list(group) for _, group in groupby(of_tool, key=lambda run: run.failure_id)]


def pairs() -> list[tuple[Run, Run]]:
    """The first run of each failure with each other run of it."""
    return [
        (group[0], other) for tool in TOOLS for group in failures_of(tool) for other in group[1:]
    ]


@functools.cache
def signature_of(run: Run, *, with_tool: bool = True) -> Signature:
    """The signature of a run, as extracted; every captured failure has one."""
    found = extract(run.tool if with_tool else None, run.output)
    assert found is not None, run.path
    return found


# What the rules and substitutions do not do yet, by the run that shows it. The test that such a run
# fails is expected to fail (strictly): once it passes, its entry here has to go.

_BUILD_NUMBER = "/build/<number>/ inside a path is taken for a run's address, and splits the path"
_OTHER_BUILDER = "the classic builder and BuildKit word it in two ways"
_PLAIN_LAYOUT = "of the plain layout the identity lacks the detail that the boxed one has"

SPLITS = {
    "cargo/failing-test.run-c": "rustc before 1.73 puts message and place of a panic on one line",
    "cargo/link.run-b": "rust-lld says 'unable to find library', ld 'cannot find'",
    "cargo/panic.run-c": "rustc before 1.73 puts message and place of a panic on one line",
    "docker/compose-env-file.run-b": _BUILD_NUMBER,
    "docker/copy-missing.run-b": "BuildKit's reference of a snapshot stays",
    "docker/copy-missing.run-c": "BuildKit of 20.10 words it in another way",
    "docker/copy-missing.run-d": _OTHER_BUILDER,
    "docker/name-in-use.run-b": "docker run puts 'docker: ' before what the engine says",
    "docker/no-dockerfile.run-b": _BUILD_NUMBER,
    "docker/no-dockerfile.run-c": _OTHER_BUILDER,
    "docker/no-engine.run-b": "the user's number in /run/user/<number>/docker.sock stays",
    "docker/no-such-container.run-b": "before 25: 'Error: No such', then 'Error response from …'",
    "docker/run-not-found.run-c": _OTHER_BUILDER,
    "docker/unknown-instruction.run-c": _OTHER_BUILDER,
    "go/failing-test.run-b": "go test -v prints the message before '--- FAIL:', else after it",
    "go/nil-map.run-b": "'[recovered, repanicked]' was '[recovered]'",
    "go/test-timeout.run-b": "the list of running tests came with go 1.20",
    "kubectl/bad-manifest.run-b": _BUILD_NUMBER,
    "kubectl/certificate-expired.run-c": "'tls: failed to verify certificate: ' came with 1.27",
    "kubectl/crash-exit-1.run-c": "the row of `get pods` is taken, though `describe` says why",
    "kubectl/image-pull.run-c": "the row of `get pods` is taken, though `describe` says why",
    "kubectl/oom-killed.run-c": "the row of `get pods` is taken, though `describe` says why",
    "npm/missing-script.run-c": "npm 6 writes: missing script: lint",
    "terraform/local-exec-exit-1.run-b": _PLAIN_LAYOUT,
    "terraform/local-exec-exit-137.run-b": _PLAIN_LAYOUT,
    "terraform/parse-error.run-b": "'At 4:13' is a place, and stays",
    "terraform/registry-unreachable.run-b": "the first line of a wrapped paragraph is taken alone",
    "terraform/undeclared-resource.run-b": "the first line of a wrapped paragraph is taken alone",
    "terraform/undeclared-resource.run-c": _PLAIN_LAYOUT,
    "terraform/unsupported-argument.run-b": _PLAIN_LAYOUT,
}
"""Runs that do not hash as the first run of their failure, asked with the tool."""

SPLITS_UNDETECTED = {
    "terraform/state-lock.run-b": "the plain layout without a place is not known for terraform's",
}
"""Further ones when asked without the tool."""

COLLIDES = {
    "kubectl/crash-exit-1.run-c": "a row of `get pods` does not say why: an error, or the memory",
    "kubectl/oom-killed.run-c": "a row of `get pods` does not say why: an error, or the memory",
    "terraform/local-exec-exit-1.run-b": _PLAIN_LAYOUT + ": exit status 1 and 137 hash alike",
    "terraform/local-exec-exit-137.run-b": _PLAIN_LAYOUT + ": exit status 1 and 137 hash alike",
}
"""Runs that hash as another failure does."""

VOLATILE_LEFT = {
    "docker/copy-missing.run-a": "BuildKit's reference of a snapshot stays",
    "docker/copy-missing.run-b": "BuildKit's reference of a snapshot stays",
    "docker/no-engine.run-a": "the user's number in /run/user/<number>/docker.sock stays",
    "docker/no-engine.run-b": "the user's number in /run/user/<number>/docker.sock stays",
    "kubectl/crash-exit-1.run-c": "an age of minutes alone, 21m, stays",
    "kubectl/image-pull.run-a": "an age of minutes alone, 19m, stays",
    "kubectl/image-pull.run-b": "an age of minutes alone, 19m, stays",
    "kubectl/image-pull.run-c": "an age of minutes alone, 21m, stays",
    "kubectl/oom-killed.run-c": "an age of minutes alone, 21m, stays",
    "terraform/parse-error.run-a": "'At 2:13' is a place, and stays",
    "terraform/parse-error.run-b": "'At 4:13' is a place, and stays",
}
"""Runs in whose normal form something volatile stays."""

_NEXT_TEXT = "of a plain diagnostic of one line, the next text is taken for its detail"

SPOILED = {
    "terraform/cycle": _NEXT_TEXT,
    "terraform/parse-error.run-a": _NEXT_TEXT,
    "terraform/undeclared-0-11": _NEXT_TEXT,
}
"""Runs that a line after them changes, asked with the tool."""

UNREPORTED = {
    "docker": "docker wraps every tool: an error by a generic rule counts as an inner tool's",
}
"""Tools of which a generic error is not reported as `rule_set_unmatched`."""


def params(found: list, known: dict[str, str]) -> list:
    """Cases named by their (last) run; those with a known fault are expected to fail."""
    cases = []
    for case in found:
        name = case[-1].name if isinstance(case, tuple) else case.name
        marks = [pytest.mark.xfail(strict=True, reason=known[name])] if name in known else []
        values = case if isinstance(case, tuple) else (case,)
        cases.append(pytest.param(*values, id=name, marks=marks))
    return cases


def sign(tool: str, output: bytes) -> str:
    found = extract(tool, output)
    assert found is not None
    return found.sig_sha


def check_same_failure_same_hash(signer: SignatureOf, tool: str) -> None:
    """Assertion 1 on every pair of a tool whose two runs have no known fault."""
    checked = 0
    for one, other in pairs():
        if one.tool == tool and other.name not in SPLITS:
            assert signer(tool, one.output) == signer(tool, other.output), other.name
            checked += 1
    assert checked >= 2


def check_different_failure_different_hash(signer: SignatureOf, tool: str) -> None:
    """Assertion 2 on the first runs of every two failures of a tool."""
    firsts = [group[0] for group in failures_of(tool)]
    assert len(firsts) >= 3
    for one, other in combinations(firsts, 2):
        assert signer(tool, one.output) != signer(tool, other.output), (one.name, other.name)


CHECKS = (check_same_failure_same_hash, check_different_failure_different_hash)
