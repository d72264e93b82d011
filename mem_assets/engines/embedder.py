"""Text in, unit vectors out: MiniLM on vLLM, behind a cache by content."""

import importlib.util
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from mem_assets.engines.environment import prepare_environment, vllm_version
from mem_assets.engines.errors import EngineMissing
from mem_assets.engines.output import quiet_output
from mem_assets.engines.weights import MODEL_ID, model_folder
from mem_assets.storage.vector_cache import VectorCache, vector_key

DIMENSIONS = 384
MAX_TOKENS = 256
"""MiniLM's limit; vLLM refuses longer texts, so they are cut by tokens."""

PARAMETERS = f"dtype=float32;max_tokens={MAX_TOKENS};normalise=l2"


class Embedder(Protocol):
    """What turns texts into vectors: float32, shape (n, dimensions), unit length."""

    model_id: str
    engine_version: str
    dimensions: int

    def embed(self, texts: Sequence[str]) -> np.ndarray: ...


@cache
def _engine(folder: Path) -> Any:
    """One engine a process. Loading takes about 20 s on two cores, so only on a cache miss."""
    if importlib.util.find_spec("vllm") is None:
        raise EngineMissing("vLLM cannot be imported: run `make install`")
    prepare_environment()
    try:
        with quiet_output():
            from vllm import LLM

            return LLM(
                model=str(folder),
                runner="pooling",
                dtype="float32",
                enforce_eager=True,
                max_model_len=MAX_TOKENS,
                disable_log_stats=True,
            )
    except Exception as error:
        raise EngineMissing(
            f"vLLM could not load the embedder ({type(error).__name__}: {error}); "
            "run `make install`, then `make test` to see whether the engine works here"
        ) from error


class VllmEmbedder:
    """MiniLM on vLLM, in this process."""

    def __init__(self) -> None:
        self.model_id = MODEL_ID
        self.engine_version = vllm_version()
        self.dimensions = DIMENSIONS

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        if not texts:
            return np.empty((0, self.dimensions), dtype=np.float32)
        # vLLM refuses an empty prompt; a blank text still needs a vector of its own.
        prompts = [text if text.strip() else "." for text in texts]
        outputs = _engine(model_folder()).embed(
            prompts,
            use_tqdm=False,
            tokenization_kwargs={"truncate_prompt_tokens": MAX_TOKENS},
        )
        vectors = np.array([output.outputs.embedding for output in outputs], dtype=np.float32)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


class CachedEmbedder:
    """An embedder that is asked only for texts whose vectors are not stored yet.

    misses counts the texts that reached the engine.
    """

    def __init__(self, embedder: Embedder, store: VectorCache | None) -> None:
        self._embedder = embedder
        self._store = store
        self.model_id = embedder.model_id
        self.engine_version = embedder.engine_version
        self.dimensions = embedder.dimensions
        self.misses = 0

    def key(self, text: str) -> str:
        return vector_key(text, self.model_id, PARAMETERS, self.engine_version)

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        found = {} if self._store is None else self._store.read({self.key(t): t for t in texts})
        missing = sorted({text for text in texts if self.key(text) not in found})
        if missing:
            self.misses += len(missing)
            made = self._embedder.embed(missing)
            fresh = {self.key(text): made[row] for row, text in enumerate(missing)}
            if self._store is not None:
                self._store.write(fresh)
            found.update(fresh)
        if not texts:
            return np.empty((0, self.dimensions), dtype=np.float32)
        return np.stack([found[self.key(text)] for text in texts])


def open_embedder(cache_folder: Path | None) -> CachedEmbedder:
    """The default embedder with its vectors cached in a folder (None: no cache at all).

    Raises EngineMissing where vLLM is absent; the engine itself starts on the first miss.
    """
    return CachedEmbedder(
        VllmEmbedder(), None if cache_folder is None else VectorCache(cache_folder)
    )
