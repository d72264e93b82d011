"""Whether the rules in use hold every must-merge and must-split pair; asked once a version."""

import functools
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from mem_assets.hashing import canonical_json, sha256_json
from mem_assets.signature import RuleBook, rules_version
from mem_assets.signature.pairs import PairError, broken
from mem_assets.storage.atomic import replaced
from mem_assets.storage.pair_files import LoadedPair, load_pairs

CODE = ("mem_assets.signature", "mem_assets.memory")
"""Packages whose code and data a pair's outcome depends on: extraction, and redaction before it."""


@dataclass(frozen=True)
class PairsOutcome:
    """problems: a sentence for each pair that broke. checked: how many there were; left_out:
    packaged ones that name logs which an installed package does not have."""

    problems: tuple[str, ...]
    checked: int = 0
    left_out: int = 0


def check_pairs(home: Path, own: Path | None, rules: RuleBook) -> PairsOutcome:
    """The packaged pairs, and those of a file of one's own.

    Rules, pairs and code decide the outcome, not the day: it is kept under the data home by the
    hash of all three, so that a backfill runs the pairs once and not in each of its runs. A file
    that breaks the format is one problem.
    """
    try:
        loaded = load_pairs(own)
    except PairError as error:
        return PairsOutcome((str(error),))
    key = _key(loaded.pairs, rules)
    path = home / "cache" / "pairs" / f"{key}.json"
    problems = _kept(path)
    if problems is None:
        found = (broken(one.pair, one.a, one.b, rules=rules) for one in loaded.pairs)
        problems = [problem for problem in found if problem is not None]
        with replaced(path, durable=False) as temporary:
            temporary.write_text(canonical_json(problems), encoding="utf-8")
    return PairsOutcome(tuple(problems), len(loaded.pairs), loaded.left_out)


def _key(pairs: Sequence[LoadedPair], rules: RuleBook) -> str:
    rows = [[p.pair.place, p.pair.verdict, p.pair.why, p.pair.a.tool, p.pair.b.tool] for p in pairs]
    texts = [[p.a, p.b] for p in pairs]
    return sha256_json([rows, texts, rules_version(rules), _code_version()])


@functools.cache
def _code_version() -> str:
    """Hash of the code: its version number stays the same while somebody works on it."""
    digest = hashlib.sha256()
    for package in CODE:
        folder = Path(str(resources.files(package)))
        for file in sorted(folder.rglob("*")):
            if file.suffix in (".py", ".toml"):
                digest.update(file.relative_to(folder).as_posix().encode() + b"\0")
                digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def _kept(path: Path) -> list[str] | None:
    """The outcome that was kept; None where there is none, or a damaged one."""
    try:
        value = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    is_sound = isinstance(value, list) and all(isinstance(item, str) for item in value)
    return value if is_sound else None
