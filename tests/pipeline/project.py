"""A small project for the pipeline's tests: three days of landing, and ways to run them."""

import hashlib
import json
from pathlib import Path
from typing import Any

import dagster as dg

from mem_assets.pipeline import assets, checks
from mem_assets.pipeline.jobs import daily_job, index_job
from mem_assets.pipeline.rebuild_jobs import rebuild_days_job, rebuild_report_job
from mem_assets.pipeline.resources import Engine, Store
from mem_assets.pipeline.run import run_day, run_index
from tests.doubles import DoubleEngine

DATES = ("2026-11-24", "2026-11-25", "2026-11-26")

NPM_LOG = """\
npm ERR! code ERESOLVE
npm ERR! ERESOLVE unable to resolve dependency tree
npm ERR!
npm ERR! While resolving: shop@1.4.0
npm ERR! Found: react@18.2.0
npm ERR! Could not resolve dependency:
npm ERR! peer react@"^17.0.0" from old-widget@2.1.0
npm ERR! A complete log of this run can be found in: /home/ci/.npm/_logs/{time}-debug-0.log
"""
GO_LOG = """\
go: downloading golang.org/x/text v0.3.7
./main.go:{line}:7: undefined: parseLimit
"""
KUBECTL_LOG = """\
error: error validating "deploy.yaml": Get "https://10.0.{n}.7:6443/openapi/v2": x509: \
certificate signed by unknown authority
"""

FILES: dict[str, dict[str, str]] = {
    "2026-11-24": {
        "logs/npm/web.log": NPM_LOG.format(time="2026-11-24T09_12_44_018Z"),
        "notes/web.md": (
            "---\nlevel: L1\nkind: incident\nevidence: [logs/npm/web.log]\n---\n"
            "Two libraries each insisted on another major of the framework, because the widget "
            "was never ported. Bumped the lagging widget to its next major, which accepts the "
            "newer host.\n"
        ),
        "notes/chat.jsonl": "\n".join(
            json.dumps({"level": "L1", "kind": "chat", "text": text})
            for text in ("anyone else seeing this?", "rerunning now", "all green again, thanks")
        )
        + "\n",
        "reference/cache.md": "# Cache\n\nThe shared cache is cleared every Sunday night.\n",
    },
    "2026-11-25": {
        "logs/go/api.log": GO_LOG.format(line=12),
        "notes/cluster.md": (
            "---\nlevel: L1\nkind: incident\nevidence: [2026-11-26/logs/kubectl/apply.log]\n---\n"
            "The cluster was rebuilt over the weekend and signs with a fresh root, so laptops "
            "still trusted the old one. Fetched the credentials again and the rollout went out.\n"
        ),
        "notes/decision.md": (
            "---\nlevel: L1\nkind: decision\nsource: https://tracker.example/ADR-7\n---\n"
            "We decided to keep one lock file for the whole monorepo, because separate ones "
            "drifted apart and reviews could not see it.\n"
        ),
    },
    "2026-11-26": {
        "logs/npm/again.log": NPM_LOG.format(time="2026-11-26T17_01_02_777Z"),
        "logs/kubectl/apply.log": KUBECTL_LOG.format(n=3),
        "logs/npm/broken.log.gz": "not a gzip file",
        "notes/late.md": (
            "---\nlevel: L1\nkind: incident\nevidence: [2026-11-25/logs/go/api.log]\n---\n"
            "A helper was renamed on the main branch while this branch still used its former "
            "name, so the build broke after the merge. Rebased and used the new name.\n"
        ),
    },
}


def land(root: Path, dates: tuple[str, ...] = DATES) -> None:
    """Write the landing of some days."""
    for date in dates:
        for name, text in FILES[date].items():
            path = root / date / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)


def definitions(home: Path, landing: Path, **engine: Any) -> dg.Definitions:
    """The project's own assets, checks and jobs, with the double as engine."""
    return with_engine(home, landing, DoubleEngine(**engine))


def with_engine(home: Path, landing: Path, engine: Engine, **store: str) -> dg.Definitions:
    """The same with any engine, and with rules or pairs of one's own."""
    return dg.Definitions(
        assets=dg.load_assets_from_package_module(assets),
        asset_checks=dg.load_asset_checks_from_package_module(checks),
        jobs=[daily_job, index_job, rebuild_days_job, rebuild_report_job],
        resources={
            "store": Store(home=str(home), landing=str(landing), **store),
            "engine": engine,
        },
        executor=dg.in_process_executor,
    )


def run_days(home: Path, landing: Path, dates: tuple[str, ...]) -> None:
    """Some days, each through every gate, with an instance of their own."""
    defs = definitions(home, landing)
    with dg.DagsterInstance.ephemeral() as instance:
        for date in dates:
            assert run_day(defs, instance, date).success, date


def run_everything(home: Path, landing: Path, dates: tuple[str, ...] = DATES) -> str:
    """Days, index and publication; the digest of what was published."""
    run_days(home, landing, dates)
    return index(home, landing)


def index(home: Path, landing: Path) -> str:
    """Build and publish; the digest."""
    with dg.DagsterInstance.ephemeral() as instance:
        result = run_index(definitions(home, landing), instance)
        assert result.success
        event = result.asset_materializations_for_node("published_generation")[0]
        return str(event.metadata["digest"].value)


def files_below(folder: Path) -> dict[str, str]:
    """Relative path to SHA-256 of every file, lock files aside."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.startswith(".")
    }
