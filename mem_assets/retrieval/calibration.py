"""The thresholds of the lookup, as data."""

import tomllib
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

PATH = Path(__file__).with_name("calibration.toml")


class CalibrationError(ValueError):
    """The calibration file is not usable; the message names the file and the entry."""


@dataclass(frozen=True)
class Exact:
    """many: a class or signature with more memories than this singles none of them out."""

    many: int


@dataclass(frozen=True)
class Fusion:
    """Reciprocal rank fusion: each list adds weight / (k + rank) for its first `depth` memories.

    coverage  least share of the query's rare words that a lexical hit must hold, 0..1
    """

    k: int
    depth: int
    symptom: float
    text: float
    lexical: float
    tool: float
    coverage: float


@dataclass(frozen=True)
class Floor:
    """Cosines below which a neighbour is none.

    symptom, text  to take a place in that list
    answer         of the nearest memory, for the hybrid tier to answer at all
    reference      of a document
    log            of a raw log
    """

    symptom: float
    text: float
    answer: float
    reference: float
    log: float


@dataclass(frozen=True)
class Bound:
    """What a match must reach: cosine, margin to the next memory, lists that put it first."""

    cosine: float
    margin: float
    agreement: int

    def reached(self, cosine: float, margin: float, agreement: int) -> bool:
        return cosine >= self.cosine and margin >= self.margin and agreement >= self.agreement


@dataclass(frozen=True)
class Bounds:
    """For one kind of nearest line."""

    high: Bound
    medium: Bound


@dataclass(frozen=True)
class Calibration:
    """All thresholds. See calibration.toml for the figures they come from."""

    exact: Exact
    fusion: Fusion
    floor: Floor
    observed: Bounds
    projected: Bounds
    text: Bounds

    def confidence(self, kind: str, cosine: float, margin: float, agreement: int) -> str:
        """ "high", "medium" or "low" for a match whose nearest line is of a kind: "observed" (in a
        log, or quoted by the note), "projected" (a projector's guess) or "text" (the note's own).
        """
        bounds = {"observed": self.observed, "projected": self.projected, "text": self.text}[kind]
        if bounds.high.reached(cosine, margin, agreement):
            return "high"
        return "medium" if bounds.medium.reached(cosine, margin, agreement) else "low"


def parse(data: dict[str, Any], source: str) -> Calibration:
    """Raises CalibrationError where an entry is missing, unknown or not a number."""

    def section(kind: type, value: Any, name: str) -> Any:
        names = {field.name for field in fields(kind)}
        if not isinstance(value, dict) or set(value) != names:
            raise CalibrationError(f"{source}: [{name}] must have exactly {sorted(names)}")
        for key, number in value.items():
            if isinstance(number, bool) or not isinstance(number, int | float):
                raise CalibrationError(f"{source}: {name}.{key} must be a number, not {number!r}")
        return kind(**value)

    def bounds(name: str) -> Bounds:
        value = data.get("confidence", {}).get(name, {})
        return Bounds(
            section(Bound, value.get("high"), f"confidence.{name}.high"),
            section(Bound, value.get("medium"), f"confidence.{name}.medium"),
        )

    return Calibration(
        section(Exact, data.get("exact"), "exact"),
        section(Fusion, data.get("fusion"), "fusion"),
        section(Floor, data.get("floor"), "floor"),
        bounds("observed"),
        bounds("projected"),
        bounds("text"),
    )


@cache
def calibration() -> Calibration:
    """The packaged calibration."""
    return parse(tomllib.loads(PATH.read_text(encoding="utf-8")), PATH.name)
