"""Rule files: the schema, the examples, and that no rule hides another's."""

import pytest

from mem_assets.signature import RuleError, extract, load_rules
from mem_assets.signature.block import check_examples
from mem_assets.signature.rules import packaged_files, packaged_rules, parse

HEAD = 'schema = 1\ntool = "frob"\n'
RULE = '[[rule]]\nname = "jam"\npattern = "^jam"\nexample = "jam"\ncounter_example = "ok"\n'
ALL = [rule for rule_set in packaged_rules().sets.values() for rule in rule_set.rules]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("schema = 2\n", "'schema' must be 1"),
        ("x", "not TOML"),
        (HEAD + 'colour = "red"\n', "unknown key 'colour'"),
        (HEAD + 'wraps = "npm"\n', "'wraps' must be a list"),
        ("schema = 1\n", "'tool' is missing"),
        (HEAD + RULE.replace('"^jam"', '"("'), "rule 'jam': 'pattern' is no RE2 pattern"),
        (HEAD + RULE.replace('"^jam"', '"(?=a)"'), "no RE2 pattern"),
        (HEAD + RULE.replace('"^jam"', '"x*"'), "matches an empty line"),
        (HEAD + RULE.replace('"jam"\ncounter', '"tea"\ncounter'), "does not match its example"),
        (HEAD + RULE.replace('"ok"', '"jam"'), "matches its counter_example"),
        (HEAD + RULE + "rank = 7\n", "'rank' must be"),
        (HEAD + RULE + "headline = true\n", "a headline needs"),
        (HEAD + RULE + RULE, "the name stands twice"),
        (HEAD + RULE.replace('counter_example = "ok"\n', ""), "needs an 'example'"),
    ],
)
def test_a_wrong_file_is_refused_with_its_name(tmp_path, text, says):
    (tmp_path / "frob.toml").write_text(text)
    with pytest.raises(RuleError, match=r"frob\.toml") as error:
        load_rules(tmp_path)
    assert says in str(error.value)


def test_a_missing_folder_says_what_to_do(tmp_path):
    with pytest.raises(FileNotFoundError, match="create it"):
        load_rules(tmp_path / "nowhere")


def test_own_rules_come_before_those_of_the_package(tmp_path):
    (tmp_path / "npm.toml").write_text(HEAD.replace("frob", "npm") + RULE)
    assert (
        extract("npm", "jam\nnpm ERR! ERESOLVE x\n", rules=load_rules(tmp_path)).rule == "npm.jam"
    )


@pytest.mark.parametrize("rule", ALL, ids=lambda rule: rule.full_name)
def test_each_example_fires_its_own_tool(rule):
    assert extract(rule.tool, rule.example).rule.startswith(rule.tool + ".")


@pytest.mark.parametrize("rule", ALL, ids=lambda rule: rule.full_name)
def test_each_example_is_the_same_again(rule):
    for tool in (rule.tool, None):
        found = extract(tool, rule.example)
        for part in (found.raw, found.identity):
            assert extract(tool, part).sig_sha == found.sig_sha


def test_packaged_files_pass_the_checks_that_each_start_leaves_out():
    names = [name for name, _ in packaged_files()]
    assert len(names) >= 14
    for name, text in packaged_files():
        check_examples(name, parse(name, text))
