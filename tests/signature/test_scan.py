"""Which of a log's errors counts: steps and how they ended, warnings, the last lines."""

import pytest

from mem_assets.signature import extract


def travis(*steps: tuple[str, str, int]) -> str:
    """A Travis log of steps: command, output, exit code; a step of the setup has code -1."""
    lines = []
    for number, (command, output, code) in enumerate(steps):
        lines += [f"travis_time:start:{number:08x}\r\x1b[0K$ {command}", output]
        lines += [f"\r\ntravis_time:end:{number:08x}:start=1,finish=2,duration=1\r\x1b[0K"]
        if code >= 0:
            lines += [f'\x1b[31;1mThe command "{command}" exited with {code}.\x1b[0m']
    return "\n".join([*lines, "", "Done. Your build exited with 1.", ""])


BROKEN = ("make", "error: cart is empty", 2)


@pytest.mark.parametrize(
    "steps",
    [
        [("sudo apt-get update", "ERROR: mirror is broken", -1), BROKEN],
        [("./optional", "ERROR: no cache yet", 0), BROKEN],
        [BROKEN, ("./after", "ERROR: nothing to upload", 0)],
        [BROKEN, ("cat report", "FATAL: old news\nall well", -1)],
        [("if true; then\n  ./try || echo ERROR: no\nfi", "all well", 0), BROKEN],
        [(f"echo {'x' * 900}", "ERROR: not yet", 0), BROKEN],
    ],
)
def test_the_error_of_the_step_that_failed_counts(steps):
    assert extract(None, travis(*steps)).identity == "error: cart is empty"


@pytest.mark.parametrize("command", ["./check.sh", "bash -c '\n  ./check.sh || die\n'"])
def test_without_an_error_the_last_lines_of_the_failed_step_stand(command):
    said = "generated files differ\nplease run generate"
    log = travis((command, f"Done in 3.1s.\n{said}\n{'-' * 30}", 1), ("rm -r x", "bye", -1))
    found = extract(None, log)
    assert (found.rule, found.identity) == ("generic.tail", said)
    assert found.error_found
    assert extract(None, found.raw).sig_sha == found.sig_sha


def test_a_warning_is_an_error_only_where_something_failed():
    log = "This is pdfTeX\nLaTeX Warning: There were undefined references.\nOutput written.\n"
    passed, failed = extract("latex", log), extract("latex", log, exit_code=1)
    assert (passed.error_found, failed.error_found) == (False, True)
    assert passed.sig_sha == failed.sig_sha
    assert failed.rule == "latex.warning"
    worse = extract("latex", f"{log}! Undefined control sequence.\nl.12 \\cart\n", exit_code=1)
    assert worse.rule == "latex.error"


def test_a_log_of_rulers_alone_has_no_signature():
    assert extract(None, "-----\n=====\n") is None
