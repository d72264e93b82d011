"""A prompt reaches the engine once; on vLLM itself, batches change no answer."""

import pytest

from mem_assets.engines.errors import ControllerFailed, EngineMissing
from mem_assets.engines.generator import BATCH, CachedGenerator, finished_lines, open_generator
from mem_assets.engines.model_files import find_model, weights_sha
from mem_assets.storage.text_cache import TextCache
from tests.controller_doubles import ScriptedGenerator
from tests.smollm2 import controller_folder

PROMPTS = [
    "What is the capital of France?",
    "Write three error lines that npm prints, each on a line of its own.",
    "What is the capital of France?",
    "Say nothing but NONE.",
]


def test_a_prompt_reaches_the_engine_once(tmp_path):
    engine = ScriptedGenerator(str.upper)
    first = CachedGenerator(engine, TextCache(tmp_path))
    assert first.generate(["b", "a", "b"], 10) == ["B", "A", "B"]
    assert (first.misses, engine.prompts) == (2, ["a", "b"])
    second = CachedGenerator(engine, TextCache(tmp_path))
    assert second.generate(["a", "b"], 10) == ["A", "B"]
    assert (second.misses, len(engine.prompts)) == (0, 2)
    assert second.generate([], 10) == []


def test_an_empty_answer_is_an_answer(tmp_path):
    engine = ScriptedGenerator(lambda _: "")
    for _ in range(2):
        assert CachedGenerator(engine, TextCache(tmp_path)).generate(["a"], 10) == [""]
    assert engine.prompts == ["a"]


@pytest.mark.parametrize(
    ("attribute", "value"),
    [
        ("model_id", "other@sha256:1"),
        ("engine_version", "double 2"),
        ("parameters", {"temperature": 0.5}),
    ],
)
def test_whatever_an_answer_depends_on_is_in_its_name(tmp_path, attribute, value):
    engine = ScriptedGenerator(str.upper)
    CachedGenerator(engine, TextCache(tmp_path)).generate(["a"], 10)
    setattr(engine, attribute, value)
    again = CachedGenerator(engine, TextCache(tmp_path))
    again.generate(["a"], 10)
    assert again.misses == 1


def test_limits_are_in_the_name_too(tmp_path):
    cached = CachedGenerator(ScriptedGenerator(str.upper), TextCache(tmp_path))
    keys = {cached.key("a", 10), cached.key("a", 11), cached.key("a", 10, ("x",))}
    assert len(keys) == 3


def test_a_failure_loses_no_answer_made_before_it(tmp_path):
    prompts = [f"{number:03}" for number in range(BATCH + 1)]
    failing = ScriptedGenerator(lambda p: None if p == prompts[-1] else p)
    with pytest.raises(ControllerFailed):
        CachedGenerator(failing, TextCache(tmp_path)).generate(prompts, 10)
    again = CachedGenerator(ScriptedGenerator(str), TextCache(tmp_path))
    assert again.generate(prompts, 10) == prompts
    assert again.misses == 1


@pytest.mark.parametrize(
    ("text", "reason", "expected"),
    [
        ("- a\n- b\n", "stop", "- a\n- b"),
        ("- a\n- b", "length", "- a"),
        ("- a\n", "length", "- a"),
        ("- half of", "length", ""),
        ("", "stop", ""),
    ],
)
def test_a_line_that_the_limit_cut_is_dropped(text, reason, expected):
    assert finished_lines(text, reason) == expected


@pytest.mark.parametrize("reason", ["abort", "error", "content_filter", None])
def test_an_answer_that_broke_off_is_none(reason):
    with pytest.raises(ControllerFailed, match="run again"):
        finished_lines("- a", reason)


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("no-such-folder", "no folder here"),
        ("/no/such/folder", "no folder here"),
        ("nobody-here/no-such-model", "hf download nobody-here/no-such-model"),
        ("{empty}", "config.json"),
    ],
)
def test_a_missing_model_says_what_to_do(tmp_path, monkeypatch, name, advice):
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(EngineMissing, match=advice):
        find_model(name.format(empty=tmp_path))


def test_changed_weights_are_another_model(tmp_path):
    for name, weights in (("one", b"1"), ("same", b"1"), ("other", b"2")):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "config.json").write_text("{}")
        (folder / "model.safetensors").write_bytes(weights)
    one, same, other = (weights_sha(tmp_path / name) for name in ("one", "same", "other"))
    assert one == same != other


def test_a_model_that_reads_too_little_is_refused(tmp_path):
    (tmp_path / "config.json").write_text('{"max_position_embeddings": 2048}')
    (tmp_path / "model.safetensors").write_bytes(b"")
    with pytest.raises(EngineMissing, match="reads 2048 tokens"):
        open_generator(str(tmp_path), None, None).generate(["a"], 10)


@pytest.fixture(scope="module")
def folder():
    return controller_folder()


@pytest.mark.engine
def test_vllm_answers_alike_in_a_batch_and_alone(folder):
    engine = open_generator(str(folder), None, None)
    together = engine.generate(PROMPTS, 40)
    alone = [engine.generate([prompt], 40)[0] for prompt in PROMPTS]
    backwards = engine.generate(PROMPTS[::-1], 40)[::-1]
    assert together == alone == backwards
    assert "Paris" in together[0]
    assert together[0] == together[2] != together[1]


@pytest.mark.engine
def test_an_answer_of_vllm_is_cached_and_signed(folder, tmp_path):
    first = open_generator(str(folder), None, tmp_path)
    answers = first.generate(PROMPTS[:2], 20)
    assert first.misses == 2
    assert first.model_id.startswith("SmolLM2-135M-Instruct-b179c952@sha256:")
    assert first.engine_version.startswith("vllm")
    second = open_generator(str(folder), None, tmp_path)
    assert second.generate(PROMPTS[:2], 20) == answers
    assert second.misses == 0


@pytest.mark.engine
def test_a_prompt_that_is_too_long_is_a_clear_failure(folder):
    with pytest.raises(ControllerFailed, match="8192 tokens"):
        open_generator(str(folder), None, None).generate(["word " * 9000], 10)
