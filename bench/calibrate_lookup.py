"""Measure the lookup on the development incidents, and what its thresholds would decide.

    python bench/calibrate_lookup.py [--corpus ../shared/corpus/incidents] [--cache FOLDER]
                                     [--features]

Real stages throughout: extraction, catalogue projection, vLLM embeddings, tables, indexes, lookup.
Three settings: `first` and `second` have that query of each incident as the log behind its memory
and ask the other one; `none` has no log and asks both. Decisions lie in every index, and every
setting asks the queries that nothing answers. No tool is given.

The thresholds in mem_assets/retrieval/calibration.toml are set by hand from this output.
"""

import argparse
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from mem_assets.engines.embedder import CachedEmbedder, open_embedder
from mem_assets.hashing import sha256_text
from mem_assets.memory.model import memory_sha
from mem_assets.memory.settle import EvidenceNode, Settled, SettledMemory
from mem_assets.retrieval.answer import Answer
from mem_assets.retrieval.build import build_generation
from mem_assets.retrieval.calibration import Calibration, calibration
from mem_assets.retrieval.hybrid import find_hybrid
from mem_assets.retrieval.lookup import lookup
from mem_assets.retrieval.question import read_question
from mem_assets.retrieval.tables import build_tables
from mem_assets.signature import extract
from mem_assets.storage.generation import Generation
from mem_assets.symptom.projector import ProjectionInput, project, texts_to_embed

SETTINGS = {"first": 0, "second": 1, "none": None}
DATE = "2026-01-01"


@dataclass(frozen=True)
class Corpus:
    """Rows as the corpus's README describes them."""

    incidents: list[dict[str, Any]]
    decisions: list[dict[str, Any]]
    noanswer: list[dict[str, Any]]


@dataclass(frozen=True)
class Ask:
    """A query and the memory that answers it, None where none does."""

    setting: str
    query: str
    truth: str | None


class Recorder(Calibration):
    """A calibration that keeps what each match was judged by."""

    seen: list[tuple[str, float, float, int]]

    def confidence(self, kind: str, cosine: float, margin: float, agreement: int) -> str:
        self.seen.append((kind, cosine, margin, agreement))
        return super().confidence(kind, cosine, margin, agreement)


