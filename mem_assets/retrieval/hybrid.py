"""The second and third tier: by meaning and by words, then what is merely near."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import numpy as np

from mem_assets.retrieval.answer import CONFIDENCES, Match, MatchedLine, pair_lines
from mem_assets.retrieval.calibration import Calibration, Floor, Fusion
from mem_assets.retrieval.lexical import open_lexical
from mem_assets.retrieval.question import Question
from mem_assets.retrieval.records import (
    LESSONS,
    MemoryRow,
    Support,
    make_match,
    read_memories,
    read_support,
)
from mem_assets.retrieval.vectors import Neighbour, open_index

if TYPE_CHECKING:
    from mem_assets.engines.embedder import CachedEmbedder
    from mem_assets.storage.generation import Generation

KINDS = ("symptom", "text")

OBSERVED = ("evidence", "quoted")
"""Origins of symptom lines that were seen; all others are a projector's guess."""

NAMES = {"observed": "an observed symptom", "projected": "a projected symptom", "text": "its text"}


class ModelMismatchError(RuntimeError):
    """The query would be embedded by another model than the generation was."""


@dataclass(frozen=True)
class Lists:
    """The ranked memories of one query: by symptom, by text, by words; and what is near in text."""

    symptom: Sequence[Neighbour]
    text: Sequence[Neighbour]
    lexical: Sequence[str]
    near: Sequence[Neighbour] = ()


@dataclass
class Candidate:
    """A memory that some list named: its fused score, its nearest line, who put it first."""

    memory_sha: str
    score: float = 0.0
    cosine: float = -1.0
    kind: str = "text"
    line_no: int = 0
    firsts: set[str] = field(default_factory=set)


def find_hybrid(
    con: duckdb.DuckDBPyConnection,
    generation: "Generation",
    question: Question,
    embedder: Callable[[], "CachedEmbedder"],
    thresholds: Calibration,
    top: int,
) -> list[Match]:
    """Memories above the floor, best first; where there is none, what is near, marked low.

    Raises ModelMismatchError, and what the embedder and the index files raise.
    """
    if not any(len(open_index(generation.path, kind)) for kind in KINDS):
        return []
    vector = _embed(generation, question.text, embedder)
    lists = _ask(generation.path, vector, question.text, thresholds.fusion)
    candidates = fuse(lists, thresholds.fusion, thresholds.floor)
    support = read_support(con, candidates)
    for sha, candidate in candidates.items():
        if support.get(sha, Support()).tools & set(question.tools):
            candidate.score += thresholds.fusion.tool / (thresholds.fusion.k + 1)
    matches = _matches(con, candidates, support, question, thresholds, top)
    return matches or _references(con, lists.near, question, thresholds, top)


def _embed(
    generation: "Generation", text: str, embedder: Callable[[], "CachedEmbedder"]
) -> np.ndarray:
    made_by = generation.manifest["embedder"]["model_id"]
    engine = embedder()
    if engine.model_id != made_by:
        raise ModelMismatchError(
            f"generation {generation.id} was embedded by {made_by}, this process embeds by "
            f"{engine.model_id}: materialise the embeddings and memory_index again, or go back "
            "to that model"
        )
    return engine.embed([text])[0]


def _ask(folder: Path, vector: np.ndarray, text: str, fusion: Fusion) -> Lists:
    lessons = _shas_of(folder, LESSONS)
    near = _shas_of(folder, ("L0", "R"))
    symptom, texts = (open_index(folder, kind) for kind in KINDS)
    lexical = open_lexical(folder).search(text, fusion.depth, lessons.__contains__, fusion.coverage)
    return Lists(
        symptom.search(vector, fusion.depth, lessons.__contains__),
        texts.search(vector, fusion.depth, lessons.__contains__),
        [sha for sha, _ in lexical],
        texts.search(vector, fusion.depth, near.__contains__) if near else (),
    )


@lru_cache(maxsize=8)
def _shas_of(folder: Path, levels: tuple[str, ...]) -> frozenset[str]:
    """Published memories of some levels, read once a generation: its folder never changes."""
    with duckdb.connect(str(folder / "memory.duckdb"), read_only=True) as con:
        rows = con.execute(
            "SELECT memory_sha FROM memory WHERE status = 'published' AND list_contains(?, level)",
            [list(levels)],
        ).fetchall()
    return frozenset(sha for (sha,) in rows)


def fuse(lists: Lists, fusion: Fusion, floor: Floor) -> dict[str, Candidate]:
    """Weighted reciprocal rank over the three lists, by memory_sha.

    What is below a list's floor takes no place in it: ranks among noise are noise.
    """
    candidates: dict[str, Candidate] = {}

    def ranked(sha: str, name: str, rank: int, weight: float) -> Candidate:
        candidate = candidates.setdefault(sha, Candidate(sha))
        candidate.score += weight / (fusion.k + rank)
        if rank == 1:
            candidate.firsts.add(name)
        return candidate

    for name, neighbours, weight, least in (
        ("symptom", lists.symptom, fusion.symptom, floor.symptom),
        ("text", lists.text, fusion.text, floor.text),
    ):
        for rank, near in enumerate((n for n in neighbours if n.cosine >= least), start=1):
            candidate = ranked(near.memory_sha, name, rank, weight)
            if near.cosine > candidate.cosine:
                candidate.cosine, candidate.kind = near.cosine, name
                candidate.line_no = near.line_no
    for rank, sha in enumerate(lists.lexical, start=1):
        ranked(sha, "lexical", rank, fusion.lexical)
    return candidates


