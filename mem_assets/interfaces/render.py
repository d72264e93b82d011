"""Answers as text for people. Everything shown is plain text: no markup in it is ever obeyed."""

from collections.abc import Mapping, Sequence
from typing import Any, TextIO

from rich.console import Console
from rich.text import Text

from mem_assets.retrieval.answer import Answer, Match, safe
from mem_assets.retrieval.symptoms import MemorySymptoms
from mem_assets.signature.replay import KINDS, Group, Replay, Signed

STYLES = {"high": "bold green", "medium": "bold yellow", "low": "bold red"}

RAW_LINES = 12
"""Lines of a raw block shown to people; `--json` carries more."""

SHOWN_LOGS = 5
"""Logs of one group of a replay shown to people; `--json` carries all."""


def console(file: TextIO) -> Console:
    """A console that adds styles on a terminal and nothing at all in a pipe."""
    return Console(file=file, markup=False, emoji=False, highlight=False, soft_wrap=True)


def show_answer(out: Console, answer: Answer) -> None:
    """The matches in order, the first with the raw error behind it; or why there is none."""
    answer = safe(answer)
    if answer.status == "nothing_known":
        out.print(f"Nothing known: {answer.reason}.")
    for number, match in enumerate(answer.matches, start=1):
        if number > 1:
            out.print()
        _show_match(out, match, number, with_raw=number == 1)
    out.print()
    read_as = f", read as {', '.join(answer.tools)}" if answer.tools else ""
    out.print(f"generation {answer.generation}{read_as}", style="dim")


def _show_match(out: Console, match: Match, number: int, *, with_raw: bool) -> None:
    head = Text(f"{number}. ")
    head.append(match.confidence, style=STYLES[match.confidence])
    head.append(f"  {match.tier} tier, by {match.matched}: {match.why}")
    out.print(head)
    _field(out, "", match.text)
    origin = " ".join(part for part in (match.level, match.date, match.source) if part)
    _field(out, "memory", f"{match.memory_sha[:12]}  {origin}")
    for line in match.how:
        _field(out, "asked", line.query)
        _field(out, "known", f"{line.stored}   [{line.origin}]")
    if match.evidence_count > len(match.evidence):
        _field(out, "evidence", f"{match.evidence_count} logs, the latest:")
    for evidence in match.evidence:
        place = [evidence.date, evidence.path, evidence.tool]
        place += [f"job {evidence.job}"] * bool(evidence.job)
        place += [f"step {evidence.step}"] * bool(evidence.step)
        _field(out, "evidence", "  ".join(place))
    if with_raw and match.evidence:
        _show_raw(out, match.evidence[0].raw)


def _show_raw(out: Console, raw: str) -> None:
    lines = raw.split("\n")
    for line in lines[:RAW_LINES]:
        _field(out, "", f"| {line}")
    if len(lines) > RAW_LINES:
        _field(out, "", f"| … {len(lines) - RAW_LINES} more lines")


def _field(out: Console, name: str, value: str) -> None:
    for number, line in enumerate(value.split("\n")):
        label = name if number == 0 else ""
        out.print(Text.assemble((f"   {label:<9}", "dim"), line))


def show_explanation(out: Console, explanation: Mapping[str, Any]) -> None:
    """A signature: which rule took which lines, and each substitution on the way to its hash."""
    explanation = safe(explanation)
    for part in ("signature", "inner"):
        signature = explanation[part]
        if signature is None:
            continue
        out.print(Text(part if part == "inner" else "signature", style="bold"))
        _field(out, "tool", signature["tool"])
        _field(out, "rule", signature["rule"])
        for note in signature["notes"]:
            _field(out, "", note)
        if signature["exit_code"] is not None:
            _field(out, "exit", str(signature["exit_code"]))
        _field(out, "lines", f"{signature['line_start']}-{signature['line_end']}")
        _field(out, "raw", signature["raw"])
        _field(out, "identity", signature["identity"])
        for change in signature["substitutions"]:
            _field(out, "replaced", _change(change))
        _field(out, "normal", signature["normalised"])
        _field(out, "sig_sha", signature["sig_sha"])


def _change(change: Mapping[str, Any]) -> str:
    return f"{change['name']}: {change['before']!r} by {change['after']!r}"


