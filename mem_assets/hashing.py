"""The one way this project hashes: canonical JSON, SHA-256, lower-case hex."""

import hashlib
import json
from collections.abc import Iterable
from typing import Any


def canonical_json(value: Any) -> str:
    """JSON with sorted keys, no spaces and no escapes: equal values give equal bytes.

    Raises ValueError on NaN or infinity, which have no JSON form.
    """
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )


def sha256_text(text: str) -> str:
    """SHA-256 of UTF-8 text; a lone surrogate hashes as its replacement, never an exception."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def sha256_json(value: Any) -> str:
    """SHA-256 of the canonical JSON of a value."""
    return sha256_text(canonical_json(value))


def sha256_lines(lines: Iterable[str]) -> str:
    """SHA-256 over lines without holding them all; the caller sorts them first."""
    digest = hashlib.sha256()
    for line in lines:
        digest.update(line.encode("utf-8", "replace"))
        digest.update(b"\n")
    return digest.hexdigest()
