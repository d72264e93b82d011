"""What may import what. The core stays free of the orchestrator, models, databases and network."""

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "mem_assets"
PURE = ("signature", "symptom", "memory")
KEPT_OUT = {
    "dagster", "vllm", "torch", "transformers", "duckdb", "usearch", "pyarrow", "polars",
    "socket", "urllib", "http", "requests", "httpx", "fastapi", "mcp",
}  # fmt: skip
OUTER = {
    f"mem_assets.{name}" for name in ("engines", "storage", "retrieval", "pipeline", "interfaces")
}


def imported(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
    return found


def modules(*folders: str) -> list[Path]:
    return sorted(path for folder in folders for path in (PACKAGE / folder).rglob("*.py"))


@pytest.mark.parametrize("path", modules(*PURE), ids=lambda p: str(p.relative_to(PACKAGE)))
def test_the_core_is_pure(path):
    names = imported(path)
    assert not {name.split(".")[0] for name in names} & KEPT_OUT
    assert not {".".join(name.split(".")[:2]) for name in names} & OUTER


def test_only_the_pipeline_imports_dagster():
    outside = [
        path
        for path in PACKAGE.rglob("*.py")
        if "pipeline" not in path.parts and path.name != "definitions.py"
    ]
    assert outside
    stages = list((PACKAGE / "pipeline" / "stages").rglob("*.py"))
    assert stages
    offenders = [
        p for p in [*outside, *stages] if any(n.startswith("dagster") for n in imported(p))
    ]
    assert offenders == []


def test_definitions_stay_short():
    assert len((PACKAGE / "definitions.py").read_text().splitlines()) < 40


def test_files_stay_readable():
    long = {
        str(path.relative_to(PACKAGE)): lines
        for path in PACKAGE.rglob("*.py")
        if (lines := len(path.read_text().splitlines())) > 320
    }
    assert long == {}
