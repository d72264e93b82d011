"""A memory log with evidence in it, written by the stages themselves, without a pipeline run."""

from pathlib import Path

from mem_assets.hashing import sha256_json, sha256_text
from mem_assets.memory.log import LogEntry
from mem_assets.pipeline.stages.log_entries import log_entries
from mem_assets.pipeline.stages.signatures import signature_rows
from mem_assets.signature import RuleBook
from mem_assets.storage.evidence import EvidenceStore
from mem_assets.storage.memory_log import MemoryLog

DATE = "2026-11-24"


def record(
    home: Path,
    texts: dict[str, str],
    tool: str | None = None,
    exit_code: int | None = None,
    rules: RuleBook | None = None,
    date: str = DATE,
) -> None:
    """Sign logs, given by name, and append them as evidence, their text to the store."""
    logs = [
        {
            "log_id": sha256_json({"log": name, "text": text}),
            "path": f"{date}/logs/{name}",
            "tool": tool,
            "text": text,
            "text_sha": sha256_text(text),
            "job": None,
            "step": None,
            "exit_code": exit_code,
            "url": None,
            "repo": None,
            "commit": None,
        }
        for name, text in texts.items()
    ]
    for log in logs:
        EvidenceStore(home).write(log["text_sha"], log["text"])
    signatures, _ = signature_rows(date, logs, rules)
    MemoryLog(home).append(date, log_entries(logs, signatures, [], []))


def retract(home: Path, log_id: str, date: str = DATE) -> None:
    MemoryLog(home).append(date, [LogEntry("memory_retracted", log_id, {"reason": "wrong"})])
