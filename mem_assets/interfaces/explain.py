"""How a log became a signature, and how two compare, for every interface that shows it."""

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from mem_assets.memory.redaction import redact
from mem_assets.retrieval.answer import safe
from mem_assets.signature import RuleBook, Signature, explain_normalise, extract
from mem_assets.signature.comparison import Side, compare
from mem_assets.signature.rules import packaged_rules

_NOTES = {
    "rule_set_unmatched": "no rule of {tool} matched: read by the generic rules. {tool} may have "
    "changed its wording, or this is another tool's output; add a rule for it",
    "block_truncated": "the block is longer than what is kept of it",
    "identity_truncated": "the identity is longer than what is kept of it",
    "input_truncated": "the log is longer than what is read: its middle was left out",
}
"""What went less than well, in words, by the name of the diagnostic."""


def explain_signature(
    tool: str | None, output: str, rules: RuleBook | None = None
) -> dict[str, Any] | None:
    """The signature of an output as plain values, and that of the tool inside a wrapper.

    Beside the signature's own fields: `substitutions`, a list of {name, before, after} in the order
    made, `unmatched`, whether the tool has a rule set of which no rule matched, and `notes`, that
    and all else that went less than well, in sentences. Secrets are redacted first, as the landing
    does, so that the hash is the one that is stored. Texts are safe to print. None where there is
    nothing to sign: empty output, or one that ended well.
    """
    signature = extract(tool, redact(output)[0], rules=rules)
    if signature is None:
        return None
    inner = signature.inner
    return {
        "signature": _explained(signature, rules),
        "inner": _explained(inner, rules) if inner else None,
    }


def _explained(signature: Signature, rules: RuleBook | None) -> dict[str, Any]:
    fields = {name: value for name, value in asdict(signature).items() if name != "inner"}
    return safe(
        {
            **fields,
            "unmatched": "rule_set_unmatched" in signature.diagnostics,
            "notes": _notes(signature, rules),
            "substitutions": _changes(explain_normalise(signature.identity)),
        }
    )


def _notes(signature: Signature, rules: RuleBook | None) -> list[str]:
    notes = [_NOTES.get(name, name).format(tool=signature.tool) for name in signature.diagnostics]
    if signature.tool not in (rules or packaged_rules()).sets:
        notes.append(f"there are no rules for {signature.tool}: read by the generic rules")
    if not signature.error_found:
        notes.append("no error was found: this is the end of the output, it links to nothing")
    return notes


def _changes(substitutions: Iterable[tuple[str, str, str]]) -> list[dict[str, str]]:
    return [
        {"name": name, "before": before, "after": after} for name, before, after in substitutions
    ]


def compare_signatures(
    tool: str | None, a: tuple[str, str], b: tuple[str, str], rules: RuleBook | None = None
) -> dict[str, Any]:
    """Two outputs, each a name and a text, as plain values: `same`, `causes` {name, text} why not,
    `parting`, where their normal forms part, `shared` hashes, and both signatures as `a` and `b`.

    Redacted, and safe to print, as in `explain_signature`.
    """
    one, other = (extract(tool, redact(text)[0], rules=rules) for _, text in (a, b))
    found = compare(one, other, rules=rules)
    parting = found.parting
    return safe(
        {
            "same": found.same,
            "causes": [asdict(cause) for cause in found.causes],
            "parting": parting
            and {
                "line": parting.line,
                "column": parting.column,
                "a": _shown(parting.a),
                "b": _shown(parting.b),
            },
            "shared": list(found.shared),
            "a": _summary(a[0], one),
            "b": _summary(b[0], other),
        }
    )


def _shown(side: Side) -> dict[str, Any]:
    return {
        "around": side.around,
        "identity": side.identity,
        "substitutions": _changes(side.substitutions),
    }


def _summary(name: str, signature: Signature | None) -> dict[str, Any]:
    fields = ("tool", "rule", "line_start", "line_end", "identity", "normalised", "sig_sha")
    found = {field: getattr(signature, field, None) for field in fields}
    return {"name": name, **found}
