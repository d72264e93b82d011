"""The columns of each day's Parquet files, with what they mean; one place for storage and UI."""

from dataclasses import dataclass

import pyarrow as pa

TEXT = pa.string()
TEXTS = pa.list_(pa.string())
INT = pa.int64()
FLAG = pa.bool_()
VECTOR = pa.list_(pa.float32())
LINES = pa.list_(pa.struct([("line", TEXT), ("origin", TEXT)]))
DROPPED = pa.list_(pa.struct([("line", TEXT), ("origin", TEXT), ("reason", TEXT)]))


@dataclass(frozen=True)
class DayTable:
    """One Parquet file a day. key: columns that are unique together; rows are sorted by them."""

    name: str
    key: tuple[str, ...]
    columns: dict[str, tuple[pa.DataType, str]]

    @property
    def schema(self) -> pa.Schema:
        return pa.schema([(name, kind) for name, (kind, _) in self.columns.items()])


_REJECT = {
    "path": (TEXT, "file under the landing; a member of an archive after '!'"),
    "line": (INT, "1-based line, 0 for the whole file"),
    "reason": (TEXT, "kind of fault"),
    "detail": (TEXT, "what was found and what to do"),
}
_FILE = {
    "path": (TEXT, "file under the landing that a stage has read"),
    "bytes": (INT, "size as it lies there"),
    "modified_ns": (INT, "time of its last change as it lies there, ns since 1970"),
}
_EMBEDDING = {
    "text_sha": (TEXT, "SHA-256 of the embedded text"),
    "vector": (VECTOR, "384 float32, unit length"),
    "model_id": (TEXT, "embedder with its weights' hash"),
    "engine_version": (TEXT, "vLLM package and version"),
}