def show_comparison(out: Console, compared: Mapping[str, Any]) -> None:
    """Same or not; if not, each cause, and both sides where their normal forms part."""
    compared = safe(compared)
    same = compared["same"]
    said = ("the same signature", "bold green") if same else ("different signatures", "bold red")
    out.print(Text.assemble(said))
    for label in ("a", "b"):
        side = compared[label]
        told = f"{side['name']}: no signature"
        if side["sig_sha"]:
            lines = f"lines {side['line_start']}-{side['line_end']}"
            told = f"{side['name']}: {side['rule']}, {lines}, {side['sig_sha'][:12]}"
        _field(out, label.upper(), told)
    for cause in compared["causes"]:
        _field(out, "because", cause["text"])
    if not same and compared["shared"]:
        hashes = ", ".join(sha[:12] for sha in compared["shared"])
        _field(out, "yet", f"both also carry {hashes}, so a lookup finds one from the other")
    parting = compared["parting"]
    if parting is None:
        return
    _field(out, "parts at", f"line {parting['line']}, column {parting['column']}, normal forms")
    for label in ("a", "b"):
        side = parting[label]
        _field(out, label.upper(), side["around"] or "(has ended)")
        for change in side["substitutions"]:
            _field(out, "", f"replaced {_change(change)}")
        if side["around"] and not side["substitutions"]:
            _field(out, "", "nothing was replaced here")


def show_replay(out: Console, replay: Replay) -> None:
    """What other rules change, group by group; what stays is only counted."""
    replay = safe(replay)
    counts = ", ".join(f"{len(replay.of(kind))} {kind}" for kind in KINDS)
    out.print(f"{replay.run} logs run again; signatures: {counts}")
    for group in replay.groups:
        if group.kind != "unchanged":
            _show_group(out, group)
    if replay.not_run:
        out.print(Text(f"{len(replay.not_run)} logs could not be run again", style="bold red"))
    for log in replay.not_run[:SHOWN_LOGS]:
        _field(out, "", f"{log.path}: {log.reason}")
    _more(out, len(replay.not_run))
    if not replay.differs:
        out.print("nothing differs")


def _show_group(out: Console, group: Group) -> None:
    before, after = (
        ", ".join(sha[:12] for sha in hashes) or "none" for hashes in (group.before, group.after)
    )
    out.print(Text.assemble((f"{group.kind:<9}", "bold"), f" {before} becomes {after}"))
    for one in group.logs[:SHOWN_LOGS]:
        role = " (inner tool)" if one.role == "inner" else ""
        _field(out, "", f"{one.path}{role}")
        _field(out, "  was", _signed(one.before, ""))
        _field(out, "  now", _signed(one.after, one.reason))
        if group.kind == "restated":
            _field(out, "  other", ", ".join(one.changed))
    _more(out, len(group.logs))


def _signed(signed: Signed | None, reason: str) -> str:
    if signed is None:
        return f"none{', ' * bool(reason)}{reason}"
    return f"{signed.sig_sha[:12]} by {signed.rule}: {' ⏎ '.join(signed.identity.split(chr(10)))}"


def _more(out: Console, count: int) -> None:
    if count > SHOWN_LOGS:
        _field(out, "", f"… and {count - SHOWN_LOGS} more: --json shows all")


def show_symptoms(out: Console, memory: MemorySymptoms) -> None:
    """A memory's symptom lines with their origin, or why it has none."""
    memory = safe(memory)
    out.print(f"{memory.memory_sha}  {memory.level}  {memory.date}  {memory.status}")
    _field(out, "", memory.text)
    if not memory.symptoms:
        out.print(
            "No symptom line was kept for it."
            if memory.explains_failure
            else "It explains no failure, so it has no symptoms."
        )
    for symptom in memory.symptoms:
        out.print(Text(f"{symptom.line_no}. {symptom.origin}", style="bold"))
        _field(out, "line", symptom.line)
        _field(out, "made by", f"{symptom.projector}, {symptom.model_id}")
        if symptom.prompt_sha:
            _field(out, "prompt", symptom.prompt_sha)


def show_status(out: Console, status: Mapping[str, Any], stale: Sequence[str]) -> None:
    """The published generation, what it holds, and whether it is behind its inputs."""
    status, stale = safe(status), safe(stale)
    embedder = status["embedder"]
    out.print(Text.assemble(("generation ", "bold"), status["generation"]))
    _field(out, "digest", status["digest"])
    _field(out, "embedder", f"{embedder['model_id']} on {embedder['engine_version']}")
    counts = ", ".join(f"{name} {count}" for name, count in sorted(status["counts"].items()))
    _field(out, "rows", counts)
    days = sorted(status["log_heads"])
    if days:
        _field(out, "days", f"{len(days)}, {days[0]} to {days[-1]}")
    for reason in stale:
        out.print(Text.assemble(("stale: ", "bold red"), reason))
    if not stale:
        out.print("fresh")
