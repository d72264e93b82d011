"""From files to rows and rejects: whatever lies in the landing, each input is counted once."""

import gzip
import io
import json
import os
import zipfile
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from mem_assets.hashing import sha256_json, sha256_text
from mem_assets.memory.model import REJECT_REASONS
from mem_assets.memory.redaction import find_secrets
from mem_assets.storage.archives import Limits
from mem_assets.storage.landing import (
    LandedDay,
    LandedLog,
    known_tools,
    landing_dates,
    list_files,
    read_logs,
    read_notes,
    read_references,
)

DAY = "2026-11-24"
TOKEN = "ghp_" + "Zk3vQ9xLm2Tn8RpWc5Ys7BdF4GhJ6aEu1oKi"
FIXTURES = Path(__file__).parents[2] / "fixtures"


def land(root: Path, files: dict[str, bytes | str | dict[str, object]]) -> Path:
    """Writes files of the day; a dict is written as JSON."""
    for name, content in files.items():
        file = root / DAY / name
        file.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps(content) if isinstance(content, dict) else content
        file.write_bytes(text.encode() if isinstance(text, str) else text)
    return root


def zipped(members: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return file.getvalue()


def only(root: Path) -> LandedLog:
    day = read_logs(root, DAY)
    assert day.rejects == []
    assert day.is_complete
    (log,) = day.logs
    return log


def reasons(day: LandedDay) -> dict[str, str]:
    """Path below the day to its reason."""
    assert day.is_complete
    assert all(reject.detail and reject.line == 0 for reject in day.rejects)
    return {reject.path.removeprefix(f"{DAY}/"): reject.reason for reject in day.rejects}


def test_a_missing_landing_or_day_is_empty(tmp_path: Path) -> None:
    for root in (tmp_path, tmp_path / "none"):
        assert read_logs(root, DAY) == LandedDay([], [], 0)
        assert read_notes(root, DAY).notes == read_references(root, DAY).notes == []
        assert list_files(root, DAY) == []
        assert landing_dates(root) == []


@pytest.mark.parametrize("date", ["2026-13-01", "2026-1-1", "../2026-11-24", "", "2026-11-24/x"])
def test_a_bad_date_is_refused(tmp_path: Path, date: str) -> None:
    for read in (read_logs, read_notes, read_references, list_files):
        with pytest.raises(ValueError, match=r"date|month|day"):
            read(tmp_path, date)


def test_dates_are_real_days_in_order(tmp_path: Path) -> None:
    for name in ("2026-11-25", "2026-02-30", "2026-11-24", "archive", ".2026-11-24"):
        (tmp_path / name).mkdir()
    (tmp_path / "2026-11-26").write_text("a file")
    assert landing_dates(tmp_path) == ["2026-11-24", "2026-11-25"]


def test_a_log_with_its_sidecar(tmp_path: Path) -> None:
    about = {"tool": "NPM", "job": "build", "step": " ci ", "exit_code": 1, "url": "https://c/1"}
    about |= {"repo": "o/r", "commit": "9f8e7d6c"}
    land(tmp_path, {"logs/x/a.log": "one\r\ntwo\rthree\n", "logs/x/a.log.meta.json": about})
    log = only(tmp_path)
    assert log.path == f"{DAY}/logs/x/a.log"
    assert log.text == "one\r\ntwo\rthree\n"
    assert log.text_sha == sha256_text(log.text)
    assert log.log_id == sha256_json({"log": log.path, "text": log.text_sha})
    assert (log.tool, log.tool_origin, log.job, log.step) == ("npm", "sidecar", "build", "ci")
    assert (log.exit_code, log.repo, log.commit) == (1, "o/r", "9f8e7d6c")
    assert (log.bytes, log.redacted, log.decoding) == (15, (), "utf-8")
    assert read_logs(tmp_path, DAY).set_aside == (f"{DAY}/logs/x/a.log.meta.json",)


def test_the_tool_comes_from_the_sidecar_then_the_folder(tmp_path: Path) -> None:
    land(
        tmp_path,
        {
            "logs/npm/deep/a.log": "x",
            "logs/npm/b.log": "x",
            "logs/npm/b.log.meta.json": {"tool": "yarn"},
            "logs/npm/c.log": "x",
            "logs/npm/c.log.meta.json": {"job": "j"},
            "logs/desk/d.log": "x",
            "logs/generic/e.log": "x",
            "logs/npm.log": "x",
        },
    )
    found = {log.path.rsplit("/")[-1]: (log.tool, log.tool_origin) for log in only_logs(tmp_path)}
    assert found == {
        "a.log": ("npm", "folder"),
        "b.log": ("yarn", "sidecar"),
        "c.log": ("npm", "folder"),
        "d.log": (None, ""),
        "e.log": (None, ""),
        "npm.log": (None, ""),
    }
    assert {log.tool for log in read_logs(tmp_path, DAY, tools={"desk"}).logs} >= {"desk", None}
    assert {"npm", "cargo", "go", "kubectl", "docker", "terraform"} <= known_tools()


def only_logs(root: Path) -> list[LandedLog]:
    day = read_logs(root, DAY)
    assert day.is_complete
    assert day.rejects == []
    return day.logs


@pytest.mark.parametrize(
    "sidecar",
    [
        b"{",
        b"[]",
        b"\xff\xfe",
        b'{"colour": "red"}',
        b'{"exit_code": "1"}',
        b'{"exit_code": true}',
        b'{"exit_code": 4294967296}',
        b'{"tool": 7}',
        b'{"job": "a\\nb"}',
        b'{"url": "' + b"u" * 3000 + b'"}',
        b"[" * 50_000,
        b" " * 70_000,
    ],
)
def test_a_broken_sidecar_is_a_reject_and_its_log_is_taken(tmp_path: Path, sidecar: bytes) -> None:
    land(tmp_path, {"logs/npm/a.log": "x", "logs/npm/a.log.meta.json": sidecar})
    day = read_logs(tmp_path, DAY)
    assert reasons(day) == {"logs/npm/a.log.meta.json": "metadata"}
    assert [(log.tool, log.exit_code) for log in day.logs] == [("npm", None)]


def test_a_sidecar_without_a_log_is_a_reject(tmp_path: Path) -> None:
    land(tmp_path, {"logs/a.log.meta.json": {"tool": "npm"}})
    assert reasons(read_logs(tmp_path, DAY)) == {"logs/a.log.meta.json": "metadata"}


def test_an_exit_code_as_windows_prints_it_becomes_signed(tmp_path: Path) -> None:
    land(tmp_path, {"logs/a": "x", "logs/a.meta.json": {"exit_code": 3221225477}})
    assert only(tmp_path).exit_code == -1073741819


def test_secrets_are_gone_from_text_path_and_metadata(tmp_path: Path) -> None:
    about = {"job": f"deploy {TOKEN}", "url": f"https://bot:{TOKEN}@git.example/r"}
    land(
        tmp_path,
        {
            f"logs/{TOKEN}.log": f"DB_PASSWORD=hunter2\n{TOKEN} was refused",
            f"logs/{TOKEN}.log.meta.json": about,
            f"notes/{TOKEN}.md": f"use {TOKEN}",
            f"logs/z/{TOKEN}.gz": b"broken",
        },
    )
    day, notes = read_logs(tmp_path, DAY), read_notes(tmp_path, DAY)
    (log,) = day.logs
    assert log.redacted == ("github-token", "password")
    assert log.text == "DB_PASSWORD=<REDACTED:password>\n<REDACTED:github-token> was refused"
    assert log.text_sha == sha256_text(log.text)
    assert TOKEN[8:] not in repr((day, notes, list_files(tmp_path, DAY)))
    assert notes.notes[0].text == "use <REDACTED:github-token>"


@pytest.mark.parametrize(
    ("data", "text", "decoding"),
    [
        ("é ✓".encode(), "é ✓", "utf-8"),
        ("\ufeffé".encode(), "é", "utf-8"),
        ("é\n".encode("utf-16"), "é\n", "utf-8"),
        (b"\xfe\xff" + "é".encode("utf-16-be"), "é", "utf-8"),
        ("é".encode("utf-32"), "é", "utf-8"),
        (b"caf\xe9 \xc3", "caf� �", "replacement"),
        (b"a log with a few \0\0 bytes", "a log with a few \0\0 bytes", "utf-8"),
        (b"\x1b[31merror\x1b[0m\x08\x07\r50%\r", "\x1b[31merror\x1b[0m\x08\x07\r50%\r", "utf-8"),
    ],
)
def test_text_is_decoded(tmp_path: Path, data: bytes, text: str, decoding: str) -> None:
    land(tmp_path, {"logs/a.log": data})
    log = only(tmp_path)
    assert (log.text, log.decoding, log.bytes) == (text, decoding, len(data))


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("a.log", b"", "empty"),
        ("a.log", b" \r\n\t\0", "empty"),
        ("a.log", "\ufeff".encode(), "empty"),
        ("a.log.gz", b"", "empty"),
        ("a.log.gz", gzip.compress(b"text")[:-5], "truncated"),
        ("a.log.zst", zstandard.compress(b"text" * 99)[:-5], "truncated"),
        ("a.log.zst", b"text", "corrupt"),
        ("a.log", bytes(range(256)) * 7, "binary"),
        ("a.log", b"\x7fELF" + b"text" * 99, "binary"),
        ("a.log", gzip.compress(b"text"), "binary"),
        ("a.log", "no mark".encode("utf-16-le") * 9, "binary"),
        ("a.log", b"x" * 2001, "too_large"),
        ("a.log.gz", gzip.compress(b"x" * 2001), "too_large"),
        ("a.zip", b"", "empty"),
        ("a.zip", b"text", "corrupt"),
    ],
)
def test_a_bad_file_is_a_reject_and_the_rest_goes_on(
    tmp_path: Path, name: str, data: bytes, reason: str
) -> None:
    land(tmp_path, {f"logs/{name}": data, "logs/good.log": "good"})
    day = read_logs(tmp_path, DAY, Limits(log_bytes=2000))
    assert reasons(day) == {f"logs/{name}": reason}
    assert [log.text for log in day.logs] == ["good"]


