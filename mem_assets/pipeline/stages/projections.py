"""From accepted memories to the symptoms that they would explain."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from mem_assets.engines.generator import Generator, limits
from mem_assets.memory.gate_rules import is_safe
from mem_assets.memory.model import Candidate
from mem_assets.pipeline.stages.embeddings import Embedder
from mem_assets.symptom import Projection
from mem_assets.symptom.calibration import load_calibration
from mem_assets.symptom.generative import MadeBy, generated_texts, project_generated, prompts_of
from mem_assets.symptom.projector import ProjectionInput, project, texts_to_embed
from mem_assets.templates import OPENING, Prompt

Row = dict[str, Any]

Projector = Callable[[Sequence[ProjectionInput], Embedder], list[Projection]]
"""Memories to one projection each, in the order given."""

MAX_TOKENS = 400
STOP = (OPENING,)


def catalogue_projector(
    memories: Sequence[ProjectionInput], embedder: Embedder
) -> list[Projection]:
    """The default: no generating model."""
    texts = sorted(set(texts_to_embed(memories)))
    vector_of = dict(zip(texts, embedder.embed(texts), strict=True))
    return project(memories, vector_of.__getitem__, embedder.engine_version, embedder.model_id)


def generative_projector(generator: Generator, prompt: Prompt) -> Projector:
    """A projector that asks a model once for each memory that explains a failure.

    It raises ControllerFailed, and then projects nothing: a failure is no empty projection.
    """

    def projector(memories: Sequence[ProjectionInput], embedder: Embedder) -> list[Projection]:
        asked = prompts_of(memories, prompt)
        made = generator.generate(list(asked.values()), MAX_TOKENS, STOP) if asked else []
        answers = dict(zip(asked, made, strict=True))
        texts = generated_texts(memories, answers, prompt, unfit_line)
        vector_of = dict(zip(texts, embedder.embed(texts), strict=True))
        made_by = MadeBy(
            generator.model_id,
            generator.engine_version,
            limits(generator, MAX_TOKENS, STOP),
            prompt,
            embedder.model_id,
        )
        bounds = load_calibration()
        return project_generated(
            memories, answers, vector_of.__getitem__, made_by, bounds, unfit_line
        )

    return projector


def unfit_line(line: str) -> str:
    """Why the gate lets no memory say this: a secret, hidden characters, an order to a reader."""
    return is_safe(Candidate("", "L1", "", line, "", (), "", 1, 1, 0))


def projection_rows(
    accepted: Iterable[Mapping[str, Any]],
    embedder: Embedder,
    projector: Projector = catalogue_projector,
) -> list[Row]:
    """One row a lesson (L1, L2), also where it explains nothing: empty is an answer."""
    inputs = [
        ProjectionInput(row["memory_sha"], row["level"], row["kind"], row["text"])
        for row in accepted
        if row["level"] in ("L1", "L2")
    ]
    return [_row(projection) for projection in projector(inputs, embedder)] if inputs else []


def _row(projection: Projection) -> Row:
    return asdict(projection) | {
        "lines": [asdict(line) for line in projection.lines],
        "dropped": [asdict(line) for line in projection.dropped],
    }
