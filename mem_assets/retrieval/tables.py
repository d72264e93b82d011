"""From settled memories to the rows of a generation, and to its digest. Pure."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mem_assets.hashing import canonical_json, sha256_lines
from mem_assets.memory.log import LogRecord
from mem_assets.memory.settle import EvidenceNode, Settled, SettledMemory
from mem_assets.storage.tables import DIGESTED
from mem_assets.symptom import project_symptom

VectorOf = Callable[[str], np.ndarray | None]
"""The vector of a text, None where it was not made yet."""

EVIDENCE_LINES = 16
"""Different identities of logs that one memory takes as symptoms, at most."""

Row = tuple[Any, ...]


@dataclass(frozen=True)
class GenerationTables:
    """rows: per table, sorted by key. incomplete: memories that wait for a vector or a
    projection and so are left out."""

    rows: Mapping[str, Sequence[Row]]
    incomplete: tuple[str, ...]

    def digest(self) -> str:
        """SHA-256 over all that answers come from; equal for equal logs and models."""
        return digest_of(self.rows)


def digest_of(rows: Mapping[str, Sequence[Row]]) -> str:
    """The digest of rows, per table, in any order."""
    return sha256_lines(
        canonical_json([table, plain_row(row)])
        for table in DIGESTED
        for row in sorted(rows[table], key=_row_key)
    )


def plain_row(row: Row) -> list[Any]:
    """A row in the form that is hashed: vectors as the hex of their bytes."""
    return [value.tobytes().hex() if isinstance(value, np.ndarray) else value for value in row]


def build_tables(
    settled: Settled,
    vector_of: VectorOf,
    model_id: str,
    records: Iterable[LogRecord] = (),
    verdicts: Iterable[Mapping[str, Any]] = (),
) -> GenerationTables:
    """All rows of a generation.

    A memory gets vectors, symptoms and signature links only when it is published and complete:
    its text vector is there and, for L1 and L2, its projection with every line's vector.
    """
    logs = {node.log_id: node for node in settled.evidence}
    build = _Build(vector_of, model_id, logs)
    for memory in settled.memories:
        build.add_memory(memory)
    for node in settled.evidence:
        build.add_log(node)
    build.rows["gate_verdict"] = [_verdict_row(row) for row in verdicts]
    build.rows["log_record"] = [_record_row(record) for record in records]
    rows = {table: sorted(found, key=_row_key) for table, found in build.rows.items()}
    return GenerationTables(rows, tuple(sorted(build.incomplete)))


def _row_key(row: Row) -> tuple[Any, ...]:
    """Sort by column, None first; vectors take no part, the columns before them are unique."""
    return tuple(
        (value is not None, value) for value in row if not isinstance(value, np.ndarray | list)
    )


class _Build:
    def __init__(
        self, vector_of: VectorOf, model_id: str, logs: Mapping[str, EvidenceNode]
    ) -> None:
        self.vector_of = vector_of
        self.model_id = model_id
        self.logs = logs
        self.incomplete: list[str] = []
        self.rows: dict[str, list[Row]] = {
            name: []
            for name in ("memory", "evidence", "failure_signature", "memory_vector", "symptom")
        }

    def add_memory(self, memory: SettledMemory) -> None:
        lines = self._symptom_lines(memory)
        if memory.status == "published":
            vectors = [self.vector_of(t) for t in (memory.text, *(line for line, *_ in lines))]
            if not self._is_projected(memory) or any(vector is None for vector in vectors):
                self.incomplete.append(memory.memory_sha)
                return
            self._add_vector(memory.memory_sha, "text", 0, memory.text)
            for number, (line, *origin) in enumerate(lines):
                self.rows["symptom"].append((memory.memory_sha, number, line, *origin))
                self._add_vector(memory.memory_sha, "symptom", number, line)
            for log_id in memory.evidence:
                self._link(memory.memory_sha, self.logs[log_id])
        self.rows["memory"].append(
            (
                memory.memory_sha,
                memory.level,
                # A retracted text stays in the log alone.
                "" if memory.status == "retracted" else memory.text,
                memory.date,
                memory.kind,
                memory.source,
                memory.heading,
                memory.status,
                memory.duplicate_of,
                bool(memory.projection and memory.projection["explains_failure"]),
            )
        )

    def _is_projected(self, memory: SettledMemory) -> bool:
        return memory.level == "R" or memory.projection is not None

    def _symptom_lines(self, memory: SettledMemory) -> list[tuple[str, str, str, str, str]]:
        """(line, origin, projector, model id, prompt sha): the projection's lines, then the
        identities of the logs behind the memory, which are symptoms as they stand."""
        projection = memory.projection
        if projection is None or not projection["explains_failure"]:
            return []
        lines = {
            line["line"]: (
                line["origin"],
                projection["projector"],
                projection["model_id"],
                projection["prompt_sha"],
            )
            for line in projection["lines"]
        }
        identities: dict[str, tuple[str, str, str, str]] = {}
        for log_id in memory.evidence:
            signature = own_signature(self.logs[log_id])
            if signature is None or signature["identity"] in lines:
                continue
            # A log whose own day failed to embed it must not hold back the memory.
            if self.vector_of(signature["identity"]) is not None:
                origin = (f"evidence:{log_id}", "evidence", self.model_id, "")
                identities.setdefault(signature["identity"], origin)
        kept = sorted(identities)[:EVIDENCE_LINES]
        return [(line, *origin) for line, origin in lines.items()] + [
            (line, *identities[line]) for line in kept
        ]

    def _add_vector(self, sha: str, kind: str, line_no: int, text: str) -> None:
        self.rows["memory_vector"].append((sha, kind, line_no, self.vector_of(text), self.model_id))

    def _link(self, memory_sha: str, node: EvidenceNode) -> None:
        body = node.body
        own = own_signature(node)
        context = body["context"]
        self.rows["evidence"].append(
            (
                memory_sha,
                node.log_id,
                node.date,
                node.path,
                own["tool"] if own else body["tool"] or "generic",
                *(context[name] for name in ("job", "step", "exit_code", "url", "repo", "commit")),
                own["raw"] if own else "",
                body["text_sha"],
            )
        )
        for signature in body["signatures"]:
            if signature_links(signature, context["exit_code"]):
                self.rows["failure_signature"].append(
                    _signature_row(signature, memory_sha, node.log_id)
                )

    def add_log(self, node: EvidenceNode) -> None:
        """An L0 of its own: a raw neighbour for the last tier."""
        signature = own_signature(node)
        if signature is None:
            return
        if self.vector_of(signature["identity"]) is None:
            self.incomplete.append(node.log_id)
            return
        place = (node.date, signature["tool"], node.body["context"]["url"] or "", "")
        self.rows["memory"].append(
            (node.log_id, "L0", signature["identity"], *place, "published", None, False)
        )
        self._add_vector(node.log_id, "text", 0, signature["identity"])


def own_signature(node: EvidenceNode) -> Mapping[str, Any] | None:
    """The signature of a log's own tool, where it may link to anything at all."""
    for signature in node.body["signatures"]:
        if signature["role"] == "own" and signature_links(
            signature, node.body["context"]["exit_code"]
        ):
            return signature
    return None


def signature_links(signature: Mapping[str, Any], exit_code: int | None) -> bool:
    """Whether something is known to have failed, as `Signature.links` says it."""
    return bool(signature["error_found"]) or (exit_code or 0) != 0


def _signature_row(signature: Mapping[str, Any], memory_sha: str, log_id: str) -> Row:
    symptom = project_symptom(signature["tool"], signature["identity"])
    return (
        signature["sig_sha"],
        memory_sha,
        log_id,
        signature["tool"],
        signature["inner_tool"],
        signature["role"],
        signature["raw"],
        signature["identity"],
        signature["normalised"],
        signature["rule"],
        symptom.sym_sha,
        symptom.failure_class,
        list(symptom.modules),
        list(symptom.error_codes),
    )


def _verdict_row(verdict: Mapping[str, Any]) -> Row:
    columns = ("candidate_sha", "memory_sha", "date", "path", "verdict", "rule", "reason")
    return (*(verdict[name] for name in columns), verdict["policy_version"])


def _record_row(record: LogRecord) -> Row:
    entry = record.entry
    place = (record.record_sha, record.date, record.seq)
    return (*place, entry.type, entry.subject, entry.content_sha, canonical_json(entry.body))
