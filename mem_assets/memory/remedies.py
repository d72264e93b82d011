"""Whether a sentence names a repair: one that was made, is ordered, or was decided."""

import re
from collections.abc import Sequence
from functools import lru_cache

import re2

from mem_assets.memory.gate_words import Language, gate_words
from mem_assets.memory.sentences import Sentence, is_identifier, words_in

_SETTING = re2.compile(
    r"(?:^|[\s(])(?:--?[a-zA-Z][\w-]*|[\w.\-]+ ?= ?[\w\"'/]\S*|[\w.]+\(\))"
    r"|\b[A-Z]\w+[A-Z]\w* \d|\b[A-Z][A-Z_]{3,}: \S|\b[a-z]+(?:\.[a-z]+){2,}: "
)
_LEADING_SETTING = re2.compile(r"^[\w.\-]*[A-Za-z_][\w.\-]* ?= ?[\w\"'/]\S*")

MAX_FRAGMENT = 12
"""Words: what is longer and has no verb that we know has one that we do not."""

NO_FIX_WORDS = frozenset(
    {
        "no",
        "nothing",
        "none",
        "nobody",
        "affected",
        "missing",
        "still",
        "again",
        "hangs",
        "happens",
        "fails",
    }
)

_FACTS = re2.compile(
    r"^\W*(?:current |next |my |our )?(?:version|platform|os|operating system|environment|browser"
    r"|node|python|runner|impact|duration|severity|seen|first seen|affected|logs?|symptoms?)\b"
)
"""What a report says of the place, and no fix."""

_TITLE = re2.compile(r"^[\w./()-]{2,40}: ")


def is_remedy(sentence: Sentence) -> bool:
    """By the language's patterns and phrases; in English also by the form of its clauses."""
    language = sentence.language
    if language.phrases["fix"].search(sentence.text):
        return True
    if any(pattern.search(sentence.text) for pattern in language.patterns["remedy"]):
        return True
    return _is_setting(sentence) or (bool(language.grammar) and _acts(sentence))


def is_title(text: str) -> bool:
    """Whether a text begins with a commit's title: an order on a line of its own."""
    line, _, rest = text.lstrip().partition("\n")
    words = words_in(line.lower())
    orders = gate_words().languages["en"].grammar["repair"]
    return (
        rest.startswith("\n")
        and 2 <= len(words) <= MAX_FRAGMENT
        and words[0] in orders
        and not line.rstrip().endswith((".", "?", ":"))
    )


def leads_with_action(words: Sequence[str], language: Language) -> bool:
    """ "Pinned it", "we then pinned it", "Pin it", and more than the verb alone."""
    lists = language.grammar
    if not lists:
        return False
    index = _after_adverbs(words, 0, language)
    verb = words[index]
    if verb in lists["subject"] and index < len(words) - 1:
        return _is_past_action(words[_after_adverbs(words, index + 1, language)], language)
    if index + 1 >= len(words):
        return len(words) == 1 and _repair_participle(verb, language)
    if any(word in lists["finite"] for word in words[index + 1 : index + 4]):
        return False  # An adjective: "Nested checkouts were …".
    if verb in lists["repair"]:  # "Split", "set" and "cut" are orders and past forms.
        return _is_order(verb, words[index + 1], language)
    return _is_past_action(verb, language)


def _acts(sentence: Sentence) -> bool:
    if title := _TITLE.match(sentence.text):  # Of a commit: "worker: commit after the write".
        words = sentence.text[title.end() :].split()
        if words and words[0] in sentence.language.grammar["repair"]:
            return True
    described = False  # After "is built by X and rotated", "rotated" is what is, not what was done.
    for clause in sentence.clauses:
        bare_past = clause[0].endswith("ed") and described
        if leads_with_action(clause, sentence.language) and not bare_past:
            return True
        if _is_passive(clause, sentence.language) or _changes(clause, sentence.language):
            return True
        described = described or bool({"is", "are", "be"} & set(clause))
    return False


