"""How the gate and the memory log bear many candidates in one day: `make bench-gate`.

Days of 1,000, 3,000 and 10,000 candidates go from the landing into the memory log, through every
stage and check, each in a process of its own. A quarter of them are lessons; of these one in ten
repeats another nearly word for word. A double stands for the engine: a model's speed is measured
elsewhere. Bars: the largest day under two minutes and 1 GiB, and by processor time twice its share
of the smallest day at most (1.00 is linear).
"""

import hashlib
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

SIZES = (1_000, 3_000, 10_000)
DATE = "2026-11-24"
SECONDS_BAR, GIB_BAR, LINEAR_BAR = 120, 1.0, 2.0
LESSONS, REPEATED = 0.25, 0.1

STAGES = ("candidate_memories", "gate_verdicts", "accepted_memories", "memory_log")

SUBJECTS = (
    "checkout", "search", "billing", "mailer", "ledger", "gateway", "catalogue", "uploader",
    "scheduler", "reporting", "inventory", "payments", "session store", "image proxy", "exporter",
)  # fmt: skip
SYMPTOMS = (
    "rejected every second request", "came up and went down again", "answered with an empty page",
    "lost its connections at noon", "refused all new sessions", "ran out of handles",
    "stopped picking up jobs", "doubled each order", "could not read its own settings",
)  # fmt: skip
CAUSES = (
    "the certificate of the {x} proxy had expired", "two instances of {x} shared one lock file",
    "the volume of {x} was mounted read only after the upgrade",
    "the pool of {x} held fewer connections than there are workers",
    "a retry in {x} had no upper bound", "the clock of the {x} host was an hour behind",
    "the cache of {x} was never told about deletions", "{x} resolved the old address for a day",
)  # fmt: skip
FIXES = (
    "Renewed it and added an alarm two weeks ahead", "Gave each instance a folder of its own",
    "Mounted it writable again and wrote that into the runbook",
    "Raised the pool to the number of workers", "Bounded the retries and added a pause",
    "Pointed the host at the right time server", "Cleared the cache and now send it deletions",
    "Lowered the lifetime of the name to a minute",
)  # fmt: skip
CHATTER = (
    "rerunning {x} now", "is {x} red for anybody else?", "{x} is green again, thanks",
    "looking into {x}", "deploy of {x} done, all good", "same as yesterday with {x}",
)  # fmt: skip


def main() -> None:
    if len(sys.argv) > 1:
        print(json.dumps(_measure(int(sys.argv[1]))))
        return
    rows = [json.loads(_in_process(size)) for size in SIZES]
    print(f"{'candidates':>10}  {'accepted':>8}  {'seconds':>8}  {'ratio':>6}  {'GiB':>5}  stages")
    for row in rows:
        ratio = row["seconds"] / rows[0]["seconds"] / (row["candidates"] / rows[0]["candidates"])
        stages = ", ".join(f"{name} {row['stages'][name]:.1f}" for name in STAGES)
        print(
            f"{row['candidates']:>10}  {row['accepted']:>8}  {row['seconds']:>8.1f}  {ratio:>6.2f}"
            f"  {row['gib']:>5.2f}  {stages}"
        )
    largest = rows[-1]
    share = largest["seconds"] / rows[0]["seconds"] / (SIZES[-1] / SIZES[0])
    sound = largest["seconds"] <= SECONDS_BAR and largest["gib"] <= GIB_BAR and share <= LINEAR_BAR
    print(
        f"bars: {SECONDS_BAR} s, {GIB_BAR} GiB, ratio {LINEAR_BAR}: {'kept' if sound else 'BROKEN'}"
    )
    sys.exit(0 if sound else 1)


def _ratio(row: dict[str, Any], smallest: dict[str, Any]) -> float:
    return row["used"] / smallest["used"] / (row["candidates"] / smallest["candidates"])


