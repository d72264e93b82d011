"""Prompts in, texts out: the controller, behind a cache by content.

The controller is the language model that is asked at write time, and only where one is
configured. Nothing here is asked while somebody looks something up.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from mem_assets.engines.errors import ControllerFailed
from mem_assets.hashing import sha256_json
from mem_assets.storage.text_cache import TextCache

CONTEXT = 8192
"""Tokens of prompt and answer together that a controller must be able to read."""

BATCH = 32
"""Prompts that reach the engine together: what a failure can cost at most."""

SAMPLING: Mapping[str, Any] = {
    "temperature": 0.0,
    "seed": 0,
    "top_p": 1.0,
    "repetition_penalty": 1.0,
}
"""Said in full, since a model's own generation_config would be taken for what is left out."""

TEMPLATE_OPTIONS: Mapping[str, Any] = {"enable_thinking": False}
"""For the chat template: models that can think aloud first are told not to."""

PARAMETERS: Mapping[str, Any] = {
    **SAMPLING,
    "context": CONTEXT,
    "chat_template": dict(TEMPLATE_OPTIONS),
    "unfinished_line": "dropped",
}


class Generator(Protocol):
    """A model that answers prompts; the same prompt gets the same answer, in any batch.

    model_id        the model, with its weights' hash where they lie on this machine
    engine_version  what runs it
    parameters      everything else that an answer depends on, but for the prompt and its limits
    """

    @property
    def model_id(self) -> str: ...

    @property
    def engine_version(self) -> str: ...

    @property
    def parameters(self) -> Mapping[str, Any]: ...

    def generate(
        self, prompts: Sequence[str], max_tokens: int, stop: Sequence[str] = ()
    ) -> list[str]:
        """One answer a prompt, in order. A prompt is one user message of a chat.

        An answer ends at max_tokens or before the first text of `stop`; a line that max_tokens
        cut off is no part of it. Raises ControllerFailed where any prompt has no answer: a
        failure is never an empty answer.
        """
        ...


def finished_lines(text: str, finish_reason: str | None) -> str:
    """An answer without the line that the limit cut off, and without blanks around it.

    Raises ControllerFailed where the model neither ended nor reached its limit.
    """
    if finish_reason == "length":
        text = text[: text.rfind("\n") + 1]
    elif finish_reason != "stop":
        raise ControllerFailed(f"the controller broke off its answer ({finish_reason}): run again")
    return text.strip()


def limits(generator: Generator, max_tokens: int, stop: Sequence[str]) -> dict[str, Any]:
    """All parameters of a call, as a record or a cache key names them."""
    return {**generator.parameters, "max_tokens": max_tokens, "stop": list(stop)}


class CachedGenerator:
    """A generator that is asked only for prompts whose answers are not stored yet.

    misses counts the prompts that reached the engine.
    """

    def __init__(self, generator: Generator, store: TextCache | None) -> None:
        self._generator = generator
        self._store = store
        self.misses = 0

    @property
    def model_id(self) -> str:
        return self._generator.model_id

    @property
    def engine_version(self) -> str:
        return self._generator.engine_version

    @property
    def parameters(self) -> Mapping[str, Any]:
        return self._generator.parameters

    def key(self, prompt: str, max_tokens: int, stop: Sequence[str] = ()) -> str:
        """The name of an answer: everything that it depends on, hashed."""
        return sha256_json(
            {
                "prompt": prompt,
                "model": self.model_id,
                "parameters": limits(self, max_tokens, stop),
                "engine": self.engine_version,
            }
        )

    def generate(
        self, prompts: Sequence[str], max_tokens: int, stop: Sequence[str] = ()
    ) -> list[str]:
        """As Generator.generate. Every answer is stored before the next failure can lose it."""
        answers: dict[str, str] = {}
        for prompt in sorted(set(prompts)):
            key = self.key(prompt, max_tokens, stop)
            found = None if self._store is None else self._store.read(key)
            if found is not None:
                answers[prompt] = found
        missing = sorted(set(prompts) - answers.keys())
        for start in range(0, len(missing), BATCH):
            batch = missing[start : start + BATCH]
            self.misses += len(batch)
            made = self._generator.generate(batch, max_tokens, stop)
            for prompt, answer in zip(batch, made, strict=True):
                if self._store is not None:
                    self._store.write(self.key(prompt, max_tokens, stop), answer)
                answers[prompt] = answer
        return [answers[prompt] for prompt in prompts]


def open_generator(
    controller: str, served_model: str | None, cache_folder: Path | None
) -> CachedGenerator:
    """The controller that a setting names, with its answers cached in a folder (None: no cache).

    controller  an http(s) address of an OpenAI-compatible server, else a model's folder or its
                name on the model hub
    Nothing is loaded and no server is asked before the first prompt.
    """
    store = None if cache_folder is None else TextCache(cache_folder)
    if controller.startswith(("http://", "https://")):
        from mem_assets.engines.server import ServerGenerator

        return CachedGenerator(ServerGenerator(controller, served_model), store)
    from mem_assets.engines.vllm_generator import VllmGenerator

    return CachedGenerator(VllmGenerator(controller), store)
