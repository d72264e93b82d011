"""Log text to signature: the same failure hashes alike the next time it happens. Pure."""

from mem_assets.signature.extraction import detect_tools, extract, rules_version, signature_sha
from mem_assets.signature.model import Signature
from mem_assets.signature.normalisation import explain_normalise, normalise, normalise_cmd
from mem_assets.signature.rules import RuleBook, RuleError, load_rules
from mem_assets.signature.text import strip_ansi
from mem_assets.signature.volatile import volatile_parts

__all__ = [
    "RuleBook",
    "RuleError",
    "Signature",
    "detect_tools",
    "explain_normalise",
    "extract",
    "load_rules",
    "normalise",
    "normalise_cmd",
    "rules_version",
    "signature_sha",
    "strip_ansi",
    "volatile_parts",
]
