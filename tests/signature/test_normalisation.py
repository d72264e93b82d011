"""What goes, what stays."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mem_assets.signature import (
    explain_normalise,
    normalise,
    normalise_cmd,
    strip_ansi,
    volatile_parts,
)
from mem_assets.signature.normalisation import substitutions


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("/home/runner/work/acme/api/src/a.ts:3:5", "<WORKSPACE>/src/a.ts:<LINE>:<COL>"),
        ("at 2026-08-21T10:02:11.482Z boom", "at <TS> boom"),
        ("pc=0xc000123400 done", "pc=<ADDR> done"),
        ("took 4m21s, in 132ms", "took <DUR>, in <DUR>"),
        ("rm /tmp/ab12", "rm <TMP>"),
        ("open /Users/bob/x/app.ts: denied", "open <PATH>/app.ts: denied"),
        ("layer 3f2a9bc1de00", "layer <SHA>"),
        ("killed by pid 4711", "killed by pid <PID>"),
        ("\x1b[31mred\x1b[0m", "red"),
    ],
)
def test_volatile_goes(text, normal):
    assert normalise(text) == normal
    assert volatile_parts(normalise(text)) == []


@pytest.mark.parametrize(
    "text",
    [
        "exit code 137",
        "exit status 1",
        "HTTP 503 Service Unavailable",
        "error TS2322: no",
        "react@18.2.0 needs node 20",
        "signal 9",
        "errno 13",
        "npm ERR! 404 Not Found",
        "actions/checkout@v4",
        "defaced facade",
        "1048576 items",
        "src/main.rs",
        "ORA-00942: x",
        "SQLSTATE 42P01",
        "error code 0x80070005",
        "golang.org/x/text@v0.3.7",
        "E0425",
    ],
)
def test_meaning_stays(text):
    assert normalise(text) == text


@settings(max_examples=300, deadline=None)
@given(
    st.lists(
        st.one_of(
            st.text(max_size=12),
            st.sampled_from([s.example for s in substitutions()]),
            st.sampled_from(
                ["/", ":", " ", "<PATH>", "12", "0x", "-", "a1b2c3d", "\n", ":3:5", "=", "~"]
            ),
        ),
        max_size=8,
    ).map("".join)
)
def test_normalising_twice_changes_nothing(text):
    once = normalise(text)
    assert normalise(once) == once


def test_explain_names_each_substitution():
    found = explain_normalise("at /tmp/x1 after 3s")
    assert ("temporary", "/tmp/x1", "<TMP>") in found
    assert ("duration_letters", "3s", "<DUR>") in found
    assert explain_normalise("nothing here") == []


def test_command_drops_names_of_volatile_files():
    assert normalise_cmd("$ sh /home/bob/x/run-1.sh --fast") == "sh <PATH> --fast"


def test_strip_ansi_keeps_lines():
    assert strip_ansi("\x1b]0;title\x07a\x1b[1;31mb\nc\x9b0md\x00") == "ab\ncd"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("at 10:02:11", "timestamp"),
        ("2026-08-21", "timestamp"),
        ("in /home/bob/x.ts", "path"),
        (r"in C:\Users\bob", "path"),
        ("commit 3f2a9bc", "hash"),
        ("a.ts:3:5", "line"),
        ("on line 12", "line"),
        ("after 132ms", "duration"),
        ("took 4m21s", "duration"),
    ],
)
def test_volatile_parts_sees(text, kind):
    assert [part.split(":")[0] for part in volatile_parts(text)] == [kind]
