"""A rebuild needs the log alone, names every difference as what it is, and touches nothing unless
it is told to."""

import shutil
from dataclasses import replace

import numpy as np
import pytest

from mem_assets.memory.log import LogEntry
from mem_assets.memory.log_faults import LogDamaged
from mem_assets.rebuild import signatures
from mem_assets.rebuild.from_log import rebuild
from mem_assets.rebuild.report import (
    CACHE,
    DAMAGED,
    DRIFT,
    GENERATION,
    LOG,
    MEMORY,
    MISSING,
    MODEL,
    PROJECTOR,
    PROMPT,
    RULES,
    UNCHANGED,
    counted,
)
from mem_assets.storage.generation import PublishRefused, open_current
from mem_assets.storage.memory_log import MemoryLog
from mem_assets.storage.vector_cache import VectorCache
from mem_assets.symptom import catalogue, projector
from tests.pipeline.project import DATES, land, run_everything
from tests.rebuild.doubles import generative, opener

LESSONS, LOGS = 4, 4


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """(home, digest) of a plain run."""
    root = tmp_path_factory.mktemp("rebuild")
    land(root / "landing")
    return root / "home", run_everything(root / "home", root / "landing")


@pytest.fixture
def home(made, tmp_path):
    shutil.copytree(made[0], tmp_path / "home")
    return tmp_path / "home"


def every_byte(folder):
    return {
        path: (path.stat().st_mtime_ns, path.read_bytes() if path.is_file() else None)
        for path in [folder, *folder.rglob("*")]
    }


def counts(report):
    return counted(report.findings)


def only(report, kind):
    (finding,) = [f for f in report.differing if f.kind == kind]
    return finding


def test_what_nobody_touched_comes_out_the_same(home, made):
    before = every_byte(home), sorted(home.parent.iterdir())
    report = rebuild(home, opener())
    assert (every_byte(home), sorted(home.parent.iterdir())) == before
    assert report.differing == []
    assert report.digest == made[1]
    assert counts(report) == {
        GENERATION: {UNCHANGED: 1},
        LOG: {UNCHANGED: LOGS},
        MEMORY: {UNCHANGED: LESSONS},
    }


def test_the_log_alone_gives_the_digest_that_was_published(tmp_path, home, made):
    bare = tmp_path / "elsewhere"
    shutil.copytree(home / "log", bare / "log")
    report = rebuild(bare, opener(), publishing=True)
    assert (report.differing, report.published) == ([], None)
    assert open_current(bare).manifest["digest"] == report.digest == made[1]
    assert open_current(bare).faults(by_hash=True) == []
    assert rebuild(bare, opener()).differing == []


def test_publishing_again_gives_the_generation_that_stands(home):
    before = open_current(home).id
    assert rebuild(home, opener(), publishing=True).made_current == before


def fill_cache(home):
    """As daily runs do."""
    engines = opener(on_disk=True)(home / "cache")
    texts = [record.entry.body.get("text", "") for record in MemoryLog(home).read_all()]
    engines.embedder.embed(sorted(set(texts)))
    engines.project(
        [
            {"memory_sha": r.entry.subject, **r.entry.body}
            for r in MemoryLog(home).read_all()
            if r.entry.type == "memory_accepted"
        ]
    )


def change_cached_vector(home, *, resealed=False, of="Two libraries"):
    """Another unit vector for a text, as somebody would save it, or with a hash that fits it."""
    texts = {r.entry.body.get("text", "") for r in MemoryLog(home).read_all()}
    texts |= {line for entry in catalogue.load_catalogue() for line in entry.symptoms}
    text = min(text for text in texts if text.startswith(of))
    embedder = opener(on_disk=True)(home / "cache").embedder
    key, cache = embedder.key(text), VectorCache(home / "cache" / "vectors")
    (path,) = cache.folder.rglob(f"{key}.npy")
    vector = np.roll(embedder.embed([text])[0], 1)
    np.save(path, vector)
    if resealed:
        cache.write({key: vector})
    return path


