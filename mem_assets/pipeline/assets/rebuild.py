"""Days proven against their record: everything that the log says of them, made again."""

from collections import Counter

import dagster as dg

from mem_assets.memory.settle import collect
from mem_assets.pipeline.assets.common import OWNERS, RANGE, markdown_table
from mem_assets.pipeline.checks.common import verdict
from mem_assets.pipeline.partitions import daily
from mem_assets.pipeline.resources import Engine, Store
from mem_assets.rebuild.from_log import regenerated
from mem_assets.rebuild.report import Finding

CHECK = "day_regenerates"


@dg.asset(
    deps=["memory_log"],
    partitions_def=daily,
    group_name="rebuild",
    kinds={"python"},
    owners=OWNERS,
    backfill_policy=RANGE,
    pool="engine",
    check_specs=[
        dg.AssetCheckSpec(CHECK, asset="rebuilt_days", blocking=True, partitions_def=daily)
    ],
)
def rebuilt_days(
    context: dg.AssetExecutionContext, store: Store, engine: Engine
) -> dg.MaterializeResult:
    """Each day's projections and signatures, made again from the memory log without any cache.

    A backfill is a rebuild: with the tag mem/rebuild=<id> a report over all its runs follows.
    """
    dates = list(context.partition_keys)
    told = collect(store.log.read_all())
    findings, _ = regenerated(told, engine.for_rebuild(store.rule_book), dates)
    differing = [finding for finding in findings if finding.differs]
    return dg.MaterializeResult(
        metadata={
            "days": day_counts(dates, findings),
            "compared": len(findings),
            "differing": len(differing),
            "differences": dg.MetadataValue.md(markdown_table([_row(one) for one in differing])),
        },
        check_results=[
            verdict(
                [f"{one.date}: {_told(one)}" for one in differing],
                "what cannot be made again from the log cannot be trusted after a loss",
                "`mem rebuild --from-log` shows the old and the new lines; record a wanted change "
                "with --accept, and look for the cause of drift",
                compared=len(findings),
            )
        ],
    )


def day_counts(dates: list[str], findings: list[Finding]) -> dict[str, dict[str, int]]:
    """Of each day, how many things were compared, and how many differ."""
    compared = Counter(finding.date for finding in findings)
    differing = Counter(finding.date for finding in findings if finding.differs)
    return {
        date: {"compared": compared[date], "differing": differing[date]} for date in sorted(dates)
    }


def _told(finding: Finding) -> str:
    return f"{finding.kind} {finding.name[:12]}: {' and '.join(finding.causes)}"


def _row(finding: Finding) -> dict[str, str]:
    return {
        "day": finding.date,
        "what": f"{finding.kind} {finding.name[:12]}",
        "why": " and ".join(finding.causes),
        "old": "; ".join(finding.old),
        "new": "; ".join(finding.new),
    }
