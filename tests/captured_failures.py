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

SPLITS: dict[str, str] = {}
"""Runs that do not hash as the first run of their failure, asked with the tool."""

SPLITS_UNDETECTED: dict[str, str] = {}
"""Further ones when asked without the tool."""

COLLIDES: dict[str, str] = {}
"""Runs that hash as another failure does."""

VOLATILE_LEFT: dict[str, str] = {}
"""Runs in whose normal form something volatile stays."""

SPOILED: dict[str, str] = {}
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
