"""The engine answers once for each text; with vLLM itself, bit by bit the same in any batch."""

import numpy as np
import pytest

from mem_assets.engines import embedder as embedder_module
from mem_assets.engines import weights
from mem_assets.engines.embedder import CachedEmbedder, VllmEmbedder, open_embedder
from mem_assets.engines.errors import EngineMissing
from mem_assets.storage.vector_cache import VectorCache
from tests.doubles import HashingEmbedder

TEXTS = ["npm ERR! code ERESOLVE", "certificate signed by unknown authority", "", "x " * 2000]


def test_a_text_reaches_the_engine_once(tmp_path):
    first = CachedEmbedder(HashingEmbedder(), VectorCache(tmp_path))
    vectors = first.embed(["a", "b", "a"])
    assert first.misses == 2
    assert (vectors[0] == vectors[2]).all()
    second = CachedEmbedder(HashingEmbedder(), VectorCache(tmp_path))
    assert (second.embed(["b", "a"]) == vectors[[1, 0]]).all()
    assert second.misses == 0
    assert second.embed([]).shape == (0, 384)


def test_another_engine_version_is_another_vector(tmp_path):
    old, new = HashingEmbedder(), HashingEmbedder()
    new.engine_version = "double 2"
    CachedEmbedder(old, VectorCache(tmp_path)).embed(["a"])
    again = CachedEmbedder(new, VectorCache(tmp_path))
    again.embed(["a"])
    assert again.misses == 1


def test_missing_weights_say_what_to_run(monkeypatch):
    weights.model_folder.cache_clear()
    monkeypatch.setattr(weights, "PACKAGE", "no_such_package")
    with pytest.raises(EngineMissing, match="make install"):
        weights.model_folder()
    weights.model_folder.cache_clear()


def test_changed_weights_are_refused(monkeypatch):
    weights.model_folder.cache_clear()
    monkeypatch.setattr(weights, "SHA256", "0" * 64)
    with pytest.raises(EngineMissing, match="SHA-256 53aa5117"):
        weights.model_folder()
    weights.model_folder.cache_clear()


def test_missing_vllm_says_what_to_run(monkeypatch):
    def absent(name):
        raise embedder_module.importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(embedder_module.importlib.metadata, "version", absent)
    with pytest.raises(EngineMissing, match="make install"):
        VllmEmbedder()


@pytest.mark.engine
def test_vllm_gives_the_same_bits_in_any_batch():
    engine = open_embedder(None)
    together = engine.embed(TEXTS)
    alone = np.concatenate([engine.embed([text]) for text in TEXTS])
    backwards = engine.embed(TEXTS[::-1])[::-1]
    assert together.dtype == np.float32
    assert together.shape == (4, 384)
    assert np.allclose(np.linalg.norm(together, axis=1), 1, atol=1e-6)
    assert together.tobytes() == alone.tobytes() == backwards.tobytes()


@pytest.mark.engine
def test_vllm_puts_like_by_like():
    question, near, far = open_embedder(None).embed(
        ["x509: certificate signed by unknown authority", "the CA is not trusted", "disk is full"]
    )
    assert question @ near > question @ far
