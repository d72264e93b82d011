"""The log and its evidence travel in one archive, and nothing hostile or half comes in with it."""

import hashlib
import io
import json
import os
import shutil
import tarfile

import pytest
import zstandard

from mem_assets.hashing import canonical_json, sha256_text
from mem_assets.memory.log import LogEntry
from mem_assets.memory.log_faults import LogDamaged
from mem_assets.memory.log_merge import LogsDiffer
from mem_assets.memory.purge import tombstone
from mem_assets.storage import transfer_archive
from mem_assets.storage.evidence import EvidenceStore
from mem_assets.storage.memory_log import MemoryLog
from mem_assets.storage.transfer import Exported, Imported, export_log, import_log
from mem_assets.storage.transfer_archive import ArchiveRefused

DAYS = ("2026-11-24", "2026-11-25")
TEXTS = ("npm ERR! one\r\nnpm ERR! two\r\n", "undefined: über\n")


def evidence(number):
    text_sha = sha256_text(TEXTS[number])
    return LogEntry("evidence", str(number) * 64, {"path": "p", "text_sha": text_sha})


def lesson(number):
    body = {"level": "L1", "kind": "", "text": f"lesson {number}", "heading": "", "source": ""}
    return LogEntry("memory_accepted", f"{number:064x}", body | {"evidence": []})


def fill(home, lessons=3):
    store = EvidenceStore(home)
    for number, text in enumerate(TEXTS):
        store.write(sha256_text(text), text)
        MemoryLog(home).append(DAYS[number], [evidence(number), *map(lesson, range(lessons))])
    return home


@pytest.fixture
def home(tmp_path):
    return fill(tmp_path / "home")


@pytest.fixture
def archive(home, tmp_path):
    export_log(home, tmp_path / "memory.tar.zst")
    return tmp_path / "memory.tar.zst"


def contents(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and not path.name.startswith(".")
    }


def test_what_goes_out_comes_in(home, archive, tmp_path):
    assert export_log(home, archive) == Exported(days=2, records=8, texts=2, missing=0)
    other = tmp_path / "other"
    assert import_log(archive, other) == Imported(days=2, records=8, texts=2, held=8)
    assert contents(other) == contents(home)
    assert import_log(archive, other) == Imported(days=0, records=0, texts=0, held=8)
    assert contents(other) == contents(home)
    assert not [name for name in os.listdir(other) if name.startswith(".import")]


def test_equal_logs_give_equal_archives_and_plain_tar_reads_them(home, archive, tmp_path):
    again = tmp_path / "again.tar.zst"
    for path in home.rglob("*"):
        os.utime(path, (1, 1))
    export_log(home, again)
    assert again.read_bytes() == archive.read_bytes()
    with zstandard.open(archive, "rb") as stream:
        data = stream.read()
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        members = tar.getmembers()
    names = [member.name for member in members]
    assert names == ["manifest.json", *sorted(names[1:])]
    assert {(m.mtime, m.uid, m.gid, m.uname, m.gname) for m in members} == {(0, 0, 0, "", "")}


def test_a_text_that_is_kept_no_longer_is_told(home, tmp_path):
    EvidenceStore(home).path(sha256_text(TEXTS[0])).unlink()
    assert export_log(home, tmp_path / "a.tar.zst").missing == 1
    assert import_log(tmp_path / "a.tar.zst", tmp_path / "other").texts == 1


def test_a_damaged_text_is_not_exported(home, tmp_path):
    path = EvidenceStore(home).path(sha256_text(TEXTS[0]))
    for damage in (zstandard.compress(b"other"), b"junk"):
        path.write_bytes(damage)
        with pytest.raises(ArchiveRefused, match="is damaged"):
            export_log(home, tmp_path / "a.tar.zst")
    assert not (tmp_path / "a.tar.zst").exists()


def test_a_log_is_continued_and_an_older_archive_takes_nothing_away(home, archive, tmp_path):
    MemoryLog(home).append(DAYS[1], [lesson(9)])
    export_log(home, tmp_path / "later.tar.zst")
    other = tmp_path / "other"
    import_log(archive, other)
    told = import_log(tmp_path / "later.tar.zst", other)
    assert told == Imported(days=1, records=1, texts=0, held=9)
    before = contents(other)
    assert import_log(archive, other).records == 0
    assert contents(other) == before
    assert MemoryLog(other).append(DAYS[1], [lesson(10)]) == 1


