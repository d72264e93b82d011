"""Sealed bytes come back whole, or not at all."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mem_assets.storage.sealed import SealBroken, seal, unseal


@given(st.binary(max_size=200))
def test_what_was_sealed_comes_back(data):
    assert unseal(seal(data)) == data


@given(st.binary(max_size=50), st.integers(0, 10**6), st.integers(1, 255))
def test_any_changed_byte_breaks_the_seal(data, place, change):
    sealed = bytearray(seal(data))
    sealed[place % len(sealed)] ^= change
    with pytest.raises(SealBroken):
        unseal(bytes(sealed))


@pytest.mark.parametrize("short", [b"", b"x", bytes(31), bytes(32)])
def test_what_was_never_sealed_is_told(short):
    with pytest.raises(SealBroken):
        unseal(short)