def _is_setting(sentence: Sentence) -> bool:
    """Whether it gives a flag, an assignment or a call ("utf-8 now") and tells nothing else."""
    lists = sentence.language.grammar
    if _LEADING_SETTING.search(sentence.raw):
        return True
    if lists and lists["finite"] & set(sentence.words):
        return False
    is_new = sentence.words[-1] == "now" and any(map(is_identifier, sentence.words))
    return is_new or _SETTING.search(sentence.raw) is not None


def is_fragment(sentence: Sentence) -> bool:
    """Whether it is short and has no verb that we know ("NewTicker + defer Stop", "17 everywhere").

    Behind the telling of what was wrong, people write the fix so; in front of it, the symptom.
    """
    lists = sentence.language.grammar
    words = set(sentence.words)
    if not lists or len(words) > MAX_FRAGMENT or _FACTS.search(sentence.text):
        return False
    is_new = sentence.words[-1] in ("now", "everywhere")
    if words & NO_FIX_WORDS or (lists["finite"] & words and not is_new):
        return False
    told = [word for word in sentence.words[1:] if word.endswith(("ed", "ing"))]
    told += lists["irregular_past"] & words - lists["repair"]
    return (is_new or bool(sentence.specific)) and all(
        _repair_participle(word, sentence.language) for word in told
    )


def _after_adverbs(words: Sequence[str], index: int, language: Language) -> int:
    adverbs = language.grammar["adverb"]
    while index < len(words) - 1 and (words[index] in adverbs or words[index].endswith("ly")):
        index += 1
    return index


def _is_order(verb: str, following: str, language: Language) -> bool:
    """ "Lock the file" is one, "lock files" is none, "pin numpy>=2" is."""
    lists = language.grammar
    if verb not in lists["repair"]:
        return False
    return verb not in lists["noun_too"] or following in lists["object"]


def _is_past_action(word: str, language: Language) -> bool:
    lists = language.grammar
    if word in lists["routine"]:
        return False
    return word in lists["irregular_past"] or (word.endswith("ed") and len(word) > 4)


def _is_passive(words: Sequence[str], language: Language) -> bool:
    """ "the limit was then raised": a form of "be" and a participle of a repair.

    In the present it says so of what is done now, and of nothing behind "if" or "which".
    """
    lists = language.grammar
    for index, word in enumerate(words[:-1]):
        present = word in ("is", "are") and words[0] not in lists["subordinate"]
        if present or word in lists["auxiliary"]:
            verb = words[_after_adverbs(words, index + 1, language)]
            if verb in lists["irregular_past"] or _repair_participle(verb, language):
                return True
    return False


def _changes(words: Sequence[str], language: Language) -> bool:
    """ "this PR turns them off"."""
    lists = language.grammar
    for index in range(len(words) - 2):
        named = words[index] in ("this", "the", "my", "our") and words[index + 1]
        if named and named in lists["change_noun"]:
            verb = words[index + 2]
            return verb.endswith("s") and _base(verb, "s") & lists["repair"] != frozenset()
    return False


@lru_cache(maxsize=65536)
def _bases(word: str) -> frozenset[str]:
    return _base(word, "ed") if word.endswith("ed") else frozenset()


def _base(word: str, ending: str) -> frozenset[str]:
    """What a verb may be without its ending: "cached", "moved", "dropped", "copied"."""
    bare = word[: -len(ending)]
    forms = {bare, f"{bare}e", bare.removesuffix("e")}
    if len(bare) > 2 and bare[-1] == bare[-2]:
        forms.add(bare[:-1])
    if bare.endswith(("i", "ie")):
        forms.add(f"{bare.removesuffix('e')[:-1]}y")
    return frozenset(re.sub(r"^re-?", "", form) for form in forms) | frozenset(forms)


def _repair_participle(word: str, language: Language) -> bool:
    return bool(_bases(word) & language.grammar["repair"])
