"""Answers as text for people. Everything shown is plain text: no markup in it is ever obeyed."""

from collections.abc import Mapping, Sequence
from typing import Any, TextIO

from rich.console import Console
from rich.text import Text

from mem_assets.retrieval.answer import Answer, Match, safe
from mem_assets.retrieval.symptoms import MemorySymptoms

STYLES = {"high": "bold green", "medium": "bold yellow", "low": "bold red"}

RAW_LINES = 12
"""Lines of a raw block shown to people; `--json` carries more."""


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
        if signature["unmatched"]:
            _field(out, "", f"no rule of {signature['tool']} matched: read by the generic rules")
        if not signature["error_found"]:
            _field(
                out, "", "no error was found: this is the end of the output, it links to nothing"
            )
        _field(out, "lines", f"{signature['line_start']}-{signature['line_end']}")
        _field(out, "raw", signature["raw"])
        _field(out, "identity", signature["identity"])
        for change in signature["substitutions"]:
            _field(out, "replaced", _change(change))
        _field(out, "normal", signature["normalised"])
        _field(out, "sig_sha", signature["sig_sha"])


def _change(change: Mapping[str, Any]) -> str:
    return f"{change['name']}: {change['before']!r} by {change['after']!r}"


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
