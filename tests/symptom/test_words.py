from pathlib import Path

import pytest

from mem_assets.symptom.words import (
    content_stems,
    join_phrases,
    plain_text,
    raw_tokens,
    read_toml,
    stem,
)


@pytest.mark.parametrize(
    ("line", "tokens"),
    [
        ("Cannot find module 'tslib'", ["not_found", "module", "tslib"]),
        ("couldn't find it", ["not_found", "it"]),
        ("can’t resolve", ["not_able", "resolve"]),
        ("no such file", ["not_found", "file"]),
        ("x is not a tree", ["x", "is", "not_tree"]),
        ("open ./app.js: permission denied", ["open", "./app.js", "permission_denied"]),
        ("peer @acme/ui@^1.2.0 …", ["peer", "@acme/ui", "1.2.0"]),
        ("\x1b[31mnpm ERR!\x1b[0m a", ["npm", "err", "a"]),
        ("dial tcp: i/o timeout", ["dial", "tcp", "io", "timed_out"]),
    ],
)
def test_tokens(line: str, tokens: list[str]) -> None:
    assert list(join_phrases(raw_tokens(plain_text(line)))) == tokens


@pytest.mark.parametrize("text", ["\ud800", "\x00\x01", "e\u0301 É ß", "a" * 100_000, "\x1b]0;x"])
def test_any_text_folds(text: str) -> None:
    folded = plain_text(text)
    assert plain_text(folded) == folded
    folded.encode()


def test_case_folds_alike() -> None:
    assert plain_text("STRASSE É") == plain_text("straße é")


def test_content_stems_leave_out_stop_words_noise_and_names() -> None:
    stems = content_stems("The error: proxies refused 413 of the uploads, cannot find x.")
    assert stems == {stem("proxies"), stem("refused"), stem("uploads"), "not_found"}


@pytest.mark.parametrize(
    ("text", "says"),
    [("x = 1", "schema = 1"), ("schema = 1\ny = 2", "unknown key 'y'"), ("=", "not TOML")],
)
def test_wrong_data_is_refused(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "w.toml"
    path.write_text(text)
    with pytest.raises(ValueError, match=r"^w\.toml: ") as caught:
        read_toml(path, ("x",))
    assert says in str(caught.value)
