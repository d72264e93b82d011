"""Signatures of short logs, and what must hold for any log."""

import hashlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mem_assets.signature import detect_tools, extract, load_rules, rules_version
from mem_assets.signature.rules import packaged_rules

ERESOLVE = """\
> npm ci
npm ERR! code ERESOLVE
npm ERR! ERESOLVE unable to resolve dependency tree
npm ERR!
npm ERR! Found: react@18.2.0
npm ERR! peer react@"^17.0.0" from acme-grid@4.1.0
npm ERR! A complete log of this run is in: /home/bob/.npm/2026-08-21T10_02-debug-0.log
"""
CARGO = """\
   Compiling acme v0.1.0 (/home/runner/work/acme/acme)
error[E0425]: cannot find value `totl` in this scope
  --> src/main.rs:12:20
   |
12 |     println!("{}", totl);
   |                    ^^^^ help: a local variable with a similar name exists: `total`
error: could not compile `acme` (bin "acme") due to 1 previous error
"""
GO = """\
=== RUN   TestClient
--- FAIL: TestClient (0.03s)
    client_test.go:41: got status 500, want 200
FAIL
FAIL\tgithub.com/acme/api\t0.041s
exit status 1
"""
PYTEST = """\
=================================== FAILURES ===================================
_______________________________ test_total[empty] ______________________________

    def test_total():
>       assert total([]) == 1
E       assert 0 == 1

tests/test_cart.py:9: AssertionError
=========================== 1 failed, 3 passed in 0.12s ========================
"""
TRACEBACK = """\
Traceback (most recent call last):
  File "/srv/app/run.py", line 3, in <module>
    import requests
ModuleNotFoundError: No module named 'requests'
"""
TERRAFORM = """\
╷
│ Error: Unsupported argument
│
│   on main.tf line 12, in resource "aws_instance" "web":
│   12:   flavour = "big"
│
│ An argument named "flavour" is not expected here.
╵
"""
MAVEN = """\
[INFO] Compiling 12 source files
[ERROR] /builds/acme/api/src/main/java/A.java:[23,29] cannot find symbol
  symbol:   class Basket
[INFO] BUILD FAILURE
[ERROR] Failed to execute goal maven-compiler-plugin:3.8.0:compile on api: Compilation failure
[ERROR] -> [Help 1]
"""
GCC = """\
gcc -c -o main.o main.c
main.c:3:10: fatal error: acme.h: No such file or directory
    3 | #include <acme.h>
compilation terminated.
make: *** [Makefile:7: main.o] Error 1
"""
DOCKER = """\
#5 [2/4] COPY dist /app
#5 ERROR: failed to calculate checksum of ref abc: "/dist": not found
ERROR: failed to solve: failed to compute cache key: "/dist": not found
"""
CASES = [
    # tool, log, rule, in the normal form, not in the normal form
    ("npm", ERESOLVE, "npm.eresolve", ["react@18.2.0", "acme-grid@4.1.0"], ["complete log"]),
    ("npm", 'npm error Missing script: "lint"\n', "npm.missing_script", ["lint"], []),
    ("cargo", CARGO, "cargo.compiler", ["E0425", "'totl'", "src/main.rs"], ["12", "compile"]),
    ("go", GO, "go.test", ["TestClient", "status 500, want 200"], ["0.03s", ":41"]),
    ("python", PYTEST, "python.pytest", ["test_total[empty]", "assert 0 == 1"], ["1 failed"]),
    ("python", TRACEBACK, "python.traceback", ["No module named 'requests'"], ["/srv"]),
    ("terraform", TERRAFORM, "terraform.boxed", ["Unsupported argument", "web"], ["│", "line 12"]),
    ("maven", MAVEN, "maven.compile", ["cannot find symbol", "Basket"], ["23", "Compilation"]),
    ("gcc", GCC, "gcc.compile", ["fatal error: acme.h"], [":3:10", "make"]),
    ("docker", DOCKER, "docker.image_build", ["/dist"], ["#5"]),
    (
        "kubectl",
        'Error from server (NotFound): pods "api-757f89d977-795x7" not found\n',
        "kubectl.server",
        ["(NotFound)", "api-<POD>"],
        ["795x7"],
    ),
    (
        "git",
        "Cloning into 'api'...\nfatal: unable to access 'https://host/a.git/': The requested URL "
        "returned error: 503\nfatal: the remote end hung up unexpectedly\n",
        "git.remote",
        ["error: 503"],
        ["hung up"],
    ),
    (
        "pip",
        "ERROR: Could not find a version that satisfies the requirement acme==9 (from versions: "
        "1.0)\nERROR: No matching distribution found for acme==9\n",
        "pip.no_version",
        ["acme==9"],
        ["No matching"],
    ),
]


