"""What should not be left in a normal form: patterns of their own, so that a gap in the
substitutions does not hide itself. Used by the acceptance check."""

from mem_assets.signature.rules import compiled

_DATE = r"\d{4}[-/](?:0[1-9]|1[0-2])[-/](?:0[1-9]|[12]\d|3[01])"
_PATTERNS = (
    ("timestamp", rf"\b{_DATE}(?:[T _]\d\d[:_]\d\d)?"),
    ("timestamp", r"\b(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\b"),
    ("timestamp", r"\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]* +\d{1,2},? +\d\d"),
    ("timestamp", r"\b(?:0[1-9]|[12]\d|3[01])[./-](?:0[1-9]|1[0-2])[./-](?:19|20)\d\d\b"),
    ("timestamp", r"\b20\d\d(?:0[1-9]|1[0-2])[0-3]\d[T._-]?(?:[01]\d|2[0-3])[0-5]\d[0-5]\d\b"),
    ("timestamp", r"\b1[5-9]\d{8}(?:\d{3})?\b"),
    ("path", r"(?:^|[\s\"'=(\[,])/[\w.@+-]+/[\w.@+/-]+"),
    ("path", r"\b[A-Za-z]:\\[\w.-]+"),
    ("path", r"(?:^|[\s\"'=(])~/[\w.-]+"),
    ("hash", r"\bsha(?:1|256|512):[0-9a-f]{8,}"),
    ("uuid", r"\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b"),
    ("line", r"[A-Za-z_)\]]:\d{1,6}:\d{1,6}\b"),
    ("line", r"(?i)\bline \d"),
    ("duration", r"\b\d+(?:\.\d+)? ?(?:ms|secs?|seconds?|minutes?|mins?|hours?)\b"),
    ("duration", r"\b(?:\d+h)?\d+m\d+(?:\.\d+)?s\b"),
    ("duration", r"\b\d+\.\d+s\b"),
    ("address", r"\b0x[0-9a-f]{9,16}\b"),
    ("address", r"\b(?:10|192\.168|172\.(?:1[6-9]|2\d|3[01]))(?:\.\d{1,3}){2,3}\b"),
    ("address", r"\b[a-z]\w*(?:\.\w+)+@\d[0-9a-f]{5,7}\b"),
    ("process", r"(?i)\bpid[ =:]{1,2}\d+|\bpool-\d+-thread-\d+|==\d{2,}=="),
    ("seed", r"(?i)\bseed[ =:]{1,2}\d+"),
)
_HEX_TOKEN = r"\b[0-9a-f]{7,64}\b"


def volatile_parts(normalised: str) -> list[str]:
    """Timestamps, absolute paths, hashes, line numbers, durations left in a normal form, each as
    ``kind: text``, in the order of kinds; empty for a clean one."""
    found = []
    for kind, pattern in _PATTERNS:
        for match in compiled(f"(?m){pattern}").finditer(normalised):
            found.append(f"{kind}: {match.group(0).strip()}")
    for match in compiled(_HEX_TOKEN).finditer(normalised):
        token = match.group(0)
        if any(c.isdigit() for c in token) and any(c.isalpha() for c in token):
            found.append(f"hash: {token}")
    return found
