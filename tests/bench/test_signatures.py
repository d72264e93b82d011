"""The figures of the signature table, on a corpus small enough to count by hand."""

import gzip
import json
from pathlib import Path

import pytest

from bench import signatures
from bench.corpus import Labelled, log_chunks

LOGS = {
    "a.log.gz": "setup error ignored? no\n\nERROR: cart 1 is empty\nbye\n",
    "b.log.gz": "ERROR: cart 2 is empty\nwell\nsome failure\n",
}


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    for name in ("logchunks", "cidiff", "failures"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "labels.jsonl").write_text("")
    labels = []
    for name, line in (("a.log.gz", 3), ("b.log.gz", 3)):
        (tmp_path / "logchunks" / name).write_bytes(gzip.compress(LOGS[name].encode()))
        chunk = LOGS[name].split("\n")[line - 1]
        labels.append(
            {"log": name, "repo": "r", "line_start": line, "line_end": line, "chunk": chunk}
            | {"occurrences": 1}
        )
    text = "\n".join(json.dumps(label) for label in labels)
    (tmp_path / "logchunks" / "labels.jsonl").write_text(text)
    (tmp_path / "failures" / "INDEX.tsv").write_text("path\ttool\tfailure_id\n")
    return tmp_path


def test_hits_are_counted_beside_the_baselines(corpus):
    rows = {row.what: row for row in signatures.measured(corpus)}
    hits = rows["LogChunks: first line in chunk"]
    assert hits.figure == "0.500 (1/2)"
    assert hits.beside == "0.000 (0/2), 1.000 (2/2)"
    assert [miss.split()[0] for miss in hits.misses] == ["b.log.gz"]
    assert rows["LogChunks: median F1 of block and chunk"].figure == "0.500"


def test_every_occurrence_of_a_chunk_counts(corpus):
    labels = corpus / "logchunks" / "labels.jsonl"
    label = json.loads(labels.read_text().splitlines()[0])
    twice = "x\nERROR: a\nb\ny\nERROR: a\nb\n"
    (corpus / "logchunks" / "a.log.gz").write_bytes(gzip.compress(twice.encode()))
    label |= {"line_start": 2, "line_end": 3, "chunk": "ERROR: a\nb", "occurrences": 2}
    labels.write_text(json.dumps(label))
    assert next(log_chunks(corpus)).spans == ((2, 3), (5, 6))


@pytest.mark.parametrize(
    ("block", "f1"), [((3, 4), 1.0), ((3, 3), 2 / 3), ((1, 4), 2 / 3), ((9, 9), 0.0)]
)
def test_overlap(block, f1):
    assert Labelled("a", "r", "", ((3, 4),)).overlap(*block) == pytest.approx(f1)


def test_without_a_corpus_it_says_so_and_ends_well(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["bench", "--corpus", str(tmp_path / "none")])
    with pytest.raises(SystemExit) as ended:
        signatures.main()
    assert ended.value.code == 0
    assert "skipped" in capsys.readouterr().out
