"""The gate: which candidates become memories, and the reason for every one.

Rules in order; the first that rejects gives the verdict. R, reference documentation, is
judged by `well_formed`, `is_safe` and `not_retracted` alone. Whether a reference resolves is
settled where days meet, not here.
"""

from collections.abc import Mapping, Sequence
from functools import cache

from mem_assets.hashing import sha256_json
from mem_assets.memory.duplicate_words import data_version
from mem_assets.memory.duplicates import DuplicateIndex
from mem_assets.memory.fingerprints import fingerprint
from mem_assets.memory.gate_rules import has_evidence, is_safe, says_why, well_formed
from mem_assets.memory.gate_words import gate_words
from mem_assets.memory.model import Candidate, Verdict
from mem_assets.memory.opinion import Opinion

POLICY_NUMBER = 2
"""Raised by hand when the code of a rule changes; a change of its data shows by itself."""

RULES = ("well_formed", "is_safe", "says_why", "has_evidence", "is_new", "not_retracted")
ACCEPTED = "accepted"
REJECTED = "rejected"

_ALONE = (
    ("well_formed", well_formed),
    ("is_safe", is_safe),
    ("says_why", says_why),
    ("has_evidence", has_evidence),
)
_REFERENCE_RULES = ("well_formed", "is_safe")


def judge(
    candidates: Sequence[Candidate],
    retracted: frozenset[str] = frozenset(),
    opinions: Mapping[str, Opinion] | None = None,
) -> list[Verdict]:
    """One verdict a candidate, in the order of (path, line, chunk).

    `opinions` by candidate sha may overrule `says_why`, no other rule.
    `retracted` holds memory shas. The accepted verdict's rule is "accepted". Neither the
    order of `candidates` nor the names of their files decide which of two near-duplicates is
    kept: the one with more evidence, then the longer, then the smaller memory sha. Only of
    equal texts with equally much evidence the first by (path, line, chunk) is kept.
    """
    ordered = sorted(candidates, key=_place)
    opinions = opinions or {}
    failures = {one.candidate_sha: _alone(one) for one in ordered}
    for one in ordered:
        opinion = opinions.get(one.candidate_sha)
        if opinion and opinion.finds and _is_doubtful(one, failures[one.candidate_sha][0]):
            failures[one.candidate_sha] = "", ""
    passed = [one for one in ordered if not failures[one.candidate_sha][0]]
    failures.update(_repeated(passed, retracted))
    for one in passed:
        if not failures[one.candidate_sha][0]:
            failures[one.candidate_sha] = _not_retracted(one, retracted)
    return [
        _verdict(one, *failures[one.candidate_sha], opinions.get(one.candidate_sha))
        for one in ordered
    ]


def doubtful(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Those that `says_why` alone rejects, in order of place: a controller may be asked."""
    return [one for one in sorted(candidates, key=_place) if _is_doubtful(one, _alone(one)[0])]


@cache
def policy_version(controller: str = "") -> str:
    """Which rules judged: POLICY_NUMBER and the content hash of their data; of a verdict on a
    candidate that a controller was asked about, its version too."""
    data = sha256_json([gate_words().version, data_version()])
    return f"{POLICY_NUMBER}-{data[:12]}{f'+{controller}' if controller else ''}"


def _is_doubtful(candidate: Candidate, rule: str) -> bool:
    return rule == "says_why" and not has_evidence(candidate)


def _place(candidate: Candidate) -> tuple[str, int, int, str]:
    return candidate.path, candidate.line_start, candidate.chunk, candidate.memory_sha


def _alone(candidate: Candidate) -> tuple[str, str]:
    """The first rule that rejects a candidate by itself, and why; ("", "") for none."""
    for name, rule in _ALONE:
        if candidate.level != "R" or name in _REFERENCE_RULES:
            reason = rule(candidate)
            if reason:
                return name, reason
    return "", ""


def _repeated(
    candidates: Sequence[Candidate], retracted: frozenset[str]
) -> dict[str, tuple[str, str]]:
    """`is_new` for those that repeat another of the day and level, by candidate sha.

    A retracted one will not be accepted, so nothing is turned away for repeating it.
    """
    indexes = {"L1": DuplicateIndex(), "L2": DuplicateIndex()}
    kept: dict[str, Candidate] = {}
    failures: dict[str, tuple[str, str]] = {}
    for one in sorted(candidates, key=_precedence):
        if one.level not in indexes:
            continue
        mark = fingerprint(one.text)
        found = indexes[one.level].find(mark)
        if found:
            key, score = found[0]
            failures[one.candidate_sha] = ("is_new", _repeats(one, kept[key], score))
        elif one.memory_sha not in retracted:
            indexes[one.level].add(one.candidate_sha, mark)
            kept[one.candidate_sha] = one
    return failures


def _precedence(candidate: Candidate) -> tuple[int, int, str, tuple[str, int, int, str]]:
    named = len(set(candidate.evidence)) + bool(candidate.source)
    return -named, -len(candidate.text), candidate.memory_sha, _place(candidate)


def _repeats(candidate: Candidate, other: Candidate, score: float) -> str:
    how = "the same text as" if candidate.memory_sha == other.memory_sha else "nearly the text of"
    return (
        f"it is {how} {other.path}:{other.line_start} (memory {other.memory_sha[:12]}, "
        f"{score:.0%} alike): say what is different, or add the evidence there"
    )


def _not_retracted(candidate: Candidate, retracted: frozenset[str]) -> tuple[str, str]:
    if candidate.memory_sha not in retracted:
        return "", ""
    return (
        "not_retracted",
        f"memory {candidate.memory_sha[:12]} was retracted: restore it by name if it holds again",
    )


def _verdict(candidate: Candidate, rule: str, reason: str, opinion: Opinion | None) -> Verdict:
    kept = "it keeps every rule of its level"
    if opinion and opinion.finds:
        kept = f"{kept}; that it says why was found by the controller: {opinion.finds}"
    return Verdict(
        candidate_sha=candidate.candidate_sha,
        memory_sha=candidate.memory_sha,
        verdict=REJECTED if rule else ACCEPTED,
        rule=rule or ACCEPTED,
        reason=reason or kept,
        policy_version=policy_version(opinion.version if opinion else ""),
    )
