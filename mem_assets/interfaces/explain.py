"""How a log became a signature, for every interface that shows it."""

from dataclasses import asdict
from typing import Any

from mem_assets.retrieval.answer import printable
from mem_assets.signature import Signature, explain_normalise, extract


def explain_signature(tool: str | None, output: str | bytes) -> dict[str, Any] | None:
    """The signature of an output as plain values, and that of the tool inside a wrapper.

    Beside the signature's own fields: `substitutions`, a list of {name, before, after} in the order
    made, and `unmatched`, whether the tool has a rule set of which no rule matched. Texts are safe
    to print. None where there is nothing to sign: empty output, or one that ended well.
    """
    signature = extract(tool, output)
    if signature is None:
        return None
    inner = signature.inner
    return {"signature": _explained(signature), "inner": _explained(inner) if inner else None}


def _explained(signature: Signature) -> dict[str, Any]:
    fields = {name: value for name, value in asdict(signature).items() if name != "inner"}
    return {
        **fields,
        "raw": printable(signature.raw),
        "identity": printable(signature.identity),
        "unmatched": "rule_set_unmatched" in signature.diagnostics,
        "substitutions": [
            {"name": name, "before": printable(before), "after": printable(after)}
            for name, before, after in explain_normalise(signature.identity)
        ],
    }
