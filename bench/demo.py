"""`make demo`: every fixture day through Dagster, one generation, and what errors find in it."""

import json
import resource
import sys
import time
from pathlib import Path
from typing import Any

import dagster as dg
from rich.console import Console
from rich.markup import escape

from mem_assets.definitions import defs
from mem_assets.engines.embedder import open_embedder
from mem_assets.pipeline.run import run_day, run_index
from mem_assets.retrieval.answer import Answer
from mem_assets.retrieval.lookup import lookup
from mem_assets.settings import Settings
from mem_assets.storage.days import Days
from mem_assets.storage.generation import open_current
from mem_assets.storage.landing import landing_dates

QUERIES = Path("fixtures/queries.jsonl")
console = Console(width=120, highlight=False)


def main() -> None:
    """Exit code 1 where a day was blocked or nothing was published."""
    started = time.monotonic()
    settings = Settings.from_env()
    if not _materialise(settings):
        sys.exit(1)
    _ask(settings)
    gib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    console.print(f"\n{time.monotonic() - started:.0f} s, {gib:.1f} GiB of memory at most.")
    console.print(
        f"Ask it yourself: MEM_HOME={settings.home.name} MEM_LANDING=fixtures/landing "
        ".venv/bin/mem context 'npm error code ERESOLVE'\nSee the graph: make ui"
    )


def _materialise(settings: Settings) -> bool:
    console.rule("Days, each through its gates")
    days, sound = Days(settings.home), True
    with dg.DagsterInstance.get() as instance:
        for date in landing_dates(settings.landing):
            result = run_day(defs, instance, date)
            sound &= result.success
            console.print(f"{date}  {_day_line(days, date, result)}")
        result = run_index(defs, instance)
    console.print(f"index       {_checks_line(result)}")
    for evaluation in result.get_asset_check_evaluations():
        if not evaluation.passed:
            console.print(f"            {evaluation.check_name}: {evaluation.description}")
    if not (sound and result.success):
        console.print("[red]a stage was blocked: `make ui` shows the failing check[/red]")
        return False
    generation = open_current(settings.home)
    console.print(f"published   generation {generation.id}: {generation.manifest['counts']}")
    return True


def _day_line(days: Days, date: str, result: dg.ExecuteInProcessResult) -> str:
    if not result.success:
        return f"[red]blocked[/red], {_checks_line(result)}"
    candidates = days.read("candidate_memories", date)
    counts = {
        "logs": len(days.read("raw_logs", date)),
        "signatures": len(days.read("signatures", date)),
        "notes": sum(row["level"] != "R" for row in candidates),
        "accepted": sum(row["level"] != "R" for row in days.read("accepted_memories", date)),
        "reference chunks": sum(row["level"] == "R" for row in candidates),
        "rejects": len(days.read("rejects", date)),
    }
    told = ", ".join(f"{count} {name}" for name, count in counts.items())
    return f"{told}; {_checks_line(result)}"


def _checks_line(result: dg.ExecuteInProcessResult) -> str:
    evaluations = result.get_asset_check_evaluations()
    failed = sorted(e.check_name for e in evaluations if not e.passed)
    line = f"{len(evaluations) - len(failed)} of {len(evaluations)} checks passed"
    return f"{line}; told: {', '.join(failed)}" if failed else line


def _ask(settings: Settings) -> None:
    console.rule("Errors, and what is known about them")
    generation = open_current(settings.home)
    rules = settings.rule_book()
    embedder = open_embedder(settings.home / "cache" / "vectors")
    for line in QUERIES.read_text().splitlines():
        case: dict[str, Any] = json.loads(line)
        answer = lookup(
            generation, case["query"], case["tool"], embedder=lambda: embedder, rules=rules
        )
        _show(case["query"], answer)


def _show(query: str, answer: Answer) -> None:
    first, *rest = [line for line in query.splitlines() if line.strip()]
    console.print(f"\n[bold]> {escape(first.strip()[:110])}[/bold]{' …' if rest else ''}")
    if not answer.matches:
        console.print(f"  {answer.status}: {escape(answer.reason or 'no memory explains this')}")
        return
    best = answer.matches[0]
    console.print(f"  {best.tier} tier, by {best.matched}, confidence {best.confidence}")
    text = " ".join(best.text.split())
    console.print(f"  {best.level} {best.memory_sha[:8]}: {escape(text[:200])}")
    for evidence in best.evidence[:1]:
        console.print(f"  evidence: {escape(evidence.path)}")
    if best.source:
        console.print(f"  source: {escape(best.source)}")


if __name__ == "__main__":
    main()
