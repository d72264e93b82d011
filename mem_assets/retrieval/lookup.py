"""The one question this project answers: what is known about this error?"""

import logging
from collections.abc import Callable
from contextlib import closing
from typing import TYPE_CHECKING

from mem_assets.retrieval.answer import Answer, Match, safe
from mem_assets.retrieval.calibration import calibration
from mem_assets.retrieval.exact import find_exact
from mem_assets.retrieval.question import Question, read_question
from mem_assets.signature.fallback import log_key
from mem_assets.storage.chosen_lines import recorded_lines

if TYPE_CHECKING:
    from mem_assets.engines.embedder import CachedEmbedder
    from mem_assets.signature import RuleBook
    from mem_assets.storage.generation import Generation

_log = logging.getLogger(__name__)


def lookup(
    generation: "Generation",
    query: str,
    tool: str | None = None,
    *,
    embedder: Callable[[], "CachedEmbedder"],
    top: int = 5,
    exit_code: int | None = None,
    stale: str | None = None,
    rules: "RuleBook | None" = None,
) -> Answer:
    """Up to `top` memories that answer an error, from the first tier that has an answer.

    `embedder` is called only where the exact tier does not answer; that tier loads neither numpy
    nor an index. A class match of low confidence does not end the search: it stands unless the
    hybrid tier is surer. `stale` is passed on as it is. `rules` are those that the index was built
    with, the packaged ones where none are given. Never raises for a failed search: the
    answer's status says "search_failed" and why.
    """
    tools: tuple[str, ...] = ()
    matches: list[Match] = []
    try:
        recorded = recorded_lines(generation.path.parent.parent, log_key)
        question = read_question(query, tool, exit_code=exit_code, rules=rules, recorded=recorded)
        tools = question.tools
        with generation.held(), closing(generation.connect()) as con:
            matches = find_exact(con, question, calibration(), top)
            if not matches or not matches[0].at("medium"):
                from mem_assets.retrieval.hybrid import find_hybrid

                found = find_hybrid(con, generation, question, embedder, calibration(), top)
                if not matches or (found and found[0].at("medium")):
                    matches = found
    except Exception as error:  # whatever went wrong, "nothing known" would be a lie
        _log.debug("the search failed", exc_info=True)
        reason = safe(f"{type(error).__name__}: {error}").replace("\n", " ")
        return safe(Answer("search_failed", tuple(matches), tools, generation.id, reason, stale))
    if matches:
        return safe(Answer("found", tuple(matches), tools, generation.id, None, stale))
    return safe(Answer("nothing_known", (), tools, generation.id, _unknown(question), stale))


def _unknown(question: Question) -> str:
    if not question.text.strip():
        return "the query is empty"
    read_as = ", ".join(question.tools) or "generic output"
    return f"no memory, log or reference is near enough to this (read as {read_as})"
