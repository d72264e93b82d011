"""A server that is down, busy, changed or wrong loses nothing and says what to do."""

import os
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import suppress

import pytest

from mem_assets.engines.errors import ControllerFailed
from mem_assets.engines.generator import open_generator
from mem_assets.engines.server import ServerGenerator
from tests.engines.server_double import completion, models, serve
from tests.smollm2 import controller_folder


def echo(path, body):
    if path == "/models":
        return 200, models("small")
    return 200, completion(body["messages"][0]["content"].upper())


def generator(address, model=None, **given):
    return ServerGenerator(address, model, **{"waits": (0.0, 0.0), "timeout": 5.0, **given})


def test_prompts_are_answered_in_order():
    with serve(echo) as (address, asked):
        server = generator(address)
        prompts = [f"p{number}" for number in range(20)]
        assert server.generate(prompts, 10, ("END",)) == [prompt.upper() for prompt in prompts]
        assert server.model_id == "served:small"
        assert server.engine_version == "server vllm-0.32.0-5034f91b"
    body = asked[-1][1]
    assert (body["temperature"], body["seed"], body["max_tokens"]) == (0.0, 0, 10)
    assert body["stop"] == ["END"]
    assert body["messages"][0]["role"] == "user"


def test_nothing_is_asked_before_there_is_a_prompt():
    with serve(echo) as (address, asked):
        assert generator(address).generate([], 10) == []
        open_generator(address, None, None)
        assert asked == []


def test_a_cached_answer_asks_for_no_completion_of_it(tmp_path):
    with serve(echo) as (address, asked):
        open_generator(address, None, tmp_path).generate(["a", "b"], 10)
        before = len(asked)
        again = open_generator(address, None, tmp_path)
        assert again.generate(["b", "a"], 10) == ["B", "A"]
        assert again.misses == 0
        # Who serves what is asked again, since another engine's answers would be other answers.
        assert [path for path, _ in asked[before:]] == ["/models", "/chat/completions"]
        assert asked[-1][1]["max_tokens"] == 1


def test_a_busy_server_is_asked_again():
    replies = iter([(503, {"error": "starting"}), (429, {"error": "busy"})])

    def busy(path, body):
        return next(replies, None) or echo(path, body)

    with serve(busy) as (address, _):
        assert generator(address).generate(["a"], 10) == ["A"]


def _failing(reply):
    return lambda path, body: echo(path, body) if path == "/models" else reply


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda path, body: (500, {"error": "no memory"}), "HTTP 500.*no memory"),
        (lambda path, body: (200, b"<html>welcome</html>"), "no JSON but.*welcome"),
        (lambda path, body: (200, {"data": "x"}), "list of models"),
        (lambda path, body: (200, []), "list of models"),
        (lambda path, body: (200, models()), "serves no model"),
        (lambda path, body: (200, models("one", "two")), "one, two: set MEM_CONTROLLER_MODEL"),
        (lambda path, body: (200, models("small", length=2048)), "--max-model-len 8192"),
        (lambda path, body: (302, {"to": "http://127.0.0.1:1/"}), "HTTP 302"),
        (_failing((400, {"error": "too long"})), "HTTP 400.*too long"),
        (_failing((401, {"error": "no key"})), "HTTP 401"),
        (_failing((200, {"choices": []})), "another form"),
        (_failing((200, {"choices": [{"message": None}]})), "another form"),
        (_failing((200, [1])), "another form"),
        (_failing((200, completion(None))), "holds no text"),
        (_failing((200, completion("a", reason="abort"))), "broke off"),
    ],
)
def test_a_wrong_answer_is_a_clear_failure(answer, says):
    with serve(answer) as (address, _), pytest.raises(ControllerFailed, match=f"(?s){says}"):
        generator(address).generate(["a"], 10)


def test_what_is_wrong_is_asked_once_only():
    with serve(_failing((400, {}))) as (address, asked):
        with pytest.raises(ControllerFailed):
            generator(address).generate(["a"], 10)
        assert [path for path, _ in asked] == ["/models", "/chat/completions"]


