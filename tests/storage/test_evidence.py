"""Evidence is kept by content."""

from mem_assets.hashing import sha256_text
from mem_assets.storage.evidence import EvidenceStore


def test_text_comes_back_and_is_stored_once(tmp_path):
    store, text = EvidenceStore(tmp_path), "npm error code ERESOLVE\r\n\ufffd…" * 1000
    store.write(sha256_text(text), text)
    written = store.path(sha256_text(text)).stat().st_mtime_ns
    store.write(sha256_text(text), text)
    assert store.path(sha256_text(text)).stat().st_mtime_ns == written
    assert store.read(sha256_text(text)) == text
