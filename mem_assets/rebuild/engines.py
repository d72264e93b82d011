"""The engines that a rebuild makes everything with: those of the daily stages."""

from pathlib import Path

from mem_assets.engines.embedder import open_embedder
from mem_assets.engines.generator import open_generator
from mem_assets.pipeline.stages.projections import (
    Projector,
    catalogue_projector,
    generative_projector,
    projection_rows,
)
from mem_assets.rebuild.from_log import Engines, OpenEngines
from mem_assets.settings import Settings
from mem_assets.templates import load_prompt


def engines_of(settings: Settings) -> OpenEngines:
    """What opens them, with their caches below a folder, as below a home's `cache`. Nothing is
    loaded before its first text.

    Opening raises EngineMissing where vLLM is absent, RulesUnusable, and ValueError where
    MEM_PROJECTOR cannot be followed.
    """

    def open_engines(cache: Path) -> Engines:
        embedder = open_embedder(cache / "vectors")
        projector = _projector(settings, cache)
        return Engines(
            embedder,
            lambda accepted: projection_rows(accepted, embedder, projector),
            settings.rule_book(),
        )

    return open_engines


def _projector(settings: Settings, cache: Path) -> Projector:
    if settings.require_projector() == "catalogue":
        return catalogue_projector
    served = settings.controller_model or None
    generator = open_generator(settings.controller, served, cache / "generations")
    return generative_projector(generator, load_prompt("symptom", settings.prompts))
