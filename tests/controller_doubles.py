"""A controller that answers from a function and counts what it is asked; no model."""

from collections.abc import Callable, Sequence

from mem_assets.engines.errors import ControllerFailed
from mem_assets.engines.generator import PARAMETERS, CachedGenerator
from tests.doubles import DoubleEngine


class ScriptedGenerator:
    """Answers each prompt by a function; prompts holds everything it was asked, in order.

    A function that gives None stands for an engine that fails.
    """

    def __init__(
        self, answer: Callable[[str], str | None], model_id: str = "scripted@sha256:0"
    ) -> None:
        self._answer = answer
        self.model_id = model_id
        self.engine_version = "double 1"
        self.parameters = PARAMETERS
        self.prompts: list[str] = []

    def generate(
        self, prompts: Sequence[str], max_tokens: int, stop: Sequence[str] = ()
    ) -> list[str]:
        self.prompts += prompts
        answers = [self._answer(prompt) for prompt in prompts]
        if None in answers:
            raise ControllerFailed("the double was told to fail")
        return [answer for answer in answers if answer is not None]


def engine_with(generator: ScriptedGenerator | None, **fields: str) -> DoubleEngine:
    """The pipeline's engine resource with a double as its controller too."""

    class ScriptedEngine(DoubleEngine):
        def controller(self, *, cached: bool = True) -> CachedGenerator | None:
            return None if generator is None else CachedGenerator(generator, None)

    return ScriptedEngine(**fields)
