"""The symptoms of one memory, for inspection: each line and where it came from."""

from contextlib import closing
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from mem_assets.retrieval.answer import safe

if TYPE_CHECKING:
    from mem_assets.storage.generation import Generation

SHORTEST_PREFIX = 4


class MemoryNotFoundError(LookupError):
    """No memory of this generation has such a sha."""


class AmbiguousShaError(ValueError):
    """The prefix is too short or fits several memories; the message says which."""


@dataclass(frozen=True)
class StoredSymptom:
    """A symptom line of a generation.

    origin  "catalogue:<entry>", "generated" or "quoted" from the projector, "evidence:<log id>"
            for the identity of a log behind the memory, which needs no projection (prompt_sha is
            empty then)
    """

    line_no: int
    line: str
    origin: str
    projector: str
    model_id: str
    prompt_sha: str


@dataclass(frozen=True)
class MemorySymptoms:
    """A memory and its symptoms; none is an answer, and `explains_failure` says which."""

    memory_sha: str
    level: str
    date: str
    status: str
    explains_failure: bool
    text: str
    symptoms: tuple[StoredSymptom, ...]
    generation: str

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def read_symptoms(generation: "Generation", sha: str) -> MemorySymptoms:
    """The symptoms of the memory that a sha, or a prefix of one, names.

    Raises MemoryNotFoundError and AmbiguousShaError.
    """
    prefix = sha.strip().lower()
    if len(prefix) < SHORTEST_PREFIX:
        raise AmbiguousShaError(f"give at least {SHORTEST_PREFIX} characters of the sha")
    with generation.held(), closing(generation.connect()) as con:
        found = con.execute(
            "SELECT memory_sha, level, date, status, explains_failure, text FROM memory "
            "WHERE starts_with(memory_sha, ?) ORDER BY memory_sha LIMIT 4",
            [prefix],
        ).fetchall()
        if not found:
            raise MemoryNotFoundError(
                f"no memory in generation {generation.id} has a sha that starts with {prefix}"
            )
        if len(found) > 1:
            shas = ", ".join(row[0][:12] for row in found[:3])
            raise AmbiguousShaError(f"{prefix} fits several memories ({shas}, …): give more of it")
        lines = con.execute(
            "SELECT line_no, line, origin, projector, model_id, prompt_sha FROM symptom "
            "WHERE memory_sha = ? ORDER BY line_no",
            [found[0][0]],
        ).fetchall()
    memory_sha, level, date, status, explains_failure, text = found[0]
    symptoms = tuple(StoredSymptom(*line) for line in lines)
    memory = MemorySymptoms(
        memory_sha=memory_sha,
        level=level,
        date=date,
        status=status,
        explains_failure=explains_failure,
        text=text,
        symptoms=symptoms,
        generation=generation.id,
    )
    return safe(memory)
