import pytest

from mem_assets.settings import RulesUnusable, Settings
from mem_assets.signature.rules import packaged_rules


def test_rules_and_pairs_of_ones_own_are_settings(tmp_path):
    assert Settings.from_env({}).rules is None
    assert Settings.from_env({"MEM_RULES": "", "MEM_PAIRS": ""}).pairs is None
    found = Settings.from_env({"MEM_RULES": str(tmp_path), "MEM_PAIRS": str(tmp_path / "p.tsv")})
    assert (found.rules, found.pairs) == (tmp_path, tmp_path / "p.tsv")
    assert Settings.from_env({"MEM_RULES": "here"}).rules.is_absolute()


def test_without_rules_of_ones_own_the_packaged_ones_are_used():
    assert Settings.from_env({}).rule_book() is packaged_rules()


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("frob.toml", "schema = 2\n", "frob.toml: 'schema' must be 1"),
        (
            "frob.toml",
            'schema = 1\ntool = "frob"\n[[rule]]\nname = "jam"\npattern = "("\n'
            'example = "("\ncounter_example = "x"\n',
            "frob.toml: rule 'jam': 'pattern' is no RE2 pattern",
        ),
        ("frob.txt", "", "no rule file (*.toml) in it"),
        (None, "", "does not exist"),
    ],
)
def test_wrong_rules_name_file_and_rule_and_what_to_do(tmp_path, name, text, says):
    folder = tmp_path / "rules"
    if name:
        folder.mkdir()
        (folder / name).write_text(text)
    with pytest.raises(RulesUnusable) as error:
        Settings.from_env({"MEM_RULES": str(folder)}).rule_book()
    told = str(error.value)
    assert told.startswith("the rules in MEM_RULES cannot be used: ")
    assert f"{folder}" in told
    assert says in told
    assert told.endswith("or unset MEM_RULES to go on with the packaged rules alone")
