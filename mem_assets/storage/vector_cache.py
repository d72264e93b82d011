"""Vectors by content: what was embedded once is never embedded again."""

import io
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np

from mem_assets.hashing import sha256_json
from mem_assets.storage.atomic import replaced
from mem_assets.storage.sealed import seal, unseal


def vector_key(text: str, model_id: str, parameters: str, engine_version: str) -> str:
    """The name of a vector: everything that it depends on, hashed."""
    return sha256_json(
        {"text": text, "model": model_id, "parameters": parameters, "engine": engine_version}
    )


class VectorCache:
    """One small file a vector, named by its key, so that parallel runs never wait or collide.

    Each is sealed with its hash; one that was changed counts as absent and is written again.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key}.npy"

    def read(self, keys: Iterable[str]) -> dict[str, np.ndarray]:
        found = {}
        for key in keys:
            try:
                data = unseal(self._path(key).read_bytes())
                vector = np.load(io.BytesIO(data), allow_pickle=False)
            except (FileNotFoundError, ValueError, EOFError):
                continue
            if vector.dtype == np.float32 and vector.ndim == 1:
                found[key] = vector
        return found

    def write(self, vectors: Mapping[str, np.ndarray]) -> None:
        for key, vector in sorted(vectors.items()):
            buffer = io.BytesIO()
            np.save(buffer, vector.astype(np.float32), allow_pickle=False)
            with replaced(self._path(key), durable=False) as temporary:
                temporary.write_bytes(seal(buffer.getvalue()))
