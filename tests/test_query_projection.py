"""The seed's six assertions on query projection, as the design reads them."""

import pytest

from mem_assets.symptom import expand_abbrev, project_symptom
from mem_assets.symptom.words import stem, words

STOP_WORDS_TEXT = """
a an the is are be been being have has had do does did can could may might must shall should will
would in on at to from of for by with about and or but nor yet so i you he she it we they not no
yes what which who when where why how this that these those there here
"""
SEED_STOP_WORDS = frozenset(STOP_WORDS_TEXT.split())


def test_a1_same_symptom_same_hash() -> None:
    queries = (
        "npm ERR! ERESOLVE unable to resolve typescript",
        "npm error: eresolve dependency tree",
        "cannot resolve typescript (npm)",
    )
    vectors = [project_symptom("npm", query) for query in queries]
    assert {vector.normalised for vector in vectors} == {"dependency error npm resolve tree"}
    assert len({vector.sym_sha for vector in vectors}) == 1
    assert vectors[0].sym_sha is not None


@pytest.mark.parametrize(
    ("tool", "short", "expected"),
    [
        ("npm", "ERESOLVE", "error resolve"),
        ("npm", "ERR", "error"),
        ("cargo", "E0599", "error 0599"),
        ("cargo", "E0716", "error 0716"),
        ("kubectl", "CRD", "custom resource definition"),
        ("npm", "OOM", "out of memory"),
        ("npm", "EACCES", "permission denied"),
    ],
)
def test_a2_abbrev_expansion(tool: str, short: str, expected: str) -> None:
    rest = iter(expand_abbrev(tool, short).split())
    assert all(word in rest for word in expected.split()), "every word, in order"


def test_a3_stop_word_removal() -> None:
    vector = project_symptom("npm", "npm is unable to resolve the typescript dependency tree")
    said = vector.normalised.split()
    assert not SEED_STOP_WORDS & set(said)
    assert {"resolv", "depend"} <= {stem(word) for word in said}
    assert "typescript" in vector.modules
    assert words().stop >= SEED_STOP_WORDS


def test_a4_tool_consistency() -> None:
    query = "error 1234 module not found"
    npm, cargo = project_symptom("npm", query), project_symptom("cargo", query)
    assert npm.sym_sha is not None
    assert cargo.sym_sha is not None
    assert npm.sym_sha != cargo.sym_sha


def test_a5_case_insensitive() -> None:
    upper, lower = (project_symptom("npm", q) for q in ("NPM ERROR ERESOLVE", "npm error eresolve"))
    assert upper.sym_sha == lower.sym_sha
    assert upper.sym_sha is not None


def test_a6_keyword_order_irrelevant() -> None:
    queries = ("error npm resolve typescript", "npm typescript resolve error")
    one, other = (project_symptom("npm", query) for query in queries)
    assert one.sym_sha == other.sym_sha
    assert one.sym_sha is not None
