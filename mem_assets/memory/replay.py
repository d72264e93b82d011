"""A day judged again: what another gate policy would decide otherwise. Pure; decides nothing."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from mem_assets.memory.gate import ACCEPTED, judge
from mem_assets.memory.model import Candidate, Verdict

NEWLY_ACCEPTED, NEWLY_REJECTED = "newly_accepted", "newly_rejected"
BY_ANOTHER_RULE, NOT_JUDGED = "rejected_by_another_rule", "not_judged_yet"

FIRST_WORDS = 80
"""Characters of a candidate's text that a change shows."""


@dataclass(frozen=True)
class Change:
    """One candidate on which two policies differ.

    change  one of the four names above
    old_*, new_*  verdict by rule, reason and policy version; old ones are "" where the candidate
            was never judged
    text    the first words of the candidate
    """

    date: str
    candidate_sha: str
    memory_sha: str
    path: str
    line: int
    text: str
    change: str
    old_rule: str
    old_reason: str
    old_policy: str
    new_rule: str
    new_reason: str
    new_policy: str

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def replay(
    candidates: Sequence[Candidate],
    recorded: Iterable[Mapping[str, Any]],
    retracted: frozenset[str] = frozenset(),
) -> list[Change]:
    """What the present policy decides otherwise than the verdicts on record, by place.

    recorded: rows of gate_verdicts of the same day. The wording of a reason is no difference.
    """
    known = {row["candidate_sha"]: row for row in recorded}
    verdicts = {verdict.candidate_sha: verdict for verdict in judge(candidates, retracted)}
    changes = [
        _change(one, known.get(one.candidate_sha), verdicts[one.candidate_sha])
        for one in sorted(candidates, key=lambda one: (one.path, one.line_start, one.chunk))
        if not _agree(known.get(one.candidate_sha), verdicts[one.candidate_sha])
    ]
    return list({change.candidate_sha: change for change in changes}.values())


def _agree(old: Mapping[str, Any] | None, new: Verdict) -> bool:
    return old is not None and (old["verdict"], old["rule"]) == (new.verdict, new.rule)


def _change(candidate: Candidate, old: Mapping[str, Any] | None, new: Verdict) -> Change:
    return Change(
        date=candidate.date,
        candidate_sha=candidate.candidate_sha,
        memory_sha=candidate.memory_sha,
        path=candidate.path,
        line=candidate.line_start,
        text=" ".join(candidate.text.split())[:FIRST_WORDS],
        change=_kind(old, new),
        old_rule=old["rule"] if old else "",
        old_reason=old["reason"] if old else "",
        old_policy=old["policy_version"] if old else "",
        new_rule=new.rule,
        new_reason=new.reason,
        new_policy=new.policy_version,
    )


def _kind(old: Mapping[str, Any] | None, new: Verdict) -> str:
    if old is None:
        return NOT_JUDGED
    if new.accepted:
        return NEWLY_ACCEPTED
    return NEWLY_REJECTED if old["verdict"] == ACCEPTED else BY_ANOTHER_RULE
