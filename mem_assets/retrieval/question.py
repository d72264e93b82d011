"""What a query asks: the failures that may stand in it, in the order they are tried."""

from dataclasses import dataclass

from mem_assets.retrieval.answer import printable
from mem_assets.signature import detect_tools, extract
from mem_assets.signature.model import Signature
from mem_assets.symptom import project_symptom
from mem_assets.symptom.model import SymptomVector

GENERIC = "generic"

SHORT_LINES = 12
"""Up to here a query is taken at its word too; a longer text is a log, asked for its failure."""

MAX_TEXT = 4_000
"""Characters of the query that are compared by meaning; the embedder reads 256 tokens."""


@dataclass(frozen=True)
class Question:
    """A query read as the output of each tool it may come from.

    tools       the tool given, else the tools detected, in the order tried
    signatures  by tool, then the inner tools' aliases, then generic; each sig_sha once
    symptoms    of the same, each sym_sha once; only those with a hash
    text        what is compared by meaning: the query where it is short, else the failure in it
    """

    tools: tuple[str, ...]
    signatures: tuple[Signature, ...]
    symptoms: tuple[SymptomVector, ...]
    text: str


def read_question(query: str, tool: str | None = None, *, exit_code: int | None = None) -> Question:
    """Read a query. Pure; any text is taken."""
    query = query.encode("utf-8", "replace").decode("utf-8")  # RE2 refuses half a character
    tools = (tool,) if tool else tuple(detect_tools(query))
    outer = [extract(name, query, exit_code=exit_code) for name in tools]
    generic = extract(GENERIC, query, exit_code=exit_code)
    inner = [s.inner for s in (*outer, generic) if s is not None]
    signatures = _once([s for s in (*outer, *inner, generic) if s is not None])
    short = len(query.splitlines()) <= SHORT_LINES and len(query) <= MAX_TEXT
    return Question(
        tools=tuple(s.tool if s else name for name, s in zip(tools, outer, strict=True)),
        signatures=signatures,
        symptoms=_symptoms(query if short else None, tools, signatures),
        text=printable(query if short or not signatures else signatures[0].identity)[:MAX_TEXT],
    )


def _once(signatures: list[Signature]) -> tuple[Signature, ...]:
    return tuple({signature.sig_sha: signature for signature in signatures}.values())


def _symptoms(
    query: str | None, tools: tuple[str, ...], signatures: tuple[Signature, ...]
) -> tuple[SymptomVector, ...]:
    """Of each signature's identity, as the stored side is made, and of a short query as a whole."""
    vectors = []
    for signature in signatures:
        vectors.append(project_symptom(signature.tool, signature.identity))
        if query is not None:
            vectors.append(project_symptom(signature.tool, query))
    if query is not None:
        vectors.extend(project_symptom(name, query) for name in tools)
    return tuple({v.sym_sha: v for v in vectors if v.sym_sha is not None}.values())
