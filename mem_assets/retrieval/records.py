"""Reading a generation's tables for an answer: memories, and the logs behind them."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import duckdb

from mem_assets.retrieval.answer import Evidence, Match, MatchedLine, safe, safe_evidence

LESSONS = ("L1", "L2")
"""The levels that answer; L0 and R are only near."""

SHOWN_EVIDENCE = 3
"""Logs an answer carries; a failure met a thousand times needs no thousand blocks."""


@dataclass(frozen=True)
class MemoryRow:
    """A row of the table `memory`."""

    memory_sha: str
    level: str
    text: str
    date: str
    kind: str
    heading: str
    source: str


@dataclass(frozen=True)
class Support:
    """The logs behind a memory, the latest first. logs: all their ids; tools: what printed them."""

    evidence: tuple[Evidence, ...] = ()
    logs: frozenset[str] = frozenset()
    tools: frozenset[str] = frozenset()


def read_memories(con: duckdb.DuckDBPyConnection, shas: Iterable[str]) -> dict[str, MemoryRow]:
    """The published memories among `shas`."""
    rows = con.execute(
        "SELECT memory_sha, level, text, date, kind, heading, source FROM memory "
        "WHERE status = 'published' AND list_contains(?, memory_sha)",
        [sorted(set(shas))],
    ).fetchall()
    return {row[0]: MemoryRow(*row) for row in rows}


def read_support(con: duckdb.DuckDBPyConnection, shas: Iterable[str]) -> dict[str, Support]:
    """The logs behind each memory; of an L0 the log itself, since its name is its log's id."""
    wanted = sorted(set(shas))
    rows = con.execute(
        """SELECT owner, log_id, date, path, tool, job, step, exit_code, url, raw FROM (
             SELECT memory_sha AS owner, * FROM evidence WHERE list_contains($shas, memory_sha)
             UNION ALL
             SELECT log_id AS owner, * FROM evidence WHERE list_contains($shas, log_id))
           ORDER BY owner, date DESC, log_id""",
        {"shas": wanted},
    ).fetchall()
    grouped: dict[str, dict[str, Evidence]] = defaultdict(dict)
    for owner, *columns in rows:
        grouped[owner].setdefault(columns[0], Evidence(*columns))
    return {owner: _support(list(logs.values())) for owner, logs in grouped.items()}


def _support(evidence: list[Evidence]) -> Support:
    return Support(
        tuple(safe_evidence(item) for item in evidence[:SHOWN_EVIDENCE]),
        frozenset(item.log_id for item in evidence),
        frozenset(item.tool for item in evidence),
    )


def make_match(
    memory: MemoryRow,
    support: Support,
    *,
    tier: str,
    confidence: str,
    matched: str,
    why: str,
    how: tuple[MatchedLine, ...],
    cosine: float | None = None,
) -> Match:
    """One answer, every text in it safe to print."""
    match = Match(
        tier=tier,
        confidence=confidence,
        matched=matched,
        why=why,
        how=how,
        cosine=None if cosine is None else round(cosine, 4),
        memory_sha=memory.memory_sha,
        level=memory.level,
        text=memory.text,
        date=memory.date,
        kind=memory.kind,
        heading=memory.heading,
        source=memory.source,
        evidence=support.evidence,
        evidence_count=len(support.logs),
    )
    return safe(match)
