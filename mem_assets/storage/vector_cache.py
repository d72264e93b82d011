"""Vectors by content: what was embedded once is never embedded again."""

from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np

from mem_assets.hashing import sha256_json
from mem_assets.storage.atomic import replaced


def vector_key(text: str, model_id: str, parameters: str, engine_version: str) -> str:
    """The name of a vector: everything that it depends on, hashed."""
    return sha256_json(
        {"text": text, "model": model_id, "parameters": parameters, "engine": engine_version}
    )


class VectorCache:
    """One small file a vector, named by its key, so that parallel runs never wait or collide.

    A file that is damaged counts as absent and is written again.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key}.npy"

    def read(self, keys: Iterable[str]) -> dict[str, np.ndarray]:
        found = {}
        for key in keys:
            try:
                vector = np.load(self._path(key), allow_pickle=False)
            except (FileNotFoundError, ValueError, EOFError):
                continue
            if vector.dtype == np.float32 and vector.ndim == 1:
                found[key] = vector
        return found

    def write(self, vectors: Mapping[str, np.ndarray]) -> None:
        for key, vector in sorted(vectors.items()):
            path = self._path(key)
            with replaced(path, durable=False) as temporary, temporary.open("wb") as file:
                np.save(file, vector.astype(np.float32), allow_pickle=False)
