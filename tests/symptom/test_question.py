import json
from pathlib import Path

import pytest

from mem_assets.symptom import explains_failure, question
from mem_assets.symptom.question import read_wording

CORPUS = Path(__file__).parents[2].parent / "shared" / "corpus" / "incidents"

LESSONS = [
    "Requests over 10KB failed because the proxy buffered the whole body; resolved with a setting.",
    "Root cause: the autoscaler had no permission to read the template. Fix: extend the role.",
    "The nightly export died every Sunday. Log rotation restarted the database. We shifted it.",
    "Deploys hung: a forgotten session held a lock on users. Killed the session, set a timeout.",
    "Cause: two replicas had the same server id. Gave each its own id and restarted replication.",
    "Memory climbed until the kernel stepped in. A cache kept every reply. We capped it at 5000.",
    "On the new runners the linker does not understand the old flag. Removing it was enough.",
    "Tests only broke on CI because the locale there is C. Set the encoding in the job.",
    "Helm upgrades got stuck after a cancelled pipeline. Roll back and run the upgrade again.",
    "Not enough inodes: millions of tiny session files. Moved the sessions to another store.",
    "Builds on ARM laptops produced images that crash at once. Pass the platform to the build.",
]
DECISIONS = [
    "We moved our CI to another product in March because most repositories already live there.",
    "Timeouts and retries are set in the shared client: three attempts, then the caller decides.",
    "Errors returned by the public API follow RFC 7807. A 409 is returned when a version is stale.",
    "The retry queue holds failed jobs for seven days, then they are dropped.",
    "Pods that exceed their memory limit are killed and restarted; after that the owner is asked.",
    "We evaluated two build tools and stayed with the present one, as the team knows it.",
    "Flaky tests are quarantined after three failures and the owner has ten days to repair them.",
    "After last year's outage we agreed that no service may depend on the cache being up at start.",
    "Clients must treat 503 as temporary and back off for at least two seconds.",
    "Decision: keep the session store, and do not share it. Reason: different eviction needs.",
    "OOM kills in batch namespaces are expected and do not page anyone.",
    "From now on every image is built from the slim base. Shells are not available on purpose.",
    "Certificates are issued by the internal CA and renewed thirty days before they expire.",
]


@pytest.mark.parametrize("text", LESSONS)
def test_a_lesson_explains_a_failure(text: str) -> None:
    assert explains_failure(text, "L1", "lesson")[0], read_wording(text)


@pytest.mark.parametrize("text", DECISIONS)
def test_a_decision_explains_none(text: str) -> None:
    assert not explains_failure(text, "L1", "lesson")[0], read_wording(text)


@pytest.mark.parametrize("level", ["L0", "R", "", "l1"])
def test_only_lessons_and_summaries_explain(level: str) -> None:
    assert explains_failure(LESSONS[0], level, "lesson") == (False, "level")


@pytest.mark.parametrize("kind", ["decision", "ADR", " policy ", "architecture", "convention"])
def test_a_kind_that_says_it_is_no_lesson_answers(kind: str) -> None:
    assert explains_failure(LESSONS[0], "L1", kind) == (False, "kind")


def test_a_decision_with_a_log_stays_a_decision() -> None:
    log = "```\nnpm ERR! code E403\nFailed because the token was rejected\n```"
    for text in DECISIONS:
        assert not explains_failure(f"{text}\n\n{log}", "L1", "note")[0]


def test_a_telling_kind_helps_a_short_note() -> None:
    text = "The proxy rejects large cookies."
    assert explains_failure(text, "L1", "note") == (False, "tells_of_no_failure")
    assert explains_failure(text, "L1", "incident") == (True, "kind_failure")


@pytest.mark.parametrize("text", ["", " \n", "\x00\ud800", "```\nerror\n", "!" * 100_000])
def test_any_text_is_answered(text: str) -> None:
    assert explains_failure(text, "L1", "") == (False, "tells_of_no_failure")


@pytest.mark.parametrize(
    ("find", "put", "says"),
    [
        ("[norm]", "[norms]", "unknown key 'norms'"),
        ("[cause]\nphrases", "[cause]\nwords", "[cause] must have exactly the keys"),
        ('"root cause"', '"Root Cause"', "'Root Cause': lower case only"),
    ],
)
def test_wrong_wording_data_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, find: str, put: str, says: str
) -> None:
    text = question.QUESTION_FILE.read_text()
    assert find in text
    path = tmp_path / "question.toml"
    path.write_text(text.replace(find, put))
    monkeypatch.setattr(question, "QUESTION_FILE", path)
    with pytest.raises(ValueError, match=r"^question\.toml: ") as caught:
        question._wordings.__wrapped__()
    assert says in str(caught.value)


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus ../shared/corpus is not here")
def test_measured_on_the_corpus() -> None:
    def answers(name: str) -> list[bool]:
        rows = (json.loads(line) for line in (CORPUS / name).read_text().splitlines())
        return [explains_failure(row["memory"], "L1", "lesson")[0] for row in rows]

    incidents, decisions = answers("incidents.jsonl"), answers("decisions.jsonl")
    assert sum(incidents) / len(incidents) >= 0.9
    assert sum(decisions) == 0
