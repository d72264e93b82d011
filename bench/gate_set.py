"""The labelled candidates that the gate is measured on: read, checked, and judged as one day."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mem_assets.memory.chunk import chunk_note
from mem_assets.memory.gate import RULES, judge
from mem_assets.memory.model import Candidate, Verdict
from mem_assets.memory.notes import parse_note

DEFAULT = Path("fixtures/gate/labelled.jsonl")
DATE = "2026-12-01"

RIGHT, WRONG_RULE, WRONG = "right", "wrong rule", "wrong"

_REQUIRED = {
    "id": str, "level": str, "text": str, "evidence": list, "source": str, "kind": str,
    "deserves": bool, "why": str,
}  # fmt: skip
_OPTIONAL = {
    "rule": str, "also_fits": list, "duplicate_of": str, "near_miss_of": str, "lang": str,
}  # fmt: skip


@dataclass(frozen=True)
class Labelled:
    """One line of the set.

    group       what it is ("bot comment", "cause and fix"): `why` up to its colon
    fitting     the rules that may reject it; empty where it deserves acceptance
    candidates  its pieces, redacted and cut as the pipeline does it
    """

    id: str
    deserves: bool
    group: str
    why: str
    fitting: frozenset[str]
    duplicate_of: str
    near_miss_of: str
    lang: str
    text: str
    candidates: tuple[Candidate, ...]


@dataclass(frozen=True)
class Judged:
    """A line with the verdicts on its pieces and how they agree with its label."""

    label: Labelled
    verdicts: tuple[Verdict, ...]
    outcome: str

    @property
    def accepted(self) -> bool:
        return any(verdict.accepted for verdict in self.verdicts)


def load(path: Path) -> list[Labelled]:
    """The lines of a set; raises ValueError, naming file, line and what to correct."""
    found: list[Labelled] = []
    ids: set[str] = set()
    for number, line in enumerate(path.read_text("utf-8").split("\n"), 1):
        if not line:
            continue
        place = f"{path}:{number}"
        entry = _checked(line, place)
        if entry["id"] in ids:
            raise ValueError(f"{place}: the id {entry['id']!r} stands twice: give each its own")
        ids.add(entry["id"])
        found.append(_labelled(entry, number, line, place))
    for one in found:
        if missing := ({one.duplicate_of, one.near_miss_of} - {""}) - ids:
            raise ValueError(f"{path}, {one.id}: names {min(missing)}, which is not in the set")
    return found


def judged(labels: Sequence[Labelled]) -> list[Judged]:
    """All lines judged as the notes of one day, in their order."""
    candidates = [candidate for label in labels for candidate in label.candidates]
    verdict_of = {one.candidate_sha: one for one in judge(candidates)}
    verdicts = {
        label.id: tuple(verdict_of[one.candidate_sha] for one in label.candidates)
        for label in labels
    }
    swapped = _swapped(labels, verdicts)
    return [
        Judged(one, verdicts[one.id], RIGHT if one.id in swapped else _outcome(one, verdicts))
        for one in labels
    ]


def rates(results: Iterable[Judged]) -> tuple[float, float]:
    """(share of the deserving that is accepted, share of the others rejected by a fitting rule)."""
    parts: dict[bool, list[bool]] = {True: [], False: []}
    for one in results:
        parts[one.label.deserves].append(one.outcome == RIGHT)
    deserving, others = (sum(part) / max(1, len(part)) for part in (parts[True], parts[False]))
    return deserving, others


def _checked(line: str, place: str) -> dict[str, Any]:
    try:
        entry = json.loads(line)
    except ValueError as error:
        raise ValueError(f"{place}: not JSON ({error}): write one object a line") from None
    if not isinstance(entry, dict):
        raise ValueError(f"{place}: not an object: write one object a line")
    if absent := sorted(set(_REQUIRED) - set(entry)):
        raise ValueError(f"{place}: no field {absent[0]}: write one")
    for name, value in entry.items():
        wanted = (_REQUIRED | _OPTIONAL).get(name)
        if wanted is None:
            raise ValueError(f"{place}: unknown field {name!r}: see the README beside the set")
        if not isinstance(value, wanted):
            raise ValueError(f"{place}: the field {name} is no {wanted.__name__}: write it as one")
    return entry


def _labelled(entry: Mapping[str, Any], number: int, line: str, place: str) -> Labelled:
    fitting = frozenset({entry.get("rule", ""), *entry.get("also_fits", [])} - {""})
    if entry["deserves"] == bool(fitting):
        raise ValueError(f"{place}: what does not deserve has a rule, and only that: correct it")
    if unknown := fitting - set(RULES):
        raise ValueError(f"{place}: {min(unknown)!r} is no rule: write one of {', '.join(RULES)}")
    notes, rejects = parse_note(DATE, f"{DATE}/notes/{number:04}.jsonl", line)
    if rejects:
        raise ValueError(f"{place}: not a note ({rejects[0].detail})")
    return Labelled(
        id=entry["id"],
        deserves=entry["deserves"],
        group=entry["why"].split(":", 1)[0].split(" of g", 1)[0],
        why=entry["why"],
        fitting=fitting,
        duplicate_of=entry.get("duplicate_of", ""),
        near_miss_of=entry.get("near_miss_of", ""),
        lang=entry.get("lang", "en"),
        text=entry["text"],
        candidates=tuple(piece for note in notes for piece in chunk_note(note)),
    )


def _outcome(label: Labelled, verdicts: Mapping[str, tuple[Verdict, ...]]) -> str:
    accepted = any(verdict.accepted for verdict in verdicts[label.id])
    if accepted or label.deserves:
        return RIGHT if accepted == label.deserves else WRONG
    fits = all(verdict.rule in label.fitting for verdict in verdicts[label.id])
    return RIGHT if fits else WRONG_RULE


def _swapped(
    labels: Sequence[Labelled], verdicts: Mapping[str, tuple[Verdict, ...]]
) -> frozenset[str]:
    """Of a lesson and its retellings exactly one should stand, and which one is the gate's.

    The ids of all where a retelling stands alone and `is_new` turned the others away.
    """
    families: dict[str, set[str]] = {}
    for label in labels:
        if label.duplicate_of:
            families.setdefault(label.duplicate_of, {label.duplicate_of}).add(label.id)
    found: set[str] = set()
    for family in families.values():
        rules = sorted({one.rule for name in family for one in verdicts[name]})
        standing = [name for name in family if any(one.accepted for one in verdicts[name])]
        if len(standing) == 1 and rules == ["accepted", "is_new"]:
            found |= family
    return frozenset(found)
