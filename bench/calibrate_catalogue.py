"""Calibrate the catalogue projector on the development incidents, and write down what it found.

    python bench/calibrate_catalogue.py --corpus ../shared/corpus --cache .cache/vectors --write

Half of the incidents (chosen by the hash of their id) choose the bounds; the other half is only
measured. The measure is retrieval without evidence: each incident's raw errors are asked against
all memories, decisions among them; a memory scores by its text or by its best symptom line.
Among the settings within `TOLERANCE` of the best, the highest threshold wins: a line that is not
written harms nobody.
"""

import argparse
import hashlib
import itertools
import json
import tomllib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from mem_assets.symptom import CatalogueEntry, load_catalogue
from mem_assets.symptom.calibration import CALIBRATION_FILE, Calibration, Matching, load_calibration
from mem_assets.symptom.filters import filter_lines
from mem_assets.symptom.matching import Match, Matcher
from mem_assets.symptom.model import SymptomLine
from mem_assets.symptom.projector import ProjectionInput, texts_to_embed
from mem_assets.symptom.question import explains_failure
from mem_assets.symptom.quoting import quoted_lines

TOLERANCE = 0.02
GRID = {
    "lexical_weight": (0.8, 1.2),
    "subject_weight": (0.0, 0.1, 0.2),
    "threshold": tuple(round(0.3 + 0.05 * step, 2) for step in range(14)),
    "margin": (0.0, 0.05, 0.1, 0.2),
}

Row = dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--corpus", type=Path, default=Path("../shared/corpus"))
    parser.add_argument("--cache", type=Path, default=Path(".cache/vectors"))
    parser.add_argument("--catalogue", type=Path, action="append", default=[], help="more entries")
    parser.add_argument("--write", action="store_true", help=f"write {CALIBRATION_FILE.name}")
    options = parser.parse_args()
    bench = Bench(options.corpus / "incidents", options.cache, load_catalogue(*options.catalogue))
    chosen, figures = bench.calibrate()
    print(json.dumps({**vars(chosen.matching), **figures}, indent=2))
    if options.write:
        CALIBRATION_FILE.write_text(as_toml(chosen, figures), encoding="utf-8")


