"""Where days meet: which memories stand, on what evidence, once all days' records are known.

Pure and independent of the order in which days were written: every choice is made by date,
place in a day's log, and sha.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from mem_assets.memory.duplicates import near_duplicates
from mem_assets.memory.log import LogRecord
from mem_assets.memory.purge import tombstones

SHORTEST_PREFIX = 12
"""Hex digits of a sha that a reference must give at least."""


@dataclass(frozen=True)
class EvidenceNode:
    """An L0: one log, as its evidence record tells it."""

    log_id: str
    date: str
    path: str
    body: Mapping[str, Any]


@dataclass(frozen=True)
class SettledMemory:
    """A memory in its final standing.

    status      published, pending (its evidence has not arrived), duplicate_of, retracted
    evidence    ids of the logs behind it, sorted
    unresolved  references that name nothing known yet, sorted
    projection  body of its current symptom_projected record, None where it has none yet
    """

    memory_sha: str
    level: str
    text: str
    date: str
    kind: str
    source: str
    heading: str
    references: tuple[str, ...]
    status: str = "published"
    duplicate_of: str | None = None
    evidence: tuple[str, ...] = ()
    unresolved: tuple[str, ...] = ()
    projection: Mapping[str, Any] | None = None


@dataclass
class Told:
    """What the records say, before anything is decided."""

    evidence: dict[str, EvidenceNode] = field(default_factory=dict)
    memories: dict[str, SettledMemory] = field(default_factory=dict)
    retracted: set[str] = field(default_factory=set)
    projections: dict[str, dict[str, Mapping[str, Any]]] = field(
        default_factory=lambda: defaultdict(dict)
    )


@dataclass(frozen=True)
class Settled:
    """All nodes that a generation is built from, each list sorted by sha."""

    memories: tuple[SettledMemory, ...]
    evidence: tuple[EvidenceNode, ...]

    def published(self) -> list[SettledMemory]:
        return [memory for memory in self.memories if memory.status == "published"]


def settle(records: Iterable[LogRecord]) -> Settled:
    """Resolve references, duplicates across days, L2 parents and retractions.

    records: every day's, in any order. A log that is retracted as such is no evidence any more;
    what is purged is nowhere.
    """
    told = collect(records)
    standing = {sha: m for sha, m in told.memories.items() if sha not in told.retracted}
    logs = {sha: node for sha, node in told.evidence.items() if sha not in told.retracted}
    keeper_of = _keepers(told.memories, standing)
    resolver = _Resolver(logs)
    resolved = {sha: resolver.resolve(memory) for sha, memory in told.memories.items()}
    settled: dict[str, SettledMemory] = {}
    for sha, memory in sorted(told.memories.items()):
        followers = sorted(other for other, keeper in keeper_of.items() if keeper == sha)
        found = [resolved[name] for name in (sha, *followers)]
        settled[sha] = replace(
            memory,
            evidence=tuple(sorted({log for logs_found, _ in found for log in logs_found})),
            unresolved=resolved[sha][1],
            projection=told.projections[sha].get(memory.date),
        )
    for sha, memory in settled.items():
        settled[sha] = _with_status(memory, told.retracted, keeper_of)
    _settle_summaries(settled, keeper_of)
    return Settled(
        tuple(settled[sha] for sha in sorted(settled)),
        tuple(logs[sha] for sha in sorted(logs)),
    )


def collect(records: Iterable[LogRecord]) -> Told:
    """What the records of any days say of what is not purged, before anything is decided."""
    records = list(records)
    purged = tombstones(records).subjects
    left = [record for record in records if record.entry.subject not in purged]
    told = Told()
    for record in sorted(left, key=lambda record: (record.date, record.seq)):
        subject, body = record.entry.subject, record.entry.body
        match record.entry.type:
            case "evidence":
                told.evidence[subject] = EvidenceNode(subject, record.date, body["path"], body)
            case "memory_accepted" | "reference":
                told.memories[subject] = _merged(told.memories.get(subject), record)
            case "symptom_projected":
                told.projections[subject][record.date] = body
            case "memory_retracted":
                told.retracted.add(subject)
            case "memory_restored":
                told.retracted.discard(subject)
    return told


def _merged(known: SettledMemory | None, record: LogRecord) -> SettledMemory:
    """The same text told again is the same memory: the first telling names it, all support it."""
    body = record.entry.body
    # A path relative to the note's own day is made absolute here, where the day is known.
    references = tuple(
        f"{record.date}/{reference}" if reference.startswith("logs/") else reference
        for reference in body.get("evidence", ())
    )
    if known is not None:
        return replace(
            known,
            source=known.source or body["source"],
            references=tuple(sorted({*known.references, *references})),
        )
    return SettledMemory(
        memory_sha=record.entry.subject,
        level=body["level"],
        text=body["text"],
        date=record.date,
        kind=body["kind"],
        source=body["source"],
        heading=body["heading"],
        references=tuple(sorted(set(references))),
    )


def _keepers(
    memories: Mapping[str, SettledMemory], standing: Mapping[str, SettledMemory]
) -> dict[str, str]:
    """Which memory speaks for each near-duplicate: the earliest (date, sha) that stands.

    A retracted memory's evidence goes to the one that takes its place.
    """
    alike: dict[str, set[str]] = defaultdict(set)
    for level in ("L1", "L2"):
        texts = sorted((sha, m.text) for sha, m in memories.items() if m.level == level)
        for one, other, _ in near_duplicates(texts):
            alike[one].add(other)
            alike[other].add(one)
    keepers: list[str] = []
    keeper_of: dict[str, str] = {}
    by_age = sorted(standing, key=lambda sha: (standing[sha].date, sha))
    for sha in [*by_age, *sorted(set(memories) - set(standing))]:
        keeper = next((kept for kept in keepers if kept in alike[sha]), None)
        if keeper is not None:
            keeper_of[sha] = keeper
        elif sha in standing and alike[sha]:
            keepers.append(sha)
    return keeper_of


class _Resolver:
    """From references as people write them to logs."""

    def __init__(self, logs: Mapping[str, EvidenceNode]) -> None:
        self._ids = sorted(logs)
        self._by_path: dict[str, set[str]] = defaultdict(set)
        for log_id, node in logs.items():
            self._by_path[node.path].add(log_id)
            # A reference to an archive means every log in it.
            self._by_path[node.path.split("!", 1)[0]].add(log_id)

    def resolve(self, memory: SettledMemory) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """(log ids, references that name no known log)."""
        found: set[str] = set()
        unresolved = []
        for reference in memory.references:
            logs = self._logs(reference)
            found |= logs
            if not logs:
                unresolved.append(reference)
        return tuple(sorted(found)), tuple(unresolved)

    def _logs(self, reference: str) -> set[str]:
        # "!" parts an archive from its member; in a plain name it is stored as %21.
        for path in (reference, reference.replace("!", "%21")):
            if path in self._by_path:
                return self._by_path[path]
        return set(_named(reference, self._ids))


def _named(reference: str, shas: Iterable[str]) -> list[str]:
    """The shas that a reference names: itself, or the only one that it is a prefix of."""
    reference = reference.lower()
    if len(reference) < SHORTEST_PREFIX:
        return []
    found = [sha for sha in shas if sha.startswith(reference)]
    return found if len(found) == 1 else []


def _with_status(
    memory: SettledMemory, retracted: set[str], keeper_of: Mapping[str, str]
) -> SettledMemory:
    if memory.memory_sha in retracted:
        return replace(memory, status="retracted")
    if memory.memory_sha in keeper_of:
        keeper = keeper_of[memory.memory_sha]
        return replace(memory, status="duplicate_of", duplicate_of=keeper)
    if memory.level == "L1" and not memory.evidence and not memory.source:
        return replace(memory, status="pending")
    return memory


def _settle_summaries(settled: dict[str, SettledMemory], keeper_of: Mapping[str, str]) -> None:
    """An L2 stands on at least two different L1 that stand themselves."""
    lessons = sorted(sha for sha, memory in settled.items() if memory.level == "L1")
    for sha, memory in settled.items():
        if memory.level != "L2" or memory.status != "published":
            continue
        parents: set[str] = set()
        unresolved = []
        for reference in memory.unresolved:
            named = [keeper_of.get(name, name) for name in _named(reference, lessons)]
            published = {name for name in named if settled[name].status == "published"}
            parents |= published
            if not published:
                unresolved.append(reference)
        status = "published" if len(parents) >= 2 else "pending"
        settled[sha] = replace(memory, status=status, unresolved=tuple(unresolved))
