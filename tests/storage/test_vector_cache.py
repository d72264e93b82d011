"""What was embedded once is read back bit by bit; damage counts as absence."""

import io

import numpy as np
import pytest

from mem_assets.storage.vector_cache import VectorCache, vector_key

KEY = vector_key("text", "model", "parameters", "engine 1")


def test_vectors_come_back_bit_by_bit(tmp_path):
    vector = np.random.default_rng(7).random(384, dtype=np.float32)
    VectorCache(tmp_path).write({KEY: vector})
    assert VectorCache(tmp_path).read([KEY, "0" * 64])[KEY].tobytes() == vector.tobytes()


DAMAGES = {
    "empty": lambda data: b"",
    "cut": lambda data: data[:-1],
    "junk": lambda data: b"junk",
    "another number": lambda data: data[:200] + bytes([data[200] ^ 1]) + data[201:],
    "another vector": lambda data: _saved(np.zeros(384, dtype=np.float32)),
}


def _saved(vector):
    np.save(buffer := io.BytesIO(), vector)
    return buffer.getvalue()


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_file_counts_as_absent(tmp_path, damage):
    cache = VectorCache(tmp_path)
    cache.write({KEY: np.ones(384, dtype=np.float32)})
    file = next(tmp_path.rglob("*.npy"))
    file.write_bytes(damage(file.read_bytes()))
    assert cache.read([KEY]) == {}
    cache.write({KEY: np.ones(384, dtype=np.float32)})
    assert KEY in cache.read([KEY])


def test_the_key_names_everything_that_a_vector_depends_on():
    given = {"text": "t", "model_id": "m", "parameters": "p", "engine_version": "e"}
    keys = {vector_key(**given)} | {vector_key(**given | {name: "x"}) for name in given}
    assert len(keys) == 5
