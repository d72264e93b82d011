"""A day judged again says what would change, and by which rule."""

from dataclasses import asdict

import pytest

from mem_assets.memory import replay as replay_module
from mem_assets.memory.gate import judge
from mem_assets.memory.model import Candidate, Verdict
from mem_assets.memory.replay import replay

GOOD = (
    "The upload failed because the proxy's default body limit was one megabyte. Raised the limit "
    "in the ingress annotation and the photos went through."
)
TEXTS = {"notes/a.md": GOOD, "notes/b.md": "rerunning now", "notes/c.md": "all green again, thanks"}
DAY = "2026-11-24"


def candidate(path: str, text: str) -> Candidate:
    return Candidate(
        DAY, "L1", "incident", text, "https://tracker.example/1", (), f"{DAY}/{path}", 1, 1, 0
    )


CANDIDATES = [candidate(path, text) for path, text in TEXTS.items()]


def rows(**changed: dict[str, str]) -> list[dict]:
    """The verdicts of a.md, b.md and c.md on record; some of them changed."""
    verdicts = judge(CANDIDATES)
    return [
        asdict(verdict) | changed.get(name, {})
        for name, verdict in zip("abc", verdicts, strict=True)
    ]


OLD = {"policy_version": "0-old", "reason": "by an older rule"}


@pytest.mark.parametrize(
    ("recorded", "expected"),
    [
        (rows(), []),
        (rows(a=OLD, b=OLD), []),  # worded otherwise, decided alike
        (
            rows(a=OLD | {"verdict": "rejected", "rule": "says_why"}),
            [("newly_accepted", "notes/a.md", "says_why", "accepted")],
        ),
        (
            rows(b=OLD | {"verdict": "accepted", "rule": "accepted"}),
            [("newly_rejected", "notes/b.md", "accepted", "well_formed")],
        ),
        (
            rows(c=OLD | {"rule": "has_evidence"}),
            [("rejected_by_another_rule", "notes/c.md", "has_evidence", "well_formed")],
        ),
        (rows()[1:], [("not_judged_yet", "notes/a.md", "", "accepted")]),
    ],
    ids=["same", "reworded", "accepted", "rejected", "another rule", "not judged"],
)
def test_what_would_change(recorded, expected):
    told = judge(CANDIDATES)
    assert [verdict.rule for verdict in told] == ["accepted", *[v.rule for v in told[1:]]]
    changes = replay(list(reversed(CANDIDATES)), recorded)
    found = [(c.change, c.path.partition("/")[2], c.old_rule) for c in changes]
    assert found == [entry[:3] for entry in expected]
    for change, entry in zip(changes, expected, strict=True):
        assert (change.new_rule == "accepted") == (entry[3] == "accepted")
        assert change.new_policy != change.old_policy or not change.old_policy


def test_a_retracted_memory_would_not_come_in_again():
    (change,) = replay(CANDIDATES, rows(), frozenset({CANDIDATES[0].memory_sha}))
    assert (change.change, change.new_rule) == ("newly_rejected", "not_retracted")


def test_another_policy_is_what_decides(monkeypatch):
    def strict(candidates, retracted):
        return [
            Verdict(one.candidate_sha, one.memory_sha, "rejected", "is_new", "no", "2-strict")
            for one in candidates
        ]

    monkeypatch.setattr(replay_module, "judge", strict)
    first = replay(CANDIDATES, rows())[0]
    assert (first.change, first.new_policy, first.text) == (
        "newly_rejected",
        "2-strict",
        GOOD[:80],
    )
