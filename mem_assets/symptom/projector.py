"""The catalogue projector: the symptoms that a memory would explain, without a generating model.

Pure: it is given vectors. Equal inputs give equal projections in any batch and order.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from mem_assets.hashing import canonical_json
from mem_assets.symptom.calibration import (
    Calibration,
    load_calibration,
    load_probes,
    parameters,
    probes_sha,
)
from mem_assets.symptom.catalogue import CatalogueEntry, catalogue_sha, load_catalogue
from mem_assets.symptom.classes import classes_version
from mem_assets.symptom.filters import QUOTED, Embedding, filter_lines
from mem_assets.symptom.matching import Matcher, memory_pieces
from mem_assets.symptom.model import Projection, SymptomLine
from mem_assets.symptom.question import explains_failure, question_version
from mem_assets.symptom.quoting import quoted_lines

PROJECTOR = "catalogue"


@dataclass(frozen=True)
class ProjectionInput:
    """An accepted memory, as a projector reads it; `kind` is the note's own word for what it is."""

    memory_sha: str
    level: str
    kind: str
    text: str


def texts_to_embed(
    memories: Sequence[ProjectionInput], entries: Sequence[CatalogueEntry] | None = None
) -> list[str]:
    """Every text whose vector `project` may ask for, sorted, each once.

    The catalogue's tellings and lines and the probe set are the same every day, so a cache by
    content answers for them; of a memory that explains no failure nothing is embedded.
    """
    explaining = [memory for memory in memories if _question(memory)[0]]
    if not explaining:
        return []
    texts = set(load_probes())
    for memory in explaining:
        texts.update(memory_pieces(memory.text))
        texts.update(quoted_lines(memory.text))
    for entry in load_catalogue() if entries is None else entries:
        texts.update(entry.explains)
        texts.update(entry.symptoms)
    return sorted(texts)


def project(
    memories: Sequence[ProjectionInput],
    embedding: Embedding,
    engine_version: str,
    embedder_id: str,
    entries: Sequence[CatalogueEntry] | None = None,
    calibration: Calibration | None = None,
) -> list[Projection]:
    """One projection a memory, in the order given; empty lines are an answer.

    embedding  the vector of a text named by `texts_to_embed`: float32, unit length
    entries    the catalogue, the packaged one by default; with users' folders,
               `load_catalogue(folder)`
    """
    catalogue = load_catalogue() if entries is None else tuple(entries)
    bounds = load_calibration() if calibration is None else calibration
    made_with = canonical_json(
        {
            **parameters(bounds),
            "probes_sha": probes_sha(),
            "classes_version": classes_version(),
            "question_version": question_version(),
        }
    )
    sha = catalogue_sha(catalogue)
    questions = [_question(memory) for memory in memories]
    needed = any(explains for explains, _ in questions)
    matcher = Matcher(catalogue if needed else (), embedding)
    projections = []
    for memory, (explains, question) in zip(memories, questions, strict=True):
        candidates = _candidates(memory.text, matcher, bounds) if explains else []
        kept, dropped = filter_lines(memory.text, candidates, embedding, bounds.filters)
        projections.append(
            Projection(
                memory_sha=memory.memory_sha,
                explains_failure=explains,
                question=question,
                lines=kept,
                dropped=dropped,
                projector=PROJECTOR,
                model_id=embedder_id,
                prompt_sha=sha,
                parameters=made_with,
                engine_version=engine_version,
            )
        )
    return projections


def _question(memory: ProjectionInput) -> tuple[bool, str]:
    return explains_failure(memory.text, memory.level, memory.kind)


def _candidates(text: str, matcher: Matcher, bounds: Calibration) -> list[SymptomLine]:
    """The note's own quotations first, then each matched entry's lines, the best entry first."""
    lines = [SymptomLine(line, QUOTED) for line in quoted_lines(text)]
    for match in matcher.match(text, bounds.matching):
        origin = f"catalogue:{match.entry.id}"
        lines += [SymptomLine(line, origin) for line in match.entry.symptoms]
    return lines
