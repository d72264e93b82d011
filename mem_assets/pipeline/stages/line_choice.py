"""Asking the controller for the error line of a log in which no rule finds one."""

from mem_assets.engines.generator import Generator, limits
from mem_assets.hashing import canonical_json
from mem_assets.signature.fallback import excerpt, log_key, read_choice
from mem_assets.storage.chosen_lines import ChosenLines, ChosenLineStore
from mem_assets.templates import FENCING, OPENING, Prompt

MAX_TOKENS = 400
"""Three lines of 300 characters."""

STOP = (OPENING,)
"""A model that begins to repeat the fence has nothing more to say."""


class LineChooser:
    """What a log's recorded lines are; asked once where there is no record.

    Without a generator only records count. asked counts the logs that the controller was asked
    about. Raises ControllerFailed, with nothing recorded for that log.
    """

    def __init__(
        self, store: ChosenLineStore, generator: Generator | None, prompt: Prompt | None
    ) -> None:
        self._store = store
        self._generator = generator
        self._prompt = prompt
        self.asked = 0

    def __call__(self, output: str) -> tuple[str, ...]:
        key = log_key(output)
        record = self._store.read(key)
        if record is None and self._generator is not None and self._prompt is not None:
            record = self._store.record(key, self._ask(output, self._generator, self._prompt))
        return () if record is None else record.lines

    def _ask(self, output: str, generator: Generator, prompt: Prompt) -> ChosenLines:
        self.asked += 1
        answer = generator.generate([prompt.render(log=excerpt(output))], MAX_TOKENS, STOP)[0]
        parameters = {**limits(generator, MAX_TOKENS, STOP), "fencing": FENCING}
        return ChosenLines(
            lines=read_choice(answer, output),
            answer=answer,
            model_id=generator.model_id,
            prompt_sha=prompt.prompt_sha,
            parameters=canonical_json(parameters),
            engine_version=generator.engine_version,
        )
