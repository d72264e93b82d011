"""What was purged, known by hashes alone, and what of the records and candidates that covers."""

from collections.abc import Iterable
from dataclasses import dataclass

from mem_assets.hashing import sha256_text
from mem_assets.memory.log import LogEntry, LogRecord
from mem_assets.memory.model import clean_text


@dataclass(frozen=True)
class Tombstones:
    """What must not come back.

    subjects  memory shas and log ids that were purged
    texts     SHA-256 of their texts: as `clean_text` gives a memory's, redacted for a log. The
              same text under another level, path or day is covered too.
    """

    subjects: frozenset[str] = frozenset()
    texts: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.subjects)

    def covers(self, entry: LogEntry) -> bool:
        """Whether an entry speaks of something purged; a tombstone itself may always be said."""
        if entry.type == "purged":
            return False
        return entry.subject in self.subjects or text_sha(entry) in self.texts

    def cover_text(self, text: str) -> bool:
        """Whether this is the text of a purged memory."""
        return memory_text_sha(text) in self.texts


def memory_text_sha(text: str) -> str:
    """The name of a memory's text, whatever its level."""
    return sha256_text(clean_text(text))


def text_sha(entry: LogEntry) -> str | None:
    """The hash of the text that an entry brings in; None where it brings none."""
    match entry.type, entry.body:
        case "evidence", {"text_sha": str(sha)}:
            return sha
        case (("memory_accepted" | "reference"), {"text": str(text)}):
            return memory_text_sha(text)
    return None


def tombstone(subject: str, text_sha: str, reason: str) -> LogEntry:
    """The record that says that something was purged; it holds hashes and the reason given."""
    return LogEntry("purged", subject, {"text_sha": text_sha, "reason": reason})


def tombstones(records: Iterable[LogRecord]) -> Tombstones:
    """What the records say was purged."""
    purged = [record.entry for record in records if record.entry.type == "purged"]
    return Tombstones(
        frozenset(entry.subject for entry in purged),
        frozenset(entry.body["text_sha"] for entry in purged),
    )