def test_another_log_is_never_replaced(archive, tmp_path):
    other = fill(tmp_path / "other", lessons=2)
    MemoryLog(other).append(DAYS[0], [lesson(7)])
    before = contents(other)
    with pytest.raises(LogsDiffer, match=rf"{DAYS[0]}.jsonl:\d"):
        import_log(archive, other)
    assert contents(other) == before


def purge(home, entry, text_sha):
    log = MemoryLog(home)
    log.append_tombstones(DAYS[1], [tombstone(entry.subject, text_sha, "never to be stored")])
    for date in DAYS:
        log.drop_bodies(date, {entry.subject})
    EvidenceStore(home).path(text_sha).unlink(missing_ok=True)


def test_what_was_purged_here_does_not_come_back(home, archive):
    purge(home, evidence(0), sha256_text(TEXTS[0]))
    before = contents(home)
    import_log(archive, home)
    assert contents(home) == before


def test_what_was_purged_there_goes_here_too(home, archive, tmp_path):
    other = tmp_path / "other"
    import_log(archive, other)
    purge(home, lesson(1), sha256_text("lesson 1"))
    export_log(home, archive)
    import_log(archive, other)
    assert b"lesson 1" not in b"".join(contents(other).values())
    assert MemoryLog(other).read_all() == MemoryLog(home).read_all()


def test_a_purged_text_under_another_name_is_refused(home, tmp_path):
    other = fill(tmp_path / "other")
    MemoryLog(other).append("2026-11-26", [LogEntry("evidence", "9" * 64, evidence(0).body)])
    export_log(other, tmp_path / "a.tar.zst")
    purge(home, evidence(0), sha256_text(TEXTS[0]))
    before = contents(home)
    with pytest.raises(ArchiveRefused, match=r"log/2026-11-26.jsonl:1: .*purged"):
        import_log(tmp_path / "a.tar.zst", home)
    assert contents(home) == before


