"""How a log became a signature, for every interface that shows it."""

from dataclasses import asdict
from typing import Any

from mem_assets.memory.redaction import redact
from mem_assets.retrieval.answer import safe
from mem_assets.signature import Signature, explain_normalise, extract


def explain_signature(tool: str | None, output: str) -> dict[str, Any] | None:
    """The signature of an output as plain values, and that of the tool inside a wrapper.

    Beside the signature's own fields: `substitutions`, a list of {name, before, after} in the order
    made, and `unmatched`, whether the tool has a rule set of which no rule matched. Secrets are
    redacted first, as the landing does, so that the hash is the one that is stored. Texts are safe
    to print. None where there is nothing to sign: empty output, or one that ended well.
    """
    signature = extract(tool, redact(output)[0])
    if signature is None:
        return None
    inner = signature.inner
    return {"signature": _explained(signature), "inner": _explained(inner) if inner else None}


def _explained(signature: Signature) -> dict[str, Any]:
    fields = {name: value for name, value in asdict(signature).items() if name != "inner"}
    substitutions = [
        {"name": name, "before": before, "after": after}
        for name, before, after in explain_normalise(signature.identity)
    ]
    return safe(
        {
            **fields,
            "unmatched": "rule_set_unmatched" in signature.diagnostics,
            "substitutions": substitutions,
        }
    )
