"""What a note names as the ground it stands on: logs, addresses, tickets, commits."""

import re2

_URL = re2.compile(r"(?i)\b(?:https?|ssh|git)://[\w.\-]+\.?[\w\-]*(?::\d+)?(?:/\S*)?")
_BARE_ADDRESS = re2.compile(r"(?i)(?:^|\s)[\w\-]+(?:\.[\w\-]+)*\.[a-z]{2,12}/\S+")
_TICKET = re2.compile(
    r"\b[A-Z][A-Z0-9]{1,9}-\d{1,9}\b|(?:^|[\s(,;:])(?:[\w.\-]+/[\w.\-]+)?[#!]\d+\b"
)
_NUMBERED = re2.compile(
    r"(?i)\b(?:pr|mr|pull request|merge request|issue|ticket|bug|case|incident|change|adr|rfc|build"
    r"|run|job|revision|post-?mortem|thread|ticket nr\.?|r)[ .:]*(?:no\.? ?)?[#!]?\d{1,12}\b"
)
_COMMIT = re2.compile(r"\b(?:[0-9a-f]{7,40}|[0-9a-f]{64})\b")
_NO_TICKET = re2.compile(
    r"\b(?:UTF|ISO|SHA|RFC|MD|AES|RSA|TLS|SSL|IPV|HTTP|BASE|UTC|GMT|CP|EU|US|UK|AP|RS|USB|CAN|IEC"
    r"|IEEE|EN|DIN|GPT|CUDA|JDK|ARM|CVE|PEP|X|T|A|B|V)-\d+\b"
)
_FILE = re2.compile(r"[\w)\]]\.[A-Za-z][A-Za-z0-9]{0,9}$")
_LOG_ID = re2.compile(r"^[0-9a-f]{12,64}$")

# In a text the same words are often no reference: an address that was called, a standard's number.
# What counts stands after a word that refers, in brackets, or on a line of its own.
_CODE = re2.compile(r"(?s)```.*?(?:```|$)|~~~.*?(?:~~~|$)|`[^`\n]*`")
_REFERS = (
    r"(?:^[ \t>*\-]*|\(|\[|\b(?:see|cf|refs?|references?|fix(?:es|ed by)?|clos(?:es|ed by)"
    r"|resolv(?:es|ed by)|introduced(?:[- ]by| in)?|details?|source|ticket|issue|incident|bug|pr|mr"
    r"|pull request|commit|thread|discussion|post-?mortem|link|tracked (?:in|as|by)"
    r"|reported (?:in|as)|more (?:in|at|on)|full story|log|siehe|vgl|quelle|voir|source|véase"
    r"|ver|fuente)\b[\s.:#(\-]*"
    r"(?:(?:commit|issue|ticket|in|at|pr|also|auch|aussi|también)[\s:]+)?)"
)
_TEXT_URL = re2.compile(rf"(?im){_REFERS}[<(]*(https?://[\w\-]+(?:\.[\w\-]+)+(?::\d+)?/[^\s)>\]]+)")
_TEXT_TICKET = re2.compile(
    rf"(?m)(?i:{_REFERS})([A-Z][A-Z0-9]{{1,9}}-\d{{1,9}}|[\w.\-]+/[\w.\-]+#\d+|#\d+)(?:$|[\s.,;:)\]])"
)
_TEXT_COMMIT = re2.compile(
    r"(?i)\b(?:commit|revision|introduced[- ](?:by|in)|reverts?|fixed (?:by|in)|broken (?:by|in)"
    r"|since|in|by)[\s:]+(?:commit\s+)?([0-9a-f]{7,40})(?:$|[\s.,;:)\]])"
)
_TEXT_LOG = re2.compile(r"(?:^|[\s(\[\"'`])((?:\d{4}-\d\d-\d\d/)?logs/[\w./@+!%\-]*\w)")


def is_source(text: str) -> bool:
    """Whether a note's source names an address, a ticket, a numbered change or run, or a commit."""
    text = _NO_TICKET.sub(" ", text)
    return (
        _URL.search(text) is not None
        or _BARE_ADDRESS.search(text) is not None
        or _TICKET.search(text) is not None
        or _NUMBERED.search(text) is not None
        or any(_is_commit(match.group(0)) for match in _COMMIT.finditer(text))
    )


def is_reference(text: str) -> bool:
    """Whether an entry of a note's evidence reads as a log's path, an id, or a source.

    "none" and "see chat" do not.
    """
    if is_source(text) or _LOG_ID.match(text):
        return True
    # A step's name in an archive has spaces: "run.zip!build/3_npm ci.txt".
    is_path = "/" in text.strip("/") and not any(map(str.isspace, text)) and len(text) > 3
    return (is_path or _FILE.search(text) is not None) and any(map(str.isalpha, text))


def memories(evidence: tuple[str, ...]) -> list[str]:
    """Different memories: of two names, one of which begins the other, one counts."""
    names = sorted({name.lower() for name in evidence if _LOG_ID.match(name.lower())})
    return [
        name
        for index, name in enumerate(names)
        if not (index + 1 < len(names) and names[index + 1].startswith(name))
    ]


def named_in(text: str) -> tuple[tuple[str, ...], str]:
    """(log paths, source) that a text refers to; the source is the first of its kind, or "".

    For notes whose fields are empty. An address that is merely called, a path on some machine
    and a standard's number are no reference; see docs/decisions for what is.
    """
    logs = tuple(dict.fromkeys(match.group(1) for match in _TEXT_LOG.finditer(text)))
    plain = _CODE.sub(" ", text)
    if match := _TEXT_URL.search(plain):
        return logs, match.group(1).rstrip(".,;:")
    for match in _TEXT_TICKET.finditer(plain):
        if not _NO_TICKET.search(match.group(1)):
            return logs, match.group(1)
    for match in _TEXT_COMMIT.finditer(plain):
        if _is_commit(match.group(1)):
            return logs, f"commit {match.group(1)}"
    return logs, ""


def _is_commit(text: str) -> bool:
    return any(map(str.isdigit, text)) and any(map(str.isalpha, text))
