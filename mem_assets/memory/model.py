"""What a candidate, a verdict and a memory are."""

import unicodedata
from dataclasses import dataclass

from mem_assets.hashing import sha256_json

LEVELS = ("L0", "L1", "L2", "R")
"""L0 raw evidence, L1 a lesson, L2 a summary over several L1, R reference documentation."""


def clean_text(text: str) -> str:
    """The form of a memory's text that is stored and hashed.

    NFC, line breaks as \\n, no trailing spaces, no blank lines around it.
    """
    text = unicodedata.normalize("NFC", text.replace("\r\n", "\n").replace("\r", "\n"))
    return "\n".join(line.rstrip() for line in text.split("\n")).strip("\n")


def memory_sha(level: str, text: str) -> str:
    """The name of a memory: a content hash of its level and cleaned text.

    Evidence and source take no part, so that the same lesson told twice is one memory
    that gathers the evidence of both.
    """
    return sha256_json({"level": level, "memory": clean_text(text)})


@dataclass(frozen=True)
class Candidate:
    """A piece of a note (or of a reference document) before the gate; its text is redacted.

    evidence    references as the note gives them: log paths, log ids, memory shas
    path        of the note under the landing, with its date ("2026-11-24/notes/a.md")
    line_start, line_end  1-based and inclusive, in the note's file
    chunk       0-based number of this piece in its note
    heading     the headings above it ("Cache > Eviction"), empty where there are none
    """

    date: str
    level: str
    kind: str
    text: str
    source: str
    evidence: tuple[str, ...]
    path: str
    line_start: int
    line_end: int
    chunk: int
    heading: str = ""

    @property
    def memory_sha(self) -> str:
        return memory_sha(self.level, self.text)

    @property
    def candidate_sha(self) -> str:
        """Unique to this place: two candidates with one text keep two verdicts."""
        return sha256_json(
            {
                "candidate": self.memory_sha,
                "path": self.path,
                "line": self.line_start,
                "chunk": self.chunk,
            }
        )


@dataclass(frozen=True)
class Verdict:
    """The gate's answer for one candidate: "accepted" or "rejected", by which rule, and why."""

    candidate_sha: str
    memory_sha: str
    verdict: str
    rule: str
    reason: str
    policy_version: str

    @property
    def accepted(self) -> bool:
        return self.verdict == "accepted"


@dataclass(frozen=True)
class Reject:
    """A row or file that could not be taken, kept visible.

    path    under the landing, with its date; a member of an archive after "!"
    line    1-based line in the file, 0 where the whole file is meant
    reason  one of REJECT_REASONS
    detail  one sentence: what was found and what to do
    """

    date: str
    path: str
    line: int
    reason: str
    detail: str


REJECT_REASONS = (
    "truncated",
    "path_escape",
    "too_large",
    "binary",
    "empty",
    "unreadable",
    "corrupt",
    "metadata",
    "front_matter",
    "json",
    "schema",
    "volatile_left",
)
