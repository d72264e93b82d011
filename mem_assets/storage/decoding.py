"""From bytes to text, refusing what is no text."""

import codecs

from mem_assets.storage.archives import InputError

_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_CONTROLS = bytes({*range(7), *range(14, 27), *range(28, 32), 127})
"""Bytes that no log prints; bell, backspace and escape belong to progress bars and colours."""

_FEW = 16
_SHARE = 20
"""A log may hold a few controls, and one in twenty; random bytes have one in ten."""

_PACKED = (b"PK\x03\x04", b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"BZh", b"\xfd7zXZ\x00", b"\x7fELF")


def decode(data: bytes) -> tuple[str, str]:
    """The text, and how it was read: "utf-8", or "replacement" where bytes were broken.

    A byte order mark decides between UTF-8, UTF-16 and UTF-32 and is left out. Raises InputError:
    empty (white space and NULs alone), binary.
    """
    encoding, body = "utf-8", data
    for mark, name in _MARKS:
        if data.startswith(mark):
            encoding, body = name, data[len(mark) :]
            break
    if encoding == "utf-8":
        _refuse_binary(body)
    try:
        text, decoding = body.decode(encoding), "utf-8"
    except UnicodeDecodeError:
        text, decoding = body.decode(encoding, "replace"), "replacement"
    if not text.strip(" \t\r\n\v\f\0"):
        raise InputError("empty", "no text in it")
    return text, decoding


def _refuse_binary(data: bytes) -> None:
    if data.startswith(_PACKED) or data[257:262] == b"ustar":
        raise InputError(
            "binary", "an archive or a program under another name; name it by its kind"
        )
    controls = len(data) - len(data.translate(None, _CONTROLS))
    if controls > _FEW + len(data) // _SHARE:
        raise InputError("binary", f"{controls} of {len(data)} bytes are control codes: no text")
