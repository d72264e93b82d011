"""Whether a note says why: a cause with its fix or consequence, or a decision with its reason.

By wording alone, in the languages that there are word lists for. A text that is as a whole
something else (a bot's comment, a template) is turned away first. Of the others those sentences
count that neither ask nor announce, guess, thank or fit any problem; together they must name
enough that belongs to this failure alone. Then one of four is enough:

- **Repaired**: a sentence names a repair or a decision (memory/remedies.py), and another tells
  what was wrong, or the same one explains it ("so", "because", "a -> b", "a: b").
- **Terse**: behind a sentence that explains, a fragment without a verb ("NewTicker + defer Stop").
- **Explained**: a connective ("because", "turned out", "Cause:") with something that names this
  failure on both of its sides, in more than one sentence (memory/causes.py).
- **A mechanism**: an arrow and another way of explaining, in a text full of names.

Words too general to teach ("issue", "fixed", "thing") never count as saying something.
"""

from collections.abc import Sequence

from mem_assets.memory.causes import causes, explains, has_form, is_explained, is_mechanism
from mem_assets.memory.gate_words import Language, gate_words
from mem_assets.memory.remedies import is_fragment, is_remedy, is_title, leads_with_action
from mem_assets.memory.sentences import (
    Sentence,
    is_identifier,
    is_log_line,
    prose,
    sentences,
    telling,
    words_in,
    words_of,
)

MIN_TELLING = 5
"""Words that say something in the whole text: fewer than this name neither cause nor fix."""

MIN_SPECIFIC = 3
"""Words in the whole text that name something technical, or of this failure alone."""

MIN_TECHNICAL = 2
"""Identifiers and words of the trade: a text with fewer is about people, rooms and dates."""

MIN_STATE = 3
"""Words that say something in a sentence which tells what was wrong."""

RICH = 8
"""Specific words from which a text that explains something needs no repair."""

MIN_CONCLUSIONS = 2
"""Sentences of a summary that conclude something: fewer only count what happened."""

FEW_WORDS = 5
"""Words of prose beside a log that are no sentence: "this:", "same here"."""

PASTED = "it is a log, code or a link without a sentence of yours: add what was wrong and the fix"
ASKS = "it asks a question and does not answer it: write what was wrong and what was done"
VAGUE = "it is too vague to act on: name what exactly was wrong and what exactly was changed"
NOT_TECHNICAL = (
    "it names no part of any system: say which program, file, setting or machine this is about"
)
NO_CAUSE = "it says what to do or what was done, and not why: add what was wrong"
NO_FIX = (
    "it says what happened, and neither a cause with what was done about it nor a reason: "
    "add why it happened and what helps"
)

ONLY_CAUSE = "it says what the cause is, and not what was done about it: add the fix"
UNSURE = "guesses"

_OF_PEOPLE = ("meeting", "platitude")
"""Kinds of sentence that are none where it names several technical things as well."""

NO_CONCLUSION = (
    "it lists what there was, and not what the lessons have in common: add what to expect or to do"
)


def why_missing(text: str, is_summary: bool = False) -> str:
    """ "" where the text says why; else a sentence that says what is missing.

    A summary (L2) rests on lessons that each say why; it needs what they have in common, told in
    two sentences of which one may be advice.
    """
    if is_pasted(text):
        return PASTED
    for pattern in gate_words().patterns["other"]:
        if pattern.search(text):
            return f"it {pattern.says}: write what was wrong, why, and what was done"
    everything = sentences(text)
    asides = [_aside(one) for one in everything]
    counted = [one for one, aside in zip(everything, asides, strict=True) if not aside]
    if not counted:
        return _weightiest(everything, asides) or VAGUE
    named = frozenset().union(*(one.specific for one in counted))
    if _telling(counted) < MIN_TELLING or len(named) < MIN_SPECIFIC:
        return _weightiest(everything, asides) or VAGUE
    needed = 1 if any(map(_is_decided, counted)) else MIN_TECHNICAL
    if len(frozenset().union(*(one.technical for one in counted))) < needed:
        return NOT_TECHNICAL
    remedies = [
        _repairs(one, after) for one, after in zip(counted, [*counted[1:], None], strict=True)
    ]
    remedies[0] = remedies[0] or is_title(text)
    if _is_question(everything[-1]) and not (any(remedies) and any(map(causes, counted))):
        return ASKS
    unsure = any(aside and UNSURE in aside for aside in asides)
    if (
        _is_repaired(counted, remedies)
        or _is_terse(counted)
        or (not unsure and (any(remedies) or _is_told(counted)) and is_explained(counted))
        or (not unsure and len(named) >= RICH and is_mechanism(counted))
        or (is_summary and sum(map(_concludes, counted)) >= MIN_CONCLUSIONS)
    ):
        return ""
    if is_summary:
        return NO_CONCLUSION
    if any(remedies):
        return NO_CAUSE
    return ONLY_CAUSE if is_explained(counted) else NO_FIX


