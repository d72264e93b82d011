"""What assets reach the world through: the store, and the engine."""

from pathlib import Path

import dagster as dg

from mem_assets.engines.embedder import CachedEmbedder, open_embedder
from mem_assets.settings import RulesUnusable, Settings, read_rules
from mem_assets.signature import RuleBook
from mem_assets.storage.days import Days
from mem_assets.storage.evidence import EvidenceStore
from mem_assets.storage.memory_log import MemoryLog


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
