from mem_assets.interfaces.explain import explain_signature
from mem_assets.memory.redaction import redact
from mem_assets.signature import extract

SECRET = "ghp_" + "a1B2c3D4e5F6" * 3


def test_the_hash_is_the_stored_one_and_no_secret_is_shown():
    log = f"fatal: cannot push with token {SECRET} to the mirror\n"
    stored = extract("git", redact(log)[0])
    explained = explain_signature("git", log)
    assert explained["signature"]["sig_sha"] == stored.sig_sha
    assert stored.sig_sha != extract("git", log).sig_sha
    assert SECRET not in str(explained)


def test_every_text_is_safe_to_print():
    explained = explain_signature("git\x9b31m\u202e", "error: \u2066no\x9b0m such \x1b[31mthing")
    assert not [c for c in repr(explained) if c in "\x1b\x9b\u202e\u2066"]
    assert "\\x9b" not in repr(explained)
    assert "\\u202e" not in repr(explained)