def _weightiest(parts: Sequence[Sentence], asides: Sequence[str]) -> str:
    """Why the sentence that says most takes no part; "" where it does."""
    weights = [one.telling for one in parts]
    return asides[weights.index(max(weights))] if weights else ""


def _repairs(sentence: Sentence, after: Sentence | None) -> bool:
    """A repair that names what was repaired, if only by an order ("Updated the rule").

    What the next sentence takes back ("But it still …") was none.
    """
    language = sentence.language
    if after and after.words[0] in language.grammar.get("contrary", ()):
        return False
    named = bool(sentence.specific) or leads_with_action(sentence.words, language)
    return named and is_remedy(sentence)


def _is_terse(parts: Sequence[Sentence]) -> bool:
    """A sentence that explains, or only tells, and a fragment behind it that only can be the fix.

    Where nothing is explained the fragment must name something as in code.
    """
    told = explained = False
    for sentence in parts:
        named = any(map(is_identifier, words_in(sentence.raw)))
        if (explained or (told and named)) and is_fragment(sentence):
            return True
        told = told or _is_state(sentence)
        explained = explained or _may_explain(sentence)
    return False


def _may_explain(sentence: Sentence) -> bool:
    forms = ("arrow", "explained", "condition", "not that", "label")
    said = bool({word.strip("'-.") for word in sentence.words} & sentence.language.words["marker"])
    return (
        _is_state(sentence)
        and sentence.telling > MIN_STATE
        and len(sentence.specific) > 1
        and (said or bool(causes(sentence)) or any(has_form(sentence, form) for form in forms))
    )


def _is_told(parts: Sequence[Sentence]) -> bool:
    """Whether there is more than one sentence that says something."""
    return sum(one.telling >= MIN_STATE for one in parts) > 1


def is_pasted(text: str) -> bool:
    """Many printed lines, or code, and hardly a sentence beside them."""
    lines = [line for line in text.split("\n") if line.strip()]
    printed = sum(map(is_log_line, lines))
    own = len(words_of(prose(text)))
    few = FEW_WORDS if printed * 2 <= len(lines) else 2 * FEW_WORDS
    return own == 0 or (printed > 0 and own < few)


def _concludes(sentence: Sentence) -> bool:
    return sentence.telling > MIN_STATE and bool(sentence.specific)


def _telling(parts: Sequence[Sentence]) -> int:
    return telling([word for one in parts for word in one.words], parts[0].language)


def _aside(sentence: Sentence) -> str:
    """Why a sentence takes no part; "" where it does."""
    if _is_question(sentence):
        return ASKS
    for pattern in sentence.language.patterns["aside"]:
        if pattern.name in _OF_PEOPLE and len(sentence.technical) > MIN_TECHNICAL:
            continue
        if pattern.name == "plan" and _is_decided(sentence):
            continue
        if pattern.search(sentence.own):
            return f"it {pattern.says}: write what was wrong, why, and what was done"
    return ""


def _is_decided(sentence: Sentence) -> bool:
    return any(
        pattern.search(sentence.own)
        for pattern in sentence.language.patterns["remedy"]
        if pattern.name == "decided"
    )


def _is_question(sentence: Sentence) -> bool:
    if "?" in sentence.text[-4:]:
        return True
    first, *rest = sentence.words
    if first not in sentence.language.words["question"] or not rest:
        return False
    return first in ("anyone", "anybody", "any") or rest[0] in (
        "anyone", "anybody", "somebody", "someone", "you", "i", "we", "there", "do", "does",
        "can", "come", "is", "are", "should",
    )  # fmt: skip


def _is_repaired(parts: Sequence[Sentence], remedies: Sequence[bool]) -> bool:
    repairing = [number for number, is_one in enumerate(remedies) if is_one]
    telling_state = [number for number, one in enumerate(parts) if _is_state(one)]
    if any(state != repair for state in telling_state for repair in repairing):
        return True
    return any(explains(parts[number]) for number in repairing)


def _is_state(sentence: Sentence) -> bool:
    """Whether it tells how something was, or is, and orders nothing."""
    language = sentence.language
    if sentence.telling < MIN_STATE or leads_with_action(sentence.words, language):
        return False
    if not language.grammar:
        return sentence.telling > MIN_STATE
    if _is_errand(sentence.words, language):
        return False
    bare = {word.strip("'-.") for word in sentence.words}
    if bare & language.words["marker"] or any(word.endswith("n't") for word in bare):
        return True
    return sentence.telling > MIN_STATE and bool(sentence.specific)


def _is_errand(words: Sequence[str], language: Language) -> bool:
    """ "Check the wiki" is one, "log files" is none."""
    lists = language.grammar
    return words[0] in lists["errand"] and words[1] in lists["object"] | language.words["question"]
