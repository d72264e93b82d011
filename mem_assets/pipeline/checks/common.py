"""How every check here reports."""

from collections.abc import Sequence
from typing import Any

import dagster as dg

from mem_assets.pipeline.partitions import daily

SHOWN_PROBLEMS = 20


def gate(asset: str) -> dict[str, Any]:
    """Arguments of @dg.asset_check for a blocking check of a daily asset."""
    return {"asset": asset, "blocking": True, "partitions_def": daily}


def notice(asset: str) -> dict[str, Any]:
    """Arguments of @dg.asset_check for a check of a daily asset that only tells."""
    return {"asset": asset, "partitions_def": daily}


def verdict(
    problems: Sequence[str],
    why: str,
    do: str,
    *,
    severity: dg.AssetCheckSeverity = dg.AssetCheckSeverity.ERROR,
    **metadata: Any,
) -> dg.AssetCheckResult:
    """Passed where there are no problems; else with the first of them, why, and what to do."""
    shown = list(problems[:SHOWN_PROBLEMS])
    if len(problems) > len(shown):
        shown.append(f"… and {len(problems) - len(shown)} more")
    failed: dict[str, Any] = {
        "problems": dg.MetadataValue.md("\n".join(f"- {line}" for line in shown)),
        "why_it_matters": why,
        "what_to_do": do,
    }
    return dg.AssetCheckResult(
        passed=not problems,
        severity=severity,
        description=None if not problems else f"{len(problems)}: {problems[0]}",
        metadata={"problem_count": len(problems), **(failed if problems else {}), **metadata},
    )


def warning(problems: Sequence[str], why: str, do: str, **metadata: Any) -> dg.AssetCheckResult:
    """As `verdict`, for what a person should see while the day goes on."""
    return verdict(problems, why, do, severity=dg.AssetCheckSeverity.WARN, **metadata)


def by_day(date: str, problems: Sequence[str]) -> list[str]:
    """Problems of one day of a range, with the day's name: such a run has one check result."""
    return [f"{date}: {problem}" for problem in problems]