def test_a_run_archive(tmp_path: Path) -> None:
    members = {
        "0_build.txt": b"setup\nerror: it broke",
        "1_lint.txt": b"all of lint",
        "build/1_Set up.txt": b"setup",
        "build/3_npm ci.txt": b"error: it broke",
        "../up.txt": b"x",
        "lint/inner.zip": zipped({"a": b"x"}),
        "zeros.txt": b"",
    }
    about = {"tool": "github-actions", "job": "all", "exit_code": 1, "commit": "abc123"}
    land(tmp_path, {"logs/ci/run.zip": zipped(members), "logs/ci/run.zip.meta.json": about})
    day = read_logs(tmp_path, DAY)
    zip_path = f"{DAY}/logs/ci/run.zip"
    assert [(log.path, log.job, log.step) for log in day.logs] == [
        (f"{zip_path}!1_lint.txt", "lint", None),
        (f"{zip_path}!build/1_Set up.txt", "build", "Set up"),
        (f"{zip_path}!build/3_npm ci.txt", "build", "npm ci"),
    ]
    assert {(log.tool, log.exit_code, log.commit) for log in day.logs} == {
        ("github-actions", None, "abc123")
    }
    assert day.set_aside == (f"{zip_path}!0_build.txt", f"{zip_path}.meta.json")
    assert reasons(day) == {
        "logs/ci/run.zip!../up.txt": "path_escape",
        "logs/ci/run.zip!lint/inner.zip": "unreadable",
        "logs/ci/run.zip!zeros.txt": "empty",
    }
    assert day.inputs == len(members) + 1


