"""The gate's data: word lists, phrases and patterns, checked when they are loaded.

One file for text in any language, and one a language. Each pattern carries an example that it
must match and one that it must not, so that a rule which does not do what it says is refused
before it judges anything.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from importlib.resources import files
from typing import Any

import re2
from snowballstemmer import stemmer

from mem_assets.hashing import sha256_json

DATA_FILE = "gate_words.toml"

LANGUAGES = {"en": "english", "de": "german", "es": "spanish", "fr": "french"}
"""Those whose lessons are read, by their code; each has a file of its own."""

COMMON_PATTERNS = ("log_line", "unsafe", "other")
PATTERNS = ("remedy", "mechanism", "hedge", "aside")
WORDS = (
    "stop", "vague", "everyday", "technical", "marker", "dangling", "dangling_soft", "question",
    "interjection",
)  # fmt: skip
PHRASES = ("cause", "consequence", "fix")
GRAMMAR = (
    "repair", "errand", "noun_too", "object", "irregular_past", "routine", "subject", "adverb",
    "auxiliary", "finite", "change_noun", "subordinate", "contrary",
)  # fmt: skip
"""Lists of English alone: what an order and a repair look like there."""

_SAYING = ("other", "aside")
MIN_COMPOUND = 5
"""Letters of a word that a compound is recognised by."""

_FOREIGN = 2
"""Words of another language, more than of English, by which a text counts as written in it."""


@dataclass(frozen=True)
class Pattern:
    """A named pattern of one kind (a table of a data file); matches anywhere in a text.

    `says` completes "it …" for a text of this kind; "" where the kind needs none.
    """

    name: str
    regex: Any
    says: str = ""

    def search(self, text: str) -> bool:
        return self.regex.search(text) is not None


@dataclass(frozen=True)
class Language:
    """The data of one language by list name; `phrases` are one regex a list.

    name  as the stemmer calls it ("english"); grammar is empty but for English
    """

    name: str
    words: Mapping[str, frozenset[str]]
    phrases: Mapping[str, Any]
    grammar: Mapping[str, frozenset[str]]
    patterns: Mapping[str, tuple[Pattern, ...]]

    @cached_property
    def technical_stems(self) -> frozenset[str]:
        return frozenset(stem(word, self.name) for word in self.words["technical"])

    @cached_property
    def compounds(self) -> tuple[str, ...]:
        """Words of the trade that longer ones are made of, as in German; empty elsewhere."""
        words = self.words["technical"] if self.name == "german" else ()
        return tuple(sorted(word for word in words if len(word) >= MIN_COMPOUND))

    @cached_property
    def everyday_stems(self) -> frozenset[str]:
        lists = (self.words[name] for name in ("vague", "everyday"))
        stems = frozenset(stem(word, self.name) for words in lists for word in words)
        return stems - self.technical_stems  # "import" is no form of "important".


@dataclass(frozen=True)
class GateWords:
    """Patterns of any language, the languages by their code, and a content hash of all data."""

    patterns: Mapping[str, tuple[Pattern, ...]]
    languages: Mapping[str, Language]
    version: str

    def language_of(self, words: Sequence[str]) -> Language:
        """The language most of whose function words stand in a text; English where unsure."""
        counts = {
            code: sum(word in language.words["stop"] for word in words)
            for code, language in self.languages.items()
        }
        best = max(counts, key=lambda code: (counts[code], code == "en"))
        return self.languages[best if counts[best] >= _FOREIGN else "en"]


@cache
def gate_words() -> GateWords:
    """The packaged data, loaded once. Raises ValueError, naming file and entry."""
    folder = files(__package__)
    names = [DATA_FILE, *map(_file_of, LANGUAGES)]
    return parse_gate_words({name: folder.joinpath(name).read_text("utf-8") for name in names})


def parse_gate_words(sources: Mapping[str, str]) -> GateWords:
    """Check and compile the data, given by file name.

    Raises ValueError, naming file and entry, with what to do.
    """
    data = {name: _toml(name, source) for name, source in sources.items()}
    return GateWords(
        patterns={kind: _patterns(DATA_FILE, data[DATA_FILE], kind) for kind in COMMON_PATTERNS},
        languages={code: _language(code, data[_file_of(code)]) for code in LANGUAGES},
        version=sha256_json(data),
    )


@lru_cache(maxsize=65536)
def stem(word: str, language: str) -> str:
    """The stem of a lower-case word; `language` as the stemmer calls it."""
    # A word of the input may be a megabyte long; none of a language is.
    return str(_stemmer(language).stemWord(word)) if len(word) <= 40 else word


@cache
def _stemmer(language: str) -> Any:
    return stemmer(language)


def _file_of(code: str) -> str:
    return f"gate_words.{code}.toml"


def _toml(name: str, source: str) -> dict[str, Any]:
    try:
        return tomllib.loads(source)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{name}: not TOML ({error}): correct this line") from None


def _language(code: str, data: Mapping[str, Any]) -> Language:
    file = _file_of(code)
    grammar = GRAMMAR if code == "en" else ()
    return Language(
        name=LANGUAGES[code],
        words={name: frozenset(_text(file, data, "words", name).split()) for name in WORDS},
        phrases={name: _any_of(_text(file, data, "phrases", name).split("\n")) for name in PHRASES},
        grammar={name: frozenset(_text(file, data, "grammar", name).split()) for name in grammar},
        patterns={kind: _patterns(file, data, kind) for kind in PATTERNS},
    )


def _text(file: str, data: Mapping[str, Any], table: str, name: str) -> str:
    value = data.get(table, {}).get(name)
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"{file}, {table}.{name}: write a text with at least one entry")
    if value != value.lower():
        raise ValueError(f"{file}, {table}.{name}: write every entry in lower case")
    return value


def _any_of(phrases: list[str]) -> Any:
    """One regex for whole phrases; of two, one of which begins the other, the longer first."""
    entries = sorted(
        {phrase.strip() for phrase in phrases if phrase.strip()}, key=lambda x: (-len(x), x)
    )
    joined = "|".join(re2.escape(entry).replace(r"\ ", r"\s+") for entry in entries)
    return re2.compile(rf"(?:^|[^\pL\pN_])({joined})(?:$|[^\pL\pN_])")


def _patterns(file: str, data: Mapping[str, Any], kind: str) -> tuple[Pattern, ...]:
    fields = {"name", "pattern", "example", "counter", *(["says"] if kind in _SAYING else [])}
    found = []
    for number, entry in enumerate(data.get(kind, []), 1):
        place = f"{file}, {kind} {number}"
        if set(entry) != fields or not all(isinstance(value, str) for value in entry.values()):
            raise ValueError(f"{place}: write exactly {', '.join(sorted(fields))}, each a string")
        place = f"{place} ({entry['name']})"
        options = re2.Options()
        options.case_sensitive = kind == "log_line"
        options.log_errors = False
        try:
            regex = re2.compile(entry["pattern"], options)
        except re2.error as error:
            raise ValueError(f"{place}: {error}: correct the pattern") from None
        pattern = Pattern(entry["name"], regex, entry.get("says", ""))
        if not pattern.search(entry["example"]):
            raise ValueError(f"{place}: does not match its example")
        if pattern.search(entry["counter"]):
            raise ValueError(f"{place}: matches its counter-example")
        found.append(pattern)
    if not found:
        raise ValueError(f"{file}: no [[{kind}]]: write at least one")
    return tuple(found)