@pytest.mark.parametrize("use_cache", [False, True])
@pytest.mark.parametrize(
    ("resealed", "of"), [(False, "Two libraries"), (True, "Two libraries"), (False, "npm ERR!")]
)
def test_a_cached_vector_that_was_changed_is_named(home, use_cache, resealed, of):
    fill_cache(home)
    assert rebuild(home, opener(on_disk=True), use_cache=use_cache).differing == []
    path = change_cached_vector(home, resealed=resealed, of=of)
    before = every_byte(home)
    report = rebuild(home, opener(on_disk=True), use_cache=use_cache)
    assert every_byte(home) == before
    finding = only(report, CACHE)
    assert finding.name == str(path.relative_to(home))
    assert finding.causes == (DAMAGED,)
    assert "a cached vector was changed" in finding.details[0]
    drifts = any(f.kind == GENERATION and f.causes == (DRIFT,) for f in report.differing)
    assert drifts == (use_cache and resealed)


def test_what_is_published_never_comes_from_a_changed_cache(home, made):
    fill_cache(home)
    change_cached_vector(home, resealed=True)
    report = rebuild(home, opener(on_disk=True), use_cache=True, publishing=True)
    assert open_current(home).manifest["digest"] == report.digest == made[1]


def test_a_byte_of_a_record_that_was_changed_stops_everything(home):
    path = home / "log" / f"{DATES[1]}.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    lines[1] = lines[1].replace(b"o", b"0", 1)
    path.write_bytes(b"".join(lines))
    before = every_byte(home)
    with pytest.raises(LogDamaged, match=rf"{DATES[1]}.jsonl:2: "):
        rebuild(home, opener(), accept=True, publishing=True)
    assert every_byte(home) == before


def change_catalogue(monkeypatch):
    entries = list(catalogue.load_catalogue())
    entries[7] = replace(entries[7], symptoms=(*entries[7].symptoms, "one line more"))
    for module in (catalogue, projector):
        monkeypatch.setattr(module, "load_catalogue", lambda: tuple(entries))


def test_a_changed_catalogue_entry_is_named(home, monkeypatch):
    change_catalogue(monkeypatch)
    report = rebuild(home, opener())
    assert counts(report)[MEMORY] == {RULES: LESSONS}
    assert counts(report)[GENERATION] == {RULES: 1}
    finding = next(f for f in report.differing if f.kind == MEMORY)
    assert finding.details[0].startswith("prompt_sha: ")
    assert "the lines come out the same" in finding.details or finding.new


def test_another_embedder_is_named(home):
    report = rebuild(home, opener("other", model_id="another-double"))
    assert counts(report)[MEMORY] == {MODEL: LESSONS}
    generation = only(report, GENERATION)
    assert generation.causes == (MODEL,)
    assert "model_id: hashing-double -> another-double" in generation.details


def test_the_same_model_with_other_vectors_is_drift(home):
    report = rebuild(home, opener("other"))
    generation = only(report, GENERATION)
    assert generation.causes == (DRIFT,)
    assert any(detail.startswith("vector ") for detail in generation.details)
    assert rebuild(home, opener("other"), accept=True).accepted == 0


def test_a_changed_word_of_the_prompt_is_named_with_the_old_and_the_new_line(home):
    first = opener(project=generative("print what the tool prints"))
    report = rebuild(home, first, accept=True)
    assert counts(report)[MEMORY] == {PROJECTOR: LESSONS}
    assert report.accepted == LESSONS
    assert counts(rebuild(home, first))[MEMORY] == {UNCHANGED: LESSONS}
    report = rebuild(home, opener(project=generative("print what the tool says")))
    assert counts(report)[MEMORY] == {PROMPT: LESSONS}
    shown = {(f.old, f.new) for f in report.differing if f.kind == MEMORY}
    assert shown == {((), ()), (("prints   [generated]",), ("says   [generated]",))}
    report = rebuild(home, opener(project=generative("print what the tool prints", lines=[])))
    assert counts(report)[MEMORY][UNCHANGED] == LESSONS


