"""The projector's thresholds and the frozen probe set, as data with hashes."""

import json
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

from mem_assets.hashing import sha256_json
from mem_assets.symptom.words import DATA, read_toml

CALIBRATION_FILE = DATA / "calibration.toml"
PROBES_FILE = DATA / "probes.jsonl"


@dataclass(frozen=True)
class Matching:
    """How a memory is matched to catalogue entries.

    The score of an entry is the best cosine of the memory to one of its tellings, plus
    `lexical_weight` times the shared words' idf overlap (0..1), plus `subject_weight` times the
    share of its subjects' meaning that the memory names (0..1). An entry counts at or above
    `threshold`, and within `margin` of the best; at most `max_entries` do.
    """

    lexical_weight: float
    subject_weight: float
    threshold: float
    margin: float
    max_entries: int


@dataclass(frozen=True)
class Filters:
    """The bounds of filters.py: a share of words, a cosine, a number of lines."""

    restated_share: float
    general_cosine: float
    max_lines: int


@dataclass(frozen=True)
class Calibration:
    matching: Matching
    filters: Filters


@cache
def load_calibration() -> Calibration:
    """calibration.toml; `measured` in it is for readers. Raises ValueError naming the wrong key."""
    data = read_toml(CALIBRATION_FILE, ("matching", "filters", "measured"))
    matching = _numbers(data, "matching", Matching)
    filters = _numbers(data, "filters", Filters)
    return Calibration(Matching(**matching), Filters(**filters))


@cache
def load_probes() -> tuple[str, ...]:
    """Common error lines that single nothing out. Frozen: a change shows in `probes_sha`."""
    lines = []
    for number, text in enumerate(PROBES_FILE.read_text(encoding="utf-8").splitlines(), 1):
        try:
            row = json.loads(text)
        except json.JSONDecodeError as error:
            raise ValueError(f"{PROBES_FILE.name}:{number}: not JSON: {error.msg}") from error
        if not isinstance(row, dict) or set(row) != {"line"} or not isinstance(row["line"], str):
            raise ValueError(f'{PROBES_FILE.name}:{number}: an object {{"line": text}} is wanted')
        lines.append(row["line"])
    return tuple(lines)


@cache
def probes_sha() -> str:
    return sha256_json(load_probes())


def parameters(calibration: Calibration) -> dict[str, Any]:
    """The thresholds as a record's parameters name them."""
    return asdict(calibration)


def _numbers(data: dict[str, Any], section: str, kind: type) -> dict[str, Any]:
    values = data.get(section, {})
    wanted = kind.__annotations__
    if set(values) != set(wanted):
        wrong = sorted(set(values) ^ set(wanted))
        raise ValueError(f"{CALIBRATION_FILE.name}: [{section}]: missing or unknown: {wrong}")
    for key, number in values.items():
        fits = isinstance(number, int) or (wanted[key] is float and isinstance(number, float))
        if isinstance(number, bool) or not fits or number < 0:
            raise ValueError(f"{CALIBRATION_FILE.name}: [{section}] {key}: a number from 0 up")
    return {key: wanted[key](number) for key, number in values.items()}
