"""The form in which text from outside is kept: normal, whole, and without secrets."""

import re
import unicodedata

from mem_assets.memory.redaction import redact

_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""Control characters, and those that turn the direction of what is shown after them."""


def normalise(text: str) -> str:
    """Text as every part of the memory reads it: NFC, \\n, no byte order mark.

    A lone surrogate has no UTF-8 form, so nothing could store it; it becomes "?".
    """
    if not text.isascii():
        # YAML reads a pair of escaped surrogates as two halves of one character.
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
        text = text.encode("utf-8", "replace").decode("utf-8").removeprefix("\ufeff")
    return unicodedata.normalize("NFC", text.replace("\r\n", "\n").replace("\r", "\n"))


def clean(text: str) -> str:
    """Text without secrets, in normal form again: a placeholder's ">" can take a mark on."""
    return normalise(redact(normalise(text))[0])


def clean_line(text: str) -> str:
    """A field of one line: clean, without control and direction characters, stripped."""
    return clean(_UNSEEN.sub("", normalise(text))).strip()