def _in_process(size: int) -> str:
    command = [sys.executable, "-m", "bench.gate", str(size)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def _measure(size: int) -> dict[str, Any]:
    """One day of `size` candidates: seconds in all and a stage, by the clock and of the
    processor, and the peak of memory in GiB."""
    import dagster as dg

    from mem_assets.definitions import defs
    from mem_assets.pipeline.jobs import daily_job
    from mem_assets.pipeline.resources import Store
    from mem_assets.pipeline.run import QUIET
    from mem_assets.storage.days import Days

    with tempfile.TemporaryDirectory() as name, dg.DagsterInstance.ephemeral() as instance:
        root = Path(name)
        _land(root / "landing", size)
        started, used = time.monotonic(), time.process_time()
        result = defs.resolve_job_def(daily_job.name).execute_in_process(
            instance=instance,
            partition_key=DATE,
            run_config=QUIET,
            resources={
                "store": Store(home=str(root / "home"), landing=str(root / "landing")),
                "engine": _double_engine(),
            },
        )
        seconds, used = time.monotonic() - started, time.process_time() - used
        days = Days(root / "home")
        return {
            "candidates": len(days.read("candidate_memories", DATE, ["candidate_sha"])),
            "accepted": len(days.read("accepted_memories", DATE, ["memory_sha"])),
            "seconds": seconds,
            "used": used,
            "stages": _stages(instance, result.run_id),
            "gib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20,
        }


def _stages(instance: Any, run_id: str) -> dict[str, float]:
    """Seconds of each asset together with its checks."""
    seconds: dict[str, float] = defaultdict(float)
    for step in instance.get_run_step_stats(run_id):
        seconds[step.step_key.split("_", 0)[0]] += (step.end_time or 0) - (step.start_time or 0)
    return dict(seconds)


def _land(landing: Path, size: int) -> None:
    rng = random.Random(size)
    notes: list[dict[str, Any]] = []
    lessons: list[str] = []
    while len(notes) < size:
        if rng.random() >= LESSONS:
            text = rng.choice(CHATTER).format(x=_name(rng))
        elif lessons and rng.random() < REPEATED:
            text = rng.choice(lessons).replace(" and ", " and also ", 1)
        else:
            text = _lesson(rng)
            lessons.append(text)
        source = f"https://tracker.example/{rng.randrange(10**9)}"
        notes.append({"level": "L1", "kind": "incident", "text": text, "source": source})
    path = landing / DATE / "notes" / "stream.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text("".join(json.dumps(note) + "\n" for note in notes))


def _lesson(rng: random.Random) -> str:
    one, other = _name(rng), _name(rng)
    cause, fix = rng.choice(CAUSES).format(x=other), rng.choice(FIXES)
    return (
        f"The {rng.choice(SUBJECTS)} of {one} {rng.choice(SYMPTOMS)}, because {cause}. {fix}, and "
        f"the {rng.choice(SUBJECTS)} held from then on."
    )


def _name(rng: random.Random) -> str:
    """A word that a team might call a service by."""
    return "".join(rng.choice("bdfgklmnprstvz") + rng.choice("aeiou") for _ in range(3))


class WordEmbedder:
    """A unit vector a text, from its words: deterministic, without a model."""

    dimensions = 384
    model_id = "words"
    engine_version = "bench 1"

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        if not texts:
            return np.empty((0, self.dimensions), dtype=np.float32)
        return np.stack([_vector(text) for text in texts])


@lru_cache(maxsize=20_000)
def _vector(text: str) -> np.ndarray:
    vector = np.sum([_direction(word) for word in text.lower().split() or [""]], axis=0)
    return (vector / np.linalg.norm(vector)).astype(np.float32)


@lru_cache(maxsize=100_000)
def _direction(word: str) -> np.ndarray:
    seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:8], "big")
    return np.random.default_rng(seed).standard_normal(384).astype(np.float32)


def _double_engine() -> Any:
    from mem_assets.engines.embedder import CachedEmbedder
    from mem_assets.pipeline.resources import Engine

    class DoubleEngine(Engine):
        cache: str = ""

        def embedder(self) -> CachedEmbedder:
            return CachedEmbedder(WordEmbedder(), None)

        def uncached(self) -> CachedEmbedder:
            return self.embedder()

    return DoubleEngine()


if __name__ == "__main__":
    main()
