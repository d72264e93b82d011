"""What was generated once is read back as it was; damage counts as absence."""

import pytest

from mem_assets.storage.text_cache import TextCache

KEY = "ab" * 32


@pytest.mark.parametrize("text", ["", "one line", "zwei\nZeilen é \u2028 \x00 \ud800"])
def test_texts_come_back_as_they_were(tmp_path, text):
    TextCache(tmp_path).write(KEY, text)
    assert TextCache(tmp_path).read(KEY) == text
    assert TextCache(tmp_path).read("cd" * 32) is None


@pytest.mark.parametrize("damage", [b"", b'{"text": "on', b"[]", b"null", b'{"text": 3}', b"\xff"])
def test_a_damaged_file_counts_as_absent(tmp_path, damage):
    cache = TextCache(tmp_path)
    cache.write(KEY, "one line")
    next(tmp_path.rglob("*.json")).write_bytes(damage)
    assert cache.read(KEY) is None
    cache.write(KEY, "one line")
    assert cache.read(KEY) == "one line"