def test_members_beyond_the_archive_limit_are_named(tmp_path: Path) -> None:
    members = {f"{n}.txt": b"x" * 400 for n in range(4)}
    land(tmp_path, {"logs/a.zip": zipped(members)})
    day = read_logs(tmp_path, DAY, Limits(archive_bytes=1000))
    assert len(day.logs) == 2
    assert reasons(day) == {"logs/a.zip!2.txt": "too_large", "logs/a.zip!3.txt": "too_large"}


def test_links_pipes_and_strays(tmp_path: Path) -> None:
    root, outside = tmp_path / "landing", tmp_path / "outside"
    land(root, {"logs/real.log": "real", "stray.log": "x", "other/b.log": "x", "logs/.gitkeep": ""})
    outside.mkdir()
    (outside / "secret.txt").write_text("outside")
    logs = root / DAY / "logs"
    (logs / "inside.log").symlink_to("real.log")
    (logs / "outside.log").symlink_to(outside / "secret.txt")
    (logs / "folder").symlink_to(outside)
    (logs / "dangling.log").symlink_to("nowhere")
    (logs / "circle.log").symlink_to("circle.log")
    (logs / "device.log").symlink_to("/dev/zero")
    os.mkfifo(logs / "pipe.log")
    os.mkfifo(logs / "real.log.meta.json")
    day = read_logs(root, DAY)
    assert {log.path: log.text for log in day.logs} == {
        f"{DAY}/logs/inside.log": "real",
        f"{DAY}/logs/real.log": "real",
    }
    assert reasons(day) == {
        "logs/outside.log": "path_escape",
        "logs/folder": "path_escape",
        "logs/dangling.log": "unreadable",
        "logs/circle.log": "unreadable",
        "logs/device.log": "path_escape",
        "logs/pipe.log": "unreadable",
        "logs/real.log.meta.json": "metadata",
        "stray.log": "unreadable",
        "other/b.log": "unreadable",
    }
    assert "outside" not in "".join(log.text for log in day.logs)
    taken = {row.path for row in (*day.logs, *day.rejects)} | set(day.set_aside)
    assert taken == {path for path, _ in list_files(root, DAY)}


