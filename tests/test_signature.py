"""What the exact tier stands on: one failure hashes alike in all its runs, another does not.

The nine assertions a1 to a9 on captured output. How they could pass for nothing is in
`test_signature_traps.py`.
"""

import re
import socket
import subprocess
import sys
import time
from itertools import combinations

import pytest
from typer.testing import CliRunner

from bench.corpus import captured_failures
from mem_assets.interfaces import cli
from mem_assets.signature import extract, signature_sha, volatile_parts
from tests.captured_failures import (
    CHECKS,
    COLLIDES,
    FIXTURES,
    SPLITS,
    SPLITS_UNDETECTED,
    TOOLS,
    VOLATILE_LEFT,
    Run,
    failures_of,
    pairs,
    params,
    runs,
    sign,
    signature_of,
)

ROOT = FIXTURES.parent
CORPUS = ROOT.parent / "shared" / "corpus"
IN_CORPUS = pytest.mark.skipif(
    not (CORPUS / "failures" / "INDEX.tsv").is_file(),
    reason="GitHub's runner cannot be run here; ../shared/corpus, which has its logs, is absent",
)
LATENCY_SECONDS = 0.050
LATENCY_BYTES = 50 * 1024

# Patterns of the test's own: what the package itself looks for could share a gap with it.
VOLATILE = {
    "timestamp": r"\d{4}-\d\d-\d\d|\b\d\d:\d\d:\d\d\b",
    "path": r"(?<![\w>.:/-])/(?:[\w.@+-]+/)+|unix:///\w+/\w|\b[A-Z]:\\\w",
    "sha": r"\b(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}\b",
    "reference": r"::[0-9a-z]{20,}\b",
    "line": r"(?i)\bline \d|\.[a-z]{1,4}:\d|(?<![\w.>])\d+:\d+\b",
    "duration": r"\b\d+(?:\.\d+)?(?:ms|s|m|h)\b|\b\d+ (?:seconds|minutes|hours)\b",
}


@pytest.mark.parametrize(("one", "other"), params(pairs(), SPLITS))
def test_a1_same_failure_same_hash(one: Run, other: Run):
    assert signature_of(one).normalised == signature_of(other).normalised
    assert signature_of(one).sig_sha == signature_of(other).sig_sha


@pytest.mark.parametrize(("one", "other"), params(pairs(), SPLITS | SPLITS_UNDETECTED))
def test_a1_same_failure_same_hash_without_the_tool(one: Run, other: Run):
    first, second = (signature_of(run, with_tool=False) for run in (one, other))
    assert first.sig_sha == second.sig_sha


@pytest.mark.parametrize("run", params(list(runs()), COLLIDES))
def test_a2_different_failure_different_hash(run: Run):
    mine = signature_of(run).sig_sha
    others = [other for other in runs() if other.failure_id != run.failure_id]
    assert [other.name for other in others if signature_of(other).sig_sha == mine] == []


@pytest.mark.parametrize("tool", TOOLS)
def test_a1_and_a2_together(tool):
    for check in CHECKS:
        check(sign, tool)


@pytest.mark.parametrize("run", params(list(runs()), VOLATILE_LEFT))
def test_a3_normalisation_removes_volatiles(run: Run):
    normal = signature_of(run).normalised
    left = {kind: re.findall(pattern, normal) for kind, pattern in VOLATILE.items()}
    assert {kind: found for kind, found in left.items() if found} == {}
    assert volatile_parts(normal) == []


# A root error that a tool printed, and the lines it prints because of such an error.
CASCADES = {
    "cargo": ("unresolved-name.run-b", [
        "error: could not compile `ledger` due to previous error",
        "warning: build failed, waiting for other jobs to finish...",
        "error: build failed",
        "error: aborting due to previous error",
        "error[E0308]: mismatched types\n --> src/money.rs:3:5",
    ]),
    "docker": ("registry-refused.run-b", [
        "ERROR: Service 'web' failed to build : Build failed",
        "web_1 exited with code 1",
        "ERROR: failed to solve: process \"/bin/sh -c make\" did not complete successfully: "
        "exit code: 2",
        "The command '/bin/sh -c make' returned a non-zero code: 2",
        "Error response from daemon: No such container: 0c3f6f0a9be1",
    ]),
    "go": ("undefined.run-a", [
        "./refund.go:9:3: too many errors",
        "FAIL\tgit.example/acme/api [build failed]",
        "FAIL\tgit.example/acme/api/cart [build failed]",
        "exit status 2",
        "FAIL",
    ]),
    "kubectl": ("unknown-host.run-a", [
        "Unable to connect to the server: EOF",
        "error: timed out waiting for the condition",
        'error: deployment "pay-api" exceeded its progress deadline',
        "The connection to the server localhost:8080 was refused - did you specify the right host?",
        'Error from server (NotFound): pods "pay-api" not found',
    ]),
    "npm": ("eresolve.run-b", [
        "npm error code ELIFECYCLE",
        "npm error errno 1",
        "npm error storefront@2.4.0 build: `node build.js`",
        "npm error Failed at the storefront@2.4.0 build script.",
        "npm error A complete log of this run can be found in: /home/ci/.npm/_logs/x-debug-0.log",
    ]),
    "terraform": ("unsupported-argument.run-a", [
        "╷\n│ Error: Reference to undeclared resource\n│ \n│   on main.tf line 30:\n╵",
        "╷\n│ Error: Invalid reference\n│ \n│   on main.tf line 40:\n╵",
        "╷\n│ Error: Missing required argument\n│ \n│   on main.tf line 50:\n╵",
        "Releasing state lock. This may take a few moments...",
        "Error: exit status 1",
    ]),
}  # fmt: skip


