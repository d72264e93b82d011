"""However a log's candidates are found, one by one, by pieces or by stretches, it is one answer."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mem_assets.signature import candidates, extract

LINES = [
    "compiling cart.c",
    "0 errors, no failures",
    "\x1b[32mok\x1b[0m cart 2.31s",
    "cart.c:3:5: \x1b[1;31merror: \x1b[0m'sum' undeclared",
    "er\x1b[1mror\x1b[0m: split by a colour",
    "e\x00rror: NUL inside",
    "##[group]Run make",
    "##[error]Process completed with exit code 2.",
    'The command "make" exited with 0.',
    'The command "make" exited with 2.',
    "npm ERR! code ERESOLVE",
    "npm ERR! ERESOLVE unable to resolve dependency tree",
    "warning: unused variable, error-prone",
    "FAILED tests/test_cart.py::test_sum - assert 3 == 4",
    "2026-11-24T10:00:00.0000001Z error: late",
    "make: *** [cart.o] Error 1",
    "1) Cart adds:",
    "   AssertionError: expected 1 to equal 2",
    "",
    "bytes \xff\xc3 of no text failed",
    "x" * 3000 + " error: far away",
]


def found(monkeypatch: pytest.MonkeyPatch, log: str, **limits: int):
    with monkeypatch.context() as patch:
        for name, value in limits.items():
            patch.setattr(candidates, name, value)
        return extract(None, log)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    log=st.lists(st.sampled_from(LINES), max_size=25),
    line_break=st.sampled_from(["\n", "\r\n", "\r"]),
)
def test_every_way_gives_one_signature(monkeypatch, log, line_break):
    text = line_break.join(log)
    line_by_line = found(monkeypatch, text, _SMALL=1 << 20)
    assert found(monkeypatch, text, _SMALL=-1) == line_by_line
    assert found(monkeypatch, text, _SMALL=-1, _MANY=0, _STRETCH=64) == line_by_line


def test_a_log_beyond_its_allowance_gives_what_was_found_so_far():
    noise = "".join(f"npm ERR! code E{number}\n" for number in range(20_000))
    signature = extract(None, f"error: first\n{noise}")
    assert signature.identity == "error: first"
