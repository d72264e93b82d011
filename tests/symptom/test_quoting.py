import pytest

from mem_assets.symptom import quoted_lines
from mem_assets.symptom.quoting import MAX_QUOTED, prose


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (
            "It said `ENOSPC: no space left on device` at night.",
            ["ENOSPC: no space left on device"],
        ),
        ('The log had "connection refused by peer" in it.', ["connection refused by peer"]),
        ("The log had “413 Request Entity Too Large”.", ["413 Request Entity Too Large"]),
        ("Seen:\n```\nok\nfatal: not a git repository\n```", ["fatal: not a git repository"]),
        ("~~~\npanic: nil map\n~~~\nDone.", ["panic: nil map"]),
        ("npm ERR! code ERESOLVE\nWe pinned it.", ["npm ERR! code ERESOLVE"]),
        ('Error: secret "db" not found\nCreated it.', ['Error: secret "db" not found']),
        ("Set `proxy-body-size` to zero and restart `nginx`.", []),
        ('We call it "the big one" at work.', []),
        ("A cause and a fix, nothing quoted; the error was gone.", []),
        ("```\n  at com.acme.Failure(Main.java:3)\n```", []),
        ("`OOMKilled` and `OOMKilled` again", ["OOMKilled"]),
        ("", []),
    ],
)
def test_quoted_lines(text: str, lines: list[str]) -> None:
    assert quoted_lines(text) == lines


def test_a_long_line_is_cut() -> None:
    assert [len(line) for line in quoted_lines("fatal: " + "x" * 10_000_000)] == [MAX_QUOTED]


def test_prose_is_what_is_not_quoted() -> None:
    text = "Broke with `error: x` here.\n```\nfatal: y\n```\nnpm ERR! code E404\nFixed it."
    left = prose(text)
    assert "Broke with" in left
    assert "Fixed it." in left
    assert not any(word in left for word in ("error", "fatal", "ERR"))
