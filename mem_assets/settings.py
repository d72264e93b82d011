"""Where everything lies. One place, read from the environment, shared by Dagster and `mem`."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mem_assets.signature import RuleBook


class RulesUnusable(ValueError):
    """MEM_RULES names rules that are refused; the message names file and rule, and what to do."""


@dataclass(frozen=True)
class Settings:
    """home: data, memory log and generations. landing: the logs and notes that come in.

    start_date: the first day that is a partition (ISO, UTC). rules: a folder of signature rules
    of one's own; pairs: a file of must-merge and must-split pairs of one's own.
    """

    home: Path
    landing: Path
    start_date: str
    rules: Path | None = None
    pairs: Path | None = None

    @classmethod
    def from_env(cls, env: Mapping[str, str] = os.environ) -> "Settings":
        """MEM_HOME (default ./data), MEM_LANDING (default $MEM_HOME/landing), MEM_START_DATE,
        MEM_RULES and MEM_PAIRS (default none)."""
        home = Path(env.get("MEM_HOME", "data")).absolute()
        landing = Path(env.get("MEM_LANDING", str(home / "landing"))).absolute()
        rules, pairs = (
            Path(env[name]).absolute() if env.get(name) else None
            for name in ("MEM_RULES", "MEM_PAIRS")
        )
        return cls(home, landing, env.get("MEM_START_DATE", "2026-11-01"), rules, pairs)

    def rule_book(self) -> "RuleBook":
        """The packaged signature rules and those in `rules`. Raises RulesUnusable."""
        return read_rules(self.rules)


def read_rules(folder: Path | None) -> "RuleBook":
    """The packaged signature rules and those in a folder. Raises RulesUnusable."""
    from mem_assets.signature import RuleError, load_rules

    try:
        return load_rules(*([folder] if folder else []))
    except (RuleError, OSError) as error:
        raise RulesUnusable(
            f"the rules in MEM_RULES cannot be used: {error}. Mend that, or unset MEM_RULES to go "
            "on with the packaged rules alone"
        ) from error
