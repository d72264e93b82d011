"""Engines of a rebuild without a model: the hashing embedder, and projectors of any kind."""

from dataclasses import replace
from functools import lru_cache

import numpy as np

from mem_assets.engines.embedder import CachedEmbedder
from mem_assets.pipeline.stages.projections import projection_rows
from mem_assets.rebuild.from_log import Engines
from mem_assets.storage.vector_cache import VectorCache
from tests.doubles import HashingEmbedder


@lru_cache(maxsize=50_000)
def _vector(seed, text):
    return HashingEmbedder(seed).embed([text])[0]


class QuickEmbedder(HashingEmbedder):
    """The double, which makes the catalogue's vectors once for all tests."""

    def embed(self, texts):
        made = [_vector(self.seed, text) for text in texts]
        return np.stack(made) if made else super().embed(texts)


def opener(seed="", model_id=None, project=None, on_disk=False):
    """Engines whose embedder has another seed, or another id, or whose projector is another.

    on_disk: cached in files as the real ones are; thousands of files, so only where it matters.
    """

    def open_engines(cache):
        embedder = QuickEmbedder(seed)
        embedder.model_id = model_id or embedder.model_id
        cached = CachedEmbedder(embedder, VectorCache(cache / "vectors") if on_disk else None)

        def by_catalogue(accepted):
            return projection_rows(accepted, cached)

        engines = Engines(cached, by_catalogue)
        return replace(engines, project=project(by_catalogue)) if project else engines

    return open_engines


def generative(prompt, **changed):
    """A projector that stands for a generating one: it writes its prompt's last word as a line."""

    def project(by_catalogue):
        def rows(accepted):
            said = {
                "projector": "generative",
                "model_id": "writer@sha256:1",
                "prompt_sha": f"sha of {prompt}",
                "parameters": '{"temperature":0}',
                **changed,
            }
            return [
                row | said | {"lines": [{"line": prompt.split()[-1], "origin": "generated"}]}
                if row["explains_failure"]
                else row | said
                for row in by_catalogue(accepted)
            ]

        return rows

    return project
