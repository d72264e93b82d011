"""The prose of a note as sentences: without code, quotes, log lines and markup."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import re2

from mem_assets.memory.gate_words import Language, gate_words, stem

SHORT_LINE = 60
"""Characters: a line that was wrapped is longer, so a shorter one ended by itself."""

MAX_SENTENCE = 1000
"""Characters: longer is no sentence, and read in parts."""

_FENCE = re2.compile(r"^ {0,3}(?:`{3,}|~{3,})")
_LIST_ITEM = re2.compile(r"^\s*(?:[-*+]|\d{1,3}[.)]|[a-z]\))\s+")
_HEADING = re2.compile(r"^ {0,3}#{1,6}\s+")
_BOLD_HEADING = re2.compile(r"^\s*\*\*[^*]+\*\*\s*$")
_QUOTE = re2.compile(r"^ {0,3}(?:> ?)+")
_COMMENT = re2.compile(r"(?s)<!--.*?-->")
_MARKUP = re2.compile(
    r"!\[[^\]\n]*\]\([^)\n]*\)|\]\([^)\n]*\)|</?[a-z]{1,10}(?: [^<>\n]*)?/?>|[*_]{2}"
)
_SENTENCE = re2.compile(r"[.!?;]+[\"')\]]*(?:\s+|$)|\n")
_CLAUSE = re2.compile(
    r",\s+(?:and|but|then|so)\s+|,\s+|\s+(?:and then|and|then|but|&)\s+|:\s+"
    r"|\s(?:->|→|=>|-|–|—)\s|\s\("
)
# Python's own engine: one class, so linear, and it lists words ten times faster.
_WORD = re.compile(r"[\w@][\w@./\-+']*")
_QUOTED = re2.compile(r"\"[^\"]{1,300}\"|“[^”]{1,300}”")
_URL = re2.compile(r"\b[a-zA-Z]{2,6}://\S+")
_IDENTIFIER = re.compile(
    r"(?:[a-z]+[A-Z]|\w[_=./]\w|\w-\d|[A-Za-z]\d|\d[A-Za-z]|^--?[a-z]|[A-Z]{3}|\(\))"
)
_NO_IDENTIFIER = re.compile(
    r"(?i)(?:\d+(?:st|nd|rd|th|am|pm|h|min|ish|x|k|m|s)?|[A-Z]+-\d+|\d[\d.,:/]*|w/o?|b/c|a/b|and/or"
    r"|FYI|ETA|LGTM|TBD|TODO|WIP|ASAP|ADR|TIL|OMG|LOL|IMHO|CEO|CTO|FAQ|OKR|KPI|PTO|OOO|EOD)"
)


@dataclass(frozen=True)
class Sentence:
    """A sentence as it stands and in lower case, its words, and the language they are read in."""

    raw: str
    text: str
    words: tuple[str, ...]
    language: Language

    @cached_property
    def own(self) -> str:
        """Its text in lower case without what it quotes."""
        return _QUOTED.sub('""', self.text)

    @cached_property
    def telling(self) -> int:
        """How many different words say something."""
        return telling(self.words, self.language)

    @cached_property
    def specific(self) -> frozenset[str]:
        """The words that name something of this failure and not of any day's work."""
        return specific(self.raw, self.language)

    @cached_property
    def technical(self) -> frozenset[str]:
        """The words of the trade, and identifiers."""
        return technical(self.raw, self.language)

    @cached_property
    def clauses(self) -> tuple[tuple[str, ...], ...]:
        parts = (tuple(words_of(part)) for part in _CLAUSE.split(self.text) if part)
        return tuple(filter(None, parts))


def sentences(text: str) -> list[Sentence]:
    """The sentences of a note's prose, in order; none is without a word."""
    language = gate_words().language_of(words_of(text))
    found = []
    for part in _split(prose(text)):
        raw = _URL.sub(" ", part.replace("’", "'").replace("`", ""))
        words = tuple(words_of(raw))
        if words:
            found.append(Sentence(raw, _lower(raw), words, language))
    return found


