"""What must hold of every log: the captured failures, the landing, and what hypothesis makes of
them."""

import json
import zipfile
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from mem_assets.interfaces.log_input import read_log
from mem_assets.signature import Signature, extract, normalise, volatile_parts
from mem_assets.signature.rules import packaged_rules
from mem_assets.storage.archives import InputError
from tests.captured_failures import FIXTURES, SPOILED, TOOLS, Run, params, runs, signature_of

LANDING = FIXTURES / "landing"
ANY_TOOL = st.sampled_from([*TOOLS, None, "github-actions", "generic", "frobnicator", " ", "NPM"])


def landing_logs() -> list[Run]:
    """The logs of the landing that can be read, each with the tool that its place names, if any."""
    found = []
    for path in sorted(LANDING.glob("*/logs/**/*")):
        if not path.is_file() or path.is_symlink() or path.name.endswith(".meta.json"):
            continue
        for member, output in texts(path):
            name = str(path.relative_to(LANDING)) + member
            found.append(Run(name, named_tool(path), name, output.encode()))
    return found


def texts(path: Path) -> list[tuple[str, str]]:
    if path.suffix == ".zip":
        with zipfile.ZipFile(path) as archive:
            small = [info for info in archive.infolist() if info.file_size < 1 << 20]
            return [
                (f"!{info.filename}", archive.read(info).decode("utf-8", "replace"))
                for info in small
                if not info.is_dir() and ".." not in info.filename
            ]
    try:
        return [("", read_log(str(path)).text)]
    except InputError:
        return []


def named_tool(path: Path) -> str:
    """The sidecar's tool, else the folder's, else ""."""
    sidecar = path.with_name(path.name + ".meta.json")
    try:
        tool = json.loads(sidecar.read_text()).get("tool")
    except (FileNotFoundError, json.JSONDecodeError):
        tool = None
    folder = path.parent.name
    return tool or (folder if folder in packaged_rules().sets else "")


LOGS = [*runs(), *landing_logs()]


def test_the_landing_is_read():
    assert len(LOGS) - len(runs()) >= 47
    assert {run.tool for run in LOGS} > {*TOOLS, "github-actions", "python", ""}


@pytest.mark.parametrize("with_tool", [True, False], ids=["tool", "detected"])
@pytest.mark.parametrize("run", LOGS, ids=lambda run: run.name)
def test_raw_and_identity_hash_as_the_log(run, with_tool):
    tool = run.tool or None if with_tool else None
    first = extract(tool, run.output)
    if first is None:
        return
    for part in (first.raw, first.identity):
        again = extract(tool, part)
        assert again is not None
        # A part may not show the runner around it any more: then it hashes as the inner tool's.
        inner = {first.inner.sig_sha} if first.inner and tool is None else set()
        assert again.sig_sha in {first.sig_sha, *inner}


@pytest.mark.parametrize("run", LOGS, ids=lambda run: run.name)
def test_normalising_is_idempotent_and_leaves_nothing_volatile(run):
    found = extract(run.tool or None, run.output)
    if found is None:
        return
    assert normalise(found.normalised) == found.normalised
    for text in (found.raw, run.output.decode("utf-8", "replace")[-20_000:]):
        assert normalise(normalise(text)) == normalise(text)
    assert volatile_parts(found.normalised) == []


LINES = sorted({line for run in runs() for line in run.output.splitlines()})
PIECES = st.one_of(
    st.binary(max_size=40),
    st.sampled_from(LINES),
    st.sampled_from(
        [b"\n", b"\r", b"\r\n", b"\x00", b"\x1b[", b"\xff\xfe", b"\xe2\x94", b"error: "]
    ),
)


def spliced(pieces: list[bytes]) -> bytes:
    return b"".join(pieces)