class Bench:
    """The corpus with its vectors, and how well a setting retrieves."""

    def __init__(self, folder: Path, cache: Path, entries: Sequence[CatalogueEntry]) -> None:
        from mem_assets.engines.embedder import open_embedder

        self.entries = len(entries)
        self.incidents = read_rows(folder / "incidents.jsonl")
        self.decisions = read_rows(folder / "decisions.jsonl")
        self.memories = [row["memory"] for row in [*self.incidents, *self.decisions]]
        self.queries = [query for row in self.incidents for query in row["queries"]]
        self.truth = np.repeat(np.arange(len(self.incidents)), 2)
        development = [in_development(row["id"]) for row in self.incidents]
        self.development = np.repeat(np.array(development), 2)
        inputs = [ProjectionInput(text, "L1", "lesson", text) for text in self.memories]
        texts = sorted({*texts_to_embed(inputs, entries), *self.memories, *self.queries})
        self.vectors = dict(zip(texts, open_embedder(cache).embed(texts), strict=True))
        self.matcher = Matcher(entries, self.embedding)
        self.asked = np.stack([self.embedding(query) for query in self.queries])
        self.by_text = self.asked @ np.stack([self.embedding(text) for text in self.memories]).T

    def embedding(self, text: str) -> np.ndarray:
        return self.vectors[text]

    def calibrate(self) -> tuple[Calibration, Row]:
        start = load_calibration()
        tried = []
        for lexical, subject in itertools.product(GRID["lexical_weight"], GRID["subject_weight"]):
            weights = replace(start.matching, lexical_weight=lexical, subject_weight=subject)
            ranked = {
                text: self.matcher.rank(text, weights)[: start.matching.max_entries]
                for text in self.memories
                if explains_failure(text, "L1", "lesson")[0]
            }
            for threshold, margin in itertools.product(GRID["threshold"], GRID["margin"]):
                matching = replace(weights, threshold=threshold, margin=margin)
                setting = replace(start, matching=matching)
                lines = self.lines(ranked, setting)
                first, five = self.recall(lines, self.development)
                tried.append(((first + five) / 2, setting, lines))
        best = max(score for score, _, _ in tried)
        near = [trial for trial in tried if trial[0] >= best - TOLERANCE]
        near.sort(key=lambda trial: (-trial[1].matching.threshold, -trial[0]))
        _, chosen, lines = near[0]
        return chosen, self.figures(lines)

    def lines(
        self, ranked: dict[str, list[Match]], setting: Calibration
    ) -> dict[str, tuple[SymptomLine, ...]]:
        bounds = setting.matching
        kept = {}
        for text, matches in ranked.items():
            candidates = [SymptomLine(line, "quoted") for line in quoted_lines(text)]
            for match in matches:
                if is_match(match, matches[0], bounds):
                    origin = f"catalogue:{match.entry.id}"
                    candidates += [SymptomLine(line, origin) for line in match.entry.symptoms]
            kept[text] = filter_lines(text, candidates, self.embedding, setting.filters)[0]
        return kept

    def recall(
        self, lines: dict[str, tuple[SymptomLine, ...]], chosen: np.ndarray
    ) -> tuple[float, float]:
        """Share of the chosen queries whose memory is first, and in the first five."""
        scores = self.by_text.copy()
        for column, text in enumerate(self.memories):
            if projected := lines.get(text):
                vectors = np.stack([self.embedding(line.line) for line in projected])
                scores[:, column] = np.maximum(
                    scores[:, column], (self.asked @ vectors.T).max(axis=1)
                )
        own = scores[np.arange(len(self.queries)), self.truth]
        before = (scores > own[:, None]).sum(axis=1)[chosen]
        return float((before < 1).mean()), float((before < 5).mean())

    def figures(self, lines: dict[str, tuple[SymptomLine, ...]]) -> Row:
        rows = self.incidents
        asked = [explains_failure(row["memory"], "L1", "lesson")[0] for row in rows]
        told = [explains_failure(row["memory"], "L1", "lesson")[0] for row in self.decisions]
        figures: Row = {
            "entries": self.entries,
            "incidents_that_explain": f"{sum(asked)}/{len(asked)}",
            "decisions_that_explain": f"{sum(told)}/{len(told)}",
            "incidents_with_lines": sum(bool(lines.get(row["memory"])) for row in rows),
            "decisions_with_lines": sum(bool(lines.get(row["memory"])) for row in self.decisions),
        }
        everything = np.ones(len(self.queries), dtype=bool)
        parts = {"all": everything, "chosen_on": self.development, "held_out": ~self.development}
        for name, part in parts.items():
            for label, projected in (("text", {}), ("text_and_symptoms", lines)):
                first, five = self.recall(projected, part)
                figures[f"{name}_{label}_recall_1"] = round(first, 3)
                figures[f"{name}_{label}_recall_5"] = round(five, 3)
        return figures


def is_match(match: Match, best: Match, bounds: Matching) -> bool:
    return match.score >= bounds.threshold and best.score - match.score <= bounds.margin


def in_development(name: str) -> bool:
    return hashlib.sha256(name.encode()).digest()[0] % 2 == 0


def read_rows(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def as_toml(chosen: Calibration, figures: Row) -> str:
    """The calibration as its data file, checked to read back."""
    sections = {
        "matching": vars(chosen.matching),
        "filters": vars(chosen.filters),
        "measured": figures,
    }
    lines = ["# Written by bench/calibrate_catalogue.py, which says what each figure means."]
    lines.append("schema = 1")
    for name, values in sections.items():
        lines += [
            "",
            f"[{name}]",
            *(f"{key} = {json.dumps(value)}" for key, value in values.items()),
        ]
    text = "\n".join(lines) + "\n"
    tomllib.loads(text)
    return text


if __name__ == "__main__":
    main()