def _matches(
    con: duckdb.DuckDBPyConnection,
    candidates: Mapping[str, Candidate],
    support: Mapping[str, Support],
    question: Question,
    thresholds: Calibration,
    top: int,
) -> list[Match]:
    nearest = max((c.cosine for c in candidates.values()), default=-1.0)
    if nearest < thresholds.floor.answer:
        return []
    kept = sorted(
        (c for c in candidates.values() if c.cosine >= thresholds.floor.text),
        key=lambda c: (-c.score, -c.cosine, c.memory_sha),
    )
    memories = read_memories(con, [c.memory_sha for c in kept])
    symptoms = _symptom_lines(con, [c.memory_sha for c in kept])
    matches = []
    for candidate in kept:
        memory = memories[candidate.memory_sha]
        margin, agreement = standing(candidate, candidates, support)
        kind, how = _nearest(candidate, memory, symptoms, question.text)
        matches.append(
            make_match(
                memory,
                support.get(memory.memory_sha, Support()),
                tier="hybrid",
                confidence=thresholds.confidence(kind, candidate.cosine, margin, agreement),
                matched="meaning",
                why=f"near by {NAMES[kind]} (cosine {candidate.cosine:.2f}, "
                f"{margin:+.2f} to the next), first in {agreement} of 3 lists",
                how=how,
                cosine=candidate.cosine,
            )
        )
    # The fused rank orders what is equally sure; a sure answer never stands below a guess.
    return sorted(matches, key=lambda match: -CONFIDENCES.index(match.confidence))[:top]


def standing(
    candidate: Candidate,
    candidates: Mapping[str, Candidate],
    support: Mapping[str, Support],
) -> tuple[float, int]:
    """(margin, agreement): its cosine less that of the best rival, and how many lists put it first.

    A memory that shares a log with it is no rival but speaks for it: a summary stands beside its
    lessons. The margin is below 0 where a rival is nearer.
    """
    own = support.get(candidate.memory_sha, Support()).logs
    rival = 0.0
    firsts = set(candidate.firsts)
    for other in candidates.values():
        if own & support.get(other.memory_sha, Support()).logs:
            firsts |= other.firsts
        elif other is not candidate:
            rival = max(rival, other.cosine)
    return candidate.cosine - rival, len(firsts)


def _symptom_lines(
    con: duckdb.DuckDBPyConnection, shas: Sequence[str]
) -> dict[tuple[str, int], tuple[str, str]]:
    """(line, origin) by (memory_sha, line_no)."""
    rows = con.execute(
        "SELECT memory_sha, line_no, line, origin FROM symptom WHERE list_contains(?, memory_sha)",
        [sorted(shas)],
    ).fetchall()
    return {(sha, line_no): (line, origin) for sha, line_no, line, origin in rows}


def _nearest(
    candidate: Candidate,
    memory: MemoryRow,
    symptoms: Mapping[tuple[str, int], tuple[str, str]],
    asked: str,
) -> tuple[str, tuple[MatchedLine, ...]]:
    """The kind of its nearest line, as the calibration knows it, and the lines side by side."""
    line = symptoms.get((memory.memory_sha, candidate.line_no))
    if candidate.kind == "symptom" and line is not None:
        seen = line[1].startswith(OBSERVED)
        return "observed" if seen else "projected", pair_lines(asked, line[0], line[1])
    return "text", pair_lines(asked, memory.text, "memory", limit=1)


def _references(
    con: duckdb.DuckDBPyConnection,
    near: Sequence[Neighbour],
    question: Question,
    thresholds: Calibration,
    top: int,
) -> list[Match]:
    near = [n for n in near if n.cosine >= thresholds.floor.reference]
    shas = [n.memory_sha for n in near]
    memories, support = read_memories(con, shas), read_support(con, shas)
    floors = defaultdict(lambda: thresholds.floor.reference, L0=thresholds.floor.log)
    kept = [n for n in near if n.cosine >= floors[memories[n.memory_sha].level]][:top]
    named = defaultdict(lambda: "documentation", L0="a failure that no memory explains yet")
    return [
        make_match(
            memories[n.memory_sha],
            support.get(n.memory_sha, Support()),
            tier="reference",
            confidence="low",
            matched="reference",
            why=f"{named[memories[n.memory_sha].level]} that is near (cosine {n.cosine:.2f})",
            how=pair_lines(
                question.text,
                memories[n.memory_sha].text,
                "log" if memories[n.memory_sha].level == "L0" else "reference",
                limit=1,
            ),
            cosine=n.cosine,
        )
        for n in kept
    ]
