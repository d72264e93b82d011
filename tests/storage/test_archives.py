"""Unpacking within bounds; a hostile archive is a reason, never an exception of another kind."""

import gzip
import io
import struct
import zipfile
import zlib

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from mem_assets.memory.model import REJECT_REASONS
from mem_assets.storage.archives import (
    InputError,
    Limits,
    list_members,
    open_zip,
    read_member,
    unpack,
)
from mem_assets.storage.run_archives import job_and_step, whole_job_logs

TEXT = b"error: it broke\n" * 5000
SMALL = Limits(log_bytes=1000, archive_bytes=100_000, members=3)


def zstd(data: bytes) -> bytes:
    return zstandard.ZstdCompressor().compress(data)


def zipped(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return file.getvalue()


def read_all(data: bytes, limits: Limits = SMALL) -> dict[str, bytes | str]:
    """Member to its bytes, or to the reason it was refused for."""
    found: dict[str, bytes | str] = {}
    with open_zip(io.BytesIO(data), limits) as archive:
        for info in list_members(archive, limits):
            try:
                found[info.filename] = read_member(archive, info, limits)
            except InputError as fault:
                found[info.filename] = fault.reason
    return found


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.log", TEXT),
        ("a.log.gz", gzip.compress(TEXT)),
        ("A.LOG.GZ", gzip.compress(TEXT[:100]) + gzip.compress(TEXT[100:])),
        ("a.log.gz", gzip.compress(TEXT) + b"\0" * 512),
        ("a.log.zst", zstd(TEXT)),
        ("a.log.zst", zstd(TEXT[:100]) + zstd(TEXT[100:])),
    ],
)
def test_a_sound_file_is_unpacked(name: str, data: bytes) -> None:
    assert unpack(io.BytesIO(data), name, len(TEXT)) == TEXT


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("a.gz", gzip.compress(TEXT)[:-9], "truncated"),
        ("a.gz", gzip.compress(TEXT)[:5], "truncated"),
        ("a.gz", gzip.compress(TEXT) + b"more", "corrupt"),
        ("a.gz", b"plain text", "corrupt"),
        ("a.gz", gzip.compress(TEXT)[:-8] + b"\0" * 8, "corrupt"),
        ("a.zst", zstd(TEXT)[:-3], "truncated"),
        ("a.zst", zstd(TEXT) + b"more", "corrupt"),
        ("a.zst", b"plain text", "corrupt"),
        ("a.gz", gzip.compress(bytes(10**7)), "too_large"),
        ("a.zst", zstd(bytes(10**7)), "too_large"),
        ("a.log", TEXT + b"x", "too_large"),
    ],
)
def test_a_bad_file_has_its_reason(name: str, data: bytes, reason: str) -> None:
    with pytest.raises(InputError) as raised:
        unpack(io.BytesIO(data), name, len(TEXT))
    assert raised.value.reason == reason
    assert raised.value.detail


class CountingStream(io.BytesIO):
    """Counts what is read, to show that a bomb is not unpacked to its end."""

    count = 0

    def read(self, size: int | None = -1) -> bytes:
        data = super().read(size)
        self.count += len(data)
        return data


@pytest.mark.parametrize(("name", "pack"), [("a.gz", gzip.compress), ("a.zst", zstd)])
def test_a_bomb_is_left_at_the_limit(name: str, pack) -> None:  # type: ignore[no-untyped-def]
    bomb = pack(bytes(1 << 20)) * 400
    stream = CountingStream(bomb)
    with pytest.raises(InputError, match="raise the limit"):
        unpack(stream, name, 1 << 20)
    assert stream.count < len(bomb) / 2


def test_members_are_read_in_the_order_of_their_names() -> None:
    data = zipped({"b/1_x.txt": b"two", "a.log.gz": gzip.compress(b"one"), "c.log.zst": zstd(b"3")})
    assert list(read_all(data).items()) == [
        ("a.log.gz", b"one"),
        ("b/1_x.txt", b"two"),
        ("c.log.zst", b"3"),
    ]


