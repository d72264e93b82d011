"""The generative projector: a model writes the error lines that a memory would explain.

Pure: it is given the model's answers and the vectors. The first question and the filters are those
of the catalogue projector; a memory that explains no failure is never put to the model.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from mem_assets.hashing import canonical_json
from mem_assets.symptom.calibration import Calibration, load_probes, parameters, probes_sha
from mem_assets.symptom.filters import QUOTED, Embedding, filter_lines
from mem_assets.symptom.model import DroppedLine, Projection, SymptomLine
from mem_assets.symptom.projector import ProjectionInput
from mem_assets.symptom.question import explains_failure, question_version
from mem_assets.symptom.quoting import quoted_lines
from mem_assets.symptom.words import plain_text
from mem_assets.templates import FENCING, Prompt

PROJECTOR = "generative"
GENERATED = "generated"

LINE_MARK = "- "
NO_LINES = "NONE"

MAX_LINE = 300
"""Characters of a symptom line; a longer one is prose or rambling."""

MAX_LINES = 40
"""Lines of an answer that are read; the prompt asks for six."""

Unfit = Callable[[str], str]
""" "" for a line that may be kept, else why not: what the gate lets no memory say."""


@dataclass(frozen=True)
class MadeBy:
    """The model behind the answers, for the record; embedder_id is the filters' embedder."""

    model_id: str
    engine_version: str
    parameters: Mapping[str, object]
    prompt: Prompt
    embedder_id: str


def prompts_of(memories: Sequence[ProjectionInput], prompt: Prompt) -> dict[str, str]:
    """What to ask, by memory sha, only for those that explain a failure."""
    return {
        memory.memory_sha: prompt.render(memory=memory.text)
        for memory in memories
        if _question(memory)[0]
    }


def read_lines(
    answer: str, prompt: Prompt, unfit: Unfit
) -> tuple[list[SymptomLine], list[DroppedLine]]:
    """The symptom lines of an answer, and what was dropped of it, each with its reason.

    `form`: not "- " and up to MAX_LINE characters. `echo`: it stands in the prompt itself.
    `unfit`: the gate would not let it pass. NONE is no line.
    """
    known = {plain_text(line.removeprefix(LINE_MARK)).strip() for line in prompt.text.split("\n")}
    kept: list[SymptomLine] = []
    dropped: list[DroppedLine] = []
    for text in [line.strip() for line in answer.split("\n") if line.strip()][:MAX_LINES]:
        line = text.removeprefix(LINE_MARK).strip()
        folded = plain_text(line).strip()
        if text == NO_LINES:
            continue
        if not text.startswith(LINE_MARK) or len(line) > MAX_LINE or not folded:
            reason = f"form: a line after '{LINE_MARK}' of up to {MAX_LINE} characters is wanted"
        elif folded in known or line == NO_LINES:
            reason = "echo: it stands in the prompt"
        else:
            why = unfit(line)
            reason = f"unfit: {why}" if why else ""
        if reason:
            dropped.append(DroppedLine(line[:MAX_LINE], GENERATED, reason))
        else:
            kept.append(SymptomLine(line, GENERATED))
    return kept, dropped


def generated_texts(
    memories: Sequence[ProjectionInput], answers: Mapping[str, str], prompt: Prompt, unfit: Unfit
) -> list[str]:
    """Every text whose vector `project_generated` may ask for, sorted, each once."""
    texts: set[str] = set()
    for memory in memories:
        if memory.memory_sha in answers:
            kept, _ = read_lines(answers[memory.memory_sha], prompt, unfit)
            texts.update(line.line for line in kept)
            texts.update(quoted_lines(memory.text))
    return sorted({*texts, *load_probes()} if texts else texts)


def project_generated(
    memories: Sequence[ProjectionInput],
    answers: Mapping[str, str],
    embedding: Embedding,
    made_by: MadeBy,
    bounds: Calibration,
    unfit: Unfit,
) -> list[Projection]:
    """One projection a memory, in the order given; empty lines are an answer.

    answers  the model's, by memory sha, one for each prompt of `prompts_of`
    The error lines that a note itself quotes come first, as in the catalogue projector.
    """
    made_with = canonical_json(
        {
            "generator": dict(made_by.parameters),
            "fencing": FENCING,
            "filters": parameters(bounds)["filters"],
            "embedder": made_by.embedder_id,
            "probes_sha": probes_sha(),
            "question_version": question_version(),
        }
    )
    projections = []
    for memory in memories:
        explains, question = _question(memory)
        lines: list[SymptomLine] = []
        unread: list[DroppedLine] = []
        if explains:
            lines, unread = read_lines(answers[memory.memory_sha], made_by.prompt, unfit)
            lines = [SymptomLine(line, QUOTED) for line in quoted_lines(memory.text)] + lines
        kept, dropped = filter_lines(memory.text, lines, embedding, bounds.filters)
        projections.append(
            Projection(
                memory_sha=memory.memory_sha,
                explains_failure=explains,
                question=question,
                lines=kept,
                dropped=(*unread, *dropped),
                projector=PROJECTOR,
                model_id=made_by.model_id,
                prompt_sha=made_by.prompt.prompt_sha,
                parameters=made_with,
                engine_version=made_by.engine_version,
            )
        )
    return projections


def _question(memory: ProjectionInput) -> tuple[bool, str]:
    return explains_failure(memory.text, memory.level, memory.kind)
