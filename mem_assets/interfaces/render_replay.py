"""What another gate policy would change, as text for people."""

from collections import Counter
from collections.abc import Sequence

from rich.console import Console

from mem_assets.memory.gate import policy_version
from mem_assets.memory.replay import NEWLY_REJECTED, NOT_JUDGED, Change
from mem_assets.retrieval.answer import safe


def show_changes(out: Console, dates: Sequence[str], changes: Sequence[Change]) -> None:
    """Each change with the old and the new verdict, then how many of each kind."""
    for change in safe(list(changes)):
        out.print(f"{change.change.replace('_', ' ')}: {change.path}:{change.line}")
        out.print(f"    memory {change.memory_sha[:12]}: {change.text}")
        if change.change != NOT_JUDGED:
            out.print(f"    - {change.old_rule} (policy {change.old_policy}): {change.old_reason}")
        out.print(f"    + {change.new_rule} (policy {change.new_policy}): {change.new_reason}")
    counts = Counter(change.change.replace("_", " ") for change in changes)
    told = ", ".join(f"{count} {name}" for name, count in sorted(counts.items())) or "no change"
    days = dates[0] if len(dates) == 1 else f"{len(dates)} days, {dates[0]} to {dates[-1]}"
    out.print(f"{days} under policy {policy_version()}: {told}")
    if any(change.change == NEWLY_REJECTED for change in changes):
        out.print("What is accepted stays until it is retracted (`mem forget`).")
