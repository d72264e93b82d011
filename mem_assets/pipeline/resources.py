"""What assets reach the world through: the store, and the engine."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import dagster as dg

from mem_assets.engines.embedder import CachedEmbedder, open_embedder
from mem_assets.engines.generator import CachedGenerator, open_generator
from mem_assets.pipeline.stages.projections import (
    Projector,
    catalogue_projector,
    generative_projector,
    projection_rows,
)
from mem_assets.rebuild.from_log import Engines
from mem_assets.settings import PROJECTORS, RulesUnusable, Settings, read_rules
from mem_assets.signature import RuleBook
from mem_assets.storage.chosen_lines import ChosenLineStore
from mem_assets.storage.days import Days
from mem_assets.storage.evidence import EvidenceStore
from mem_assets.storage.memory_log import MemoryLog
from mem_assets.templates import Prompt, load_prompt


class Store(dg.ConfigurableResource):
    """The landing, and the data home with its daily tables, memory log and generations.

    rules, pairs: as in Settings, "" for none.
    """

    home: str
    landing: str
    rules: str = ""
    pairs: str = ""

    @classmethod
    def from_settings(cls, settings: Settings) -> "Store":
        return cls(
            home=str(settings.home),
            landing=str(settings.landing),
            rules=str(settings.rules or ""),
            pairs=str(settings.pairs or ""),
        )

    @property
    def home_path(self) -> Path:
        return Path(self.home)

    @property
    def landing_path(self) -> Path:
        return Path(self.landing)

    @property
    def rules_path(self) -> Path | None:
        return Path(self.rules) if self.rules else None

    @property
    def pairs_path(self) -> Path | None:
        return Path(self.pairs) if self.pairs else None

    @property
    def rule_book(self) -> RuleBook:
        """The signature rules in use. A wrong rule file fails the step, and is not tried again."""
        try:
            return read_rules(self.rules_path)
        except RulesUnusable as error:
            raise dg.Failure(str(error), allow_retries=False) from error

    @property
    def days(self) -> Days:
        return Days(self.home_path)

    @property
    def log(self) -> MemoryLog:
        return MemoryLog(self.home_path)

    @property
    def evidence(self) -> EvidenceStore:
        return EvidenceStore(self.home_path)

    @property
    def chosen_lines(self) -> ChosenLineStore:
        return ChosenLineStore(self.home_path)


class Engine(dg.ConfigurableResource):
    """The embedder, and the controller where one is configured. Each is loaded on the first text
    that its cache does not know, once a process.

    generations: folder of the controller's cached answers. prompts: folder of own templates.
    """

    cache: str
    generations: str = ""
    controller_name: str = ""
    served_model: str = ""
    projector: str = PROJECTORS[0]
    prompts: str = ""

    @classmethod
    def from_settings(cls, settings: Settings) -> "Engine":
        """Raises ValueError where MEM_PROJECTOR cannot be followed."""
        return cls(
            cache=str(settings.home / "cache" / "vectors"),
            generations=str(settings.home / "cache" / "generations"),
            controller_name=settings.controller,
            served_model=settings.controller_model,
            projector=settings.require_projector(),
            prompts=str(settings.prompts or ""),
        )

    def embedder(self) -> CachedEmbedder:
        """With the cache: what daily runs use."""
        return open_embedder(Path(self.cache))

    def uncached(self) -> CachedEmbedder:
        """Without it: what proves that a vector comes out the same again."""
        return open_embedder(None)

    def controller(self, *, cached: bool = True) -> CachedGenerator | None:
        """What answers prompts; None where no controller is configured."""
        if not self.controller_name:
            return None
        cache = Path(self.generations) if self.generations and cached else None
        return open_generator(self.controller_name, self.served_model or None, cache)

    def open_projector(self, *, cached: bool = True) -> Projector:
        """Who writes the symptoms. Raises ValueError where a model should, and none is set."""
        if self.projector == "catalogue":
            return catalogue_projector
        controller = self.controller(cached=cached)
        if controller is None:
            raise ValueError("the generative projector needs a controller: set MEM_CONTROLLER")
        return generative_projector(controller, self.prompt("symptom"))

    def prompt(self, name: str) -> Prompt:
        """A template, from the folder of own ones where it is there."""
        return load_prompt(name, Path(self.prompts) if self.prompts else None)

    def for_rebuild(self, rules: RuleBook) -> Engines:
        """Embedder and projector without any cache, and signature rules."""
        embedder, projector = self.uncached(), self.open_projector(cached=False)

        def project(accepted: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
            return projection_rows(accepted, embedder, projector)

        return Engines(embedder, project, rules)
