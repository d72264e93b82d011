"""How long an answer takes, beside what it stands on: `python -m bench.lookup` (`make bench`).

Every figure is a ratio to something measured in the same run, interleaved with it, since this
machine's noise is larger than most differences. It asks the demo's generation: run `make demo`
first.
"""

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from mem_assets.retrieval.lookup import lookup
from mem_assets.settings import Settings
from mem_assets.storage.generation import NoGeneration, open_current

QUERY = "fatal: detected dubious ownership in repository at '/srv/checkouts/pay'"
ROUNDS = 9


def main() -> None:
    settings = Settings.from_env()
    try:
        generation = open_current(settings.home)
    except NoGeneration as missing:
        sys.exit(f"bench: {missing}")
    mem = Path(sys.executable).with_name("mem")
    cold = _compare(
        lambda: _run(str(mem), "context", QUERY),
        lambda: _run(sys.executable, "-c", "import typer, duckdb"),
    )
    _report("cold `mem context`, exact tier", "starting Python with typer and duckdb", *cold)

    def ask() -> None:
        answer = lookup(generation, QUERY, embedder=_no_model)
        assert [match.tier for match in answer.matches[:1]] == ["exact"]

    def select_one() -> None:
        with generation.connect() as connection:
            connection.execute("SELECT * FROM memory LIMIT 1").fetchall()

    _report("warm lookup, exact tier", "opening DuckDB for one row", *_compare(ask, select_one))


def _no_model() -> None:
    raise AssertionError("the exact tier asked for a model")


def _run(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True, env=os.environ)


def _compare(one: Callable[[], None], other: Callable[[], None]) -> tuple[list[float], list[float]]:
    """Seconds of both, taken in turns after one unmeasured round."""
    times: tuple[list[float], list[float]] = ([], [])
    for number in range(ROUNDS + 1):
        for act, kept in ((one, times[0]), (other, times[1])):
            started = time.perf_counter()
            act()
            if number:
                kept.append(time.perf_counter() - started)
    return times


def _report(what: str, beside: str, ours: list[float], theirs: list[float]) -> None:
    ratios = sorted(a / b for a, b in zip(ours, theirs, strict=True))
    print(
        f"{what}: {statistics.median(ours) * 1000:.0f} ms, "
        f"{statistics.median(ratios):.1f} times {beside} "
        f"({ratios[0]:.1f} to {ratios[-1]:.1f} over {ROUNDS} rounds)"
    )


if __name__ == "__main__":
    main()
