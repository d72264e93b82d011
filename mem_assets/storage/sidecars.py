"""What a landed log's sidecar `<file>.meta.json` may say."""

import json
from dataclasses import dataclass, replace
from typing import Any

from mem_assets.memory.redaction import redact
from mem_assets.storage.archives import InputError

SUFFIX = ".meta.json"
MAX_BYTES = 64 * 1024
_MAX_TEXT = 2048
_TEXTS = ("tool", "job", "step", "url", "repo", "commit")


@dataclass(frozen=True)
class Metadata:
    """A log's origin; None where it is unknown. Strings hold no secret."""

    tool: str | None = None
    job: str | None = None
    step: str | None = None
    exit_code: int | None = None
    url: str | None = None
    repo: str | None = None
    commit: str | None = None

    def redacted(self) -> tuple["Metadata", tuple[str, ...]]:
        """The same without secrets, and the kinds that were in it."""
        kinds: set[str] = set()
        clean: dict[str, Any] = {}
        for name in _TEXTS:
            value = getattr(self, name)
            if value is not None:
                clean[name], found = redact(value)
                kinds.update(found)
        return replace(self, **clean), tuple(sorted(kinds))


def parse_metadata(data: bytes) -> Metadata:
    """A sidecar's content. Raises InputError with reason "metadata", saying what to change.

    Strings are stripped, and an empty one is unknown; the tool is in lower case. An exit code
    above 2**31 - 1, as Windows prints it, becomes the signed number of the same bits.
    """
    try:
        values = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise InputError("metadata", f"not JSON in UTF-8 ({type(error).__name__})") from error
    if not isinstance(values, dict):
        raise InputError("metadata", "must be one JSON object")
    unknown = sorted(set(values) - {*_TEXTS, "exit_code"})
    if unknown:
        allowed = ", ".join((*_TEXTS, "exit_code"))
        raise InputError(
            "metadata", f"unknown key {redact(unknown[0])[0][:40]!r}; allowed are {allowed}"
        )
    texts = {name: _text(name, values.get(name)) for name in _TEXTS}
    if texts["tool"]:
        texts["tool"] = texts["tool"].lower()
    return Metadata(exit_code=_exit_code(values.get("exit_code")), **texts)


def _text(name: str, value: Any) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str) or len(value) > _MAX_TEXT:
        raise InputError("metadata", f"{name} must be a string of at most {_MAX_TEXT} characters")
    printable = value.encode("utf-8", "replace").decode().strip()
    if not printable.isprintable():
        raise InputError("metadata", f"{name} must be one line without control characters")
    return printable or None


def _exit_code(value: Any) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not -(2**31) <= value < 2**32:
        raise InputError("metadata", "exit_code must be a whole number of 32 bits")
    return value - 2**32 if value >= 2**31 else value
