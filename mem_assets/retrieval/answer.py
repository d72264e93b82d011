"""What a lookup answers, in a form that is safe to print and stable as JSON."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields, is_dataclass, replace
from functools import cache
from typing import Any, TypeVar

T = TypeVar("T")

CONFIDENCES = ("low", "medium", "high")
"""In rising order."""

MAX_RAW = 8_000
"""Characters of an evidence's raw block that an answer carries; the store holds all of it."""

MAX_LINE = 400


@dataclass(frozen=True)
class MatchedLine:
    """A line of the query beside the stored line that it met.

    origin  where the stored line comes from: "signature", "memory", "reference", "log", or a
            symptom line's origin ("catalogue:<id>", "quoted", "generated", "evidence")
    """

    query: str
    stored: str
    origin: str


@dataclass(frozen=True)
class Evidence:
    """A failure log behind a memory; raw is the failure's block, redacted."""

    log_id: str
    date: str
    path: str
    tool: str
    job: str | None
    step: str | None
    exit_code: int | None
    url: str | None
    raw: str


@dataclass(frozen=True)
class Match:
    """One memory that answers.

    tier        "exact", "hybrid" or "reference"
    confidence  "high", "medium" or "low"
    matched     "signature" (the same failure), "class" (one of its kind), "meaning", "reference"
    why         one sentence for people
    cosine      of the best line, -1..1; None in the exact tier, which compares no vectors
    evidence_count  how many logs stand behind it; `evidence` holds the latest few
    """

    tier: str
    confidence: str
    matched: str
    why: str
    how: tuple[MatchedLine, ...]
    cosine: float | None
    memory_sha: str
    level: str
    text: str
    date: str
    kind: str
    heading: str
    source: str
    evidence: tuple[Evidence, ...]
    evidence_count: int

    def at(self, confidence: str) -> bool:
        """Whether it is at least this sure."""
        return CONFIDENCES.index(self.confidence) >= CONFIDENCES.index(confidence)


@dataclass(frozen=True)
class Answer:
    """The answer to one query: "found", "nothing_known" or "search_failed" are three things.

    reason  why nothing was found or the search failed, as one line that says what to do
    stale   why the generation is behind its inputs; None when it is not, or nobody looked
    tools   whose output the query was read as, in the order tried
    """

    status: str
    matches: tuple[Match, ...]
    tools: tuple[str, ...]
    generation: str
    reason: str | None = None
    stale: str | None = None

    @property
    def tier(self) -> str | None:
        return self.matches[0].tier if self.matches else None

    @property
    def confidence(self) -> str | None:
        return self.matches[0].confidence if self.matches else None

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON; every text is safe to print."""
        return {**asdict(self), "tier": self.tier, "confidence": self.confidence}


@cache
def _unprintable() -> Any:
    """Terminal sequences (CSI, OSC and the like, other escapes), controls, direction overrides."""
    import re2

    return re2.compile(
        "(?:\\x1b\\[|\\x{9b})[0-?]*[ -/]*[@-~]"
        "|\\x1b[\\]PX^_][^\\x07\\x1b\\n]*(?:\\x07|\\x1b\\\\)?"
        "|\\x1b[ -/]*[0-~]?"
        "|[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x{9f}]"
        "|[\\x{61c}\\x{200e}\\x{200f}\\x{202a}-\\x{202e}\\x{2028}\\x{2029}\\x{2066}-\\x{2069}]"
    )


def printable(text: str) -> str:
    """Text that cannot drive a terminal: no escape sequence, no control character but \\n and \\t.

    A lone carriage return overwrites a line on screen, so it becomes a line break.
    """
    text = text.encode("utf-8", "replace").decode("utf-8")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _unprintable().sub("", text)


def safe(value: T) -> T:
    """The value with every text in it printable: each field, item and key, however deep.

    Whoever shows an answer passes it whole, so that no field is safe by being remembered.
    """
    return _safe(value)


def _safe(value: Any) -> Any:
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, Mapping):
        return {_safe(key): _safe(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_safe(item) for item in value]
    if isinstance(value, tuple):
        return tuple(_safe(item) for item in value)
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{f.name: _safe(getattr(value, f.name)) for f in fields(value)})
    return value


def clipped(text: str, limit: int) -> str:
    """Text of at most `limit` characters; what was cut is said."""
    return text if len(text) <= limit else f"{text[:limit]}… [{len(text) - limit} more characters]"


def pair_lines(query: str, stored: str, origin: str, limit: int = 5) -> tuple[MatchedLine, ...]:
    """Each stored line beside the query's line that shares most words with it."""
    asked = list(_lines(query))
    pairs = []
    for number, line in enumerate(list(_lines(stored))[:limit]):
        if not asked:
            break
        same_place = min(number, len(asked) - 1)
        best = max(
            range(len(asked)),
            key=lambda at: (_overlap(asked[at], line), at == same_place, -at),
        )
        pairs.append(MatchedLine(asked[best], line, origin))
    return tuple(pairs)


def _lines(text: str) -> Iterator[str]:
    for line in printable(text[: 64 * MAX_LINE]).split("\n"):
        if line.strip():
            yield clipped(line.strip(), MAX_LINE)


def _overlap(one: str, other: str) -> float:
    words, others = set(one.lower().split()), set(other.lower().split())
    return len(words & others) / len(words | others)


def safe_evidence(evidence: Evidence) -> Evidence:
    """The evidence with every text safe to print and its raw block bounded."""
    shown = safe(evidence)
    return replace(shown, raw=clipped(shown.raw, MAX_RAW))