@pytest.mark.parametrize(("tool", "log", "rule", "has", "lacks"), CASES)
def test_rule_and_identity(tool, log, rule, has, lacks):
    found = extract(tool, log)
    assert found.rule == rule
    assert found.tool == tool
    assert all(part in found.normalised for part in has), found.normalised
    assert not any(part in found.normalised for part in lacks), found.normalised
    whole = f"{tool}\n{found.normalised}".encode()
    assert found.sig_sha == hashlib.sha256(whole).hexdigest()


@pytest.mark.parametrize(("tool", "log"), [case[:2] for case in CASES])
def test_same_from_raw_and_from_identity(tool, log):
    for given_tool in (tool, None):
        first = extract(given_tool, log)
        for part in (first.raw, first.identity):
            assert extract(given_tool, part).sig_sha == first.sig_sha
    assert extract(None, log).tool == tool


@pytest.mark.parametrize(("tool", "log"), [case[:2] for case in CASES])
def test_detects_the_tool(tool, log):
    assert tool in detect_tools(log)[:2]


@pytest.mark.parametrize(("tool", "log"), [case[:2] for case in CASES])
def test_two_runs_hash_alike(tool, log):
    here = extract(tool, log)
    there = "\r\n".join(
        f"2026-11-24T09:12:33.{i:07d}Z \x1b[31m{line}\x1b[0m"
        for i, line in enumerate(log.split("\n"))
    )
    assert extract(tool, there).sig_sha == here.sig_sha
    wrapped = extract(None, there)
    assert (wrapped.tool, wrapped.inner_tool) == ("github-actions", tool)
    assert wrapped.inner.sig_sha == here.sig_sha
    assert wrapped.sig_sha != here.sig_sha


def test_old_and_new_wordings_are_one():
    assert extract("npm", ERESOLVE.replace("npm ERR!", "npm error")).sig_sha == (
        extract("npm", ERESOLVE).sig_sha
    )
    plain = "\n".join(line.lstrip("│╷╵").removeprefix(" ") for line in TERRAFORM.split("\n"))
    boxed = extract("terraform", TERRAFORM).normalised.split("\n")
    assert extract("terraform", plain).normalised.split("\n")[:2] == boxed[:2]


def test_code_declaration_does_not_split():
    without = ERESOLVE.replace("npm ERR! code ERESOLVE\n", "")
    assert extract("npm", without).sig_sha == extract("npm", ERESOLVE).sig_sha


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (GO, GO.replace("status 500", "status 404")),
        (ERESOLVE, ERESOLVE.replace("react@18.2.0", "vue@3.4.0")),
        (
            "worker: exit status 1\nerror: killed, exit code 137\n",
            "worker: exit status 1\nerror: killed, exit code 1\n",
        ),
    ],
)
def test_different_failures_differ(one, other):
    assert extract(None, one).sig_sha != extract(None, other).sig_sha


def test_first_root_error_wins():
    cascade = CARGO + "".join(
        f"error[E0308]: mismatched types\n --> src/a{i}.rs:1:1\n" for i in range(5)
    )
    assert extract("cargo", cascade).sig_sha == extract("cargo", CARGO).sig_sha


def test_tolerated_error_of_a_step_that_ended_well_is_forgotten():
    log = (
        '$ ./optional\nerror: no cache yet\nThe command "./optional" exited with 0.\n'
        '$ make\nerror: disk full\nThe command "make" exited with 2.\n'
    )
    assert extract(None, log).identity == "error: disk full"


@pytest.mark.parametrize("output", ["", "   \n\t\n", b"", b"\r\n\r\n", "\x1b[0m\n"])
def test_empty_output_has_no_signature(output):
    assert extract("npm", output) is None