@pytest.mark.parametrize("tool", TOOLS)
def test_a4_cascade_picks_first(tool):
    name, induced = CASCADES[tool]
    assert len(induced) == 5
    root = next(run for run in runs() if run.name == f"{tool}/{name}")
    cascade = "\n".join([root.output.decode(), *induced, ""])
    assert extract(tool, cascade).identity == signature_of(root).identity
    assert extract(tool, cascade).sig_sha == signature_of(root).sig_sha


@pytest.mark.parametrize("run", params(list(runs()), {}))
def test_a5_unknown_tool_fallback(run: Run):
    found = extract("frobnicator", run.output)
    assert found.tool == "frobnicator"
    assert found.rule.startswith("generic.")
    assert found.diagnostics == ()


class TransportUsedError(AssertionError):
    """Signing an output reached for the network."""


def _panic(*args, **more):
    raise TransportUsedError("the transport was used")


@pytest.fixture
def no_transport(monkeypatch):
    for name in ("socket", "create_connection", "getaddrinfo", "socketpair"):
        monkeypatch.setattr(socket, name, _panic)


def test_a6_no_model_calls(no_transport):
    with pytest.raises(TransportUsedError):
        socket.create_connection(("127.0.0.1", 9))
    for run in runs():
        for tool in (run.tool, None, "frobnicator"):
            assert extract(tool, run.output) is not None, run.name


def test_a6_no_model_is_loaded():
    program = (
        "import sys; from tests.captured_failures import runs, signature_of\n"
        "signed = [signature_of(run) for run in runs()]\n"
        "engines = {'vllm', 'torch', 'transformers', 'duckdb', 'usearch', 'httpx', 'http.client'}\n"
        "print(len(signed), sorted(engines & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout == f"{len(runs())} []\n"


def long_log(run: Run) -> bytes:
    """A log of LATENCY_BYTES that ends in the run: passed tests, warnings and blanks before it."""
    passed = next(r for r in runs() if r.name == "go/failing-test.run-a").output.split(b"\n")[2:90]
    filler = b"\n".join(line for line in passed if b"FAIL" not in line) + b"\n"
    room = LATENCY_BYTES - len(run.output)
    return (filler * (room // len(filler) + 1))[:room].rpartition(b"\n")[0] + b"\n" + run.output


@pytest.mark.parametrize("tool", [*TOOLS, "github-actions", None])
def test_a7_latency(tool):
    """The one timed test: the best of several, so that a busy machine does not fail it."""
    run = failures_of(tool if tool in TOOLS else "docker")[0][0]
    log = long_log(run)
    assert LATENCY_BYTES - 200 < len(log) <= LATENCY_BYTES
    best = float("inf")
    for _ in range(20):
        start = time.perf_counter()
        found = extract(tool, log)
        best = min(best, time.perf_counter() - start)
        if best < LATENCY_SECONDS:
            break
    assert found.identity == signature_of(run).identity
    assert best < LATENCY_SECONDS


def test_a8_tool_in_identity():
    for run in runs():
        normal = signature_of(run).normalised
        hashes = {signature_sha(tool, normal) for tool in TOOLS}
        assert len(hashes) == len(TOOLS)
        assert signature_sha(run.tool, normal) == signature_of(run).sig_sha
    output = "worker: exit status 1\nerror: quota exceeded\n"
    found = [extract(tool, output) for tool in TOOLS]
    assert len({one.normalised for one in found}) == 1
    assert len({one.sig_sha for one in found}) == len(TOOLS)


@pytest.mark.parametrize("run", params(list(runs()), {}))
def test_a9_explain_names_rule(run: Run):
    path = str(FIXTURES / "failures" / run.path)
    shown = CliRunner().invoke(cli.app, ["sig", "explain", path, "--tool", run.tool])
    assert shown.exit_code == 0
    words = shown.stdout.split()
    assert signature_of(run).rule in words
    assert signature_of(run).sig_sha in words


# -- GitHub's runner


@IN_CORPUS
def test_github_actions():
    logs = [log for log in captured_failures(CORPUS) if log.tool == "github-actions"]
    found = [(log, extract(log.tool, log.text)) for log in logs]
    for (one, mine), (other, theirs) in combinations(found, 2):
        same = one.failure_id == other.failure_id
        assert (mine.sig_sha == theirs.sig_sha) == same, (one.name, other.name)
    for log, signature in found:
        assert "Process completed with exit code" not in signature.identity, log.name
        assert volatile_parts(signature.normalised) == [], log.name
        assert signature.inner is not None, log.name
