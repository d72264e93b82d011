"""The controller on a vLLM server, asked over its OpenAI-compatible HTTP API."""

import http.client
import json
import os
import time
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import Any
from urllib.parse import urlsplit

from mem_assets.engines.errors import ControllerFailed
from mem_assets.engines.generator import (
    CONTEXT,
    PARAMETERS,
    SAMPLING,
    TEMPLATE_OPTIONS,
    finished_lines,
)

TIMEOUT = 120.0
"""Seconds without a byte before a request counts as failed."""

WAITS = (1.0, 4.0)
"""Seconds before the second and the third try; a request that is wrong is not tried again."""

PARALLEL = 8
"""Requests at a time; the server batches them."""

MAX_ANSWER = 4 << 20
_SHOWN = 300
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None  # a redirect would carry notes, and the key, to another host


class ServerGenerator:
    """A server under an address like http://127.0.0.1:8000/v1.

    model_id        the name under which the server offers the model: "served:<name>"
    engine_version  the system_fingerprint of its answers, which vLLM makes of its version and the
                    model's configuration; asked for once, by an answer of one token

    An answer with another fingerprint than the first is refused, so that what is recorded was
    made by what the record names. MEM_CONTROLLER_KEY is sent as the bearer token where it is set.
    """

    parameters: Mapping[str, Any] = PARAMETERS

    def __init__(
        self,
        address: str,
        model: str | None = None,
        *,
        timeout: float = TIMEOUT,
        waits: Sequence[float] = WAITS,
    ) -> None:
        self._address = address.rstrip("/")
        self._wanted = model
        self._timeout = timeout
        self._waits = tuple(waits)
        handlers: list[Any] = [_NoRedirect]
        if _host(address) in _LOOPBACK:
            handlers.append(urllib.request.ProxyHandler({}))
        self._opener = urllib.request.build_opener(*handlers)

    @cached_property
    def model(self) -> str:
        """The name to ask for: the one that is set, else the only one that is served."""
        try:
            offered = {
                str(model["id"]): model.get("max_model_len")
                for model in self._call("/models")["data"]
            }
        except (KeyError, TypeError, AttributeError) as error:
            raise self._failed("its list of models has another form than OpenAI's API") from error
        name = self._wanted or next(iter(offered), "")
        if name not in offered or (self._wanted is None and len(offered) > 1):
            raise self._failed(
                f"it serves {', '.join(sorted(offered)) or 'no model'}: set MEM_CONTROLLER_MODEL "
                "to one of them"
            )
        length = offered[name]
        if isinstance(length, int) and length < CONTEXT:
            raise self._failed(
                f"{name} reads {length} tokens, and a controller must read {CONTEXT}: start the "
                f"server with --max-model-len {CONTEXT}"
            )
        return name

    @property
    def model_id(self) -> str:
        return f"served:{self.model}"

    @cached_property
    def engine_version(self) -> str:
        return self._fingerprint(self._complete("Say yes.", 1, ()))

    def generate(
        self, prompts: Sequence[str], max_tokens: int, stop: Sequence[str] = ()
    ) -> list[str]:
        """As Generator.generate."""
        if not prompts:
            return []
        _ = self.engine_version  # also the model's name, before any thread needs it
        with ThreadPoolExecutor(PARALLEL) as pool:
            asked = [pool.submit(self._answer, prompt, max_tokens, stop) for prompt in prompts]
            try:
                return [one.result() for one in asked]
            except ControllerFailed:
                pool.shutdown(cancel_futures=True)
                raise

    def _answer(self, prompt: str, max_tokens: int, stop: Sequence[str]) -> str:
        answer = self._complete(prompt, max_tokens, stop)
        found = self._fingerprint(answer)
        if found != self.engine_version:
            raise self._failed(
                f"it was {self.engine_version} and now is {found}: run again, so that one run is "
                "answered by one engine"
            )
        try:
            choice = answer["choices"][0]
            text, reason = choice["message"]["content"], choice["finish_reason"]
        except (KeyError, IndexError, TypeError) as error:
            raise self._failed("its answer has another form than OpenAI's API") from error
        if not isinstance(text, str):
            raise self._failed("its answer holds no text")
        return finished_lines(text, reason)

    def _complete(self, prompt: str, max_tokens: int, stop: Sequence[str]) -> Any:
        return self._call(
            "/chat/completions",
            {
                "model": self.model,
                "messages": [{"role": "user", "content": prompt}],
                "max_tokens": max_tokens,
                "stop": list(stop),
                "n": 1,
                "stream": False,
                "chat_template_kwargs": dict(TEMPLATE_OPTIONS),
                **SAMPLING,
            },
        )

    def _fingerprint(self, answer: Any) -> str:
        found = answer.get("system_fingerprint") if isinstance(answer, dict) else None
        return f"server {found}" if isinstance(found, str) and found else "server without a version"

    def _call(self, path: str, body: Any = None) -> Any:
        """The JSON at a path; tried again where the server may be busy or starting."""
        fault = ""
        for wait in (0.0, *self._waits):
            time.sleep(wait)
            try:
                with self._opener.open(self._request(path, body), timeout=self._timeout) as answer:
                    data = answer.read(MAX_ANSWER + 1)
            except urllib.error.HTTPError as error:
                fault = f"HTTP {error.code}: {error.read(_SHOWN).decode('utf-8', 'replace')}"
                if error.code < 500 and error.code not in (408, 429):
                    break
                continue
            except (OSError, http.client.HTTPException, ValueError) as error:
                fault = f"{type(error).__name__}: {error}"
                continue
            try:
                return json.loads(data)
            except ValueError:
                fault = f"no JSON but {data[:_SHOWN].decode('utf-8', 'replace')!r}"
                break
        raise self._failed(f"{path} gave {fault}")

    def _request(self, path: str, body: Any) -> urllib.request.Request:
        headers = {"Content-Type": "application/json"}
        if key := os.environ.get("MEM_CONTROLLER_KEY"):
            headers["Authorization"] = f"Bearer {key}"
        data = None if body is None else json.dumps(body).encode()
        return urllib.request.Request(self._address + path, data, headers)

    def _failed(self, what: str) -> ControllerFailed:
        return ControllerFailed(
            f"the controller at {self._address}: {what}. Nothing was recorded: see that "
            f"`curl {self._address}/models` answers, then run again; without MEM_CONTROLLER "
            "no controller is asked"
        )


def _host(address: str) -> str:
    """Raises ControllerFailed where the address is none."""
    try:
        return urlsplit(address).hostname or ""
    except ValueError as error:
        raise ControllerFailed(
            f"MEM_CONTROLLER={address} is no address ({error}): give one like "
            "http://127.0.0.1:8000/v1"
        ) from error
