"""A small real generation for tests: real signatures, tables and indexes, a fake embedder."""

import hashlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mem_assets.hashing import sha256_text
from mem_assets.memory.model import memory_sha
from mem_assets.memory.settle import EvidenceNode, Settled, SettledMemory
from mem_assets.retrieval.build import build_generation
from mem_assets.retrieval.tables import build_tables
from mem_assets.signature import extract
from mem_assets.storage.generation import Generation

DIMENSIONS = 384
MODEL_ID = "word-hash@1"


class WordHashEmbedder:
    """Texts that share words lie near: the sum of one fixed random vector a word."""

    engine_version = "none"
    dimensions = DIMENSIONS

    def __init__(self, model_id: str = MODEL_ID) -> None:
        self.model_id = model_id
        self.calls = 0

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        self.calls += 1
        return np.stack([_vector(text) for text in texts])


def _vector(text: str) -> np.ndarray:
    total = np.zeros(DIMENSIONS)
    for word in sorted(set(text.lower().split())) or ["."]:
        seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:8], "big")
        total += np.random.default_rng(seed).standard_normal(DIMENSIONS)
    return (total / np.linalg.norm(total)).astype(np.float32)


@dataclass(frozen=True)
class Log:
    """A failure log; `text` goes through the real extraction."""

    text: str
    tool: str | None = None
    date: str = "2026-11-20"
    path: str = "2026-11-20/logs/run.log"
    job: str | None = "build"

    @property
    def log_id(self) -> str:
        return sha256_text(f"{self.path}\n{self.text}")

    def node(self) -> EvidenceNode:
        own = extract(self.tool, self.text, exit_code=1)
        assert own is not None
        signatures = [("own", own)] + [("inner", own.inner)] * (own.inner is not None)
        context = dict.fromkeys(("job", "step", "exit_code", "url", "repo", "commit"))
        body: dict[str, Any] = {
            "path": self.path,
            "tool": self.tool,
            "context": {**context, "job": self.job, "exit_code": 1},
            "text_sha": sha256_text(self.text),
            "signatures": [{**asdict(found), "role": role} for role, found in signatures],
        }
        return EvidenceNode(self.log_id, self.date, self.path, body)


@dataclass(frozen=True)
class Note:
    """A memory; symptoms None means that it explains no failure."""

    text: str
    level: str = "L1"
    symptoms: tuple[str, ...] | None = ()
    logs: tuple[Log, ...] = ()
    date: str = "2026-11-21"
    status: str = "published"
    source: str = "2026-11-21/notes/fixes.md"

    @property
    def sha(self) -> str:
        return memory_sha(self.level, self.text)

    def settled(self) -> SettledMemory:
        return SettledMemory(
            memory_sha=self.sha,
            level=self.level,
            text=self.text,
            date=self.date,
            kind="lesson",
            source=self.source,
            heading="",
            references=(),
            status=self.status,
            evidence=tuple(sorted(log.log_id for log in self.logs)),
            projection=None if self.level == "R" else self._projection(),
        )

    def _projection(self) -> dict[str, Any]:
        lines = [{"line": line, "origin": "catalogue:test"} for line in self.symptoms or ()]
        return {
            "explains_failure": self.symptoms is not None,
            "lines": lines,
            "projector": "catalogue",
            "model_id": MODEL_ID,
            "prompt_sha": "c0ffee",
        }


def build(home: Path, notes: Sequence[Note], logs: Sequence[Log] = ()) -> Generation:
    """A generation of the notes, their logs, and logs that no note explains."""
    nodes = {log.log_id: log.node() for note in notes for log in note.logs}
    nodes.update({log.log_id: log.node() for log in logs})
    settled = Settled(
        tuple(sorted((note.settled() for note in notes), key=lambda m: m.memory_sha)),
        tuple(nodes[log_id] for log_id in sorted(nodes)),
    )
    inputs = {
        "log_heads": {"2026-11-21": len(notes)},
        "embedder": {"model_id": MODEL_ID, "engine_version": "none", "dimensions": DIMENSIONS},
        "rules_version": "r",
        "classes_version": "c",
        "catalogue_sha": "s",
    }
    return build_generation(home, build_tables(settled, _vector, MODEL_ID), inputs)
