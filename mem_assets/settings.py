"""Where everything lies. One place, read from the environment, shared by Dagster and `mem`."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

PROJECTORS = ("catalogue", "generative")


@dataclass(frozen=True)
class Settings:
    """home: data, memory log and generations. landing: the logs and notes that come in.

    start_date: the first day that is a partition (ISO, UTC).
    controller: the generating model, as a folder, a name on the model hub, or the http(s) address
    of an OpenAI-compatible server; "" asks no model. controller_model: its name on that server.
    projector: who writes the symptoms, "catalogue" or "generative". prompts: a folder with
    templates of one's own.
    """

    home: Path
    landing: Path
    start_date: str
    controller: str = ""
    controller_model: str = ""
    projector: str = PROJECTORS[0]
    prompts: Path | None = None

    @classmethod
    def from_env(cls, env: Mapping[str, str] = os.environ) -> "Settings":
        """MEM_HOME (default ./data), MEM_LANDING (default $MEM_HOME/landing), MEM_START_DATE;
        MEM_CONTROLLER, MEM_CONTROLLER_MODEL, MEM_PROJECTOR, MEM_PROMPTS.
        """
        home = Path(env.get("MEM_HOME", "data")).absolute()
        landing = Path(env.get("MEM_LANDING", str(home / "landing"))).absolute()
        prompts = env.get("MEM_PROMPTS", "").strip()
        return cls(
            home,
            landing,
            env.get("MEM_START_DATE", "2026-11-01"),
            controller=env.get("MEM_CONTROLLER", "").strip(),
            controller_model=env.get("MEM_CONTROLLER_MODEL", "").strip(),
            projector=env.get("MEM_PROJECTOR", "").strip() or PROJECTORS[0],
            prompts=Path(prompts).absolute() if prompts else None,
        )

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
