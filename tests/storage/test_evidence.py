"""Evidence is kept by content."""

import pytest

from mem_assets.hashing import sha256_text
from mem_assets.storage.evidence import EvidenceLost, EvidenceStore


def test_text_comes_back_and_is_stored_once(tmp_path):
    store, text = EvidenceStore(tmp_path), "npm error code ERESOLVE\r\n\ufffd…" * 1000
    store.write(sha256_text(text), text)
    written = store.path(sha256_text(text)).stat().st_mtime_ns
    store.write(sha256_text(text), text)
    assert store.path(sha256_text(text)).stat().st_mtime_ns == written
    assert store.read(sha256_text(text)) == text


def test_only_the_text_that_was_signed_is_given_back(tmp_path):
    store, text = EvidenceStore(tmp_path), "error: a\n" * 200
    sha = sha256_text(text)
    with pytest.raises(EvidenceLost, match="not stored any more"):
        store.read_signed(sha)
    store.write(sha, text)
    assert store.read_signed(sha) == text
    whole = store.path(sha).read_bytes()
    for damaged in (b"", b"no frame", whole[: len(whole) // 2], whole[:8] + b"xx" + whole[10:]):
        store.path(sha).write_bytes(damaged)
        with pytest.raises(EvidenceLost, match="its stored text"):
            store.read_signed(sha)
