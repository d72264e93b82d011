"""What a rebuild found: one finding a memory, log, cached file and generation."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

UNCHANGED = "unchanged"
PROJECTOR = "projector changed"
MODEL = "model changed"
PROMPT = "prompt changed"
RULES = "rules or catalogue changed"
MISSING = "never projected"
DRIFT = "drift"
"""Made with the same model, prompt, rules and catalogue, and yet it comes out otherwise."""

DAMAGED = "damaged"
"""A stored file is not what was written into it."""

BEHIND = "log lost records"

WANTED = frozenset((PROJECTOR, MODEL, PROMPT, RULES, MISSING))
"""Changes that somebody made, and so may accept. Drift and damage are faults."""

MEMORY, LOG, CACHE, GENERATION = "memory", "log", "cache", "generation"


@dataclass(frozen=True)
class Finding:
    """One thing that was made again.

    kind     memory (its projection), log (its signatures), cache (a file), generation
    name     the memory's sha, the log's id, a path under the home, the generation's id
    date     the day of the record; "" for what belongs to no day
    causes   (UNCHANGED,), or everything that explains the difference
    details  what differs besides the lines, one sentence each
    old, new  lines on record that did not come again, and lines that came instead
    """

    kind: str
    name: str
    date: str
    causes: tuple[str, ...]
    details: tuple[str, ...] = ()
    old: tuple[str, ...] = ()
    new: tuple[str, ...] = ()

    @property
    def differs(self) -> bool:
        return self.causes != (UNCHANGED,)

    @property
    def wanted(self) -> bool:
        """Whether a change that somebody made explains it."""
        return self.differs and set(self.causes) <= WANTED

    def to_dict(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "name": self.name,
            "date": self.date,
            "causes": list(self.causes),
            "details": list(self.details),
            "old": list(self.old),
            "new": list(self.new),
        }


@dataclass(frozen=True)
class Report:
    """A whole rebuild.

    digest           of the generation that the log gives now
    published        id and digest of the published generation; None where there is none
    accepted         records that were appended to the log
    made_current     id of the generation that was published; None where none was
    """

    findings: tuple[Finding, ...]
    digest: str
    published: tuple[str, str] | None
    accepted: int = 0
    made_current: str | None = None

    @property
    def differing(self) -> list[Finding]:
        return [finding for finding in self.findings if finding.differs]

    def to_dict(self) -> dict[str, Any]:
        generation, digest = self.published or (None, None)
        return {
            "status": "differs" if self.differing else UNCHANGED,
            "digest": self.digest,
            "published_generation": generation,
            "published_digest": digest,
            "counts": counted(self.findings),
            "accepted": self.accepted,
            "made_current": self.made_current,
            "findings": [finding.to_dict() for finding in self.findings],
        }


def counted(findings: Iterable[Finding]) -> dict[str, dict[str, int]]:
    """How many findings of each kind have each cause; several causes count as one of their own."""
    counts: dict[str, Counter[str]] = {}
    for finding in findings:
        counts.setdefault(finding.kind, Counter())[" and ".join(finding.causes)] += 1
    return {kind: dict(sorted(counts[kind].items())) for kind in sorted(counts)}


def changes(old: Mapping[str, Any], new: Mapping[str, Any], names: Iterable[str]) -> list[str]:
    """Sentences on the named values that differ."""
    return [
        f"{name}: {old.get(name)} -> {new.get(name)}"
        for name in names
        if old.get(name) != new.get(name)
    ]
