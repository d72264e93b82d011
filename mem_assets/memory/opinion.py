"""A controller's opinion on a note that by its wording does not say why. Pure.

Only `says_why` can be overruled by it, and only by an answer of exactly the asked form. A note that
holds that form, or speaks of its being judged, is not asked about at all: what it says of itself
must not win it anything.
"""

import unicodedata
from dataclasses import dataclass

import re2

from mem_assets.hashing import sha256_json

ACCEPTING = {
    "ACCEPT cause": "a cause",
    "ACCEPT fix": "what was wrong and how it was put right",
    "ACCEPT decision": "a decision with its reason",
}
"""Answers that overrule, and what they find in the note."""

REJECTING = tuple(
    f"REJECT {kind}" for kind in ("question", "status", "vague", "plan", "log", "order")
)

NO_ANSWER = "no answer"
"""What has another form than one of the answers: the rule's verdict stands."""

NOT_ASKED = "not asked"

_FORM = re2.compile(
    r"\b(?:ACCEPT|REJECT)(?:ED|S)?\b|(?i)\b(?:accept|reject)\W+(?:the\W+|a\W+|as\W+)*"
    r"(?:cause|fix|decision|question|status|vague|plan|log|order)\b"
)
_JUDGING = re2.compile(
    r"(?i)\b(?:this|the|my|that|following|above) (?:note|memory|candidate|lesson|entry|text|message"
    r"|submission)\b.{0,80}\b(?:accept|approv|reject|valid|qualif|deserv|pass(?:es)? (?:the )?gate"
    r"|must be (?:kept|stored)|should be (?:kept|stored)|contains? (?:a|the) (?:root )?cause)"
    r"|\b(?:accept|approve|keep|store|admit) (?:this|the|my) (?:note|memory|candidate|lesson|entry"
    r"|text|message|submission)\b"
    r"|\b(?:verdict|system prompt|language model|assistant|llms?|grader|classifier|gatekeeper"
    r"|whoever judges|judged? by|you are (?:an?|the) )\b"
    r"|<\|\w|\[/?INST\]|<</?SYS"
)


@dataclass(frozen=True)
class Opinion:
    """What was answered about one candidate, and what made it; None where nobody was asked."""

    answer: str
    model_id: str | None = None
    prompt_sha: str | None = None
    parameters: str | None = None
    engine_version: str | None = None

    @property
    def finds(self) -> str:
        """What the controller finds in the note; "" where the rule's verdict stands."""
        return ACCEPTING.get(self.answer, "")

    @property
    def version(self) -> str:
        """Names who was asked and how, for the policy version; "" where nobody was."""
        if self.model_id is None:
            return ""
        return sha256_json([self.model_id, self.prompt_sha, self.parameters, self.engine_version])[
            :12
        ]


def read_opinion(answer: str) -> str:
    """An answer of the asked form as it stands, or NO_ANSWER."""
    answer = answer.strip()
    return answer if answer in ACCEPTING or answer in REJECTING else NO_ANSWER


def speaks_of_judging(text: str) -> bool:
    """Whether a note holds the form of an answer or speaks of its being judged."""
    visible = " ".join(unicodedata.normalize("NFKC", text).split())
    visible = visible.encode("utf-8", "replace").decode("utf-8")
    return _FORM.search(visible) is not None or _JUDGING.search(visible) is not None