def read_corpus(folder: Path) -> Corpus:
    def rows(name: str) -> list[dict[str, Any]]:
        lines = (folder / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
        return [json.loads(line) for line in lines]

    return Corpus(*(rows(field.name) for field in fields(Corpus)))


def evidence(incident: Mapping[str, Any], text: str) -> EvidenceNode:
    """A query as the log behind its incident's memory."""
    own = extract(incident["tool"], text, exit_code=1)
    assert own is not None, incident["id"]
    found = [("own", own)] + ([("inner", own.inner)] if own.inner else [])
    context = dict.fromkeys(("job", "step", "exit_code", "url", "repo", "commit"))
    body = {
        "path": f"logs/{incident['id']}.log",
        "tool": incident["tool"],
        "context": {**context, "exit_code": 1},
        "text_sha": sha256_text(text),
        "signatures": [{**asdict(signature), "role": role} for role, signature in found],
    }
    return EvidenceNode(sha256_text(incident["id"]), DATE, body["path"], body)


def settle(corpus: Corpus, number: int | None, embedder: CachedEmbedder) -> Settled:
    """The corpus as settled memories with their projections; query `number` is the evidence."""
    notes = [
        ProjectionInput(memory_sha("L1", row["memory"]), "L1", "lesson", row["memory"])
        for row in (*corpus.incidents, *corpus.decisions)
    ]
    texts = texts_to_embed(notes)
    vectors = dict(zip(texts, embedder.embed(texts), strict=True))
    projections = project(notes, vectors.__getitem__, embedder.engine_version, embedder.model_id)
    nodes: dict[str, EvidenceNode] = {}
    if number is not None:
        for note, row in zip(notes, corpus.incidents, strict=False):
            nodes[note.memory_sha] = evidence(row, row["queries"][number])
    memories = [
        SettledMemory(
            memory_sha=note.memory_sha,
            level="L1",
            text=note.text,
            date=DATE,
            kind="lesson",
            source="bench",
            heading="",
            references=(),
            evidence=(nodes[note.memory_sha].log_id,) if note.memory_sha in nodes else (),
            projection=asdict(projection),
        )
        for note, projection in zip(notes, projections, strict=True)
    ]
    return Settled(
        tuple(sorted(memories, key=lambda memory: memory.memory_sha)),
        tuple(sorted(nodes.values(), key=lambda node: node.log_id)),
    )


def build(home: Path, settled: Settled, embedder: CachedEmbedder) -> Generation:
    texts = [memory.text for memory in settled.memories]
    for memory in settled.memories:
        texts += [line["line"] for line in (memory.projection or {})["lines"]]
    for node in settled.evidence:
        texts += [signature["identity"] for signature in node.body["signatures"]]
    vectors: dict[str, np.ndarray] = dict(zip(texts, embedder.embed(texts), strict=True))
    inputs = {
        "log_heads": {},
        "embedder": {
            "model_id": embedder.model_id,
            "engine_version": embedder.engine_version,
            "dimensions": embedder.dimensions,
        },
    }
    return build_generation(home, build_tables(settled, vectors.get, embedder.model_id), inputs)


def asks(corpus: Corpus, setting: str) -> list[Ask]:
    number = SETTINGS[setting]
    asked = [
        Ask(setting, query, memory_sha("L1", row["memory"]))
        for row in corpus.incidents
        for at, query in enumerate(row["queries"])
        if at != number
    ]
    return asked + [Ask(setting, row["query"], None) for row in corpus.noanswer]


def rank(answer: Answer, truth: str | None) -> int | None:
    """1-based place of the right memory, None where it is absent."""
    shas = [match.memory_sha for match in answer.matches]
    return shas.index(truth) + 1 if truth in shas else None


def report(setting: str, results: Sequence[tuple[Ask, Answer]]) -> None:
    answerable = [(ask, answer) for ask, answer in results if ask.truth]
    ranks = [rank(answer, ask.truth) for ask, answer in answerable]
    print(
        f"{setting}: {len(ranks)} asked, first {share(sum(r == 1 for r in ranks), ranks)}, ", end=""
    )
    print(f"in five {share(sum(r is not None for r in ranks), ranks)}")
    for matched in ("signature", "class", "meaning", "reference"):
        for confidence in ("high", "medium", "low"):
            found = [
                rank(answer, ask.truth) == 1
                for ask, answer in results
                if answer.matches
                and (answer.matches[0].matched, answer.confidence) == (matched, confidence)
            ]
            if found:
                print(f"  {matched:<10} {confidence:<7} {len(found):>3}, right {sum(found)}")
    silent = [answer.confidence or answer.status for ask, answer in results if not ask.truth]
    print(f"  with no answer: {dict(sorted(Counter(silent).items()))}")


def share(count: int, of: Sequence[Any]) -> str:
    return f"{100 * count / max(len(of), 1):.1f} %"


def features(generation: Generation, asked: Sequence[Ask], embedder: CachedEmbedder) -> None:
    """What the hybrid tier judges its first match by, floors left out, the nearest first."""
    base = calibration()
    rows = []
    for ask in asked:
        recorder = Recorder(*(getattr(base, field.name) for field in fields(base)))
        object.__setattr__(recorder, "seen", [])
        with closing(generation.connect()) as con:
            question = read_question(ask.query)
            found = find_hybrid(con, generation, question, lambda: embedder, recorder, 1)
        if found and recorder.seen:
            right = "none" if ask.truth is None else str(found[0].memory_sha == ask.truth)
            rows.append((*recorder.seen[0], right))
    for kind, cosine, margin, agreement, right in sorted(rows, key=lambda row: (row[0], -row[1])):
        print(f"    {kind:<8}{cosine:.3f}  {margin:+.3f}  {agreement}  {right}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--corpus", type=Path, default=Path("../shared/corpus/incidents"))
    parser.add_argument("--cache", type=Path, default=None, help="content cache of vectors")
    parser.add_argument("--features", action="store_true")
    args = parser.parse_args()
    if not args.corpus.is_dir():
        sys.exit(f"{args.corpus} is absent: nothing to measure (give --corpus)")
    corpus, embedder = read_corpus(args.corpus), open_embedder(args.cache)
    for setting, number in SETTINGS.items():
        with tempfile.TemporaryDirectory() as home:
            generation = build(Path(home), settle(corpus, number, embedder), embedder)
            asked = asks(corpus, setting)
            results = [
                (ask, lookup(generation, ask.query, embedder=lambda: embedder)) for ask in asked
            ]
            failed = [answer.reason for _, answer in results if answer.status == "search_failed"]
            if failed:
                sys.exit(f"{len(failed)} searches failed: {failed[0]}")
            report(setting, results)
            if args.features:
                features(generation, asked, embedder)


if __name__ == "__main__":
    main()
