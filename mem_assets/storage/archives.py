"""Unpacking what may be hostile: gzip, Zstandard and ZIP within fixed bounds of memory."""

import stat
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO

import zstandard

_CHUNK = 64 * 1024
_ZSTD_CHUNK = 256
"""Four bytes of Zstandard can stand for 128 KiB, so that 256 bytes unpack to 8 MiB at most."""

_ZSTD_WINDOW = 128 << 20
"""What `zstd -d` takes without being told otherwise."""

_DIRECTORY_BYTES_PER_MEMBER = 1024
_LOCAL_HEADER, _END_RECORD = b"PK\x03\x04", b"PK\x05\x06"
_TAIL = 22 + 65535
"""Where a ZIP's end record lies: its own size and the longest comment."""

_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


@dataclass(frozen=True)
class Limits:
    """How much one input may be.

    log_bytes      of one unpacked log or note; a file on disk is held to it as well
    archive_bytes  of a ZIP as it lies there, and of all its members unpacked
    members        of one ZIP
    name_bytes     of a member's path in UTF-8
    """

    log_bytes: int = 64 << 20
    archive_bytes: int = 512 << 20
    members: int = 10_000
    name_bytes: int = 1024


class InputError(ValueError):
    """An input that cannot be taken: a reason of REJECT_REASONS and one sentence."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail


def unpack(stream: IO[bytes], name: str, limit: int) -> bytes:
    """The bytes of a file, unpacked once where its name ends in .gz or .zst.

    Never holds more than limit bytes and one chunk. Raises InputError: too_large, truncated,
    corrupt, empty.
    """
    suffix = name.lower()
    if suffix.endswith(".gz"):
        return _collect(_gunzip(stream), limit)
    if suffix.endswith(".zst"):
        return _collect(_unzstd(stream), limit)
    return _collect(_chunks(stream, _CHUNK), limit)


def _collect(pieces: Iterator[bytes], limit: int) -> bytes:
    whole = bytearray()
    for piece in pieces:
        whole += piece
        if len(whole) > limit:
            raise InputError("too_large", f"more than {limit} bytes unpacked; raise the limit")
    return bytes(whole)


def _chunks(stream: IO[bytes], size: int) -> Iterator[bytes]:
    while chunk := stream.read(size):
        yield chunk


def _gunzip(stream: IO[bytes]) -> Iterator[bytes]:
    """Every member of a gzip file; zeros after the last one are padding."""
    engine, begun = zlib.decompressobj(wbits=31), False
    for chunk in _chunks(stream, _CHUNK):
        while chunk:
            if engine.eof:
                chunk = chunk.lstrip(b"\0")
                if not chunk:
                    break
                engine, begun = zlib.decompressobj(wbits=31), False
            try:
                piece = engine.decompress(chunk, _CHUNK)
            except zlib.error as error:
                raise InputError("corrupt", f"not a sound gzip file ({error})") from error
            begun = True
            chunk = engine.unused_data if engine.eof else engine.unconsumed_tail
            yield piece
    while begun and not engine.eof and (piece := engine.decompress(b"", _CHUNK)):
        yield piece
    if begun and not engine.eof:
        raise InputError("truncated", "the gzip file ends in the middle; send it again")


def _unzstd(stream: IO[bytes]) -> Iterator[bytes]:
    """Every frame of a Zstandard file."""
    decompressor = zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW)
    engine, begun = decompressor.decompressobj(), False
    for chunk in _chunks(stream, _ZSTD_CHUNK):
        while chunk:
            if engine.eof:
                engine, begun = decompressor.decompressobj(), False
            try:
                piece = engine.decompress(chunk)
            except zstandard.ZstdError as error:
                raise InputError("corrupt", f"not a sound Zstandard file ({error})") from error
            begun = True
            chunk = engine.unused_data if engine.eof else b""
            yield piece
    if begun and not engine.eof:
        raise InputError("truncated", "the Zstandard file ends in the middle; send it again")


class _BoundedReader:
    """A file whose single reads are bounded: zipfile reads a whole directory at once."""

    def __init__(self, stream: IO[bytes], limit: int) -> None:
        self._stream = stream
        self._limit = limit

    def read(self, size: int = -1) -> bytes:
        if size > self._limit:
            raise InputError("too_large", "the archive's directory is larger than its limit")
        return self._stream.read(size)

    def __getattr__(self, name: str):  # type: ignore[no-untyped-def]
        return getattr(self._stream, name)


def open_zip(stream: IO[bytes], limits: Limits) -> zipfile.ZipFile:
    """The archive with its directory read. Raises InputError: empty, truncated, corrupt, too_large.

    The stream must be seekable.
    """
    size = stream.seek(0, 2)
    stream.seek(0)
    if not size:
        raise InputError("empty", "the file has no bytes")
    if size > limits.archive_bytes:
        raise InputError("too_large", f"an archive of more than {limits.archive_bytes} bytes")
    stream.seek(max(0, size - _TAIL))
    whole = _END_RECORD in stream.read()
    reader = _BoundedReader(stream, limits.members * _DIRECTORY_BYTES_PER_MEMBER)
    try:
        if whole:
            return zipfile.ZipFile(reader)
    except InputError:
        raise
    except Exception as error:  # a hostile directory raises many kinds
        raise InputError("corrupt", f"no sound ZIP archive ({type(error).__name__})") from error
    stream.seek(0)
    if stream.read(4) == _LOCAL_HEADER:
        raise InputError("truncated", "the archive has no directory at its end; send it again")
    raise InputError("corrupt", "no ZIP archive, whatever its name says")


def list_members(archive: zipfile.ZipFile, limits: Limits) -> list[zipfile.ZipInfo]:
    """The archive's files in the order of their names; folders and hidden files left out.

    Raises InputError: too_large for too many of them, empty for none.
    """
    infos = archive.infolist()
    if len(infos) > limits.members:
        raise InputError("too_large", f"an archive of more than {limits.members} members")
    files = [
        info for info in infos if not info.filename.endswith("/") and not _is_hidden(info.filename)
    ]
    if not files:
        raise InputError("empty", "an archive without files")
    return sorted(files, key=lambda info: (info.filename, info.header_offset))


def _is_hidden(name: str) -> bool:
    parts = name.replace("\\", "/").split("/")
    return any(part == "__MACOSX" or (part[:1] == "." and part.strip(".")) for part in parts)


def read_member(archive: zipfile.ZipFile, info: zipfile.ZipInfo, limits: Limits) -> bytes:
    """A member's bytes, unpacked once more where it is a .gz or .zst itself.

    Raises InputError: path_escape, unreadable (encrypted, a link, an archive in the archive, an
    unknown method), too_large, truncated, corrupt.
    """
    check_name(info.filename, limits)
    if info.flag_bits & 0x1:
        raise InputError("unreadable", "an encrypted member; send it without a password")
    if stat.S_ISLNK(info.external_attr >> 16):
        raise InputError("unreadable", "a symbolic link inside an archive")
    if info.filename.lower().endswith(".zip"):
        raise InputError("unreadable", "an archive inside an archive; send it on its own")
    if info.file_size > limits.log_bytes:
        raise InputError("too_large", f"more than {limits.log_bytes} bytes; raise the limit")
    if info.compress_type not in _METHODS:
        raise InputError("unreadable", f"compression method {info.compress_type}; use deflate")
    try:
        with archive.open(info) as stream:
            return unpack(stream, info.filename, limits.log_bytes)
    except InputError:
        raise
    except EOFError as error:
        raise InputError("truncated", "the member ends in the middle; send it again") from error
    except Exception as error:  # a bad checksum, header, offset or flag, each its own type
        raise InputError("corrupt", f"not a sound member ({type(error).__name__})") from error


def check_name(name: str, limits: Limits) -> None:
    """Refuses a member's path that would leave the archive, or is too long to be one.

    Raises InputError: path_escape, unreadable.
    """
    parts = name.replace("\\", "/").split("/")
    if not parts[0] or ".." in parts or (len(parts[0]) > 1 and parts[0][1] == ":"):
        raise InputError("path_escape", "the member's path leads out of the archive")
    if len(name.encode("utf-8", "surrogatepass")) > limits.name_bytes:
        raise InputError("unreadable", f"a path of more than {limits.name_bytes} bytes")
