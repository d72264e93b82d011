"""The first tier: the same failure again, found by hash. No vector, no model."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import duckdb

from mem_assets.retrieval.answer import Match, pair_lines
from mem_assets.retrieval.calibration import Calibration
from mem_assets.retrieval.question import Question
from mem_assets.retrieval.records import LESSONS, Support, make_match, read_memories, read_support
from mem_assets.symptom.model import SymptomVector


@dataclass(frozen=True)
class Link:
    """A row of failure_signature: a failure and the memory that explains it."""

    memory_sha: str
    tool: str
    rule: str
    identity: str
    failure_class: str | None
    modules: tuple[str, ...]


def find_exact(
    con: duckdb.DuckDBPyConnection, question: Question, thresholds: Calibration, top: int
) -> list[Match]:
    """The memories of the first hash that is known: every signature before any class.

    A class match is high only where the entities agree, low where they conflict, and none at all
    where more than `exact.many` memories share the class and no entity singles one out.
    """
    for signature in question.in_turn():
        found = _links(con, "sig_sha", [signature.sig_sha]).get(signature.sig_sha, [])
        if found:
            return _same_failure(con, found, signature.identity, thresholds, top)
    classes = _links(con, "sym_sha", [s.sym_sha for s in question.symptoms if s.sym_sha])
    for symptom in question.symptoms:
        found = classes.get(symptom.sym_sha or "", [])
        matches = _same_class(con, found, question, symptom, thresholds, top)
        if matches:
            return matches
    return []


def _links(
    con: duckdb.DuckDBPyConnection, column: str, hashes: Sequence[str]
) -> dict[str, list[Link]]:
    """The links of each hash to memories that may answer, by hash."""
    rows = con.execute(
        f"""SELECT f.{column}, f.memory_sha, f.tool, f.rule, f.identity, f.failure_class, f.modules
            FROM failure_signature f JOIN memory m USING (memory_sha)
            WHERE list_contains($hashes, f.{column})
              AND m.status = 'published' AND list_contains($levels, m.level)
            ORDER BY f.memory_sha, f.sig_sha, f.log_id, f.role""",
        {"hashes": sorted(set(hashes)), "levels": list(LESSONS)},
    ).fetchall()
    links: dict[str, list[Link]] = defaultdict(list)
    for hashed, sha, tool, rule, identity, failure_class, modules in rows:
        links[hashed].append(Link(sha, tool, rule, identity, failure_class, tuple(modules)))
    return links


def _same_failure(
    con: duckdb.DuckDBPyConnection,
    links: list[Link],
    identity: str,
    thresholds: Calibration,
    top: int,
) -> list[Match]:
    by_memory = {link.memory_sha: link for link in links}
    memories, support = read_memories(con, by_memory), read_support(con, by_memory)
    shared = len(by_memory)
    many = shared > thresholds.exact.many
    order = sorted(by_memory, key=lambda sha: _rank(sha, 0, support, memories[sha].date))
    return [
        make_match(
            memories[sha],
            support.get(sha, Support()),
            tier="exact",
            confidence="medium" if many else "high",
            matched="signature",
            why=f"the same failure of {by_memory[sha].tool}, by rule {by_memory[sha].rule}"
            + (f"; {shared} memories explain it" if many else ""),
            how=pair_lines(identity, by_memory[sha].identity, "signature"),
        )
        for sha in order[:top]
    ]


def _same_class(
    con: duckdb.DuckDBPyConnection,
    links: list[Link],
    question: Question,
    symptom: SymptomVector,
    thresholds: Calibration,
    top: int,
) -> list[Match]:
    asked = entities(symptom.modules)
    best: dict[str, tuple[int, Link]] = {}
    for link in links:
        agreement = len(asked & entities(link.modules))
        if link.memory_sha not in best or agreement > best[link.memory_sha][0]:
            best[link.memory_sha] = (agreement, link)
    if not best or (
        len(best) > thresholds.exact.many and not any(agreed for agreed, _ in best.values())
    ):
        return []
    memories, support = read_memories(con, best), read_support(con, best)
    order = sorted(best, key=lambda sha: _rank(sha, best[sha][0], support, memories[sha].date))
    matches = []
    for sha in order[:top]:
        link = best[sha][1]
        confidence, said = _class_confidence(asked, entities(link.modules))
        matches.append(
            make_match(
                memories[sha],
                support.get(sha, Support()),
                tier="exact",
                confidence=confidence,
                matched="class",
                why=f"a failure of one kind ({link.failure_class or 'the same words'}, "
                f"{link.tool}); {said}",
                how=pair_lines(question.text, link.identity, "signature"),
            )
        )
    return matches


def entities(modules: Sequence[str]) -> frozenset[str]:
    """Names that can single a failure out: a version alone agrees with too much."""
    return frozenset(
        name.casefold() for name in modules if any(c.isalpha() for c in name.lstrip("v"))
    )


def _class_confidence(asked: frozenset[str], stored: frozenset[str]) -> tuple[str, str]:
    if common := sorted(asked & stored):
        return "high", f"both name {', '.join(common)}"
    if asked and stored:
        return "low", "they name different things"
    return "medium", "only one of them names what it is about" if asked or stored else (
        "neither names what it is about"
    )


def _rank(
    sha: str, agreement: int, support: dict[str, Support], date: str
) -> tuple[int, int, int, str]:
    """Agreeing entities, then more evidence, then fresher, then the sha."""
    fresher = -int("".join(c for c in date if c.isdigit()) or 0)
    return (-agreement, -len(support.get(sha, Support()).logs), fresher, sha)
