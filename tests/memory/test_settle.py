"""Where days meet: a note may land before or after its log, twins must not delete each other, and
no order of days may change the outcome."""

import itertools

from mem_assets.memory.log import LogEntry, chain
from mem_assets.memory.settle import Settled, settle

NOW = "2026-11-24T10:00:00+00:00"
LONG = (
    "The nightly import failed because the partition ran full of rotated journals; "
    "removed them and gave the rotation a size limit"
)
TWIN = LONG.replace("removed them", "we removed them")


def evidence(log_id: str, path: str) -> LogEntry:
    return LogEntry("evidence", log_id * 64, {"path": path, "signatures": []})


def lesson(
    sha: str,
    *references: str,
    source: str = "",
    level: str = "L1",
    text: str | None = None,
) -> LogEntry:
    return LogEntry(
        "memory_accepted",
        sha * 64,
        {
            "level": level,
            "text": text or f"lesson number {sha}",
            "kind": "incident",
            "heading": "",
            "source": source,
            "evidence": list(references),
        },
    )


def retraction(sha: str, kind: str = "memory_retracted") -> LogEntry:
    return LogEntry(kind, sha * 64, {"reason": "test"})


def days(**said: list[LogEntry]) -> list:
    """Records by day: d24=[…] is what 2026-11-24 says."""
    return [
        record
        for day, entries in sorted(said.items())
        for record in chain([], entries, f"2026-11-{day[1:]}", NOW)
    ]


def standing(settled: Settled) -> dict[str, tuple[str, str]]:
    """First letter of a sha to its status and the first letters of its evidence."""
    return {
        m.memory_sha[0]: (m.status, "".join(sha[0] for sha in m.evidence)) for m in settled.memories
    }


def test_a_note_waits_for_its_log_and_is_published_once_it_has_arrived():
    note = [lesson("a", "2026-11-25/logs/npm/ci.log")]
    assert standing(settle(days(d24=note))) == {"a": ("pending", "")}
    log = [evidence("1", "2026-11-25/logs/npm/ci.log")]
    assert standing(settle(days(d24=note, d25=log))) == {"a": ("published", "1")}
    assert standing(settle(days(d23=log, d24=note))) == {"a": ("published", "1")}


def test_references_by_path_day_path_id_prefix_and_archive():
    logs = [
        evidence("1", "2026-11-24/logs/npm/ci.log"),
        evidence("2", "2026-11-24/logs/ci/run.zip!build/3_npm ci.txt"),
        evidence("3", "2026-11-24/logs/ex%21cl.log"),
    ]
    cases = {
        "2026-11-24/logs/npm/ci.log": "1",
        "logs/npm/ci.log": "1",
        "1" * 64: "1",
        "1" * 12: "1",
        "2026-11-24/logs/ci/run.zip": "2",
        "2026-11-24/logs/ci/run.zip!build/3_npm ci.txt": "2",
        "logs/ex!cl.log": "3",
        "1" * 11: "",
        "2026-11-24/logs/npm/CI.log": "",
    }
    for reference, expected in cases.items():
        settled = settle(days(d24=[*logs, lesson("a", reference)]))
        assert standing(settled)["a"][1] == expected, reference


def test_a_source_is_ground_enough_and_what_is_missing_is_still_named():
    settled = settle(days(d24=[lesson("a", "logs/gone.log", source="https://tracker.example/1")]))
    assert settled.memories[0].status == "published"
    assert settled.memories[0].unresolved == ("2026-11-24/logs/gone.log",)


def test_a_summary_needs_two_lessons_that_stand():
    parents = [
        lesson(n, source="T-1", text=f"lesson about {w}")
        for n, w in zip("ab", ("x", "y"), strict=True)
    ]
    summary = lesson("c", "a" * 64, "b" * 64, level="L2", text="two lessons in one")
    assert standing(settle(days(d24=parents, d25=[summary])))["c"][0] == "published"
    one_gone = [*parents, retraction("b")]
    assert standing(settle(days(d24=one_gone, d25=[summary])))["c"][0] == "pending"
    assert standing(settle(days(d25=[summary])))["c"][0] == "pending"


def test_twins_on_two_days_are_one_memory_with_the_evidence_of_both():
    logs = [evidence("1", "2026-11-24/logs/a.log"), evidence("2", "2026-11-24/logs/b.log")]
    told = days(
        d24=[*logs, lesson("b", "logs/a.log", text=LONG)],
        d25=[lesson("a", "2026-11-24/logs/b.log", text=TWIN)],
    )
    assert standing(settle(told)) == {"b": ("published", "12"), "a": ("duplicate_of", "2")}


def test_when_the_keeper_is_retracted_the_next_takes_its_place_with_the_evidence():
    logs = [evidence("1", "2026-11-24/logs/a.log"), evidence("2", "2026-11-24/logs/b.log")]
    told = {
        "d24": [*logs, lesson("b", "logs/a.log", text=LONG)],
        "d25": [lesson("a", "2026-11-24/logs/b.log", text=TWIN)],
        "d26": [retraction("b")],
    }
    assert standing(settle(days(**told))) == {"b": ("retracted", "1"), "a": ("published", "12")}
    told["d27"] = [retraction("b", "memory_restored")]
    assert standing(settle(days(**told))) == {"b": ("published", "12"), "a": ("duplicate_of", "2")}


def test_the_same_text_on_two_days_is_one_memory_and_retracting_it_orphans_nothing():
    logs = [evidence("1", "2026-11-24/logs/a.log"), evidence("2", "2026-11-25/logs/b.log")]
    told = days(d24=[logs[0], lesson("a", "logs/a.log")], d25=[logs[1], lesson("a", "logs/b.log")])
    settled = settle(told)
    assert standing(settled) == {"a": ("published", "12")}
    assert settled.memories[0].date == "2026-11-24"


def test_retracted_evidence_supports_nothing():
    told = days(
        d24=[evidence("1", "2026-11-24/logs/a.log"), lesson("a", "logs/a.log")],
        d25=[retraction("1")],
    )
    settled = settle(told)
    assert standing(settled) == {"a": ("pending", "")}
    assert settled.evidence == ()


def test_a_memory_has_the_last_projection_of_its_own_day():
    def projected(line: str) -> LogEntry:
        return LogEntry("symptom_projected", "a" * 64, {"lines": [line]})

    told = days(d24=[lesson("a", source="T-1"), projected("old"), projected("new")])
    assert settle(told).memories[0].projection == {"lines": ["new"]}


def test_no_order_of_records_changes_the_outcome():
    told = days(
        d24=[evidence("1", "2026-11-24/logs/a.log"), lesson("b", "logs/a.log", text=LONG)],
        d25=[lesson("a", "2026-11-24/logs/a.log", text=TWIN), lesson("c", source="T-2")],
        d26=[retraction("b")],
    )
    expected = settle(told)
    for order in itertools.islice(itertools.permutations(told), 200):
        assert settle(order) == expected