def test_exit_code():
    assert extract("npm", ERESOLVE, exit_code=0) is None
    assert extract("npm", "all done\n", exit_code=3).error_found
    assert extract("npm", "all done\n", exit_code=3).links
    assert not extract("npm", "all done\n").error_found
    stated = extract(None, "##[group]Run x\nhm\n##[error]Process completed with exit code 137.\n")
    assert (stated.exit_code, stated.error_found, stated.identity) == (
        137,
        True,
        "hm",
    )


def test_unknown_tool_uses_generic_and_known_tool_reports_it():
    log = "starting\nERROR: quota of region exceeded\n"
    unknown = extract("Frobnicator", log)
    assert (unknown.tool, unknown.rule, unknown.diagnostics) == ("frobnicator", "generic.error", ())
    assert unknown.inner.sig_sha == extract(None, log).sig_sha
    assert "rule_set_unmatched" in extract("npm", log).diagnostics


def test_tool_is_part_of_identity_and_aliases_are_one():
    log = "ERROR: quota of region exceeded\n"
    assert extract("kubectl", log).sig_sha != extract("docker", log).sig_sha
    assert extract("yarn", ERESOLVE).sig_sha == extract("npm", ERESOLVE).sig_sha


def test_lines_are_counted_over_all_breaks():
    found = extract("go", "a\r\nb\rc\n" + GO)
    assert (found.line_start, found.line_end) == (5, 6)


def test_hostile_input_is_bounded():
    for output in (
        b"\x00" * 10_000 + b"\xff\xfe\xe2\x82",
        "error: " + "x" * 1_000_000,
        "\n".join(["npm ERR! ERESOLVE x"] * 20_000),
    ):
        found = extract("npm", output)
        if found is not None:
            assert len(found.identity) <= 2048
            assert len(found.raw) <= 24 * 1024


def test_rules_version_follows_the_rules(tmp_path: Path):
    (tmp_path / "frob.toml").write_text(
        'schema = 1\ntool = "frob"\n[[rule]]\nname = "jam"\npattern = "^frob jam"\n'
        'example = "frob jam at 3"\ncounter_example = "frob ok"\n'
    )
    mine = load_rules(tmp_path)
    assert rules_version(mine) != rules_version() == rules_version(packaged_rules())
    assert extract("frob", "frob jam in gate\n", rules=mine).rule == "frob.jam"


NOISE = st.sampled_from(
    [
        "Compiling step one",
        "npm WARN deprecated acme@1",
        "+ make all",
        "0 errors, 0 failures",
        "added 3 packages in 2s",
        "",
        "\x1b[2K\rprogress 40%",
        "test result: ok. 3 passed",
    ]
)
CONSEQUENCE = st.sampled_from(
    [
        "##[error]Process completed with exit code 1.",
        "Done. Your build exited with 1.",
        "make: *** [all] Error 2",
        "BUILD FAILED",
        "exit status 1",
    ]
)


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from([case[:2] for case in CASES]),
    st.lists(NOISE, max_size=6),
    st.lists(CONSEQUENCE, max_size=3),
)
def test_noise_and_consequences_change_nothing(case, before, after):
    tool, log = case
    noisy = "\n".join([*before, "", log.rstrip("\n"), *after]) + "\n"
    assert extract(tool, noisy).sig_sha == extract(tool, log).sig_sha


@settings(max_examples=150, deadline=None)
@given(
    st.one_of(st.binary(max_size=400), st.text(max_size=400)),
    st.sampled_from([None, "npm", "cargo", "github-actions", "frobnicator", ""]),
)
def test_any_bytes(output, tool):
    found = extract(tool, output)
    if found is not None:
        assert extract(tool, output) == found
        for part in (found.raw, found.identity):
            again = extract(found.tool, part)
            assert again is not None
            assert again.sig_sha == found.sig_sha


LINES = [line for case in CASES for line in case[1].split("\n")]


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.sampled_from(LINES), min_size=1, max_size=25),
    st.sampled_from([None, "npm", "python", "go", "github-actions"]),
)
def test_any_mixture_of_log_lines(lines, tool):
    found = extract(tool, "\n".join(lines))
    if found is not None:
        for part in (found.raw, found.identity):
            assert extract(tool or found.tool, part).sig_sha == found.sig_sha
