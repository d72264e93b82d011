"""The caches of a home, compared file by file with what was made anew.

A cache file is named by everything that its content depends on, so the same name must hold the
same bytes in both places; whatever else lies in a cache is of another model or text.
"""

from collections.abc import Iterator
from pathlib import Path

from mem_assets.rebuild.report import CACHE, DAMAGED, Finding

HOLDS = {"vectors": "a cached vector", "answers": "a cached line"}
"""Folder of a cache to what its files are called."""


def compare_caches(home: Path, made: Path) -> list[Finding]:
    """One finding a file below home/cache that is not what `made`, a cache begun empty, has."""
    stored = home / "cache"
    return [
        Finding(
            CACHE,
            f"cache/{name.as_posix()}",
            "",
            (DAMAGED,),
            (
                f"{HOLDS.get(name.parts[0], 'a cached file')} was changed: made anew it comes out "
                "otherwise; remove the file, and it is made again",
            ),
        )
        for name in _files(made)
        if _bytes(stored / name) not in (None, _bytes(made / name))
    ]


def _files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.name.startswith("."):
            yield path.relative_to(folder)


def _bytes(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
