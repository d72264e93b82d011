"""The engines that a rebuild makes everything with: those of the daily stages."""

from collections.abc import Sequence
from pathlib import Path

from mem_assets.engines.embedder import open_embedder
from mem_assets.pipeline.stages.projections import projection_rows
from mem_assets.rebuild.from_log import Engines
from mem_assets.rebuild.projections import Row


def open_engines(cache: Path) -> Engines:
    """With their caches below a folder, as below a home's `cache`. Nothing is loaded yet.

    Raises EngineMissing where vLLM is absent.
    """
    embedder = open_embedder(cache / "vectors")

    def project(accepted: Sequence[Row]) -> Sequence[Row]:
        return projection_rows(accepted, embedder)

    return Engines(embedder, project)
