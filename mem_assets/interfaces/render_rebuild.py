"""A rebuild's report as text for people."""

from rich.console import Console

from mem_assets.rebuild.report import CACHE, GENERATION, LOG, MEMORY, Finding, Report, counted
from mem_assets.retrieval.answer import safe

PLURAL = {MEMORY: "memories", LOG: "logs", CACHE: "cached files", GENERATION: "generations"}
SHOWN_SHA = 12


def show_report(out: Console, report: Report) -> None:
    """A line a finding, the old and new lines of those that differ, then the counts."""
    for finding in report.findings:
        _show_finding(out, safe(finding))
    if report.findings:
        out.print()
    for kind, counts in counted(report.findings).items():
        told = ", ".join(f"{count} {cause}" for cause, count in counts.items())
        out.print(f"{PLURAL[kind]}: {told}")
    out.print(f"digest {report.digest}: {_beside_published(report)}")
    if report.accepted:
        out.print(f"{report.accepted} records were appended to the memory log")
    if report.made_current:
        out.print(f"published generation {report.made_current}")


def _show_finding(out: Console, finding: Finding) -> None:
    name = finding.name if finding.kind in (CACHE, GENERATION) else finding.name[:SHOWN_SHA]
    words = (finding.kind, name, finding.date, " and ".join(finding.causes))
    out.print("  ".join(word for word in words if word), style="red" if finding.differs else None)
    if not finding.differs:
        return
    for detail in finding.details:
        out.print(f"    {detail}")
    for mark, lines in (("-", finding.old), ("+", finding.new)):
        for line in lines:
            out.print(f"    {mark} {line}")


def _beside_published(report: Report) -> str:
    if report.published is None:
        return "nothing was published to compare it with"
    generation, digest = report.published
    if digest == report.digest:
        return f"that of the published generation {generation}"
    return f"the published generation {generation} has {digest}"