def prose(text: str) -> str:
    """The text without fenced code, quotes and log lines; a wrapped paragraph as one line."""
    paragraphs: list[list[str]] = [[]]
    for line in without_code(_COMMENT.sub(" ", unquoted(text)).split("\n")):
        is_heading = bool(_HEADING.search(line) or _BOLD_HEADING.search(line))
        if not line.strip() or is_log_line(line):
            paragraphs.append([])
            continue
        if is_heading or _LIST_ITEM.search(line):
            paragraphs.append([])
        plain = _MARKUP.sub("", _LIST_ITEM.sub("", _HEADING.sub("", line))).strip()
        paragraphs[-1].append(plain)
        if is_heading and paragraphs[-1]:
            paragraphs[-1][-1] = paragraphs[-1][-1].rstrip(":") + ":"
            paragraphs.append([])
    return "\n".join(_joined(lines) for lines in _join_headings(paragraphs) if lines)


def _joined(lines: Sequence[str]) -> str:
    """A paragraph as one line, broken only where a short line ends and a capital begins."""
    text = lines[0]
    for before, line in pairwise(lines):
        short = len(before) < SHORT_LINE and line[:1].isupper() and not before.endswith(":")
        text += ("\n" if short else " ") + line
    return text


def without_code(lines: Sequence[str]) -> list[str]:
    """The lines with a blank one for each that stands in a fence.

    A fence that nothing closes goes on to the end; one on the last line alone closes what was
    cut off before the text begins.
    """
    fences = [number for number, line in enumerate(lines) if _FENCE.match(line)]
    last = max((number for number, line in enumerate(lines) if line.strip()), default=0)
    fenced = len(fences) == 1 and fences[0] == last
    kept = []
    for line in lines:
        is_fence = _FENCE.match(line) is not None
        kept.append("" if fenced or is_fence else line)
        fenced = fenced != is_fence
    return kept


def unquoted(text: str) -> str:
    """The text without the marks of a quotation, where all of it is one."""
    lines = text.split("\n")
    if all(_QUOTE.search(line) for line in lines if line.strip()):
        return "\n".join(_QUOTE.sub("", line) for line in lines)
    return text


def is_log_line(line: str) -> bool:
    """Whether a line is printed by a machine or quoted, and not written as prose."""
    return any(pattern.search(line) for pattern in gate_words().patterns["log_line"])


def _lower(text: str) -> str:
    """Lower case, each character in its place: the lower form of a few has two."""
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    return "".join(one.lower() if len(one.lower()) == 1 else one for one in text)


def words_of(text: str) -> list[str]:
    """The words of a text, lower case."""
    return words_in(text.lower())


def words_in(text: str) -> list[str]:
    """The words of a text as they stand, without the marks behind them."""
    return [word for found in _WORD.findall(text) if (word := found.rstrip("./-'@"))]


def telling(words: Sequence[str], language: Language) -> int:
    """How many different words of these say something."""
    lists = language.words
    return len(
        {
            word
            for word in words
            if len(word) > 1 and word not in lists["stop"] and word not in lists["vague"]
        }
    )


def specific(raw: str, language: Language) -> frozenset[str]:
    """Words that are neither grammar nor of daily life; identifiers always are such words."""
    return frozenset(
        word.lower()
        for word in words_in(raw)
        if is_identifier(word) or not _is_common(word.lower(), language)
    )


def technical(raw: str, language: Language) -> frozenset[str]:
    """Identifiers, and words of the trade or compounds with one ("merge-queue")."""
    words = frozenset(words_in(raw))
    return frozenset(
        word.lower()
        for word in words
        if is_identifier(word)
        or any(_is_technical(part, language) for part in re.split(r"[-/+']", word.lower()))
    )


def is_identifier(word: str) -> bool:
    """Whether a word has the form of a name in code ("max_size", "ttyUSB0", "TLS")."""
    return _IDENTIFIER.search(word) is not None and _NO_IDENTIFIER.fullmatch(word) is None


def _is_technical(word: str, language: Language) -> bool:
    english = gate_words().languages["en"]
    return (
        stem(word, language.name) in language.technical_stems
        or stem(word, english.name) in english.technical_stems
        or word.startswith(language.compounds)
        or word.endswith(language.compounds)
    )


def _is_common(word: str, language: Language) -> bool:
    lists = language.words
    bare = word.removesuffix("'s")
    return (
        len(word) == 1
        or word[0].isdigit()
        or bare in lists["stop"]
        or bare in lists["vague"]
        or bare in lists["everyday"]
        or "'" in bare
        or stem(bare, language.name) in language.everyday_stems
    )


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
    ends = [match.end() for match in _SENTENCE.finditer(text)]
    for start, end in pairwise([0, *ends, len(text)]):
        for begin in range(start, end, MAX_SENTENCE):
            yield text[begin : min(end, begin + MAX_SENTENCE)].strip()
