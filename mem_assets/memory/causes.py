"""Whether sentences explain: a connective between a cause and its consequence, or another form."""

from collections.abc import Iterator, Sequence
from typing import Any

import re2

from mem_assets.memory.sentences import Sentence, specific, telling, words_of

MIN_NAMED = 4
"""Specific words on both sides of what joins a cause and its consequence, together."""

MIN_LABELLED = 6
"""Words that say something behind a label ("Cause: …") which explain by themselves."""

# English words that join only in some places; the others are phrases of the language's file.
_SINCE = re2.compile(r"(?:^|\W)since\s")
_TIME_SINCE = re2.compile(
    r"^\W*(?:\d|then\b|last\b|this\b|yesterday|monday|tuesday|wednesday|thursday|friday|saturday"
    r"|sunday|january|february|march|april|june|july|august|september|october|november"
    r"|december|early|late)"
)
_SO = re2.compile(r"[,;]\s+so\s|^so\s")
_AS = re2.compile(r"(?:,\s+|^)as\s")
_NO_CAUSE_AS = re2.compile(
    r"^(?:a (?:result|consequence|rule|side)|well|usual|expected|if|though|of|per|far|follows|long"
    r"|soon|always)\b"
)


def explains(sentence: Sentence) -> bool:
    """Whether one sentence holds two parts that say something, and what joins them."""
    if has_form(sentence, "label") and sentence.telling >= MIN_LABELLED:
        return True
    joints = [*causes(sentence), *consequences(sentence)]
    if any(_tells(sentence, end=a) and _tells(sentence, start=b) for a, b in joints):
        return True
    joined = has_form(sentence, "arrow") or has_form(sentence, "explained")
    return joined and len(sentence.specific) >= MIN_NAMED


def is_explained(sentences: Sequence[Sentence]) -> bool:
    """Whether a sentence without a hedge names a cause, and this failure on both of its sides.

    "So the job failed." leans on the sentence before, "Because A, B." on what is behind its comma.
    """
    sure = [one for one in sentences if not is_hedged(one)]
    before = frozenset[str]()
    for sentence in sure:
        if has_form(sentence, "label") and len(sentence.specific) >= 2 and len(sure) > 1:
            return True
        for start, end in causes(sentence):
            language = sentence.language
            left = specific(sentence.raw[:start], language)
            right = specific(sentence.raw[end:], language)
            behind = specific(sentence.raw[end:].partition(",")[2], language)
            if right and len((left or before or behind) | right) >= MIN_NAMED:
                return True
        before = sentence.specific
    return False


def is_hedged(sentence: Sentence) -> bool:
    """Whether it says that it is not sure ("seems", "might")."""
    return any(one.search(sentence.text) for one in sentence.language.patterns["hedge"])


def is_mechanism(sentences: Sequence[Sentence]) -> bool:
    """Whether there is an arrow ("a -> b") and one more way of explaining."""
    forms = {
        pattern.name
        for sentence in sentences
        for pattern in sentence.language.patterns["mechanism"]
        if pattern.search(sentence.text)
    }
    joined = any(causes(one) or consequences(one) for one in sentences)
    return "arrow" in forms and (joined or len(forms) > 1)


def has_form(sentence: Sentence, name: str) -> bool:
    """Whether the language's pattern of that name, of the kind `mechanism`, is in the sentence."""
    return any(
        pattern.search(sentence.text)
        for pattern in sentence.language.patterns["mechanism"]
        if pattern.name == name
    )


def causes(sentence: Sentence) -> list[tuple[int, int]]:
    """Where (start, end) words stand with which a cause begins or ends."""
    found = list(_spans(sentence.language.phrases["cause"], sentence.text))
    if sentence.language.name == "english":
        found += _unless(sentence.text, _SINCE, _TIME_SINCE)
        found += _unless(sentence.text, _AS, _NO_CAUSE_AS)
    return found


def consequences(sentence: Sentence) -> list[tuple[int, int]]:
    """Where (start, end) words stand behind which a consequence begins."""
    found = list(_spans(sentence.language.phrases["consequence"], sentence.text))
    if sentence.language.name == "english":
        found += [match.span() for match in _SO.finditer(sentence.text)]
    return found


def _tells(sentence: Sentence, start: int = 0, end: int | None = None) -> bool:
    return telling(words_of(sentence.text[start:end]), sentence.language) >= 2


def _unless(text: str, wanted: Any, excluded: Any) -> Iterator[tuple[int, int]]:
    for match in wanted.finditer(text):
        if not excluded.search(text[match.end() : match.end() + 40]):
            yield match.span()


def _spans(phrase: Any, text: str) -> Iterator[tuple[int, int]]:
    start = 0
    while match := phrase.search(text, start):
        yield match.span(1)
        start = match.end(1)
