"""What a query asks: the failures that may stand in it, in the order they are tried."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from mem_assets.retrieval.answer import printable
from mem_assets.signature import RuleBook, detect_tools
from mem_assets.signature.fallback import Choose, extract_or_choose
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

    query    redacted, as everything stored is: a secret in it would hide the same failure
    tools    the tool given, else the tools detected, in the order tried
    special  signatures by tool, then the inner tools' aliases; each sig_sha once
    rules    the signature rules that it is read by: those that the index was built with
    recorded gives the lines on record for a log without an error line; asks no model
    text     what is compared by meaning: the query where it is short, else the failure in it
    """

    query: str
    exit_code: int | None
    tools: tuple[str, ...]
    special: tuple[Signature, ...]
    rules: RuleBook | None = None
    recorded: Choose | None = None

    @cached_property
    def generic(self) -> tuple[Signature, ...]:
        """Read as no tool's, and what is inside. Apart, since it compiles every tool's rules,
        which takes longer than all the rest of an exact lookup."""
        found = extract_or_choose(
            GENERIC, self.query, self.recorded, exit_code=self.exit_code, rules=self.rules
        )
        return tuple(s for s in (found.inner, found) if s is not None) if found else ()

    def in_turn(self) -> Iterator[Signature]:
        """By tool, then inner aliases, then generic, which is read only when it is reached."""
        yield from self.special
        yield from self.generic

    @cached_property
    def signatures(self) -> tuple[Signature, ...]:
        """All of them, each sig_sha once."""
        return _once([*self.in_turn()])

    @cached_property
    def symptoms(self) -> tuple[SymptomVector, ...]:
        """Of each signature's identity, as the stored side is made, and of a short query as a
        whole; each sym_sha once, and only those with a hash."""
        vectors = []
        for signature in self.signatures:
            vectors.append(project_symptom(signature.tool, signature.identity))
            if self._is_short:
                vectors.append(project_symptom(signature.tool, self.query))
        if self._is_short:
            vectors.extend(project_symptom(name, self.query) for name in self.tools)
        return tuple({v.sym_sha: v for v in vectors if v.sym_sha is not None}.values())

    @cached_property
    def text(self) -> str:
        is_log = not self._is_short and self.signatures
        return printable(self.signatures[0].identity if is_log else self.query)[:MAX_TEXT]

    @property
    def _is_short(self) -> bool:
        return len(self.query.splitlines()) <= SHORT_LINES and len(self.query) <= MAX_TEXT


def read_question(
    query: str,
    tool: str | None = None,
    *,
    exit_code: int | None = None,
    rules: RuleBook | None = None,
    recorded: Choose | None = None,
) -> Question:
    """Read a query. Pure; any text is taken.

    Its secrets are redacted first, as the landing does before anything is signed, so that the same
    failure hashes the same and an answer never repeats a secret.
    """
    from mem_assets.memory.redaction import redact

    query = query.encode("utf-8", "replace").decode("utf-8")  # RE2 refuses half a character
    query, _ = redact(query)
    tools = (tool,) if tool else tuple(detect_tools(query, rules=rules))
    outer = [
        extract_or_choose(name, query, recorded, exit_code=exit_code, rules=rules) for name in tools
    ]
    found = [s for s in outer if s is not None]
    inner = [s.inner for s in found if s.inner is not None]
    return Question(
        query,
        exit_code,
        tools=tuple(s.tool if s else name for name, s in zip(tools, outer, strict=True)),
        special=_once([*found, *inner]),
        rules=rules,
        recorded=recorded,
    )


def _once(signatures: list[Signature]) -> tuple[Signature, ...]:
    return tuple({signature.sig_sha: signature for signature in signatures}.values())
