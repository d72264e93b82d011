"""A controller is asked about a log without an error line, once, and about no other."""

import dagster as dg
import pytest

from mem_assets.engines.errors import ControllerFailed
from mem_assets.engines.generator import CachedGenerator, open_generator
from mem_assets.pipeline.run import run_day, run_index
from mem_assets.pipeline.stages.acceptance import unstable_signatures
from mem_assets.pipeline.stages.landing import raw_log_rows
from mem_assets.pipeline.stages.line_choice import LineChooser
from mem_assets.pipeline.stages.signatures import signature_rows
from mem_assets.retrieval.lookup import lookup
from mem_assets.signature.fallback import CHOSEN_RULE, TAIL_RULE, log_key
from mem_assets.storage.chosen_lines import ChosenLineStore, recorded_lines
from mem_assets.storage.generation import open_current
from mem_assets.storage.landing import read_logs
from mem_assets.templates import load_prompt
from tests.controller_doubles import ScriptedGenerator, engine_with
from tests.pipeline.project import with_engine
from tests.pipeline.test_fixture_landing import DATES, LANDING
from tests.smollm2 import controller_folder

DATE = "2026-11-24"
FAULT = "the lamp in hall two went dark"
LOG = f"tile 17 of 90\n{FAULT}\nbye for now\n"
NOTE = (
    "---\nlevel: L1\nkind: incident\nevidence: [logs/lamps/night.log]\n---\n"
    "The lamp controller logged a dead bulb because its address in lamps.yaml was wrong. Fixed by "
    "correcting the address of the bulb.\n"
)


def row(text=LOG, **given):
    names = ("job", "step", "exit_code", "url", "repo", "commit")
    return {
        "log_id": log_key(text),
        "path": f"{DATE}/logs/lamps/night.log",
        "tool": "lamps",
        "text": text,
        **dict.fromkeys(names),
        **given,
    }


def chooser(home, generator):
    return LineChooser(ChosenLineStore(home), generator, load_prompt("signature"))


def picks(_):
    return f"LINE: {FAULT}"


def rules(choose, logs):
    rows, rejects = signature_rows(DATE, logs, choose=choose)
    assert rejects == []
    return {row["rule"] for row in rows}


def test_only_logs_without_an_error_line_are_asked_about(tmp_path):
    """Of all fixtures: one question a log whose signature is the tail, none for any other."""
    logs = [log for date in DATES for log in raw_log_rows(read_logs(LANDING, date).logs)]
    plain, _ = signature_rows(DATE, logs)
    texts = {log["log_id"]: log["text"] for log in logs}
    without = {texts[row["log_id"]] for row in plain if row["rule"] == TAIL_RULE}
    with_error = [log for log in logs if log["text"] not in without]
    assert len(with_error) > 40
    generator = ScriptedGenerator(lambda _: "NONE")
    choose = chooser(tmp_path, generator)
    assert signature_rows(DATE, with_error, choose=choose)[0] == [
        row for row in plain if row["rule"] != TAIL_RULE
    ]
    assert generator.prompts == []
    assert signature_rows(DATE, logs, choose=choose)[0] == plain
    assert choose.asked == len(generator.prompts) == len(without)


def test_one_log_is_asked_about_once(tmp_path):
    generator = ScriptedGenerator(picks)
    for _ in range(2):
        assert rules(chooser(tmp_path, generator), [row()]) == {CHOSEN_RULE}
    assert len(generator.prompts) == 1
    assert FAULT in generator.prompts[0]


@pytest.mark.parametrize("first", [f"LINE: {FAULT}", "NONE", "", "I think the lamp.", "LINE: no"])
def test_the_first_answer_stands_whatever_comes_later(tmp_path, first):
    before, _ = signature_rows(
        DATE, [row()], choose=chooser(tmp_path, ScriptedGenerator(lambda _: first))
    )
    later = ScriptedGenerator(lambda _: "LINE: tile 17 of 90", "another@sha256:1")
    for generator in (later, None):
        assert signature_rows(DATE, [row()], choose=chooser(tmp_path, generator))[0] == before
    assert later.prompts == []
    record = ChosenLineStore(tmp_path).read(log_key(LOG))
    assert (record.answer, record.model_id) == (first, "scripted@sha256:0")
    assert record.prompt_sha == load_prompt("signature").prompt_sha
    assert '"temperature":0.0' in record.parameters


def test_a_failure_records_nothing(tmp_path):
    with pytest.raises(ControllerFailed):
        signature_rows(DATE, [row()], choose=chooser(tmp_path, ScriptedGenerator(lambda _: None)))
    assert rules(chooser(tmp_path, ScriptedGenerator(picks)), [row()]) == {CHOSEN_RULE}


def test_without_a_controller_nothing_changes(tmp_path):
    assert rules(chooser(tmp_path, None), [row()]) == {TAIL_RULE}
    assert list(tmp_path.iterdir()) == []


def test_another_process_extracts_alike_by_the_record(tmp_path):
    rows, _ = signature_rows(DATE, [row()], choose=chooser(tmp_path, ScriptedGenerator(picks)))
    assert (
        unstable_signatures(DATE, [row()], rows, recorded=recorded_lines(tmp_path, log_key)) == []
    )
    assert unstable_signatures(DATE, [row()], rows) != []


def test_the_log_and_its_line_find_the_lesson_and_ask_no_model(tmp_path):
    landing, home = tmp_path / "landing", tmp_path / "home"
    for name, text in (("logs/lamps/night.log", LOG), ("notes/lamp.md", NOTE)):
        path = landing / DATE / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    generator = ScriptedGenerator(lambda p: f"LINE: {FAULT}" if FAULT in p else "NONE")
    defs = with_engine(home, landing, engine_with(generator))
    with dg.DagsterInstance.ephemeral() as instance:
        assert run_day(defs, instance, DATE).success
        assert run_index(defs, instance).success
        assert run_day(defs, instance, DATE).success
    assert len(generator.prompts) == 1

    def no_embedder():
        raise AssertionError("a model was asked")

    generation = open_current(home)
    for query in (LOG, LOG.replace("\n", "\r\n"), FAULT):
        answer = lookup(generation, query, embedder=no_embedder)
        assert (answer.status, answer.tier) == ("found", "exact"), query
        assert "bulb" in answer.matches[0].text


@pytest.mark.engine
def test_the_path_holds_on_the_engine_too(tmp_path):
    """SmolLM2 may choose well or not: it is asked once, and the same way in every home."""
    rows = []
    for home in (tmp_path / "one", tmp_path / "two"):
        engine = open_generator(str(controller_folder()), None, None)
        assert isinstance(engine, CachedGenerator)
        for _ in range(2):
            found, _ = signature_rows(DATE, [row(exit_code=1)], choose=chooser(home, engine))
            rows.append(found)
        assert engine.misses == 1
    assert rows[0] == rows[1] == rows[2] == rows[3]
    record = ChosenLineStore(tmp_path / "one").read(log_key(LOG))
    assert set(record.lines) <= set(LOG.split("\n"))
    assert "@sha256:" in record.model_id