def test_folders_and_hidden_members_are_passed_over() -> None:
    data = zipped({"a/": b"", "a/.keep": b"x", "__MACOSX/a": b"x", ".git/x": b"x", "a/..b": b"y"})
    with pytest.raises(InputError) as raised:
        read_all(data, Limits())
    assert raised.value.reason == "empty"


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("../up.txt", b"x", "path_escape"),
        ("a/../../up.txt", b"x", "path_escape"),
        ("/etc/x.txt", b"x", "path_escape"),
        ("C:/x.txt", b"x", "path_escape"),
        ("a\\..\\..\\x.txt", b"x", "path_escape"),
        ("inner.zip", zipped({"a": b"x"}), "unreadable"),
        ("long/" + "n" * 2000, b"x", "unreadable"),
        ("big.txt", bytes(2000), "too_large"),
        ("big.txt.gz", gzip.compress(bytes(2000)), "too_large"),
        ("cut.txt.gz", gzip.compress(b"x" * 100)[:-4], "truncated"),
    ],
)
def test_a_bad_member_leaves_the_others(name: str, content: bytes, reason: str) -> None:
    found = read_all(zipped({"good.txt": b"good", name: content}))
    assert found == {"good.txt": b"good", name: reason}


def test_encrypted_linked_and_strangely_packed_members() -> None:
    assert read_all(zipped({"a": b"x"}, zipfile.ZIP_BZIP2)) == {"a": "unreadable"}
    locked = bytearray(zipped({"a": b"x"}))
    directory = locked.index(b"PK\x01\x02")
    locked[6] |= 1
    locked[directory + 8] |= 1
    assert read_all(bytes(locked)) == {"a": "unreadable"}
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        link = zipfile.ZipInfo("a")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
    assert read_all(file.getvalue()) == {"a": "unreadable"}


def test_a_member_that_lies_about_its_size() -> None:
    data = bytearray(zipped({"a": bytes(100_000)}))
    directory = data.index(b"PK\x01\x02")
    data[directory + 24 : directory + 28] = struct.pack("<I", 10)
    assert read_all(bytes(data)) == {"a": "corrupt"}


def test_a_bzip2_bomb_is_never_unpacked() -> None:
    bomb = zipped({"a": bytes(10**6)}, zipfile.ZIP_BZIP2)
    assert len(bomb) < 1000
    assert read_all(bomb) == {"a": "too_large"}


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b"no archive", "corrupt"),
        (zipped({"a": b"x"})[:-30], "truncated"),
        (zipped({str(n): b"x" for n in range(4)}), "too_large"),
        (zipped({"a": zlib.compress(b"")}, zipfile.ZIP_STORED) + b"\0" * 100_000, "too_large"),
        (zipped({"a" * 4000: b"x"}), "too_large"),
        (zipped({}), "empty"),
    ],
)
def test_a_bad_archive_has_its_reason(data: bytes, reason: str) -> None:
    with pytest.raises(InputError) as raised:
        read_all(data)
    assert raised.value.reason == reason


@given(
    st.binary(max_size=60),
    st.integers(0, 400),
    st.sampled_from(["a.gz", "a.zst", "a.zip", "a.log"]),
)
def test_any_bytes_are_taken_or_refused_with_a_reason(
    patch: bytes, position: int, name: str
) -> None:
    sound = {"a.gz": gzip.compress(b"x" * 99), "a.zst": zstd(b"x" * 99), "a.log": b"x" * 99}
    data = bytearray(sound.get(name) or zipped({"a/b.txt": b"x" * 99, "c.txt.gz": b"y"}))
    data[position : position + len(patch)] = patch
    for read in (lambda: read_all(bytes(data)), lambda: unpack(io.BytesIO(data), name, 1000)):
        reason = ""
        try:
            read()
        except InputError as fault:
            reason = fault.reason
        assert reason in ("", *REJECT_REASONS)


@pytest.mark.parametrize(
    ("member", "job", "step"),
    [
        ("build/3_npm ci.txt", "build", "npm ci"),
        ("test (20, ubuntu)/12_Run tests.txt", "test (20, ubuntu)", "Run tests"),
        ("build/system.txt", "build", "system"),
        ("0_build.txt", "build", None),
        ("1_deploy _ stage.txt", "deploy _ stage", None),
        ("notes.txt", None, None),
        ("out/app.log", "out", None),
    ],
)
def test_job_and_step_come_from_the_path(member: str, job: str | None, step: str | None) -> None:
    assert job_and_step(member) == (job, step)


def test_a_whole_job_is_left_out_only_where_its_steps_are_there() -> None:
    members = ["0_build.txt", "1_lint.txt", "build/1_Set up.txt", "build/2_Make.txt", "lint/x.log"]
    assert whole_job_logs(members) == {"0_build.txt"}
    assert whole_job_logs(["build.txt", "build/1_Make.txt"]) == set()
