"""What assets reach the world through: the store, and the engine."""

from pathlib import Path

import dagster as dg

from mem_assets.engines.embedder import CachedEmbedder, open_embedder
from mem_assets.pipeline.stages.projections import projection_rows
from mem_assets.rebuild.from_log import Engines
from mem_assets.settings import Settings
from mem_assets.storage.days import Days
from mem_assets.storage.evidence import EvidenceStore
from mem_assets.storage.memory_log import MemoryLog


class Store(dg.ConfigurableResource):
    """The landing, and the data home with its daily tables, memory log and generations."""

    home: str
    landing: str

    @classmethod
    def from_settings(cls, settings: Settings) -> "Store":
        return cls(home=str(settings.home), landing=str(settings.landing))

    @property
    def home_path(self) -> Path:
        return Path(self.home)

    @property
    def landing_path(self) -> Path:
        return Path(self.landing)

    @property
    def days(self) -> Days:
        return Days(self.home_path)

    @property
    def log(self) -> MemoryLog:
        return MemoryLog(self.home_path)

    @property
    def evidence(self) -> EvidenceStore:
        return EvidenceStore(self.home_path)


class Engine(dg.ConfigurableResource):
    """The embedder. It is loaded on the first text whose vector is not cached, once a process."""

    cache: str

    @classmethod
    def from_settings(cls, settings: Settings) -> "Engine":
        return cls(cache=str(settings.home / "cache" / "vectors"))

    def embedder(self) -> CachedEmbedder:
        """With the cache: what daily runs use."""
        return open_embedder(Path(self.cache))

    def uncached(self) -> CachedEmbedder:
        """Without it: what proves that a vector comes out the same again."""
        return open_embedder(None)

    def for_rebuild(self) -> Engines:
        """Embedder and projector without any cache."""
        embedder = self.uncached()
        return Engines(embedder, lambda accepted: projection_rows(accepted, embedder))
