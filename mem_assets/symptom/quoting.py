"""Error lines that a note itself quotes: fenced, in backticks or quotes, or bare tool output."""

import re2

from mem_assets.symptom.words import well_formed

_FENCE = re2.compile(r"^\s*(?:```|~~~)")
_SPAN = re2.compile(r"``([^`\n]{4,400})``|`([^`\n]{4,400})`")
_QUOTED = re2.compile(r"(?:^|[\s(:])(?:\"([^\"\n]{8,300})\"|“([^”\n]{8,300})”)")
_ERROR_WORD = re2.compile(
    r"(?i)\berr(?:or|no)?\b|\berr!|error\b|exception\b|\bfatal\b|\bfail(?:ed|ure|s)?\b|\bpanic\b"
    r"|\bdenied\b|\brefused\b|\btimed? ?out\b|\bnot found\b|\bcannot\b|\bcan't\b|\bcould not\b"
    r"|\bunable to\b|\bno such\b|\bno space\b|\bout of memory\b|\bkilled\b|\binvalid\b"
    r"|\bunauthorized\b|\bforbidden\b|\bunavailable\b|\bmismatch\b|\bexceeded\b|\bunsupported\b"
    r"|\bundefined\b|\bmissing\b|\bconflict\b|\bexpired\b|\btoo (?:many|large|long)\b"
    r"|\b[45]\d\d [A-Z]|\bE[A-Z]{4,}\b|\bE\d{4}\b|[a-z]BackOff\b|\bOOMKilled\b"
)
_OUTPUT = re2.compile(
    r"^\s*(?:(?:npm|yarn|gyp) (?:ERR!|error)|error(?:\[[A-Z]\d+\])?: |fatal: |FATAL|panic: |Error: "
    r"|ERROR[: ]|E {3,}|\[ERROR\]|##\[error\]|curl: \(\d+\)|Traceback \(most recent"
    r"|[\w./-]+\.\w+:\d+(?::\d+)?: |(?:[\w$]+\.)*[A-Z]\w*(?:Error|Exception)(?:: |$)|ERR_[A-Z_]+"
    r"|rpc error: code = |Error from server|x509: |dial tcp |> .+ FAILED$|\s+at [\w.$]+\()"
)
_FRAME = re2.compile(r"^\s*(?:at [\w.$]+\(|File \"[^\"]+\", line \d+)")
MAX_QUOTED = 400
"""Characters of a quoted line that are kept."""


def quoted_lines(text: str) -> list[str]:
    """The error lines that a note quotes, in the order of the text, each once.

    A fenced line, a backticked span and a quoted span count where they hold a word of failure; a
    line outside them, where it has the form of a tool's output. Stack frames never count.
    """
    found: dict[str, None] = {}
    for fenced, line in _marked_lines(text):
        if fenced or _OUTPUT.search(line):
            pieces = [line]
        else:
            pieces = [span for pair in _SPAN.findall(line) for span in pair if span]
            pieces += [span for pair in _QUOTED.findall(line) for span in pair if span]
        for piece in pieces:
            kept = piece.strip()[:MAX_QUOTED]
            if _is_error(kept):
                found.setdefault(kept)
    return list(found)


def prose(text: str) -> str:
    """A note without what it quotes: fences, spans in backticks or quotes, lines of tool output."""
    kept = []
    for fenced, line in _marked_lines(text):
        if not fenced and not _OUTPUT.search(line):
            kept.append(_QUOTED.sub(" ", _SPAN.sub(" it ", line)))
    return "\n".join(kept)


def _marked_lines(text: str) -> list[tuple[bool, str]]:
    """Every line with whether it stands in a fence; the fences themselves are left out."""
    marked = []
    fenced = False
    for line in well_formed(text).replace("\r", "\n").split("\n"):
        if _FENCE.search(line):
            fenced = not fenced
        else:
            marked.append((fenced, line))
    return marked


def _is_error(line: str) -> bool:
    if not _ERROR_WORD.search(line) or _FRAME.search(line):
        return False
    return " " in line or any(character.isupper() for character in line)
