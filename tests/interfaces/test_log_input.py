import codecs
import gzip
import io
import sys
import zipfile

import pytest
import zstandard
from known import ERESOLVE

from mem_assets.interfaces import log_input
from mem_assets.interfaces.log_input import read_log
from mem_assets.storage.archives import InputError


def packed_zip(data):
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        archive.writestr("web.log", data)
    return whole.getvalue()


PACKINGS = {
    "plain": lambda data: data,
    "gz": gzip.compress,
    "zst": zstandard.ZstdCompressor().compress,
}


def read(way, tmp_path, monkeypatch, data, name="web.log"):
    if way == "stdin":
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        return read_log("-")
    path = tmp_path / name
    path.write_bytes(data)
    return read_log(str(path))


@pytest.mark.parametrize("way", ["stdin", "file", "named"])
@pytest.mark.parametrize("packing", PACKINGS)
def test_a_log_is_read_however_it_is_packed(way, packing, tmp_path, monkeypatch):
    data = PACKINGS[packing](ERESOLVE.encode())
    name = f"web.log.{packing}" if way == "named" else "web.log"
    log = read(way, tmp_path, monkeypatch, data, name)
    assert (log.text, log.left_out) == (ERESOLVE, 0)


@pytest.mark.parametrize("mark", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_byte_order_mark_is_obeyed(mark, tmp_path, monkeypatch):
    assert read("file", tmp_path, monkeypatch, ERESOLVE.encode(mark)).text == ERESOLVE


GZ = gzip.compress(ERESOLVE.encode() * 50)
ZST = zstandard.ZstdCompressor().compress(bytes(range(256)) * 40)


@pytest.mark.parametrize("way", ["stdin", "file"])
@pytest.mark.parametrize(
    ("data", "name", "reason"),
    [
        (packed_zip("error"), "x.log", "unreadable"),
        (GZ[:-9], "x.log", "truncated"),
        (ZST[:-9], "x.log", "truncated"),
        (GZ[:20] + bytes(40) + GZ[60:], "x.log", "corrupt"),
        (gzip.compress(GZ), "x.log", "binary"),
        (bytes(range(256)) * 20, "x.log", "binary"),
    ],
)
def test_what_is_no_log_is_refused(way, data, name, reason, tmp_path, monkeypatch):
    with pytest.raises(InputError) as refused:
        read(way, tmp_path, monkeypatch, data, name)
    assert refused.value.reason == reason
    assert "\n" not in refused.value.detail


def test_a_name_that_lies_is_refused(tmp_path, monkeypatch):
    with pytest.raises(InputError, match="not a sound gzip file"):
        read("file", tmp_path, monkeypatch, b"plain text", "x.gz")
    with pytest.raises(InputError, match="unpack it and name one of them"):
        read("file", tmp_path, monkeypatch, b"plain text", "x.zip")


@pytest.mark.parametrize("name", ["", "no/such/file", "a\0b", "."])
def test_a_file_that_is_none_is_refused(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError):
        read_log(name)


def test_closed_standard_input_is_refused(monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(InputError, match="it is closed"):
        read_log("-")


def test_more_than_the_landing_takes_is_refused_before_it_is_unpacked(tmp_path, monkeypatch):
    with pytest.raises(InputError, match="give the part that failed"):
        read("file", tmp_path, monkeypatch, gzip.compress(b"x\n" * (33 << 20), 1))


@pytest.mark.parametrize("way", ["stdin", "file"])
@pytest.mark.parametrize("packing", PACKINGS)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "utf-32-be"])
def test_the_middle_of_a_long_log_is_left_out(way, packing, encoding, tmp_path, monkeypatch):
    monkeypatch.setattr(log_input, "HEAD_BYTES", 400)
    monkeypatch.setattr(log_input, "TAIL_BYTES", 1200)
    monkeypatch.setattr(log_input, "_CHUNK", 97)
    lines = [f"line {number} \u00e9\u4e16" for number in range(2000)]
    marks = {"utf-8": b"", "utf-16-le": codecs.BOM_UTF16_LE, "utf-32-be": codecs.BOM_UTF32_BE}
    data = marks[encoding] + "\n".join(lines).encode(encoding)
    log = read(way, tmp_path, monkeypatch, PACKINGS[packing](data))
    kept = log.text.split("\n")
    assert 0 <= len(data) - 1600 - log.left_out < 4 or 0 <= log.left_out - len(data) + 1600 < 4
    assert (kept[0], kept[-1]) == (lines[0], lines[-1])
    assert set(kept) <= set(lines)
    assert 10 < len(kept) < 200


def test_a_long_log_of_one_line_keeps_both_ends(tmp_path, monkeypatch):
    monkeypatch.setattr(log_input, "HEAD_BYTES", 400)
    monkeypatch.setattr(log_input, "TAIL_BYTES", 1200)
    log = read("file", tmp_path, monkeypatch, b"a" * 5000 + b"b" * 5000)
    assert log.text == "a" * 400 + "\n" + "b" * 1200