TABLES = {
    table.name: table
    for table in (
        DayTable("log_files", ("path",), _FILE),
        DayTable("note_files", ("path",), _FILE),
        DayTable(
            "recorded_days",
            ("files_version",),
            {"files_version": (TEXT, "version of the day's listings that memory_log recorded")},
        ),
        DayTable(
            "raw_logs",
            ("path",),
            {
                "log_id": (TEXT, "content hash of path and redacted text"),
                "path": (TEXT, "log under the landing; a member of an archive after '!'"),
                "text": (TEXT, "the log, secrets redacted"),
                "text_sha": (TEXT, "SHA-256 of the text; its name in the evidence store"),
                "tool": (TEXT, "from the sidecar or the folder, else null"),
                "tool_origin": (TEXT, "sidecar, folder or empty"),
                "job": (TEXT, "CI job"),
                "step": (TEXT, "step of the job"),
                "exit_code": (INT, "exit code of the command, null where unknown"),
                "url": (TEXT, "address of the run"),
                "repo": (TEXT, "repository"),
                "commit": (TEXT, "commit that was built"),
                "bytes": (INT, "size of the raw log in bytes"),
                "redacted": (TEXTS, "kinds of secrets that were redacted"),
                "decoding": (TEXT, "utf-8, or replacement where bytes were broken"),
            },
        ),
        DayTable("raw_log_rejects", ("path", "line", "reason"), _REJECT),
        DayTable(
            "signatures",
            ("log_id", "role"),
            {
                "log_id": (TEXT, "the log"),
                "role": (TEXT, "own, or inner for the tool inside a wrapper"),
                "path": (TEXT, "the log's path under the landing"),
                "tool": (TEXT, "tool whose rules fired"),
                "inner_tool": (TEXT, "tool inside the wrapper"),
                "raw": (TEXT, "the failure's block"),
                "line_start": (INT, "first line of the block, 1-based"),
                "line_end": (INT, "last line of the block, inclusive"),
                "identity": (TEXT, "the lines that say which failure it is"),
                "normalised": (TEXT, "identity after every substitution"),
                "sig_sha": (TEXT, "SHA-256 of tool and normalised form"),
                "rule": (TEXT, "rule that fired"),
                "error_found": (FLAG, "whether an error line was found"),
                "job": (TEXT, "CI job"),
                "step": (TEXT, "step of the job"),
                "exit_code": (INT, "exit code"),
                "diagnostics": (TEXTS, "what went less than well"),
            },
        ),
        DayTable(
            "signed_days",
            ("rules_version",),
            {"rules_version": (TEXT, "version of the rules that signed the day's logs")},
        ),
        DayTable("signature_rejects", ("path", "line", "reason"), _REJECT),
        DayTable(
            "candidate_memories",
            ("candidate_sha",),
            {
                "candidate_sha": (TEXT, "the candidate in its place"),
                "memory_sha": (TEXT, "the memory it would become"),
                "level": (TEXT, "L1, L2 or R"),
                "kind": (TEXT, "what its author calls it"),
                "text": (TEXT, "the text, secrets redacted"),
                "heading": (TEXT, "headings above it"),
                "source": (TEXT, "address, ticket or commit"),
                "evidence": (TEXTS, "references as given"),
                "path": (TEXT, "note under the landing"),
                "line_start": (INT, "first line in the note"),
                "line_end": (INT, "last line in the note"),
                "chunk": (INT, "0-based number of the piece"),
            },
        ),
        DayTable("note_rejects", ("path", "line", "reason"), _REJECT),
        DayTable(
            "rejects", ("stage", "path", "line", "reason"), {"stage": (TEXT, "asset")} | _REJECT
        ),
        DayTable(
            "gate_verdicts",
            ("candidate_sha",),
            {
                "candidate_sha": (TEXT, "the candidate"),
                "memory_sha": (TEXT, "the memory it would become"),
                "path": (TEXT, "note under the landing"),
                "verdict": (TEXT, "accepted or rejected"),
                "rule": (TEXT, "rule that decided"),
                "reason": (TEXT, "why, in a sentence"),
                "policy_version": (TEXT, "version of the gate's rules, and of who was asked"),
                "controller_answer": (TEXT, "what the controller said; null where not asked"),
                "controller_model_id": (TEXT, "the controller, with its weights' hash"),
                "controller_prompt_sha": (TEXT, "content hash of the prompt"),
                "controller_parameters": (TEXT, "sampling and limits, as JSON"),
                "controller_engine_version": (TEXT, "what ran it"),
            },
        ),
        DayTable(
            "accepted_memories",
            ("memory_sha",),
            {
                "memory_sha": (TEXT, "content hash of level and text"),
                "candidate_shas": (TEXTS, "the candidates that said it"),
                "level": (TEXT, "L1, L2 or R"),
                "kind": (TEXT, "what its author calls it"),
                "text": (TEXT, "the lesson"),
                "heading": (TEXT, "headings above it"),
                "source": (TEXT, "address, ticket or commit"),
                "evidence": (TEXTS, "references as given"),
                "policy_version": (TEXT, "version of the gate's rules"),
            },
        ),
        DayTable(
            "symptom_projections",
            ("memory_sha",),
            {
                "memory_sha": (TEXT, "the memory"),
                "explains_failure": (FLAG, "whether it explains a failure at all"),
                "question": (TEXT, "rule that answered that"),
                "lines": (LINES, "symptoms that it would explain"),
                "dropped": (DROPPED, "lines that a filter dropped, and why"),
                "projector": (TEXT, "catalogue or generative"),
                "model_id": (TEXT, "model behind it"),
                "prompt_sha": (TEXT, "prompt's or catalogue's content hash"),
                "parameters": (TEXT, "thresholds and caps, as JSON"),
                "engine_version": (TEXT, "vLLM package and version"),
            },
        ),
        DayTable(
            "text_embeddings",
            ("memory_sha",),
            {"memory_sha": (TEXT, "memory or log"), "level": (TEXT, "L0, L1, L2 or R")}
            | _EMBEDDING,
        ),
        DayTable(
            "symptom_embeddings",
            ("memory_sha", "line_no"),
            {"memory_sha": (TEXT, "the memory"), "line_no": (INT, "line of its projection")}
            | _EMBEDDING,
        ),
    )
}
"""Every table by name."""
