"""A change of rules, told before anything is written: which signatures split, merge or move."""

import pytest

from mem_assets.memory.signed_logs import signed_logs
from mem_assets.signature import load_rules
from mem_assets.signature.replay import KINDS, replay
from mem_assets.storage.evidence import EvidenceStore
from mem_assets.storage.memory_log import MemoryLog
from tests.recorded import DATE, record

LOGS = {
    "a.log": "frob: jam in gate 3\n",
    "b.log": "frob: jam in gate 4\n",
    "c.log": "frob: jam in gate 3\nvalve shut\n",
}
HEAD = 'schema = 1\ntool = "frob"\n'


def rule(name, pattern, more=""):
    return (
        f'[[rule]]\nname = "{name}"\npattern = "{pattern}"\n{more}'
        'example = """\nfrob: jam in gate 3\nvalve shut\n"""\ncounter_example = "frob: ok"\n'
    )


# The first rules name the gate; the others below change what is in the identity.
GATE = rule("jam", "^frob: jam")
FINER = rule("jam", "^frob: jam", 'after = "."\ndetail = ["valve"]\n')
COARSER = rule("jam", "^valve|^frob: jam", 'after = "."\n').replace("^frob: jam", "^frob: none")
RENAMED = rule("gate", "^frob: jam")


@pytest.fixture
def book(tmp_path):
    def written(*rules):
        folder = tmp_path / f"rules{len(list(tmp_path.iterdir()))}"
        folder.mkdir()
        (folder / "frob.toml").write_text(HEAD + "".join(rules))
        return load_rules(folder)

    return written


@pytest.fixture
def home(tmp_path):
    return tmp_path / "home"


def replayed(home, rules):
    logs = signed_logs(MemoryLog(home).read_all())
    return replay(logs, EvidenceStore(home).read_signed, rules=rules)


def told(found):
    return {
        kind: [[one.path.rsplit("/", 1)[-1] for one in group.logs] for group in found.of(kind)]
        for kind in KINDS
        if found.of(kind)
    }


def test_the_same_rules_change_nothing(home, book):
    rules = book(GATE)
    record(home, LOGS, "frob", rules=rules)
    found = replayed(home, rules)
    assert (found.run, found.not_run, found.differs) == (3, (), False)
    assert set(told(found)) == {"unchanged"}
    assert sorted(told(found)["unchanged"]) == [["a.log", "c.log"], ["b.log"]]


def test_a_finer_rule_splits(home, book):
    record(home, LOGS, "frob", rules=book(GATE))
    found = replayed(home, book(FINER))
    assert found.differs
    assert told(found) == {"split": [["a.log", "c.log"]], "unchanged": [["b.log"]]}
    group = found.of("split")[0]
    assert (len(group.before), len(group.after)) == (1, 2)
    assert group.before[0] in group.after
    assert group.logs[1].after.identity == "frob: jam in gate 3\nvalve shut"
    assert "identity" in group.logs[1].changed


def test_a_coarser_rule_merges(home, book):
    logs = {name: f"{text}valve shut\n" for name, text in LOGS.items() if name != "c.log"}
    record(home, logs, "frob", rules=book(GATE))
    found = replayed(home, book(COARSER))
    assert told(found) == {"merge": [["a.log", "b.log"]]}
    group = found.of("merge")[0]
    assert (len(group.before), len(group.after)) == (2, 1)
    assert {one.before.identity for one in group.logs} == {
        "frob: jam in gate 3", "frob: jam in gate 4"
    }  # fmt: skip


def test_a_rule_that_takes_another_line_moves(home, book):
    record(home, {"c.log": LOGS["c.log"]}, "frob", rules=book(GATE))
    found = replayed(home, book(COARSER))
    assert told(found) == {"move": [["c.log"]]}
    one = found.of("move")[0].logs[0]
    assert (one.before.rule, one.after.rule) == ("frob.jam", "frob.jam")
    assert (one.before.identity, one.after.identity) == ("frob: jam in gate 3", "valve shut")


def test_a_new_name_of_a_rule_is_told_apart_from_another_hash(home, book):
    record(home, LOGS, "frob", rules=book(GATE))
    found = replayed(home, book(RENAMED))
    assert found.differs
    assert set(told(found)) == {"restated"}
    assert {one.changed for group in found.groups for one in group.logs} == {("rule",)}


def test_a_rule_that_no_longer_fires_moves_to_the_generic_ones_with_an_inner_signature(home, book):
    record(home, {"a.log": "frob: jam in gate 3\n"}, "frob", rules=book(GATE))
    found = replayed(home, None)  # frob is no tool of the package
    assert told(found) == {"new": [["a.log"]], "restated": [["a.log"]]}
    assert found.of("new")[0].logs[0].role == "inner"
    assert replayed(home, book(GATE)).differs is False


def test_lost_and_new(home, book):
    rules = book(GATE)
    record(home, {"a.log": LOGS["a.log"]}, "frob", rules=rules)
    record(home, {"e.log": " \n"}, "frob", rules=rules)  # never had one
    logs = signed_logs(MemoryLog(home).read_all())
    lost = replay(logs, lambda sha: "\n", rules=rules)
    assert told(lost) == {"lost": [["a.log"]]}
    assert lost.of("lost")[0].logs[0].reason == "no_signature"
    new = replay(logs, lambda sha: LOGS["a.log"], rules=rules)
    assert told(new) == {"new": [["e.log"]], "unchanged": [["a.log"]]}


def test_a_signature_that_the_pipeline_would_reject_is_lost(home, book):
    rules = book(GATE)
    record(home, {"a.log": LOGS["a.log"]}, "frob", rules=rules)
    logs = signed_logs(MemoryLog(home).read_all())
    found = replay(logs, lambda sha: "frob: jam at line 5abc\n", rules=rules)
    assert told(found) == {"lost": [["a.log"]]}
    assert found.of("lost")[0].logs[0].reason == "volatile_left"


def test_the_exit_code_on_record_is_used(home, book):
    rules = book(GATE)
    record(home, {"t.log": "all done\n"}, "frob", exit_code=3, rules=rules)
    assert not replayed(home, rules).differs


def test_text_that_is_gone_or_another_is_named_and_never_compared(home, book):
    rules = book(GATE)
    record(home, LOGS, "frob", rules=rules)
    store = EvidenceStore(home)
    first, second, _ = signed_logs(MemoryLog(home).read_all())
    store.path(first.text_sha).unlink()
    store.path(second.text_sha).unlink()
    store.write(second.text_sha, "frob: something else\n")
    found = replayed(home, rules)
    assert (found.run, found.differs) == (1, False)
    assert [(log.path, log.reason) for log in found.not_run] == [
        (f"{DATE}/logs/a.log", "its text is not stored any more"),
        (f"{DATE}/logs/b.log", "its stored text is not the one that was signed"),
    ]


def test_groups_come_in_one_order_whatever_the_order_of_logs(home, book):
    record(home, LOGS, "frob", rules=book(GATE))
    logs = signed_logs(MemoryLog(home).read_all())
    read, rules = EvidenceStore(home).read_signed, book(FINER)
    assert replay(logs, read, rules=rules) == replay(reversed(logs), read, rules=rules)
