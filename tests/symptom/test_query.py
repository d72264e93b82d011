import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mem_assets.hashing import sha256_text
from mem_assets.symptom import extract_keywords, normalize_tokens, project_symptom
from mem_assets.symptom.query import MAX_CHARACTERS, UNKNOWN

SAME = [
    ("npm", "npm can't find module tslib", "Error: Cannot find module 'tslib'"),
    ("npm", "code ERESOLVE", "could not resolve dependency"),
    ("kubectl", "OOMKilled", "Reason: OOMKilled  Exit Code: 137"),
    ("cargo", "E0599", "error[E0599]: no method named `push` found for struct `Deque`"),
    ("cargo", "E0382", "error[E0382]: borrow of moved value: `x`"),
    ("go", "go.sum checksum mismatch", "verifying github.com/a/b@v1.2.3/go.mod: checksum mismatch"),
    ("unknown", "disk full", "write /var/lib/x: no space left on device"),
    ("redis", "connection refused", "dial tcp 10.0.0.1:6379: connect: connection refused"),
    ("make", "compiler rejects pragma", "pragma: compiler rejects"),
    ("make", "the linker was unable to resolve symbols", "linker cannot resolve symbol"),
]
DIFFERENT = [
    ("npm", "code ERESOLVE", "code E404"),
    ("cargo", "error[E0382]: x", "error[E0599]: x"),
    ("kubectl", 'secret "a" not found', 'configmap "a" not found'),
    ("unknown", "HTTP 502 Bad Gateway", "HTTP 504 Gateway Timeout"),
    ("unknown", "connection refused", "connection reset by peer"),
    ("make", "widget is valid here", "widget is not valid here"),
    ("make", "error 1234 reading index", "error 4321 reading index"),
    ("terraform", "state lock", "dependency lock file inconsistent"),
]
SAYS_NOTHING = [
    "",
    "error",
    "ERROR: failed",
    "npm ERR!",
    "exit code 1",
    "the",
    "\x00\x1b[31m",
    "42",
]


@pytest.mark.parametrize(("tool", "one", "other"), SAME)
def test_one_failure_in_other_words_hashes_alike(tool: str, one: str, other: str) -> None:
    first, second = project_symptom(tool, one), project_symptom(tool, other)
    assert first.sym_sha is not None
    assert (first.normalised, first.sym_sha) == (second.normalised, second.sym_sha)


@pytest.mark.parametrize(("tool", "one", "other"), DIFFERENT)
def test_two_failures_hash_apart(tool: str, one: str, other: str) -> None:
    first, second = project_symptom(tool, one), project_symptom(tool, other)
    assert first.sym_sha is not None
    assert second.sym_sha is not None
    assert first.sym_sha != second.sym_sha


@pytest.mark.parametrize("query", SAYS_NOTHING)
def test_too_little_gives_no_hash(query: str) -> None:
    vector = project_symptom("npm", query)
    assert (vector.sym_sha, vector.confidence) == (None, 0.0)


def test_names_go_to_modules_and_not_into_the_hash() -> None:
    vectors = [
        project_symptom("npm", f"npm ERR! ERESOLVE could not resolve {name}@{version}")
        for name, version in (("react", "18.2.0"), ("@acme/table", "^3.1.0"))
    ]
    assert vectors[0].sym_sha == vectors[1].sym_sha
    assert vectors[0].modules == ("18.2.0", "react")
    assert vectors[1].modules == ("3.1.0", "@acme/table")


@pytest.mark.parametrize(
    ("tool", "query", "module"),
    [
        ("go", "main.go:12:5: undefined symbol reader", "main.go"),
        ("python", "failed reading /srv/app/settings/base.yaml", "base.yaml"),
        ("go", "cannot load github.com/acme/tool", "github.com/acme/tool"),
        ("npm", "plugin left-pad rejected", "left-pad"),
        ("docker", "cannot pull alpine:3.19 layer", "alpine:3.19"),
    ],
)
def test_forms_of_names(tool: str, query: str, module: str) -> None:
    assert module in project_symptom(tool, query).modules


def test_hash_is_of_tool_and_normal_form() -> None:
    vector = project_symptom("npm", "code ERESOLVE")
    assert vector.sym_sha == sha256_text("npm\ndependency error npm resolve tree")
    assert project_symptom("", "disk full now").tool == UNKNOWN


def test_confidence_grows_with_evidence() -> None:
    queries = ["broken gasket", "broken gasket near valve", "broken gasket near valve a/b.c"]
    figures = [project_symptom("make", query).confidence for query in queries]
    assert figures == sorted(set(figures))
    assert figures[-1] < project_symptom("make", "ENOSPC broken gasket near valve a/b.c").confidence
    assert all(0.0 < figure < 1.0 for figure in figures)


def test_first_line_that_names_a_failure_wins_and_own_classes_come_first() -> None:
    block = "connect ECONNREFUSED 10.0.0.1:443\nnpm ERR! code E404\nnpm ERR! code ETARGET"
    assert project_symptom("npm", block).failure_class == "npm.package-not-found"


def test_a_long_text_is_read_to_its_bound() -> None:
    assert project_symptom("npm", "x" * 10_000_000).sym_sha is None
    late = " " * MAX_CHARACTERS + "ERESOLVE"
    assert project_symptom("npm", late).failure_class is None


KEYWORDS = """
error|npm|resolve|typescript|gasket|valve|unable to|not found|tree|E0599|react@18.2.0|1234
connection refused|src/main.rs|dependency|the
"""
WORDS = st.sampled_from(
    [word for line in KEYWORDS.splitlines() for word in line.split("|") if word]
)
TOOLS = st.sampled_from(["npm", "cargo", "go", "kubectl", "unknown"])


@settings(max_examples=150, deadline=None)
@given(TOOLS, st.lists(WORDS, min_size=1, max_size=7), st.randoms(use_true_random=False))
def test_case_order_repetition_and_quotes_change_nothing(tool, said, random) -> None:
    shuffled = said * 2
    random.shuffle(shuffled)
    plain = project_symptom(tool, " ; ".join(said))
    for query in (
        " ; ".join(said).upper(),
        " ; ".join(shuffled),
        f'"{" ; ".join(said)}"',
        f"'{' ; '.join(said)}'",
        f"`{' ; '.join(said)}`",
    ):
        assert project_symptom(tool, query).sym_sha == plain.sym_sha


@settings(max_examples=150, deadline=None)
@given(TOOLS, st.text(max_size=200))
def test_any_text_is_taken(tool: str, text: str) -> None:
    vector = project_symptom(tool, text)
    assert project_symptom(tool, text) == vector
    assert normalize_tokens(extract_keywords(tool, text)) == vector.normalised
    assert (vector.sym_sha is None) == (vector.confidence == 0.0)
