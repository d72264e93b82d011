"""How well signatures hold on labelled logs: `make bench-signatures`.

Two plain baselines stand beside the rules: the first, and the last, line with an error word.
`--misses` lists below the table what each row got wrong.
"""

import argparse
import itertools
import statistics
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import re2

from bench.corpus import (
    DEFAULT,
    Captured,
    Labelled,
    captured_failures,
    ci_diff,
    log_bytes,
    log_chunks,
)
from bench.hostile import costs
from bench.throughput import throughput
from mem_assets.signature import Signature, extract
from mem_assets.signature.text import strip_ansi
from mem_assets.signature.volatile import volatile_parts

ERROR_WORD = re2.compile(r"(?i)\b(?:error|fail|failed|failure|fatal|exception)\b")
MASK = re2.compile(r"\b[0-9a-f]{7,64}\b|[0-9]+")

Labels = list[tuple[Labelled, Signature | None]]
Captures = list[tuple[Captured, Signature | None]]
Founds = Sequence[tuple[Captured | Labelled, Signature | None]]


@dataclass(frozen=True)
class Row:
    """A line of the table: what is measured, the figure, the bar, and what went wrong."""

    what: str
    figure: str
    bar: str = ""
    beside: str = ""
    misses: list[str] = field(default_factory=list)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path, default=DEFAULT, help="folder of labelled logs")
    parser.add_argument("--misses", action="store_true", help="list what each row got wrong")
    options = parser.parse_args()
    if not options.corpus.is_dir():
        print(f"bench: no labelled logs in {options.corpus}: skipped (give --corpus)")
        sys.exit(0)
    rows = [*measured(options.corpus), *speed(options.corpus)]
    widths = [max(len(row[i]) for row in _table(rows)) for i in range(4)]
    for cells in _table(rows):
        print("  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)))
    for row in rows if options.misses else ():
        print(f"\n{row.what}: {len(row.misses)}", *row.misses, sep="\n  ")


def _table(rows: Iterable[Row]) -> list[tuple[str, str, str, str]]:
    head = ("what", "figure", "bar", "baselines: first, last error word")
    return [head, *((row.what, row.figure, row.bar, row.beside) for row in rows)]


def measured(corpus: Path) -> list[Row]:
    """Every row of the table, in order."""
    chunks = [(log, extract(None, log.text)) for log in log_chunks(corpus)]
    diffs = [(log, extract("github-actions", log.text)) for log in ci_diff(corpus)]
    captures = list(captured_failures(corpus))
    with_tool = [(one, extract(one.tool, one.text)) for one in captures]
    without = [(one, extract(None, one.text)) for one in captures]
    pasted = [
        (one, extract(found.tool, found.identity) if found else None) for one, found in with_tool
    ]
    again = [
        (one, extract(found.tool, part))
        for one, found in chunks
        for part in ((found.raw, found.identity) if found else ("", ""))
    ]
    twice = [pair for pair in chunks for _ in range(2)]
    signatures = [found for _, found in [*chunks, *diffs, *with_tool, *without] if found]
    return [
        _hits("LogChunks: first line in chunk", chunks, ">= 0.75"),
        _overlap(chunks),
        _hits("cidiff: first line in span", diffs, ">= 0.80"),
        *_passing(diffs),
        _pairs("failures: pairs alike, with tool", with_tool),
        _pairs("failures: pairs alike, without tool", without),
        _pairs("failures: pairs alike, from identity lines", pasted),
        _same_again("failures: identity lines give the log's hash", with_tool, pasted),
        _collisions("failures: different ids alike", with_tool),
        _collisions("failures: different ids alike, without tool", without),
        _same_again("LogChunks: block and identity give the log's hash", twice, again),
        _chunks_alike(chunks),
        _chunks_apart(chunks),
        _volatile(signatures),
    ]


def speed(corpus: Path) -> list[Row]:
    """How fast, beside bare scans and Drain3, and what the dearest hostile input costs."""
    found = throughput(log_bytes(corpus))
    hostile = sorted(costs(), key=lambda cost: -cost.seconds_per_byte)
    mean = 1 / found.signatures
    dearest = hostile[0]
    hungriest = max(hostile, key=lambda cost: cost.memory_per_byte)
    told = [
        f"{cost.seconds_per_byte / mean:5.2f} x the mean, {cost.memory_per_byte:.2f} x its size "
        f"in memory: {cost.name}"
        for cost in hostile
    ]
    return [
        Row("speed, of a bare re2 scan", f"{found.signatures / found.bare:.2f}", ">= 0.4"),
        Row("speed, of that scan line by line", f"{found.signatures / found.by_line:.2f}"),
        Row("speed, of Drain3", f"{found.signatures / found.drain:.0f}", ">= 20"),
        Row(
            "hostile: a byte's time, of an ordinary one's",
            f"{dearest.seconds_per_byte / mean:.2f} ({dearest.name})",
            "<= 5",
            "",
            told,
        ),
        Row("hostile: memory, of the input", f"{hungriest.memory_per_byte:.2f}", "<= 3"),
    ]


def _hits(what: str, labels: Labels, bar: str) -> Row:
    misses = [
        f"{log.name} {_spans(log)}: {_told(found)}"
        for log, found in labels
        if found is None or not log.holds(found.line_start)
    ]
    beside = ", ".join(_share(_baseline(labels, end), len(labels)) for end in (min, max))
    return Row(what, _share(len(labels) - len(misses), len(labels)), bar, beside, misses)


def _baseline(labels: Labels, end: Callable[[list[int]], int]) -> int:
    """Logs whose first (end = min) or last (max) line with an error word is a marked one."""
    hits = 0
    for log, _ in labels:
        lines = enumerate(log.text.split("\n"), 1)
        worded = [number for number, line in lines if ERROR_WORD.search(line)]
        hits += bool(worded) and log.holds(end(worded))
    return hits


def _overlap(labels: Labels) -> Row:
    scores = {
        log.name: log.overlap(found.line_start, found.line_end) if found else 0.0
        for log, found in labels
    }
    low = [f"{score:.2f} {name}" for name, score in sorted(scores.items()) if score < 0.5]
    median = statistics.median(scores.values())
    return Row("LogChunks: median F1 of block and chunk", f"{median:.3f}", ">= 0.50", "", low)


def _passing(labels: Labels) -> list[Row]:
    logs = [(log.name, log.passing) for log, _ in labels if log.passing is not None]
    rows = []
    for code, bar in ((None, "<= 0.10"), (0, "0")):
        found = [(name, extract("github-actions", text, exit_code=code)) for name, text in logs]
        misses = [f"{name}: {_told(one)}" for name, one in found if one and one.error_found]
        code_said = "unknown" if code is None else code
        what = f"cidiff: passing logs with an error, exit code {code_said}"
        rows.append(Row(what, _share(len(misses), len(logs)), bar, "", misses))
    return rows


def _pairs(what: str, captures: Captures) -> Row:
    runs = defaultdict(list)
    for one, found in captures:
        runs[one.failure_id].append((one.name, found.sig_sha if found else one.name))
    pairs = [pair for same in runs.values() for pair in itertools.combinations(same, 2)]
    misses = [f"{a[0]} and {b[0]}" for a, b in pairs if a[1] != b[1]]
    return Row(what, _share(len(pairs) - len(misses), len(pairs)), "1.00", "", misses)


def _same_again(what: str, captures: Founds, pasted: Founds) -> Row:
    misses = [
        one.name
        for (one, found), (_, again) in zip(captures, pasted, strict=True)
        if found is None or again is None or found.sig_sha != again.sig_sha
    ]
    return Row(what, _share(len(captures) - len(misses), len(captures)), "1.00", "", misses)


def _collisions(what: str, captures: Captures) -> Row:
    by_sha: dict[str, set[str]] = defaultdict(set)
    for one, found in captures:
        if found:
            by_sha[found.sig_sha].add(one.failure_id)
    misses = [", ".join(sorted(ids)) for ids in by_sha.values() if len(ids) > 1]
    return Row(what, str(len(misses)), "0", "", misses)


def _chunks_alike(labels: Labels) -> Row:
    """Logs of one project whose chunk is the same after masking."""
    pairs = [
        (a, b)
        for a, b in itertools.combinations(labels, 2)
        if a[0].group == b[0].group and _masked_chunk(a[0]) == _masked_chunk(b[0])
    ]
    misses = [_told_apart(a, b) for a, b in pairs if not _alike(a[1], b[1])]
    share = _share(len(pairs) - len(misses), len(pairs))
    return Row("LogChunks: same chunks alike", share, "", "", misses)


def _chunks_apart(labels: Labels) -> Row:
    """Pairs with different first errors; equal ones after masking the labels cannot tell."""
    pairs = [
        (a, b)
        for a, b in itertools.combinations(labels, 2)
        if not _first_errors(a[0]) & _first_errors(b[0])
    ]
    misses = [_told_apart(a, b) for a, b in pairs if _alike(a[1], b[1])]
    share = f"{len(misses) / max(1, len(pairs)):.4%} ({len(misses)}/{len(pairs)})"
    return Row("LogChunks: different first errors alike", share, "<= 0.1 %", "", misses)


def _first_errors(log: Labelled) -> set[str]:
    """The chunk's first line, and its first with an error word, masked."""
    lines = _chunk(log)
    worded = next((line for line in lines if ERROR_WORD.search(line)), log.first)
    return {_masked(log.first), _masked(worded)}


def _chunk(log: Labelled) -> list[str]:
    first, last = log.spans[0]
    return [line for line in log.text.split("\n")[first - 1 : last] if line.strip()]


def _masked_chunk(log: Labelled) -> list[str]:
    return [_masked(line) for line in _chunk(log)]


def _masked(line: str) -> str:
    return str(MASK.sub("#", strip_ansi(line))).strip()


def _alike(one: Signature | None, other: Signature | None) -> bool:
    return one is not None and other is not None and one.sig_sha == other.sig_sha


def _volatile(signatures: list[Signature]) -> Row:
    misses = sorted(
        f"{', '.join(parts)} in {one.normalised[:120]!r}"
        for one in {found.sig_sha: found for found in signatures}.values()
        if (parts := volatile_parts(one.normalised))
    )
    return Row("normalised forms with a volatile part left", str(len(misses)), "0", "", misses)


def _share(part: int, whole: int) -> str:
    return f"{part / max(1, whole):.3f} ({part}/{whole})"


def _spans(log: Labelled) -> str:
    return ", ".join(f"{first}-{last}" for first, last in log.spans[:3])


def _told(found: Signature | None) -> str:
    if found is None:
        return "nothing found"
    return f"{found.line_start}-{found.line_end} {found.rule} {found.identity[:120]!r}"


def _told_apart(a: tuple[Labelled, Signature | None], b: tuple[Labelled, Signature | None]) -> str:
    return f"{a[0].name}: {_told(a[1])}\n    {b[0].name}: {_told(b[1])}"


if __name__ == "__main__":
    main()
