"""Where everything lies. One place, read from the environment, shared by Dagster and `mem`."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Settings:
    """home: data, memory log and generations. landing: the logs and notes that come in.

    start_date: the first day that is a partition (ISO, UTC).
    """

    home: Path
    landing: Path
    start_date: str

    @classmethod
    def from_env(cls, env: Mapping[str, str] = os.environ) -> "Settings":
        """MEM_HOME (default ./data), MEM_LANDING (default $MEM_HOME/landing), MEM_START_DATE."""
        home = Path(env.get("MEM_HOME", "data")).absolute()
        landing = Path(env.get("MEM_LANDING", str(home / "landing"))).absolute()
        return cls(home, landing, env.get("MEM_START_DATE", "2026-11-01"))