@settings(max_examples=300, deadline=None)
@given(
    st.one_of(st.binary(max_size=600), st.lists(PIECES, max_size=30).map(spliced)),
    ANY_TOOL,
    st.sampled_from([None, 0, 1, 137, -9]),
)
def test_any_bytes_give_a_signature_or_none(output, tool, exit_code):
    found = extract(tool, output, exit_code=exit_code)
    assert found is None or isinstance(found, Signature)
    if exit_code == 0:
        assert found is None
    if found is not None:
        assert extract(tool, output, exit_code=exit_code) == found
        assert 1 <= found.line_start <= found.line_end
        assert found.normalised


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(runs()), st.integers(0, 4000), st.integers(0, 4000), ANY_TOOL)
def test_a_log_cut_anywhere_gives_a_signature_or_none(run, start, length, tool):
    found = extract(tool, run.output[start : start + length])
    assert found is None or isinstance(found, Signature)


@settings(max_examples=200, deadline=None)
@given(st.lists(PIECES, max_size=12).map(spliced))
def test_normalising_twice_changes_nothing(output):
    once = normalise(output.decode("utf-8", "replace"))
    assert normalise(once) == once


# Lines that tools printed where all was well, in the captured logs.
NOISE = [
    b"=== RUN   TestAdd/sku-0001",
    b"    --- PASS: TestAdd/sku-0001 (0.00s)",
    b"?   \tgit.example/acme/api\t[no test files]",
    b"npm notice New major version of npm available! 8.19.4 -> 12.2.2",
    b"npm WARN deprecated rimraf@2.7.1: Rimraf versions prior to v4 are no longer supported",
    b"warning: unused variable: `unused`",
    b"   Compiling ledger v0.7.2 (/home/ci/build/811/ledger)",
    b"test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out",
    b"#4 [1/3] FROM registry.shop.example/base:1.4",
    b"#4 DONE 0.0s",
    b"Sending build context to Docker daemon  3.072kB\r\r",
    b'- Finding acme/widgets versions matching "~> 2.3"...',
    b"terraform_data.smoke: Creating...",
    b"\x1b[0m\x1b[1mInitializing provider plugins...\x1b[0m",
    b"pay-web-5c4b7f6d99-kx2zt   1/1     Running            0             3d2h",
    b"0 errors, 0 failures",
    b"\x1b[2K\rprogress 40%\rprogress 100%",
    b"",
]
# What stands after an error because of it, whatever the tool.
CONSEQUENCES = [
    b"make: *** [Makefile:7: all] Error 2",
    b"script returned exit code 1",
    b"BUILD FAILED",
    b"Build step 'Execute shell' marked build as failure",
    b"Finished: FAILURE",
    b"ERROR: Job failed: exit code 1",
    b"Done. Your build exited with 1.",
]


@settings(max_examples=250, deadline=None)
@given(
    st.sampled_from(runs()),
    st.lists(st.sampled_from(NOISE), max_size=12),
    st.lists(st.sampled_from(CONSEQUENCES), max_size=4),
    st.booleans(),
)
def test_noise_before_and_consequences_after_change_nothing(run, before, after, with_tool):
    log = b"\n".join([*before, b"", run.output.rstrip(b"\r\n"), b"", *after, b""])
    assume(not (after and with_tool and run.name in SPOILED))
    found = extract(run.tool if with_tool else None, log)
    assert found is not None
    assert found.sig_sha == signature_of(run, with_tool=with_tool).sig_sha


@pytest.mark.parametrize("run", params(list(runs()), SPOILED))
def test_each_consequence_changes_nothing(run):
    for line in CONSEQUENCES:
        found = extract(run.tool, run.output.rstrip(b"\r\n") + b"\n\n" + line + b"\n")
        assert found is not None
        assert found.sig_sha == signature_of(run).sig_sha


@settings(max_examples=100, deadline=None)
@given(
    st.sampled_from(runs()),
    st.dates().map(lambda day: day.isoformat()),
    st.sampled_from(["{}T10:02:11.4821733Z ", "[{}T10:02:11.482Z] ", "{} 10:02:11,482 "]),
)
def test_a_runner_that_puts_the_time_before_each_line_changes_nothing(run, day, form):
    stamp = form.format(day).encode()
    text = run.output.replace(b"\r\n", b"\n")
    log = b"\n".join(stamp + line for line in text.split(b"\n"))
    found = extract(run.tool, log)
    assert found is not None
    assert found.sig_sha == signature_of(run).sig_sha
