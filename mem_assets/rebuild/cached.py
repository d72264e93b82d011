"""The caches of a home, compared file by file with what was made anew.

A cache file is named by everything that its content depends on, so the same name must hold the
same bytes in both places; whatever else lies in a cache is of another model or text.
"""

from collections.abc import Iterator
from pathlib import Path

from mem_assets.rebuild.report import CACHE, DAMAGED, Finding

HOLDS = {"vectors": "a cached vector", "answers": "a cached line"}
"""Folder of a cache to what its files are called."""


def compare_caches(home: Path, *made: Path) -> list[Finding]:
    """One finding a file below home/cache that is not what another cache has under its name.

    made: caches that began empty, or as a copy: what was damaged there was written again.
    """
    stored = home / "cache"
    differing = {
        name
        for folder in made
        for name in _files(folder)
        if _bytes(stored / name) not in (None, _bytes(folder / name))
    }
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
        for name in sorted(differing)
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
