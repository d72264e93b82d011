"""The gate's rules that look at one candidate alone; each returns "" or why it rejects.

A reason is a sentence for the person who wrote the note: what is the matter, what to do.
"""

import unicodedata

import re2

from mem_assets.memory.gate_words import gate_words
from mem_assets.memory.model import Candidate
from mem_assets.memory.says_why import is_log_line, prose, why_missing, words_of

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

_URL = re2.compile(r"(?i)\b(?:https?|ssh|git)://[\w.\-]+\.?[\w\-]*(?::\d+)?(?:/\S*)?")
_TICKET = re2.compile(r"\b[A-Z][A-Z0-9]{1,9}-[1-9]\d*\b|(?:^|[\s(,;:])(?:[\w.\-]+/[\w.\-]+)?#\d+\b")
_COMMIT = re2.compile(r"\b(?:[0-9a-f]{7,40}|[0-9a-f]{64})\b")
_NO_TICKET = re2.compile(r"\b(?:UTF|ISO|SHA|RFC|MD|AES|RSA|TLS|IPV|HTTP|BASE|UTC|GMT|CP)-\d+\b")
_FILE = re2.compile(r"[\w)\]]\.[A-Za-z][A-Za-z0-9]{0,9}$")
_LOG_ID = re2.compile(r"^[0-9a-f]{12,64}$")
_ENDS_OPEN = re2.compile(r"(?:\.\.\.|…|[,:\-–—(])\s*$")
_MARKUP_END = re2.compile(r"(?:```|~~~)\s*$")


def well_formed(candidate: Candidate) -> str:
    """Prose of a fit size, not a pasted log, not rubbish; a reference needs no prose."""
    text = candidate.text
    if not text.strip():
        return "it has no text: write what was wrong, why, and what was done"
    if len(text) > MAX_CHARACTERS:
        return f"it is longer than {MAX_CHARACTERS} characters in one block: split it in paragraphs"
    if is_rubbish(text):
        return "it is not text but encoded or binary data: write what it means"
    if candidate.level == "R":
        few = len(words_of(text)) < MIN_WORDS
        return f"it has under {MIN_WORDS} words: join it to its section" if few else ""
    if len(words_of(text)) < MIN_WORDS:
        return f"it has under {MIN_WORDS} words: write a sentence with the cause and the fix"
    own = prose(text)
    if len(words_of(own)) < MIN_WORDS or _is_mostly_log(text, own):
        return "it is a pasted log without a sentence of its own: add what was wrong and the fix"
    if breaks_off(own) and not _MARKUP_END.search(text):
        return "it breaks off in the middle of a sentence: finish it"
    return ""


def is_safe(candidate: Candidate) -> str:
    """No secret left, no hidden characters, no order to whoever reads the memory."""
    from mem_assets.memory.redaction import find_secrets

    secrets = find_secrets(candidate.text)
    if secrets:
        return f"it still holds a secret ({', '.join(secrets)}): take it out and renew it"
    if hidden := _hidden_characters(candidate.text):
        return f"it holds invisible characters ({hidden}): write it in plain text"
    visible = unicodedata.normalize("NFKC", f"{candidate.heading}\n{candidate.text}")
    visible = visible.replace("’", "'")
    for pattern in gate_words().patterns["unsafe"]:
        if pattern.search(visible) or pattern.search(" ".join(visible.split())):
            return (
                f"it gives an order to its reader ({pattern.name}): say what happened, "
                "and quote such text in your own words"
            )
    return ""


def says_why(candidate: Candidate) -> str:
    """A cause with its fix or consequence, or a decision with its reason."""
    return why_missing(candidate.text)


def has_evidence(candidate: Candidate) -> str:
    """L1 names a log or a source; L2 names at least two memories by their hash."""
    if candidate.level == "L2":
        if len(_memories(candidate.evidence)) >= 2:
            return ""
        return (
            "a summary names under two memories: list in `evidence` the hashes "
            f"(at least {MIN_PREFIX} digits) of those that it sums up"
        )
    if any(map(_is_reference, candidate.evidence)) or is_source(candidate.source):
        return ""
    return (
        "it names no evidence: list the log in `evidence`, or an address, ticket or commit "
        "in `source`"
    )


def is_source(text: str) -> bool:
    """Whether a text names an address, a ticket (ABC-123, #123, owner/name#123) or a commit."""
    text = _NO_TICKET.sub(" ", text)
    commits = (match.group(0) for match in _COMMIT.finditer(text))
    return (
        _URL.search(text) is not None
        or _TICKET.search(text) is not None
        or any(any(map(str.isdigit, one)) and any(map(str.isalpha, one)) for one in commits)
    )


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
    if not words or _ENDS_OPEN.search(text):
        return True
    return not text.endswith((".", "!", "?", ")", '"')) and (
        words[-1] in gate_words().words["dangling"]
    )


def _is_mostly_log(text: str, own: str) -> bool:
    """Many printed lines and hardly a sentence beside them."""
    lines = [line for line in text.split("\n") if line.strip()]
    printed = sum(is_log_line(line) for line in lines)
    return printed * 2 > len(lines) and len(words_of(own)) < 2 * MIN_WORDS


def _hidden_characters(text: str) -> str:
    """Names of invisible characters that can carry an order past the eye of a reader."""
    found = {
        unicodedata.name(character, f"U+{ord(character):04X}")
        for character in text
        if unicodedata.category(character) == "Cf" and character not in "\u00ad\u200d\u200c\ufeff"
    }
    return ", ".join(sorted(found)[:3]).lower()


def _memories(evidence: tuple[str, ...]) -> list[str]:
    """Different memories: of two names, one of which begins the other, one counts."""
    names = sorted({name.lower() for name in evidence if _LOG_ID.match(name.lower())})
    return [
        name
        for index, name in enumerate(names)
        if not (index + 1 < len(names) and names[index + 1].startswith(name))
    ]


def _is_reference(text: str) -> bool:
    """Whether it reads as a log's path, an id, or a source: "none" and "see chat" do not."""
    if is_source(text) or _LOG_ID.match(text):
        return True
    # A step's name in an archive has spaces: "run.zip!build/3_npm ci.txt".
    is_path = "/" in text.strip("/") and not any(map(str.isspace, text))
    return (is_path or _FILE.search(text) is not None) and any(map(str.isalpha, text))