@pytest.mark.parametrize("address", ["http://127.0.0.1:1/v1", "http://[::bad/v1", "http://"])
def test_a_server_that_is_down_says_what_to_do(address):
    with pytest.raises(ControllerFailed, match="MEM_CONTROLLER"):
        generator(address).generate(["a"], 10)


def test_a_server_that_never_answers_is_given_up():
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"
        with pytest.raises(ControllerFailed, match="timed out"):
            generator(address, timeout=0.1, waits=()).generate(["a"], 10)


def test_an_engine_that_changes_meanwhile_is_refused():
    versions = iter(["vllm-0.32.0-5034f91b", "vllm-0.33.0-1111aaaa"])

    def changing(path, body):
        if path == "/models":
            return echo(path, body)
        return 200, completion("a", next(versions))

    with serve(changing) as (address, _), pytest.raises(ControllerFailed, match=r"now is .*0\.33"):
        generator(address).generate(["a"], 10)


def test_a_down_server_loses_no_answer_made_before(tmp_path):
    def short_of_breath(path, body):
        if body and body["messages"][0]["content"] == "z":
            return 500, {"error": "out of memory"}
        return echo(path, body)

    with serve(short_of_breath) as (address, _):
        first = open_generator(address, None, tmp_path)
        first._generator._waits = ()
        prompts = [f"{number:03}" for number in range(32)]
        with pytest.raises(ControllerFailed):
            first.generate([*prompts, "z"], 10)
    with serve(echo) as (address, _):
        again = open_generator(address, None, tmp_path)
        assert again.generate([*prompts, "z"], 10)[-1] == "Z"
        assert again.misses == 1


def test_the_key_is_sent_and_shown_nowhere(monkeypatch):
    monkeypatch.setenv("MEM_CONTROLLER_KEY", "s3cret-word")
    with pytest.raises(ControllerFailed) as failed:
        generator("http://127.0.0.1:1/v1", waits=()).generate(["a"], 10)
    assert "s3cret-word" not in str(failed.value)
    request = generator("http://127.0.0.1:1/v1")._request("/models", None)
    assert request.get_header("Authorization") == "Bearer s3cret-word"


@pytest.mark.engine
@pytest.mark.slow
def test_a_vllm_server_answers_as_vllm_in_process(tmp_path):
    """Up in about 40 s on two cores; given up after 150."""
    folder = controller_folder()
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "vllm.entrypoints.openai.api_server"]
    command += ["--host", "127.0.0.1", "--port", str(port), "--model", str(folder)]
    command += ["--served-model-name", "small", "--dtype", "float32", "--enforce-eager"]
    command += ["--max-model-len", "8192"]
    quiet = {"HF_HUB_OFFLINE": "1", "VLLM_CPU_KVCACHE_SPACE": "1", "VLLM_NO_USAGE_STATS": "1"}
    with (tmp_path / "server.log").open("wb") as log:
        server = subprocess.Popen(command, env=os.environ | quiet, stdout=log, stderr=log)
    try:
        address = f"http://127.0.0.1:{port}/v1"
        _wait_for(f"{address}/models", server, seconds=150)
        prompts = ["What is the capital of France?", "Say nothing but NONE."]
        served = open_generator(address, None, tmp_path / "cache")
        answers = served.generate(prompts, 30)
        assert served.model_id == "served:small"
        assert served.engine_version.startswith("server vllm-")
    finally:
        server.terminate()
        server.wait(30)
    assert answers == open_generator(str(folder), None, None).generate(prompts, 30)


def _wait_for(address: str, server: subprocess.Popen, seconds: int) -> None:
    for _ in range(seconds):
        assert server.poll() is None, "the server ended; see server.log"
        with suppress(OSError), urllib.request.urlopen(address, timeout=2):
            return
        time.sleep(1)
    raise AssertionError(f"no server after {seconds} s")
