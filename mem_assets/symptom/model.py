"""What a symptom hash and a projection are."""

from dataclasses import dataclass


@dataclass(frozen=True)
class SymptomVector:
    """A query or a signature's text in the form that both sides of a lookup share.

    normalised  a failure class's canonical words, else the stemmed, sorted, deduplicated keywords
    sym_sha     sha256(tool + "\\n" + normalised), hex; None where too little is said to match on
    modules     names of packages, files and versions: ranking, never the hash
    failure_class  the class that fired, else None
    confidence  0..1, see `project_symptom`
    """

    tool: str
    raw_query: str
    normalised: str
    sym_sha: str | None
    keywords: tuple[str, ...]
    error_codes: tuple[str, ...]
    modules: tuple[str, ...]
    failure_class: str | None
    confidence: float


@dataclass(frozen=True)
class SymptomLine:
    """One line that a memory would explain, and where it came from ("catalogue:<id>", "quoted",
    "generated")."""

    line: str
    origin: str


@dataclass(frozen=True)
class DroppedLine:
    """A line that a filter dropped, with the filter's name and its reason."""

    line: str
    origin: str
    reason: str


@dataclass(frozen=True)
class Projection:
    """The symptoms of one memory. Empty lines are an answer, not an error.

    explains_failure  the first question's answer; False means no lines, by rule `question`
    projector, model_id, prompt_sha, parameters, engine_version  what made it, for the memory log
    """

    memory_sha: str
    explains_failure: bool
    question: str
    lines: tuple[SymptomLine, ...]
    dropped: tuple[DroppedLine, ...]
    projector: str
    model_id: str
    prompt_sha: str
    parameters: str
    engine_version: str
