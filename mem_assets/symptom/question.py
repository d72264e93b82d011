"""The first question of a projection: does this memory explain a failure at all?

Rules on wording, in order; the first that applies answers, and its name is kept. What they look
for is in question.toml.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import re2

from mem_assets.hashing import sha256_text
from mem_assets.symptom.quoting import prose
from mem_assets.symptom.words import DATA, plain_text, read_toml

QUESTION_FILE = DATA / "question.toml"
_WORD_LISTS = {
    "kinds": ("none", "failure"),
    "broke": ("words",),
    "breaks": ("words",),
    "repair": ("irregular", "not_heads"),
    "advice": ("words",),
    "decided": ("words",),
    "past": ("words", "not_after"),
    "experience": ("words",),
}
_PHRASE_LISTS = ("broke", "breaks", "cause", "repair", "decided", "norm")
_CLAUSE = re2.compile(r"[.!?;:\n]+(?:\s|$)|[()]|,\s+(?:and|then|so|and then|and so)\s+|\s[-–—]+\s")
_HEAD = re2.compile(r"(?:(?:and|then|so|also|we|i|they|finally|later|first|next|just) )*([a-z'-]+)")
_WE_FIRST = re2.compile(r"\W*(?:we|the team|our team)\s+([a-z]+)")
_NOW = re2.compile(r"[.;:]\s+(?:we|it|they|the [a-z]+) now [a-z]+")
"""A change told at the end: not at the start, where "we now require" is a rule."""
_WORD = re2.compile(r"[a-z']+")


@dataclass(frozen=True)
class Wording:
    """How often a text's prose uses each kind of wording.

    repair   clauses headed by a past verb of repair ("Raised the quota"), phrases like "fixed by"
    advice   clauses headed by an instruction to repair ("Raise the quota")
    broke    events of breaking in the past; breaks: the same in the present, or as an adjective
    cause    words that tie an effect to its cause
    decided  verbs of deciding; norm: rules, owners and habits
    past     finite past verbs
    """

    repair: int
    advice: int
    broke: int
    breaks: int
    cause: int
    decided: int
    norm: int
    past: int


_Rule = Callable[[Wording, bool], bool]
_RULES: tuple[tuple[str, bool, _Rule], ...] = (
    (
        "told_and_repaired",
        True,
        lambda w, _: w.repair > 0 and w.decided == 0 and w.norm <= max(1, w.past // 2),
    ),
    (
        "repair_outweighs_rule",
        True,
        lambda w, _: w.repair > 0 and w.broke > 0 and w.repair + w.broke > w.decided + w.norm,
    ),
    ("decision", False, lambda w, _: w.decided > 0 and w.decided + w.norm >= w.broke),
    ("rule_or_habit", False, lambda w, _: w.norm > 0 and w.norm >= w.broke + w.advice),
    ("breaks_with_advice", True, lambda w, _: w.broke + w.breaks > 0 and w.advice > 0),
    ("broke_with_cause", True, lambda w, _: w.broke > 0 and w.cause > 0 and w.past > 1),
    ("told_with_cause", True, lambda w, _: w.past > 1 and w.cause > 0 and w.norm == 0),
    ("kind_failure", True, lambda w, told: told and w.broke + w.breaks + w.repair > 0),
    ("tells_of_no_failure", False, lambda w, _: True),
)


def explains_failure(text: str, level: str, kind: str) -> tuple[bool, str]:
    """Whether a memory explains a failure, with the name of the rule that answered.

    L0 (a symptom already) and R (documentation) never do. Evidence takes no part: a decision with
    a log attached stays a decision. Quoted error lines take no part either: a policy may quote one.
    """
    if level not in ("L1", "L2"):
        return False, "level"
    lists = _wordings().lists
    folded_kind = plain_text(kind).strip()
    if folded_kind in lists["kinds", "none"]:
        return False, "kind"
    wording = read_wording(prose(text))
    told = folded_kind in lists["kinds", "failure"]
    return next((answer, name) for name, answer, applies in _RULES if applies(wording, told))


def question_version() -> str:
    """SHA-256 of the wording data: it changes when the answers may change."""
    return sha256_text(QUESTION_FILE.read_text(encoding="utf-8"))


def read_wording(text: str) -> Wording:
    """The counts that the rules judge. Linear in the text."""
    known = _wordings()
    folded = plain_text(text).replace("’", "'")
    clauses = [clause.strip() for clause in _CLAUSE.split(folded) if clause and clause.strip()]
    heads = [match.group(1) for clause in clauses if (match := _HEAD.match(clause))]
    count = {section: len(known.patterns[section].findall(folded)) for section in _PHRASE_LISTS}
    repair = count["repair"] + sum(map(_is_repair, heads)) + len(_NOW.findall(folded))
    opens = _decides_first(folded)
    return Wording(
        repair=repair,
        advice=sum(head in known.lists["advice", "words"] for head in heads),
        broke=count["broke"],
        breaks=count["breaks"],
        cause=count["cause"],
        # "We moved to X" opens a decision, unless something else had to be repaired after it.
        decided=count["decided"] + (opens if repair <= opens else 0),
        norm=count["norm"],
        past=_past_verbs(_WORD.findall(folded)),
    )


def _is_repair(head: str) -> bool:
    lists = _wordings().lists
    if head in lists["decided", "words"] or head in lists["repair", "not_heads"]:
        return False
    if head in lists["repair", "irregular"]:
        return True
    rebuilt = head.startswith("re") and head.endswith(("built", "wrote", "ran", "set", "made"))
    return rebuilt or (len(head) > 4 and head.endswith("ed"))


def _decides_first(folded: str) -> int:
    """1 where the text opens with "we" and a past verb that is no experience ("we moved to X")."""
    match = _WE_FIRST.match(folded)
    if not match or match.group(1) in _wordings().lists["experience", "words"]:
        return 0
    return int(_is_repair(match.group(1)))


def _past_verbs(tokens: list[str]) -> int:
    lists = _wordings().lists
    irregular, no_verb_after = lists["past", "words"], lists["past", "not_after"]
    return sum(
        word in irregular or (len(word) > 4 and word.endswith("ed") and before not in no_verb_after)
        for before, word in zip(["", *tokens], tokens, strict=False)
    )


@dataclass(frozen=True)
class _Wordings:
    lists: Mapping[tuple[str, str], frozenset[str]]
    patterns: Mapping[str, Any]


@cache
def _wordings() -> _Wordings:
    """question.toml. Raises ValueError naming the section or the entry that is wrong."""
    name = QUESTION_FILE.name
    sections = {*_WORD_LISTS, *_PHRASE_LISTS}
    data = read_toml(QUESTION_FILE, sections)
    lists = {}
    for section in sorted(sections):
        keys = {*_WORD_LISTS.get(section, ()), *(["phrases"] * (section in _PHRASE_LISTS))}
        if set(data.get(section, {})) != keys:
            raise ValueError(f"{name}: [{section}] must have exactly the keys {sorted(keys)}")
        for key in _WORD_LISTS.get(section, ()):
            lists[section, key] = frozenset(data[section][key].split())
    patterns = {}
    for section in _PHRASE_LISTS:
        entries = {*data[section]["phrases"], *lists.get((section, "words"), ())}
        if wrong := sorted(entry for entry in entries if not entry or entry != entry.lower()):
            raise ValueError(f"{name}: [{section}] {wrong[0]!r}: lower case only")
        longest_first = sorted(entries, key=lambda entry: (-len(entry), entry))
        ends = [re2.escape(entry) + r"\b" * entry[-1].isalpha() for entry in longest_first]
        patterns[section] = re2.compile(r"\b(?:" + "|".join(ends) + ")")
    return _Wordings(lists, patterns)
