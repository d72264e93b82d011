"""The labelled logs that signatures are measured on: whole lines, numbered from 1."""

import csv
import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

DEFAULT = Path("../shared/corpus")


@dataclass(frozen=True)
class Labelled:
    """A failed log, and the lines that people marked as its failure.

    group  its project
    spans  marked lines as ranges (first, last), inclusive; several where the text stands again
    first  the first marked line that is not blank, as the log has it
    """

    name: str
    group: str
    text: str
    spans: tuple[tuple[int, int], ...]
    first: str = ""
    passing: str | None = None

    def holds(self, line: int) -> bool:
        return any(first <= line <= last for first, last in self.spans)

    def overlap(self, first: int, last: int) -> float:
        """F1 of the lines first..last against the marked range they fit best."""
        return max(_f1((first, last), span) for span in self.spans)


@dataclass(frozen=True)
class Captured:
    """One captured failure; equal ids are one failure, met in different runs."""

    name: str
    tool: str
    failure_id: str
    text: str


def log_chunks(corpus: Path) -> Iterator[Labelled]:
    """LogChunks: CI logs, each with the chunk that says why the build failed."""
    folder = corpus / "logchunks"
    for label in _labels(folder):
        text = _lines_of(_read(folder / label["log"]))
        chunk = _lines_of(label["chunk"])
        spans = {(label["line_start"], label["line_end"])}
        if label["occurrences"] > 1:
            spans |= set(_occurrences(text, chunk))
        first = next((line for line in chunk.split("\n") if line.strip()), "")
        yield Labelled(label["log"], label["repo"], text, tuple(sorted(spans)), first)


def log_bytes(corpus: Path) -> list[bytes]:
    """LogChunks: the logs as they came."""
    return [
        gzip.decompress(path.read_bytes()) for path in sorted((corpus / "logchunks").glob("*.gz"))
    ]


def ci_diff(corpus: Path) -> Iterator[Labelled]:
    """CiDiff: failed logs with their error lines, each beside its last passing run."""
    folder = corpus / "cidiff"
    for label in _labels(folder):
        spans = tuple((first, last) for first, last in label["spans"])
        passing = _lines_of(_read(folder / label["pass"])) if label["pass"] else None
        text = _lines_of(_read(folder / label["fail"]))
        yield Labelled(label["fail"], "", text, spans, passing=passing)


def captured_failures(corpus: Path) -> Iterator[Captured]:
    """Failures of known tools from different runs."""
    folder = corpus / "failures"
    with (folder / "INDEX.tsv").open(encoding="utf-8", newline="") as table:
        for row in csv.DictReader(table, delimiter="\t"):
            text = _read(folder / row["path"])
            yield Captured(row["path"], row["tool"], row["failure_id"], text)


def _labels(folder: Path) -> list[dict[str, object]]:
    text = (folder / "labels.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def _read(path: Path) -> str:
    return gzip.decompress(path.read_bytes()).decode("utf-8", "replace")


def _lines_of(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _occurrences(text: str, chunk: str) -> Iterator[tuple[int, int]]:
    height = chunk.count("\n")
    line, seen, at = 1, 0, text.find(chunk)
    while at >= 0:
        line += text.count("\n", seen, at)
        yield line, line + height
        seen, at = at, text.find(chunk, at + 1)


def _f1(one: tuple[int, int], other: tuple[int, int]) -> float:
    common = min(one[1], other[1]) - max(one[0], other[0]) + 1
    return max(0, common) * 2 / (one[1] - one[0] + other[1] - other[0] + 2)
