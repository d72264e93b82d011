"""What other rules would make of the logs on record: which signatures split, merge or move."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from mem_assets.signature.extraction import extract
from mem_assets.signature.model import Signature
from mem_assets.signature.rules import RuleBook
from mem_assets.signature.volatile import volatile_parts

Kind = Literal["split", "merge", "move", "lost", "new", "restated", "unchanged"]
KINDS: tuple[Kind, ...] = ("split", "merge", "move", "lost", "new", "restated", "unchanged")
"""split: one hash before, several now. merge: several before, one now. move: one becomes another.
lost: none now. new: none before. restated: the same hash, but rule, identity or block are others.
A hash may split and, in another of its logs, merge: both are told."""


@dataclass(frozen=True)
class SignedLog:
    """A log on record: what was signed, and the signatures that were recorded for it.

    signatures  fields of each recorded signature by their names, with its `role`: own, or inner
                for the tool inside a wrapper
    """

    log_id: str
    date: str
    path: str
    text_sha: str
    tool: str | None
    job: str | None
    step: str | None
    exit_code: int | None
    signatures: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True)
class Signed:
    """What says which failure it is, on one side of a replay."""

    sig_sha: str
    tool: str
    rule: str
    identity: str


@dataclass(frozen=True)
class Outcome:
    """One signature of one log, as recorded and as it comes out now; None where there is none.

    changed  names of recorded fields that come out otherwise
    reason   why there is none now: "no_signature", or "volatile_left" for a normal form that would
             never match again; else ""
    """

    log_id: str
    date: str
    path: str
    role: str
    before: Signed | None
    after: Signed | None
    changed: tuple[str, ...] = ()
    reason: str = ""


@dataclass(frozen=True)
class Group:
    """Outcomes that belong together: the hashes before, the hashes now, and the logs."""

    kind: Kind
    before: tuple[str, ...]
    after: tuple[str, ...]
    logs: tuple[Outcome, ...]


@dataclass(frozen=True)
class NotRun:
    """A log on record that could not be run again, and why."""

    log_id: str
    date: str
    path: str
    reason: str


@dataclass(frozen=True)
class Replay:
    """groups: by kind in the order of KINDS, then by hash. run: how many logs were run."""

    groups: tuple[Group, ...]
    run: int
    not_run: tuple[NotRun, ...]

    def of(self, kind: Kind) -> list[Group]:
        return [group for group in self.groups if group.kind == kind]

    @property
    def differs(self) -> bool:
        return any(group.kind != "unchanged" for group in self.groups)


def replay(
    logs: Iterable[SignedLog], read: Callable[[str], str], *, rules: RuleBook | None = None
) -> Replay:
    """Sign the logs on record again and compare; writes nothing.

    read  gives the text that was signed, by its text_sha, or raises LookupError with the reason
          why it cannot be had. Texts are read one at a time.
    """
    outcomes: list[Outcome] = []
    not_run: list[NotRun] = []
    run = 0
    for log in sorted(logs, key=lambda log: (log.date, log.path, log.log_id)):
        try:
            text = read(log.text_sha)
        except LookupError as error:
            not_run.append(NotRun(log.log_id, log.date, log.path, str(error)))
            continue
        run += 1
        outcomes += _outcomes(log, text, rules)
    return Replay(tuple(_groups(outcomes)), run, tuple(not_run))


def _outcomes(log: SignedLog, text: str, rules: RuleBook | None) -> Iterator[Outcome]:
    now = extract(log.tool, text, exit_code=log.exit_code, job=log.job, step=log.step, rules=rules)
    found = {"own": now, "inner": now.inner if now else None}
    recorded = {str(fields["role"]): fields for fields in log.signatures}
    for role in ("own", "inner"):
        fields, signature = recorded.get(role), found[role]
        # The pipeline keeps no such signature either: it is a row of the rejects.
        is_volatile = signature is not None and bool(volatile_parts(signature.normalised))
        if is_volatile:
            signature = None
        if fields is None and signature is None:
            continue
        before = _recorded(fields) if fields is not None else None
        after = _extracted(signature) if signature is not None else None
        reason = "" if after else "volatile_left" if is_volatile else "no_signature"
        changed = _changed(fields, signature)
        yield Outcome(log.log_id, log.date, log.path, role, before, after, changed, reason)


def _recorded(fields: Mapping[str, Any]) -> Signed:
    return Signed(fields["sig_sha"], fields["tool"], fields["rule"], fields["identity"])


def _extracted(found: Signature) -> Signed:
    return Signed(found.sig_sha, found.tool, found.rule, found.identity)


def _changed(fields: Mapping[str, Any] | None, found: Signature | None) -> tuple[str, ...]:
    if fields is None or found is None:
        return ()
    return tuple(
        name
        for name in sorted(fields)
        if name != "role" and _plain(fields[name]) != _plain(getattr(found, name))
    )


def _plain(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _groups(outcomes: list[Outcome]) -> Iterator[Group]:
    """Splits by the hash before, merges by the hash now, all others by both."""
    by_before: dict[str, list[Outcome]] = defaultdict(list)
    by_after: dict[str, list[Outcome]] = defaultdict(list)
    for one in outcomes:
        if one.before and one.after:
            by_before[one.before.sig_sha].append(one)
            by_after[one.after.sig_sha].append(one)
    splits = {sha: found for sha, found in by_before.items() if len(_hashes(found)[1]) > 1}
    merges = {sha: found for sha, found in by_after.items() if len(_hashes(found)[0]) > 1}
    grouped: dict[tuple[Kind, str, str], list[Outcome]] = defaultdict(list)
    for one in outcomes:
        before = one.before.sig_sha if one.before else ""
        after = one.after.sig_sha if one.after else ""
        if before not in splits and after not in merges:
            grouped[_kind(one), before, after].append(one)
    grouped |= {("split", sha, ""): found for sha, found in splits.items()}
    grouped |= {("merge", "", sha): found for sha, found in merges.items()}
    for key in sorted(grouped, key=lambda key: (KINDS.index(key[0]), *key[1:])):
        yield Group(key[0], *_hashes(grouped[key]), tuple(grouped[key]))


def _hashes(outcomes: list[Outcome]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    before = {one.before.sig_sha for one in outcomes if one.before}
    after = {one.after.sig_sha for one in outcomes if one.after}
    return tuple(sorted(before)), tuple(sorted(after))


def _kind(one: Outcome) -> Kind:
    if one.before is None:
        return "new"
    if one.after is None:
        return "lost"
    if one.before.sig_sha != one.after.sig_sha:
        return "move"
    return "restated" if one.changed else "unchanged"
