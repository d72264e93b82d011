"""Rule files: the schema, the examples, and that no rule hides another's."""

from pathlib import Path

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
        (HEAD + RULE.replace("[[rule]]", "[rule]"), "write [[rule]] above each"),
        (HEAD.replace("frob", "Frob"), "tool name 'Frob': write it in lower case"),
        (HEAD.replace("frob", "fr ob"), "tool name 'fr ob': write it in lower case"),
        (HEAD.replace("frob", "yarn"), "'yarn' is another name of npm: write tool = 'npm'"),
        (HEAD + 'aliases = ["npm"]\n', "alias 'npm' already names another tool"),
        (HEAD + 'aliases = ["yarn"]\n', "alias 'yarn' already names another tool"),
        (HEAD + "exit_codes = ['^exit \\d+']\n", "put the digits in a group"),
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


def test_what_is_no_text_is_refused_with_its_name(tmp_path):
    (tmp_path / "frob.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(RuleError, match=r"frob\.toml: cannot be read as UTF-8"):
        load_rules(tmp_path)


def test_a_byte_order_mark_is_no_fault(tmp_path):
    (tmp_path / "frob.toml").write_text(HEAD + RULE, encoding="utf-8-sig")
    assert "frob" in load_rules(tmp_path).sets


def test_a_folder_without_rules_is_refused(tmp_path):
    (tmp_path / "frob.tml").write_text(HEAD + RULE)
    with pytest.raises(RuleError, match="no rule file"):
        load_rules(tmp_path)


def test_equal_files_are_one_book_and_changed_ones_another(tmp_path):
    file = tmp_path / "frob.toml"
    file.write_text(HEAD + RULE)
    first = load_rules(tmp_path)
    assert load_rules(tmp_path) is first
    file.write_text(HEAD + RULE.replace('"^jam"', '"^ja"'))
    assert load_rules(tmp_path).version != first.version
    assert load_rules() is packaged_rules()


def test_a_later_folder_and_a_later_file_come_first(tmp_path):
    folders = []
    for number, names in enumerate((("a", "b"), ("c",))):
        folder = tmp_path / str(number)
        folder.mkdir()
        folders.append(folder)
        for name in names:
            text = HEAD.replace("frob", "npm") + RULE.replace('"jam"', f'"{name}"', 1)
            (folder / f"{name}.toml").write_text(text)
    names = [rule.name for rule in load_rules(*folders).sets["npm"].rules]
    assert names[:3] == ["c", "b", "a"]


LOG = """\
==> web: Provisioning with shell script: setup.sh
Build 'web' errored after {took}: Script exited with non-zero exit status: {code}

==> Some builds didn't complete successfully and had errors:
--> web: Script exited with non-zero exit status: {code}

==> Builds finished but no artifacts were created.
"""


@pytest.mark.parametrize("tool", [None, "packer", "packer-build"])
def test_the_example_of_the_documentation_signs_what_it_says(tool):
    rules = load_rules(Path(__file__).parents[2] / "docs" / "examples" / "rules")
    first = extract(tool, LOG.format(took="11 minutes 37 seconds", code=1), rules=rules)
    again = extract(tool, LOG.format(took="5 seconds 2 milliseconds", code=1), rules=rules)
    killed = extract(tool, LOG.format(took="5 seconds", code=137), rules=rules)
    assert (first.tool, first.rule) == ("packer", "packer.build_failed")
    assert first.sig_sha == again.sig_sha != killed.sig_sha
    assert extract(tool, LOG.format(took="5 seconds", code=1)).rule != first.rule


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
