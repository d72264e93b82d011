"""Bytes with their own hash behind them, for files whose damage nothing else would show."""

import hashlib

_SEAL = hashlib.sha256().digest_size


class SealBroken(ValueError):
    """The bytes are not those that were sealed."""


def seal(data: bytes) -> bytes:
    """The data with its SHA-256 behind it."""
    return data + hashlib.sha256(data).digest()


def unseal(sealed: bytes) -> bytes:
    """The data again. Raises SealBroken."""
    data, found = sealed[:-_SEAL], sealed[-_SEAL:]
    if hashlib.sha256(data).digest() != found:
        raise SealBroken("the bytes were changed since they were sealed")
    return data
