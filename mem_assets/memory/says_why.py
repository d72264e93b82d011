"""Whether prose says why: a cause with its fix or consequence, or a decision with its reason.

By wording alone, in English. A text passes in one of two ways.

- **Connected**: a connective ("because", "so that", "turned out", "Cause:") joins two parts
  that both say something.
- **Told**: one sentence tells a state that was wrong (it has a marker such as "still", "no
  longer", "expired", or any other finite statement), another a repair that was made or is
  ordered ("Pinned …", "we moved …", "Keep both …"). Many lessons are told so, without one
  "because".

Questions, announcements, plans and sentences that say the cause is unknown take no part, and
neither do quoted logs and code. Words too general to teach ("issue", "fixed", "thing") do not
count as saying something.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import re2

from mem_assets.memory.gate_words import gate_words

MIN_TELLING = 5
"""Words that say something in the whole text: fewer than this name neither cause nor fix."""

MIN_STATE = 3
"""Words that say something in a sentence which tells the wrong state."""

_FENCE = re2.compile(r"^ {0,3}(?:`{3,}|~{3,})")
_LIST_ITEM = re2.compile(r"^\s*(?:[-*+]|\d{1,3}[.)])\s+")
_HEADING = re2.compile(r"^ {0,3}#{1,6}\s+")
_LABEL = re2.compile(
    r"^\W*(?:(?:root )?cause|reason|why|because|rationale|problem|explanation)\W*[:\-–—]\W*\w"
)
_SENTENCE = re2.compile(r"[.!?;]+[\"')\]]*(?:\s+|$)|\n|\s[–—]\s|\s-\s")
_CLAUSE = re2.compile(r",\s+(?:and|but|then|so)\s+|,\s+|\s+(?:and then|and|then|but)\s+|:\s+")
# Python's own engine: one class after another, so linear, and it lists words ten times faster.
_WORD = re.compile(r"[\w@](?:[\w@./\-+']*[\w+])?")
_URL = re2.compile(r"\b[a-zA-Z]{2,6}://\S+")
_TIME_SINCE = re2.compile(
    r"^\W*(?:\d|then|last|yesterday|monday|tuesday|wednesday|thursday|friday|saturday|sunday"
    r"|this morning|january|february|march|april|june|july|august|september|october|november"
    r"|december|early|late)"
)
_SINCE = re2.compile(r"(?:^|\W)since\s")
_COMMA_SO = re2.compile(r"[,;]\s+so\s|^so\s|,\s+as\s|^as\s")


@dataclass(frozen=True)
class _Sentence:
    text: str
    words: tuple[str, ...]

    @property
    def telling(self) -> int:
        return _telling(self.words)


def why_missing(text: str) -> str:
    """ "" where the text says why; else a sentence that says what is missing."""
    everything = [_sentence(part) for part in _split(prose(text))]
    sentences = [one for one in everything if one.words and not _takes_no_part(one)]
    if not sentences:
        return (
            "it asks, announces or says that the cause is unknown: write what was wrong and "
            "what was done"
        )
    if _telling([word for one in sentences for word in one.words]) < MIN_TELLING:
        return "it is too vague to act on: name what was wrong and what exactly was changed"
    if _is_connected(sentences) or _is_told(sentences):
        return ""
    if any(_is_repair(one) for one in sentences):
        return "it says what to do or what was done, and not why: add the cause"
    return "it says what is or what happened, and neither a cause with its fix nor a reason"


def prose(text: str) -> str:
    """The text without fenced code, quotes and log lines; a wrapped paragraph as one line."""
    paragraphs: list[list[str]] = [[]]
    fenced = False
    for line in text.split("\n"):
        if _FENCE.match(line):
            fenced = not fenced
            continue
        is_heading = _HEADING.search(line) is not None
        if fenced or not line.strip() or is_log_line(line):
            paragraphs.append([])
            continue
        if is_heading or _LIST_ITEM.search(line):
            paragraphs.append([])
        paragraphs[-1].append(_LIST_ITEM.sub("", _HEADING.sub("", line)).strip())
        if is_heading:
            paragraphs[-1][-1] += ":"
    return "\n".join(" ".join(lines) for lines in _join_headings(paragraphs) if lines)


def is_log_line(line: str) -> bool:
    """Whether a line is printed by a machine or quoted, and not written as prose."""
    return any(pattern.search(line) for pattern in gate_words().patterns["log_line"])


def words_of(text: str) -> list[str]:
    """The words of a text, lower case."""
    return _WORD.findall(text.lower())


def _join_headings(paragraphs: Sequence[list[str]]) -> Iterator[list[str]]:
    """A heading goes before the paragraph below it: "Cause: the lock was stale"."""
    heading: list[str] = []
    for lines in filter(None, paragraphs):
        if lines[-1].endswith(":") and len(lines) == 1:
            heading = lines
            continue
        yield [*heading, *lines]
        heading = []
    if heading:
        yield heading


def _split(text: str) -> Iterator[str]:
    start = 0
    for match in _SENTENCE.finditer(text):
        yield text[start : match.end()].strip()
        start = match.end()
    yield text[start:].strip()


def _sentence(text: str) -> _Sentence:
    text = _URL.sub(" ", text.replace("’", "'").replace("`", ""))
    return _Sentence(text.lower(), tuple(words_of(text)))


def _telling(words: Sequence[str]) -> int:
    """How many different words of these say something."""
    lists = gate_words().words
    return len(
        {
            word
            for word in words
            if len(word) > 1 and word not in lists["stop"] and word not in lists["vague"]
        }
    )


def _takes_no_part(sentence: _Sentence) -> bool:
    data = gate_words()
    if sentence.text.endswith("?") or "?" in sentence.text[-4:]:
        return True
    first = sentence.words[0]
    if first in data.words["question"] and len(sentence.words) > 1:
        second = sentence.words[1]
        if first in ("anyone", "anybody", "any") or second in (
            "anyone", "anybody", "somebody", "someone", "you", "i", "we", "there", "do", "does",
            "can", "come", "is", "are", "should",
        ):  # fmt: skip
            return True
    groups = (data.patterns["announcement"], data.patterns["no_cause"])
    return any(pattern.search(sentence.text) for group in groups for pattern in group)


def _is_connected(sentences: Sequence[_Sentence]) -> bool:
    before = 0
    whole = _telling([word for one in sentences for word in one.words])
    for sentence in sentences:
        if _LABEL.search(sentence.text) and sentence.telling >= 2 and whole > sentence.telling:
            return True
        for start, end in _connectives(sentence.text):
            left = _telling(words_of(sentence.text[:start]))
            right = _telling(words_of(sentence.text[end:]))
            if not left:
                # "So the job failed." leans on the sentence before, "Because A, B." on its comma.
                halves = sentence.text[end:].split(",", 1)
                if len(halves) == 2:
                    left = _telling(words_of(halves[1]))
                left = max(left, before)
            if left and right and left + right >= MIN_TELLING - 1:
                return True
            if right >= MIN_STATE and any(_is_repair(one) for one in sentences if one != sentence):
                return True
        before = sentence.telling
    return False


def _connectives(text: str) -> Iterator[tuple[int, int]]:
    """Where in a sentence (start, end) words stand that join a cause and a consequence."""
    phrase = gate_words().phrases["connective"]
    start = 0
    while match := phrase.search(text, start):
        yield match.span(1)
        start = match.end(1)
    for match in _SINCE.finditer(text):
        if not _TIME_SINCE.search(text[match.end() :]):
            yield match.span()
    for match in _COMMA_SO.finditer(text):
        yield match.span()


def _is_told(sentences: Sequence[_Sentence]) -> bool:
    """A sentence tells a wrong state and another a repair."""
    repairs = [number for number, one in enumerate(sentences) if _is_repair(one)]
    strong = [number for number, one in enumerate(sentences) if _is_state(one)]
    return any(state != repair for state in strong for repair in repairs)


def _is_state(sentence: _Sentence) -> bool:
    if sentence.telling < MIN_STATE or _leads_with_action(sentence.words):
        return False
    lists = gate_words().words
    if sentence.words[0] in lists["errand"]:
        return False
    if any(_bare(word) in lists["marker"] or word.endswith("n't") for word in sentence.words):
        return True
    return sentence.telling > MIN_STATE and any(
        word in gate_words().words["finite"]
        or word in lists["irregular_past"]
        or word.endswith("ed")
        for word in sentence.words
    )


def _is_repair(sentence: _Sentence) -> bool:
    if gate_words().phrases["fix"].search(sentence.text):
        return True
    clauses = [words_of(clause) for clause in _CLAUSE.split(sentence.text)]
    described = False  # After "is built by X and rotated", "rotated" is what is, not what was done.
    for clause in filter(None, clauses):
        bare_past = clause[0].endswith("ed") and described
        if (_leads_with_action(clause) and not bare_past) or _is_passive(clause):
            return True
        described = described or bool({"is", "are", "be"} & set(clause))
    return False


def _leads_with_action(words: Sequence[str]) -> bool:
    """ "Pinned it", "we then pinned it", "Pin it", and more than the verb alone."""
    index = 0
    while index < len(words) - 1 and (
        words[index] in gate_words().words["adverb"] or words[index].endswith("ly")
    ):
        index += 1
    verb = words[index]
    if verb in gate_words().words["subject"] and index < len(words) - 1:
        index += 1
        while index < len(words) - 1 and (
            words[index] in gate_words().words["adverb"] or words[index].endswith("ly")
        ):
            index += 1
        return _is_past_action(words[index])
    if index + 1 >= len(words) or _has_verb(words[index + 1 : index + 4]):
        return False  # Alone, or an adjective: "Nested checkouts were …".
    return _is_past_action(verb) or _is_order(verb, words[index + 1])


def _is_order(verb: str, following: str) -> bool:
    """ "Lock the file" is one, "lock files" is none, "pin numpy>=2" is."""
    lists = gate_words().words
    if verb not in lists["repair"]:
        return False
    return verb not in lists["noun_too"] or following in lists["object"]


def _has_verb(words: Sequence[str]) -> bool:
    lists = gate_words().words
    return any(word in lists["finite"] for word in words)


def _is_past_action(word: str) -> bool:
    lists = gate_words().words
    if word in lists["routine"]:
        return False
    return word in lists["irregular_past"] or (word.endswith("ed") and len(word) > 4)


def _is_passive(words: Sequence[str]) -> bool:
    """ "the limit was then raised": a form of "be" and a participle of a repair."""
    for index, word in enumerate(words[:-1]):
        lasting = word in ("is", "are") and words[index + 1] == "now"
        if lasting or word in gate_words().words["auxiliary"]:
            verb = words[index + 1]
            if (verb in gate_words().words["adverb"] or verb.endswith("ly")) and index + 2 < len(
                words
            ):
                verb = words[index + 2]
            if verb in gate_words().words["irregular_past"] or _repair_participle(verb):
                return True
    return False


def _repair_participle(word: str) -> bool:
    if not word.endswith("ed"):
        return False
    stem = word[:-2]
    doubled = stem[:-1] if len(stem) > 2 and stem[-1] == stem[-2] else stem
    stems = (stem, f"{stem}e", doubled, f"{stem[:-1]}y" if stem.endswith("i") else stem)
    return any(form in gate_words().words["repair"] for form in stems)


def _bare(word: str) -> str:
    return word.strip("'-.")
