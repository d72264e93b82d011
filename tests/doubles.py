"""A deterministic stand-in for the engine: words hashed into a vector, no model."""

import hashlib
import re
from collections.abc import Sequence

import numpy as np

from mem_assets.engines.embedder import CachedEmbedder
from mem_assets.pipeline.resources import Engine

DIMENSIONS = 384


class HashingEmbedder:
    """Each word adds its own direction, so texts that share words are near each other.

    `seed` makes another model of it.
    """

    dimensions = DIMENSIONS

    def __init__(self, seed: str = "") -> None:
        self.seed = seed
        self.model_id = "hashing-double"
        self.engine_version = "double 1"

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        return np.stack([self._vector(text) for text in texts]) if texts else _EMPTY

    def _vector(self, text: str) -> np.ndarray:
        words = re.findall(r"\w+", text.lower()) or ["nothing"]
        vector = np.sum([_direction(self.seed + word) for word in words], axis=0)
        return (vector / np.linalg.norm(vector)).astype(np.float32)


_EMPTY = np.empty((0, DIMENSIONS), dtype=np.float32)


def _direction(word: str) -> np.ndarray:
    seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:8], "big")
    return np.random.default_rng(seed).standard_normal(DIMENSIONS)


class DoubleEngine(Engine):
    """The pipeline's engine resource with the double in it.

    uncached_seed other than "" makes what is embedded again come out otherwise, as after a
    change of model.
    """

    cache: str = ""
    uncached_seed: str = ""

    def embedder(self) -> CachedEmbedder:
        return CachedEmbedder(HashingEmbedder(), None)

    def uncached(self) -> CachedEmbedder:
        return CachedEmbedder(HashingEmbedder(self.uncached_seed), None)