@pytest.mark.parametrize("linked", [DAY, f"{DAY}/logs"])
def test_a_linked_folder_is_not_entered(tmp_path: Path, linked: str) -> None:
    land(tmp_path / "elsewhere", {"logs/a.log": "outside"})
    place = tmp_path / "landing" / linked
    place.parent.mkdir(parents=True)
    place.symlink_to(tmp_path / "elsewhere" / linked)
    day = read_logs(tmp_path / "landing", DAY)
    assert day.logs == []
    assert day.is_complete
    assert {reject.reason for reject in day.rejects} == {"unreadable"}


def test_odd_names_stay_apart_and_printable(tmp_path: Path) -> None:
    logs = tmp_path / DAY / "logs"
    logs.mkdir(parents=True)
    names = (b"a!b.log", b"a%21b.log", b"bad\xff.log", b"line\nbreak.log")
    for name in (*names, "cafe\u0301.log".encode(), "caf\u00e9.log".encode(), b"two  spaces.log"):
        (Path(os.fsdecode(os.path.join(os.fsencode(logs), name)))).write_text("x")
    day = read_logs(tmp_path, DAY)
    marked, decomposed = (sha256_text(f"{DAY}/logs/{n}.log")[:8] for n in ("a!b", "cafe\u0301"))
    assert reasons(day) == {}
    assert [log.path.rsplit("/")[-1] for log in day.logs] == [
        f"a%21b#{marked}.log",
        "a%21b.log",
        "bad\\xff.log",
        f"caf\u00e9#{decomposed}.log",
        "caf\u00e9.log",
        "line\\x0abreak.log",
        "two  spaces.log",
    ]
    assert [path for path, _ in list_files(tmp_path, DAY)] == [log.path for log in day.logs]


