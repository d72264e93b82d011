"""Asking the controller about notes that by their wording do not say why."""

from collections.abc import Sequence

from mem_assets.engines.generator import Generator, limits
from mem_assets.hashing import canonical_json
from mem_assets.memory.gate import doubtful
from mem_assets.memory.model import Candidate
from mem_assets.memory.opinion import NOT_ASKED, Opinion, read_opinion, speaks_of_judging
from mem_assets.templates import FENCING, OPENING, Prompt

MAX_TOKENS = 24
"""One line of two words, and room for the line break that ends it."""

STOP = (OPENING,)


def opinions_on(
    candidates: Sequence[Candidate], generator: Generator | None, prompt: Prompt
) -> dict[str, Opinion]:
    """What the controller says of each doubtful candidate, by candidate sha; {} without one.

    The heading is part of what is asked. Raises ControllerFailed; no verdict is made of that.
    """
    if generator is None:
        return {}
    doubts = doubtful(candidates)
    opinions = {one.candidate_sha: Opinion(NOT_ASKED) for one in doubts}
    notes = {one.candidate_sha: _note(one) for one in doubts}
    asked = [sha for sha, note in notes.items() if not speaks_of_judging(note)]
    if not asked:
        return opinions
    prompts = [prompt.render(note=notes[sha]) for sha in asked]
    answers = generator.generate(prompts, MAX_TOKENS, STOP)
    parameters = canonical_json({**limits(generator, MAX_TOKENS, STOP), "fencing": FENCING})
    made_by = (generator.model_id, prompt.prompt_sha, parameters, generator.engine_version)
    for sha, answer in zip(asked, answers, strict=True):
        opinions[sha] = Opinion(read_opinion(answer), *made_by)
    return opinions


def _note(candidate: Candidate) -> str:
    return f"{candidate.heading}\n\n{candidate.text}" if candidate.heading else candidate.text