def test_another_line_from_the_same_prompt_is_drift(home):
    said = {"prompt_sha": "fixed"}
    first = opener(project=generative("say one", **said))
    rebuild(home, first, accept=True)
    report = rebuild(home, opener(project=generative("say two", **said)), accept=True)
    assert DRIFT in counts(report)[MEMORY]
    assert report.accepted == 0


def test_accepting_records_what_changed_and_nothing_else(home, monkeypatch):
    change_catalogue(monkeypatch)
    log = MemoryLog(home)
    before = {date: log.path(date).read_bytes() for date in log.dates()}
    digest = rebuild(home, opener()).digest
    report = rebuild(home, opener(), accept=True)
    assert report.accepted == LESSONS
    for date, written in before.items():
        assert log.path(date).read_bytes().startswith(written)
    added = [r.entry.type for r in log.read_all()][-1]
    assert added == "symptom_projected"
    assert report.digest != digest  # the prompt's sha stands in the table of symptoms
    again = rebuild(home, opener(), publishing=True)
    assert counts(again)[MEMORY] == {UNCHANGED: LESSONS}
    assert rebuild(home, opener(), accept=True).accepted == 0
    assert rebuild(home, opener()).differing == []


def test_a_projection_that_an_interrupted_run_left_out_is_named_and_accepted(home, made):
    log = MemoryLog(home)
    path = log.path(DATES[2])
    records = log.read(DATES[2])
    assert records[-1].entry.type == "symptom_projected"
    path.write_text("".join(record.to_line() + "\n" for record in records[:-1]))
    log.head_path(DATES[2]).unlink()
    report = rebuild(home, opener())
    missing = only(report, MEMORY)
    assert missing.causes == (MISSING,)
    assert "1 are left" not in "".join(only(report, GENERATION).details)
    assert "restore it from a copy" in "".join(only(report, GENERATION).details)
    with pytest.raises(PublishRefused):
        rebuild(home, opener(), publishing=True)
    assert rebuild(home, opener(), accept=True, publishing=True).digest == made[1]


def test_other_rules_are_named_with_the_old_and_the_new_value(home, monkeypatch):
    honest = signatures.rows_of_block

    def shouting(rows, rules):
        again = honest(rows, rules)
        return [row | {"normalised": row["normalised"].upper()} for row in again]

    monkeypatch.setattr(signatures, "rows_of_block", shouting)
    report = rebuild(home, opener())
    assert counts(report)[LOG] == {DRIFT: LOGS}
    monkeypatch.setattr(signatures, "rules_version", lambda _: "later")
    report = rebuild(home, opener())
    assert counts(report)[LOG] == {RULES: LOGS}
    finding = next(f for f in report.differing if f.kind == LOG)
    name, _, value = finding.old[0].partition(": ")
    assert finding.new[0] == f"{name}: {value.upper()}"
    assert rebuild(home, opener(), accept=True).accepted == LOGS


def test_a_damaged_file_of_the_generation_is_named(home):
    (file,) = open_current(home).path.glob("text.usearch")
    data = bytearray(file.read_bytes())
    data[-1] ^= 1
    file.write_bytes(data)
    finding = only(rebuild(home, opener()), GENERATION)
    assert finding.causes == (DAMAGED,)
    assert "text.usearch is damaged" in finding.details[0]


@pytest.mark.parametrize("damage", [b"", b"{}", b"no json"])
def test_a_damaged_pointer_is_named_and_written_anew(home, made, damage):
    (home / "CURRENT").write_bytes(damage)
    report = rebuild(home, opener(), publishing=True)
    assert only(report, GENERATION).causes == (DAMAGED,)
    assert open_current(home).manifest["digest"] == made[1]


def test_records_that_came_after_the_generation_are_no_difference(home, made):
    sha = next(r for r in MemoryLog(home).read_all() if r.entry.type == "memory_accepted")
    retraction = LogEntry("memory_retracted", sha.entry.subject, {"reason": "wrong"})
    MemoryLog(home).append(DATES[2], [retraction])
    report = rebuild(home, opener())
    assert report.differing == []
    assert report.digest != made[1]
    assert counts(report)[MEMORY] == {UNCHANGED: LESSONS - 1}