def test_a_name_is_shown_in_its_composed_form(tmp_path: Path) -> None:
    land(tmp_path, {"logs/cafe\u0301.log": "x", "logs/a.zip": zipped({"cafe\u0301.txt": b"x"})})
    assert [log.path.removeprefix(f"{DAY}/logs/") for log in only_logs(tmp_path)] == [
        "a.zip!caf\u00e9.txt",
        "caf\u00e9.log",
    ]


SECRET = "password=" + "Hunter2secretX9"


def test_a_secret_in_a_folders_name_takes_no_file_along(tmp_path: Path) -> None:
    land(
        tmp_path,
        {
            f"logs/ci/{SECRET}/a.log": "a",
            f"logs/ci/{SECRET}/b.log.gz": gzip.compress(b"b"),
            f"logs/ci/{SECRET}.log": "c",
            f"logs/ci/{SECRET}.log.meta.json": {"tool": "npm"},
            f"logs/ci/{SECRET}.zip": zipped({f"{SECRET}/d.txt": b"d", f"{SECRET}.txt": b"e"}),
            f"notes/{SECRET}/n.md": "note",
            f"notes/{SECRET}.md": "note",
        },
    )
    shown = "password=<REDACTED:password>"
    assert {log.path.removeprefix(f"{DAY}/logs/ci/"): log.tool for log in only_logs(tmp_path)} == {
        f"{shown}.log": "npm",
        f"{shown}.zip!{shown}.txt": None,
        f"{shown}.zip!{shown}/d.txt": None,
        f"{shown}/a.log": None,
        f"{shown}/b.log.gz": None,
    }
    notes = read_notes(tmp_path, DAY)
    assert [note.path for note in notes.notes] == [
        f"{DAY}/notes/{shown}.md",
        f"{DAY}/notes/{shown}/n.md",
    ]


def test_names_that_differ_in_their_secret_stay_apart(tmp_path: Path) -> None:
    names = [f"{SECRET}{n}" for n in range(3)]
    files: dict[str, bytes | str | dict[str, object]] = {"logs/x.zip": b""}
    files["logs/x.zip"] = zipped({f"{name}.txt": name[-1].encode() for name in names})
    for name in names:
        files |= {f"logs/{name}.log": name, f"logs/{name}/a.log": name}
        files[f"logs/{name}.log.meta.json"] = {"job": f"job {name[-1]}"}
    land(tmp_path, files)
    day = read_logs(tmp_path, DAY)
    assert reasons(day) == {}
    assert len({log.path for log in day.logs}) == len(day.logs) == 9
    assert {log.path.rsplit(".")[-1] for log in day.logs} == {"log", "txt"}
    assert not any(find_secrets(log.path) for log in day.logs)
    assert SECRET[-6:] not in repr(day)
    jobs = {log.job for log in day.logs if log.job}
    assert {f"job {n}" for n in range(3)} <= jobs
    taken = {log.path.split("!")[0] for log in day.logs} | set(day.set_aside)
    assert taken == {path for path, _ in list_files(tmp_path, DAY)}


@pytest.mark.parametrize(
    "name", ["password=abc/d.log", "token=/abcd1234efgh.log", "password=abc.log", "a/token=.zip"]
)
def test_no_shown_path_is_a_secret_across_its_components(tmp_path: Path, name: str) -> None:
    data = zipped({"abcd1234efgh.log": b"x"}) if name.endswith(".zip") else b"x"
    land(tmp_path, {f"logs/{name}": data})
    log = only(tmp_path)
    assert find_secrets(log.path) == []
    assert log.path.endswith(".log")


