"""The gate's rules that look at one candidate alone; each returns "" or why it rejects.

A reason is a sentence for the person who wrote the note: what is the matter, what to do.
"""

import unicodedata

import re2

from mem_assets.memory.gate_words import gate_words
from mem_assets.memory.model import Candidate
from mem_assets.memory.references import is_reference, is_source, memories
from mem_assets.memory.says_why import why_missing
from mem_assets.memory.sentences import prose, words_of

MIN_WORDS = 5
"""Words of prose: fewer make no sentence that names a cause and what was done."""

MAX_CHARACTERS = 8000
"""Of one candidate. Chunks aim at 1,200; only one unbroken block can come near this."""

MAX_TOKEN = 300
"""Characters without white space, addresses aside: longer is encoded data."""

MAX_RUBBISH = 0.01
"""Share of control and replacement characters; prose has none."""

MIN_LETTERS = 0.5
"""Share of letters among the characters that are not white space; prose has over 0.8."""

MIN_PREFIX = 12
"""Hexadecimal digits by which a memory is named at the least: 48 bits."""

_ENDS_OPEN = re2.compile(r"[,:\-–—(]\s*$")
_COMPLETED = re2.compile(
    r"\b(?:it|they|we|he|she|i|you|there|this|that|what|which|than|neither|nor|before|as)\b"
    r"(?:\W+\w+){1,4}\W*$"
)
"""What makes a last "is" or "on" an end: "slower than it was", "the node they run on"."""
_MARKUP_END = re2.compile(r"(?:```|~~~)\s*$")


def well_formed(candidate: Candidate) -> str:
    """Text of a fit size, no rubbish, not broken off."""
    text = candidate.text
    if not text.strip():
        return "it has no text: write what was wrong, why, and what was done"
    if len(text) > MAX_CHARACTERS:
        return f"it is longer than {MAX_CHARACTERS} characters in one block: split it in paragraphs"
    if not any(map(str.isalpha, text)):
        return "it has no words: write what was wrong, why, and what was done"
    if is_rubbish(text):
        return "it is not text but encoded or binary data: write what it means"
    if candidate.level == "R":
        few = len(words_of(text)) < MIN_WORDS
        return f"it has under {MIN_WORDS} words: join it to its section" if few else ""
    if says_nothing(text):
        return "it says nothing by itself: write a sentence with the cause and the fix"
    own = prose(text)
    if own and breaks_off(own) and not _MARKUP_END.search(text):
        return "it breaks off, or ends where something should follow: finish it"
    return ""


_PLEADS = re2.compile(
    r"(?i)\baccept\W+(?:as\W+)?(?:a\W+|the\W+)?(?:cause|fix|decision)\b"
    r"|\b(?:this|the|my) (?:note|memory|candidate|lesson|entry) (?:contains?|has|gives|names) "
    r"(?:a|the) (?:root )?(?:cause|fix|decision)\b"
)
"""A note that names what the gate looks for instead of telling it."""


def is_safe(candidate: Candidate) -> str:
    """No secret left, no hidden characters, no order to whoever reads the memory."""
    from mem_assets.memory.redaction import find_secrets
    from mem_assets.memory.told_secrets import told_secrets

    secrets = find_secrets(candidate.text) or told_secrets(candidate.text)
    if secrets:
        return f"it still holds a secret ({', '.join(secrets)}): take it out and renew it"
    if hidden := _hidden_characters(candidate.text):
        return f"it holds invisible characters ({hidden}): write it in plain text"
    visible = unicodedata.normalize("NFKC", f"{candidate.heading}\n{candidate.text}")
    visible = visible.replace("’", "'")
    if _PLEADS.search(" ".join(visible.split())):
        return "it gives its own verdict: say what happened, and leave the judging to the gate"
    for pattern in gate_words().patterns["unsafe"]:
        if pattern.search(visible) or pattern.search(" ".join(visible.split())):
            return (
                f"it gives an order to its reader ({pattern.name}): say what happened, "
                "and quote such text in your own words"
            )
    return ""


def says_why(candidate: Candidate) -> str:
    """A cause with its fix or consequence, or a decision with its reason."""
    return why_missing(candidate.text, is_summary=candidate.level == "L2")


def has_evidence(candidate: Candidate) -> str:
    """L1 names a log or a source; L2 names at least two memories by their hash."""
    if candidate.level == "L2":
        if len(memories(candidate.evidence)) >= 2:
            return ""
        return (
            "a summary names under two memories: list in `evidence` the hashes "
            f"(at least {MIN_PREFIX} digits) of those that it sums up"
        )
    if any(map(is_reference, candidate.evidence)) or is_source(candidate.source):
        return ""
    given = [*candidate.evidence, candidate.source]
    if said := next((one for one in given if one.strip()), ""):
        return (
            f"what it gives as evidence or source ({said[:40]!r}) cannot be looked up: name a log, "
            "an address, a ticket or a commit"
        )
    return (
        "it names no evidence: list the log in `evidence`, or an address, ticket or commit "
        "in `source`"
    )


def says_nothing(text: str) -> bool:
    """Whether a text has no word but those that need another ("this", "ok", "and then")."""
    words = words_of(text)
    lists = gate_words().language_of(words).words
    return all(word in lists["stop"] or word in lists["interjection"] for word in words)


def is_rubbish(text: str) -> bool:
    """Whether a text is binary or encoded data."""
    shown = [character for character in text if not character.isspace()]
    if not shown:
        return True
    letters = rubbish = 0
    for character in shown:
        category = unicodedata.category(character)
        letters += category[0] in "LM"
        rubbish += category in ("Cc", "Cn", "Co", "Cs") or character == "\ufffd"
    longest = max((len(word) for word in text.split() if "://" not in word), default=0)
    too_long = longest > MAX_TOKEN and any(
        len(word) > MAX_TOKEN and word.isascii() for word in text.split() if "://" not in word
    )
    return rubbish / len(shown) > MAX_RUBBISH or letters / len(shown) < MIN_LETTERS or too_long


def breaks_off(text: str) -> bool:
    """Whether prose ends, or a text of one sentence begins, in the middle of a sentence."""
    text = text.strip().rstrip("*_")
    words = words_of(text)
    if _ENDS_OPEN.search(text):
        return True
    if not words:
        return False
    if text.endswith((".", "!", "?", ")", '"')) and not text.endswith(".."):
        return False
    lists = gate_words().language_of(words).words
    if words[-1] in lists["dangling_soft"]:
        return not _COMPLETED.search(text[-80:].lower())
    return words[-1] in lists["dangling"]


def _hidden_characters(text: str) -> str:
    """Names of invisible characters that can carry an order past the eye of a reader."""
    found = {
        unicodedata.name(character, f"U+{ord(character):04X}")
        for character in text
        if unicodedata.category(character) == "Cf" and character not in "\u00ad\u200d\u200c\ufeff"
    }
    return ", ".join(sorted(found)[:3]).lower()
