"""The packaged pairs hold, a rule that breaks one is told, and a wrong file is refused."""

from pathlib import Path

import pytest

from mem_assets.signature import load_rules
from mem_assets.signature.pairs import FIELDS, PairError, broken, parse_pairs
from mem_assets.storage.pair_files import load_pairs

FILE = Path(__file__).parents[2] / "fixtures" / "pairs.tsv"
PACKAGED = load_pairs().pairs
HEAD = "\t".join(FIELDS) + "\n"


def rows(*fields):
    return HEAD + "\n".join("\t".join(row) for row in fields) + "\n"


@pytest.mark.parametrize("one", PACKAGED, ids=lambda one: one.pair.place.rsplit(":", 1)[-1])
def test_every_packaged_pair_holds(one):
    assert broken(one.pair, one.a, one.b) is None


def test_the_file_of_the_fixtures_is_the_packaged_one():
    assert [one.pair for one in PACKAGED] == list(parse_pairs(str(FILE), FILE.read_text()))
    verdicts = [one.pair.verdict for one in PACKAGED]
    assert verdicts.count("merge") >= 15
    assert verdicts.count("split") >= 20


def test_a_verdict_turned_round_breaks_every_pair():
    """Guards this file: a pair that holds either way shows nothing."""
    for one in PACKAGED:
        other = "split" if one.pair.verdict == "merge" else "merge"
        turned = parse_pairs("x", rows((other, "-", "a", "b", "w")))[0]
        turned = type(one.pair)(turned.verdict, one.pair.a, one.pair.b, "w", one.pair.place)
        assert broken(turned, one.a, one.b) is not None, one.pair.place


def test_without_normalising_every_merge_of_volatile_parts_breaks(monkeypatch):
    monkeypatch.setattr("mem_assets.signature.extraction.normalise", lambda text: text)
    merges = [one for one in PACKAGED if one.pair.verdict == "merge"]
    still = [one.pair.why for one in merges if broken(one.pair, one.a, one.b) is None]
    assert len(still) < len(merges) / 2, still


@pytest.mark.parametrize(
    ("tool", "noise", "pattern", "says"),
    [
        ("go", "^--- FAIL", "^ +client_test.go:", "must split (two test names): both are "),
        ("npm", "^npm never", "^npm error (?:ERESOLVE|peer)", "must merge (npm ERR! until "),
    ],
)
def test_a_rule_that_breaks_a_pair_is_told_with_its_place(tmp_path, tool, noise, pattern, says):
    (tmp_path / "own.toml").write_text(
        f'schema = 1\ntool = "{tool}"\nnoise = ["{noise}"]\n[[rule]]\nname = "all"\n'
        f'pattern = "{pattern}"\nexample = "{EXAMPLES[tool]}"\ncounter_example = "npm WARN x"\n'
    )
    rules = load_rules(tmp_path)
    problems = [p for one in PACKAGED if (p := broken(one.pair, one.a, one.b, rules=rules))]
    assert any(says in problem for problem in problems), problems
    assert all(problem.startswith(f"{FILE}:") for problem in problems)


EXAMPLES = {"go": "    client_test.go:3: no", "npm": "npm error peer x"}


def test_a_broken_merge_says_why_and_where():
    (pair,) = parse_pairs("p.tsv", rows(("merge", "generic", "error: ab", "error: ac", "names")))
    told = broken(pair, pair.a.text, pair.b.text)
    assert told.startswith("p.tsv:2: must merge (names): another root line: ")
    assert told.endswith("part at line 1, column 9: 'error: ab' and 'error: ac'")


def test_a_side_without_a_signature_breaks_both_verdicts():
    for verdict in ("merge", "split"):
        (pair,) = parse_pairs("p.tsv", rows((verdict, "npm", "error: a", "\\n", "w")))
        assert "B has no signature" in broken(pair, pair.a.text, pair.b.text)


def test_the_format():
    text = (
        "# said\n\n" + HEAD + "merge\tnpm\ta\\tb\\n\\\\n \\e[1m\t@logs/x.log.gz\twhy\r\n"
        "split\tnpm|cargo\t\\\\@x\tb\twhy\nsplit\t-\ta\tb\twhy\n"
    )
    first, second, third = parse_pairs("p.tsv", text)
    assert first.a.text == "a\tb\n\\n \x1b[1m"
    assert (first.a.log, first.b.log, first.b.text) == ("", "logs/x.log.gz", "")
    assert (first.why, first.place) == ("why", "p.tsv:4")
    assert (second.a.tool, second.b.tool, second.a.text) == ("npm", "cargo", "\\@x")
    assert (third.a.tool, third.b.tool) == (None, None)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "p.tsv: no pair in it"),
        (HEAD, "p.tsv: no pair in it"),
        ("merge\tnpm\ta\tb\tw\n", "p.tsv:1: the first row must be the head"),
        (HEAD + "merge npm a b w\n", "p.tsv:2: 1 fields, not 5"),
        (HEAD + "merge\tnpm\ta\tb\n", "p.tsv:2: 4 fields, not 5"),
        (rows(("join", "npm", "a", "b", "w")), "p.tsv:2: field 'verdict': 'join' is neither"),
        (rows(("merge", "npm|go|c", "a", "b", "w")), "p.tsv:2: field 'tool': write one tool"),
        (rows(("merge", "npm|", "a", "b", "w")), "p.tsv:2: field 'tool': write one tool"),
        (rows(("merge", " ", "a", "b", "w")), "p.tsv:2: field 'tool': is empty"),
        (rows(("merge", "npm", "", "b", "w")), "p.tsv:2: field 'a': is empty"),
        (rows(("merge", "npm", "a", "b", " ")), "p.tsv:2: field 'why': is empty"),
        (rows(("merge", "npm", "a", "\\q", "w")), "p.tsv:2: field 'b': '\\q' is no escape"),
        (rows(("merge", "npm", "a", "b\\", "w")), "p.tsv:2: field 'b': '\\' is no escape"),
        (rows(("merge", "npm", "a", "a", "w")), "p.tsv:2: field 'b': is the same as 'a'"),
        (
            rows(("merge", "npm", "a", "b", "w"), ("split", "npm", "a", "b", "w")),
            "p.tsv:3: the same pair stands at p.tsv:2",
        ),
    ],
)
def test_a_wrong_file_is_refused_with_line_and_field(text, says):
    with pytest.raises(PairError) as error:
        parse_pairs("p.tsv", text)
    assert str(error.value).startswith(says), str(error.value)
