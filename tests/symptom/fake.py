"""A stand-in for an embedder: words hashed to coordinates, so that shared words make a cosine."""

import hashlib

import numpy as np


def embed(text: str) -> np.ndarray:
    vector = np.zeros(256, dtype=np.float32)
    for word in text.lower().split() or [""]:
        digest = hashlib.sha256(word.strip(".,:!'\"").encode("utf-8", "replace")).digest()
        vector[digest[0]] += 1.0
    return vector / np.float32(np.linalg.norm(vector))
