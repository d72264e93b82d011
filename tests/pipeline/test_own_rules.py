"""Rules of one's own, all the way: the landing, the signatures, the index, the question."""

import json
import shutil
from dataclasses import replace

import dagster as dg
import pytest

from mem_assets.pipeline.assets.signatures import _code_version
from mem_assets.pipeline.resources import Store
from mem_assets.pipeline.run import run_day, run_index
from mem_assets.pipeline.stages import acceptance
from mem_assets.retrieval.lookup import lookup
from mem_assets.settings import Settings
from mem_assets.signature import load_rules, rules_version
from mem_assets.storage.days import Days
from mem_assets.storage.freshness import freshness
from mem_assets.storage.generation import open_current
from tests.doubles import DoubleEngine
from tests.pipeline.project import with_engine

DATE = "2026-11-24"
RULE = (
    'schema = 1\ntool = "frob"\n[[rule]]\nname = "jam"\npattern = "^frob: jam"\n'
    'example = "frob: jam"\ncounter_example = "frob: ok"\n'
)
FILES = {
    # By its folder, which only the rules make a tool's, and by detection.
    "logs/frob/a.log": "starting\nfrob: jam in gate\nbye\n",
    "logs/other/b.log": "starting\nfrob: jam in valve\nbye\n",
    "notes/gate.md": (
        "---\nlevel: L1\nkind: incident\nevidence: [logs/frob/a.log]\n---\n"
        "The frob stopped with a jam because the belt had slipped off its second roller. Fixed by "
        "replacing the spring, whose tension is set in frob.conf.\n"
    ),
}


@pytest.fixture(scope="module")
def signed(tmp_path_factory):
    """A day that was signed by rules of one's own, recorded, indexed and published."""
    root = tmp_path_factory.mktemp("signed")
    (root / "rules").mkdir()
    (root / "rules" / "frob.toml").write_text(RULE)
    for name, text in FILES.items():
        path = root / "landing" / DATE / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    settings = Settings(root / "home", root / "landing", "2026-11-01", root / "rules")
    defs = definitions(settings)
    with dg.DagsterInstance.ephemeral() as instance:
        assert run_day(defs, instance, DATE).success
        assert run_index(defs, instance).success
    return settings


@pytest.fixture
def settings(signed, tmp_path):
    """The same with a home and rules that a test may change."""
    shutil.copytree(signed.home, tmp_path / "home")
    shutil.copytree(signed.rules, tmp_path / "rules")
    return replace(signed, home=tmp_path / "home", rules=tmp_path / "rules")


def definitions(settings):
    rules = str(settings.rules or "")
    return with_engine(settings.home, settings.landing, DoubleEngine(), rules=rules)


def test_they_sign_the_logs_and_answer_the_question(signed):
    days, rules = Days(signed.home), signed.rule_book()
    assert {row["path"]: (row["tool"], row["rule"]) for row in days.read("signatures", DATE)} == {
        f"{DATE}/logs/frob/a.log": ("frob", "frob.jam"),
        f"{DATE}/logs/other/b.log": ("frob", "frob.jam"),
    }
    tools = {row["path"]: row["tool"] for row in days.read("raw_logs", DATE)}
    assert tools[f"{DATE}/logs/frob/a.log"] == "frob"
    assert days.read("signed_days", DATE) == [{"rules_version": rules_version(rules)}]
    generation = open_current(signed.home)
    assert generation.manifest["rules_version"] == rules_version(rules)
    answer = lookup(generation, "frob: jam in gate", embedder=no_engine, rules=rules)
    assert (answer.tier, answer.matches[0].matched) == ("exact", "signature")


def no_engine():
    raise AssertionError("an exact match needs no engine")


def test_a_question_read_by_other_rules_may_miss_and_the_status_says_so(settings):
    assert freshness(settings) == []
    index, days = freshness(replace(settings, rules=None))
    assert "may not be found by its signature" in index
    assert "set MEM_RULES here if it was set there" in index
    assert days.startswith(f"1 days were signed by other rules than those in use, {DATE} the first")
    (settings.rules / "frob.toml").write_text(RULE.replace("jam", "jams"))
    assert f"MEM_RULES is {settings.rules} here" in freshness(settings)[0]


def test_an_index_of_the_packaged_rules_is_told_from_rules_that_came_later(settings):
    path = open_current(settings.home).path / "manifest.json"
    manifest = json.loads(path.read_text()) | {"rules_version": rules_version()}
    path.write_text(json.dumps(manifest))
    assert f"built without the rules in MEM_RULES ({settings.rules})" in freshness(settings)[0]


def test_days_that_other_rules_signed_stay_a_reason_when_only_the_index_is_built_anew(settings):
    (settings.rules / "frob.toml").write_text(RULE.replace('"jam"', '"jammed"'))
    assert len(freshness(settings)) == 2
    with dg.DagsterInstance.ephemeral() as instance:
        assert run_index(definitions(settings), instance).success
    (reason,) = freshness(settings)
    assert reason.startswith("1 days were signed by other rules")


def test_wrong_rules_fail_the_asset_with_file_and_rule_and_what_to_do(settings):
    (settings.rules / "frob.toml").write_text(RULE.replace("^frob: jam", "("))
    with dg.DagsterInstance.ephemeral() as instance:
        result = run_day(definitions(settings), instance, DATE)
    assert not result.success
    failure = result.failure_data_for_node("raw_logs")
    told = failure.user_failure_data.description
    for text in ("frob.toml: rule 'jam': 'pattern' is no RE2 pattern", "unset MEM_RULES"):
        assert text in told
    assert (
        "frob.toml: rule 'jam'" in freshness(settings)[0]
        or "no generation" in (freshness(settings)[0])
    )


def test_wrong_rules_are_a_reason_for_staleness_too(settings):
    (settings.rules / "frob.toml").write_text("schema = 2\n")
    (reason,) = freshness(settings)
    assert reason.startswith("the rules in MEM_RULES cannot be used: ")


def test_the_project_still_loads_with_wrong_rules(settings, monkeypatch):
    monkeypatch.setenv("MEM_RULES", str(settings.rules))
    assert _code_version() == rules_version(load_rules(settings.rules))
    (settings.rules / "frob.toml").write_text("schema = 2\n")
    assert _code_version() == "unusable"


def test_settings_reach_the_store(settings):
    store = Store.from_settings(settings)
    assert (store.rules_path, store.pairs_path) == (settings.rules, None)
    assert store.rule_book is settings.rule_book()


def test_the_other_process_extracts_by_the_same_rules(settings):
    log = {"log_id": "a" * 64, "path": "p", "tool": None, "text": FILES["logs/frob/a.log"]}
    log |= dict.fromkeys(("exit_code", "job", "step"))
    rows, _ = acceptance.signature_rows(DATE, [log], settings.rule_book())
    assert acceptance.unstable_signatures(DATE, [log], rows, settings.rules) == []
    assert acceptance.unstable_signatures(DATE, [log], rows) != []