def test_files_are_listed_with_their_sizes(tmp_path: Path) -> None:
    land(
        tmp_path,
        {"notes/b.md": "12345", "logs/a.log": "123", "reference/r.md": "1", "logs/.part": "x"},
    )
    assert list_files(tmp_path, DAY) == [
        (f"{DAY}/logs/a.log", 3),
        (f"{DAY}/notes/b.md", 5),
        (f"{DAY}/reference/r.md", 1),
    ]


def test_notes_and_references(tmp_path: Path) -> None:
    land(
        tmp_path,
        {
            "notes/a.md": "# A\r\ntext",
            "notes/b.jsonl.gz": gzip.compress(b'{"text": "x"}'),
            "notes/c.pdf": "x",
            "notes/d.txt": b"",
            "notes/e.zip": zipped({"f.md": b"f", "g.exe": b"g"}),
            "notes/h.md": "x" * 3000,
            "reference/a.markdown": "ref",
            "reference/b.jsonl": "{}",
        },
    )
    notes = read_notes(tmp_path, DAY, Limits(log_bytes=2000))
    assert [(note.path.removeprefix(f"{DAY}/notes/"), note.text) for note in notes.notes] == [
        ("a.md", "# A\r\ntext"),
        ("b.jsonl.gz", '{"text": "x"}'),
        ("e.zip!f.md", "f"),
    ]
    assert {r.path.removeprefix(f"{DAY}/notes/"): r.reason for r in notes.rejects} == {
        "c.pdf": "unreadable",
        "d.txt": "empty",
        "e.zip!g.exe": "unreadable",
        "h.md": "too_large",
    }
    references = read_references(tmp_path, DAY)
    assert [note.text for note in references.notes] == ["ref"]
    assert [reject.path for reject in references.rejects] == [f"{DAY}/reference/b.jsonl"]
    assert notes.is_complete
    assert references.is_complete


def test_reading_twice_gives_the_same(tmp_path: Path) -> None:
    land(tmp_path, {f"logs/npm/{n}.log": f"error {n}" for n in (3, 1, 2)})
    assert read_logs(tmp_path, DAY) == read_logs(tmp_path, DAY)


@given(
    st.binary(max_size=300),
    st.sampled_from(["a", "a.log", "a.gz", "a.zst", "a.zip", "a.md", "a.log.meta.json"]),
)
def test_any_file_is_a_row_or_a_reject(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, name: str
) -> None:
    root = tmp_path_factory.getbasetemp() / "any"
    land(root, {"logs/a.log": "a log", f"logs/{name}": data, f"notes/{name}": data})
    day, notes = read_logs(root, DAY), read_notes(root, DAY)
    (root / DAY / "logs" / name).unlink()
    (root / DAY / "notes" / name).unlink()
    assert day.is_complete
    assert notes.is_complete
    assert {reject.reason for reject in (*day.rejects, *notes.rejects)} <= set(REJECT_REASONS)


def test_the_fixtures() -> None:
    if not (FIXTURES / "landing").is_dir():
        pytest.skip("the fixtures are not there")
    root = FIXTURES / "landing"
    rejected: dict[str, str] = {}
    texts: list[str] = []
    for date in landing_dates(root):
        day, notes, references = (f(root, date) for f in (read_logs, read_notes, read_references))
        assert day.is_complete
        texts += [row.text for row in (*day.logs, *notes.notes, *references.notes)]
        rejected |= {r.path.split("!")[0]: r.reason for r in (*day.rejects, *notes.rejects)}
    expected = map(json.loads, (FIXTURES / "expected_rejects.jsonl").read_text().splitlines())
    assert rejected == {
        row["path"]: row["reason"]
        for row in expected
        if row["reason"] not in ("front_matter", "json", "schema")
    }
    for secret in (FIXTURES / "planted_secrets.txt").read_text().split():
        assert not any(secret in text for text in texts), secret[:4]
    assert not any(find_secrets(text) for text in texts)