def forged(files, *, manifest=None, kind=tarfile.REGTYPE, listed=None):
    """An archive of (name, bytes), with its manifest made to fit unless one is given."""
    listed = files if listed is None else listed
    entries = [
        {"name": name, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
        for name, data in listed
    ]
    text = manifest if manifest is not None else {"schema": 1, "entries": entries}
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, data in [("manifest.json", canonical_json(text).encode()), *files]:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            if name != "manifest.json":
                info.type = kind
                info.linkname = "/etc/passwd"
            tar.addfile(info, io.BytesIO(data))
    data = out.getvalue()
    return data[: len(data.rstrip(b"\0")) // 512 * 512 + 512] + bytes(1024)


LOG = f"log/{DAYS[0]}.jsonl"
TEXT = b"text"
NAME = f"evidence/{hashlib.sha256(TEXT).hexdigest()}.txt"
HOSTILE = {
    "a path above": (forged([("../x", b"x")]), r"\.\./x"),
    "an absolute path": (forged([("/tmp/x", b"x")]), "/tmp/x"),
    "a path inside": (forged([(f"log/../{LOG}", b"x")]), "may not be in it"),
    "another name": (forged([("CURRENT", b"x")]), "CURRENT"),
    "a name with a line break": (forged([(f"{LOG}\n", b"x")]), "may not be in it"),
    "a name twice": (forged([(LOG, b""), (LOG, b"")]), "manifest.json"),
    "a link": (forged([(LOG, b"")], kind=tarfile.SYMTYPE), "stands where"),
    "a hard link": (forged([(LOG, b"")], kind=tarfile.LNKTYPE), "stands where"),
    "an extended header": (forged([(LOG, b"")], kind=tarfile.XHDTYPE), "stands where"),
    "another hash": (forged([(LOG, b"one")], listed=[(LOG, b"two")]), rf"{LOG}: .*hash"),
    "another size": (forged([(LOG, b"one")], listed=[(LOG, b"three")]), rf"{LOG}: 3 bytes"),
    "not listed": (forged([(LOG, b""), (NAME, TEXT)], listed=[(LOG, b"")]), "more in it"),
    "not there": (forged([], listed=[(LOG, b"")]), rf"{LOG}: missing"),
    "a text that nobody names": (forged([(NAME, TEXT)]), f"{NAME}: no record"),
    "a text of another name": (
        forged([(f"evidence/{'0' * 64}.txt", TEXT)]),
        "does not have the hash in its name",
    ),
    "no manifest": (forged([], manifest=[]), "no manifest"),
    "deep JSON": (forged([], manifest={"schema": 1, "entries": [[[]]]}), "no manifest"),
    "another schema": (forged([], manifest={"schema": 9, "entries": []}), "schema 9"),
    "a negative size": (
        forged([], manifest={"schema": 1, "entries": [{"name": LOG, "bytes": -1, "sha256": ""}]}),
        "manifest.json",
    ),
    "a huge size": (
        forged(
            [],
            manifest={"schema": 1, "entries": [{"name": LOG, "bytes": 1 << 60, "sha256": ""}]},
        ),
        "GiB",
    ),
    "nothing": (b"", "manifest.json"),
    "no tar": (b"x" * 2000, "manifest.json"),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_archive_is_refused_by_name_and_leaves_nothing(home, tmp_path, kind):
    data, named = HOSTILE[kind]
    path = tmp_path / "hostile.tar.zst"
    path.write_bytes(zstandard.compress(data))
    before = contents(tmp_path)
    with pytest.raises(ArchiveRefused, match=named):
        import_log(path, home)
    assert contents(tmp_path) == before
    assert not [name for name in os.listdir(home) if name.startswith(".import")]


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 0.99])
def test_an_archive_that_is_cut_off_is_refused(archive, home, tmp_path, share):
    data = archive.read_bytes()
    archive.write_bytes(data[: int(len(data) * share)])
    with pytest.raises(ArchiveRefused):
        import_log(archive, tmp_path / "other")
    assert contents(tmp_path / "other") == {}


def test_what_is_no_archive_at_all_is_refused(tmp_path):
    (tmp_path / "a").write_bytes(b"plain text")
    with pytest.raises(ArchiveRefused, match="no archive"):
        import_log(tmp_path / "a", tmp_path / "home")


def test_a_log_in_it_that_does_not_verify_is_named(home, tmp_path):
    lines = MemoryLog(home).path(DAYS[0]).read_bytes().replace(b"lesson 1", b"lesson 7")
    path = tmp_path / "a.tar.zst"
    path.write_bytes(zstandard.compress(forged([(LOG, lines)])))
    with pytest.raises(LogDamaged, match=rf"{DAYS[0]}.jsonl:3"):
        import_log(path, tmp_path / "other")
    assert contents(tmp_path / "other") == {}


@pytest.mark.parametrize("body", [{}, {"path": "p"}, {"level": "L1", "text": 7}])
def test_a_record_whose_hashes_fit_but_that_says_nothing_is_named(tmp_path, body):
    kind = "evidence" if "level" not in body and body != {"path": "p"} else "memory_accepted"
    MemoryLog(tmp_path / "forger").append(DAYS[0], [LogEntry(kind, "1" * 64, body)])
    export_log(tmp_path / "forger", tmp_path / "a.tar.zst")
    with pytest.raises(ArchiveRefused, match=rf"log/{DAYS[0]}.jsonl:1"):
        import_log(tmp_path / "a.tar.zst", tmp_path / "other")
    assert contents(tmp_path / "other") == {}


def test_a_full_disk_is_told_before_anything_is_unpacked(archive, tmp_path, monkeypatch):
    monkeypatch.setattr(
        transfer_archive.shutil, "disk_usage", lambda path: shutil._ntuple_diskusage(10, 0, 10)
    )
    with pytest.raises(ArchiveRefused, match="free"):
        import_log(archive, tmp_path / "other")


def test_the_manifest_lists_every_file_with_its_hash(archive):
    with zstandard.open(archive, "rb") as stream:
        data = stream.read()
    size = tarfile.TarInfo.frombuf(data[:512], "utf-8", "strict").size
    listed = json.loads(data[512 : 512 + size])["entries"]
    assert [entry["name"] for entry in listed] == sorted(
        [f"log/{date}.jsonl" for date in DAYS]
        + [f"evidence/{sha256_text(text)}.txt" for text in TEXTS]
    )
