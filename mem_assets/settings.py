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


PROJECTORS = ("catalogue", "generative")


@dataclass(frozen=True)
class Settings:
    """home: data, memory log and generations. landing: the logs and notes that come in.

    start_date: the first day that is a partition (ISO, UTC). rules: a folder of signature rules
    of one's own; pairs: a file of must-merge and must-split pairs of one's own.
    controller: the generating model, as a folder, a name on the model hub, or the http(s) address
    of an OpenAI-compatible server; "" asks no model. controller_model: its name on that server.
    projector: who writes the symptoms, "catalogue" or "generative". prompts: a folder with
    templates of one's own.
    """

    home: Path
    landing: Path
    start_date: str
    rules: Path | None = None
    pairs: Path | None = None
    controller: str = ""
    controller_model: str = ""
    projector: str = PROJECTORS[0]
    prompts: Path | None = None

    @classmethod
    def from_env(cls, env: Mapping[str, str] = os.environ) -> "Settings":
        """MEM_HOME (default ./data), MEM_LANDING (default $MEM_HOME/landing), MEM_START_DATE;
        MEM_RULES, MEM_PAIRS, MEM_PROMPTS (default none); MEM_CONTROLLER, MEM_CONTROLLER_MODEL,
        MEM_PROJECTOR."""

        def path(name: str) -> Path | None:
            value = env.get(name, "").strip()
            return Path(value).absolute() if value else None

        home = Path(env.get("MEM_HOME", "data")).absolute()
        landing = Path(env.get("MEM_LANDING", str(home / "landing"))).absolute()
        return cls(
            home,
            landing,
            env.get("MEM_START_DATE", "2026-11-01"),
            rules=path("MEM_RULES"),
            pairs=path("MEM_PAIRS"),
            controller=env.get("MEM_CONTROLLER", "").strip(),
            controller_model=env.get("MEM_CONTROLLER_MODEL", "").strip(),
            projector=env.get("MEM_PROJECTOR", "").strip() or PROJECTORS[0],
            prompts=path("MEM_PROMPTS"),
        )

    def rule_book(self) -> "RuleBook":
        """The packaged signature rules and those in `rules`. Raises RulesUnusable."""
        return read_rules(self.rules)

    def require_projector(self) -> str:
        """The projector, where it can be followed; asked by what projects, never by a lookup.

        Raises ValueError, naming the variable and what to set.
        """
        if self.projector not in PROJECTORS:
            raise ValueError(f"MEM_PROJECTOR={self.projector}: it is {' or '.join(PROJECTORS)}")
        if self.projector == "generative" and not self.controller:
            raise ValueError(
                "MEM_PROJECTOR=generative needs a model: set MEM_CONTROLLER to a model's folder, "
                "its name on the hub, or the address of a vLLM server"
            )
        return self.projector


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
