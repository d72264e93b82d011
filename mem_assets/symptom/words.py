"""Failure English: tokens, phrases, stop words and stems, shared by both sides of a lookup."""

import tomllib
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import re2
import snowballstemmer

DATA = Path(__file__).parent
WORDS_FILE = DATA / "words.toml"

MAX_TOKEN = 200
"""Characters of the longest token that is read: beyond it stand blobs, not words or names."""

_TERMINAL = re2.compile(r"\x1b\[[0-9;:?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-_]")
_CONTROL = re2.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_CONTRACTION = re2.compile(r"\b([a-z]+)n't\b")
_POSSESSIVE = re2.compile(r"([a-z0-9])'(?:s|re|ve|ll|d|m)\b")
_SPLIT = re2.compile(r"[\s\"'`“”«»()\[\]{}<>,;|=!?*#$&+^│╰─×➤✖✗✘]+")
_NEGATIONS = frozenset({"not", "no", "without"})
_ARTICLES = (["a"], ["an"], ["the"], ["any"])
_PLAIN = re2.compile(r"[a-z]+(?:_[a-z]+)*|[^\W\d_]+")


@dataclass(frozen=True)
class Words:
    """The content of words.toml. Spellings are tuples of words; `empty` is `stop` and `noise`."""

    stop: frozenset[str]
    noise: frozenset[str]
    empty: frozenset[str]
    phrases: Mapping[str, tuple[tuple[tuple[str, ...], str], ...]]
    phrase_names: frozenset[str]
    synonyms: Mapping[str, str]
    abbreviations: Mapping[str, str]
    vocabulary: frozenset[str]


def read_toml(path: Path, keys: Iterable[str]) -> dict[str, Any]:
    """A data file of schema 1 with no key outside `keys`. Raises ValueError naming file and key."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{path.name}: not TOML: {error}") from error
    if data.get("schema") != 1:
        raise ValueError(f"{path.name}: `schema = 1` is missing; this version reads schema 1 only")
    if unknown := sorted(set(data) - set(keys) - {"schema"}):
        raise ValueError(f"{path.name}: unknown key {unknown[0]!r}; known: {sorted(keys)}")
    return data


@cache
def words() -> Words:
    """words.toml, read once. Raises ValueError naming the entry that is not as it should be."""
    name = WORDS_FILE.name
    keys = ("stop", "noise", "phrases", "synonyms", "abbreviations", "vocabulary")
    data = read_toml(WORDS_FILE, keys)
    if missing := sorted(set(keys) - set(data)):
        raise ValueError(f"{name}: key {missing[0]!r} is missing")
    spellings: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for meaning, texts in data["phrases"].items():
        for text in texts:
            spelling = tuple(text.split())
            if not spelling or text != text.lower():
                raise ValueError(f"{name}: phrases.{meaning}: {text!r} must be lower-case words")
            spellings.setdefault(spelling[0], []).append((spelling, meaning))
    for first, group in spellings.items():
        group.sort(key=lambda pair: (-len(pair[0]), pair))
        if len({spelling for spelling, _ in group}) != len(group):
            raise ValueError(f"{name}: phrases: a spelling that starts with {first!r} stands twice")
    return Words(
        stop=frozenset(data["stop"].split()),
        noise=frozenset(data["noise"].split()),
        empty=frozenset([*data["stop"].split(), *data["noise"].split()]),
        phrases={first: tuple(group) for first, group in spellings.items()},
        phrase_names=frozenset(data["phrases"]),
        synonyms=data["synonyms"],
        abbreviations=data["abbreviations"],
        vocabulary=frozenset(stem(word) for word in data["vocabulary"]["words"].split()),
    )


@lru_cache(maxsize=1 << 14)
def stem(word: str) -> str:
    """The Snowball (English) stem; a phrase's name (`not_found`) is kept as it is."""
    return word if "_" in word else _stemmer().stemWord(word)


@cache
def _stemmer() -> Any:
    return snowballstemmer.stemmer("english")


def well_formed(text: str) -> str:
    """Text with a question mark for each lone surrogate, which UTF-8 (and re2) cannot hold."""
    return text.encode("utf-8", "replace").decode("utf-8")


def plain_text(text: str) -> str:
    """Text without terminal codes and control characters, in Unicode's compatible, folded form."""
    text = _CONTROL.sub(" ", _TERMINAL.sub("", well_formed(text)))
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def raw_tokens(line: str) -> list[str]:
    """A folded line's tokens: split at white space, quotes and brackets, without their edges."""
    line = line.replace("’", "'").replace("can't", "cannot").replace("won't", "will not")
    line = _POSSESSIVE.sub(r"\1", _CONTRACTION.sub(r"\1 not", line))
    stripped = (_strip(token) for token in _SPLIT.split(line))
    return [token for token in stripped if 0 < len(token) <= MAX_TOKEN]


def _strip(token: str) -> str:
    """A token without the marks around it; what opens a path or a scope (`./`, `@`) stays."""
    token = token.rstrip(".:/\\-~_–—…@%").lstrip(":-_–—…%\\")
    return token.lstrip(".") if token.startswith("..") and not token.startswith("../") else token


def join_phrases(tokens: list[str]) -> Iterator[str]:
    """Tokens with each known phrase replaced by its name, the longest spelling first.

    A negated word that no phrase knows keeps its negation: "not a tree" is `not_tree`.
    """
    known = words()
    table = known.phrases
    position = 0
    while position < len(tokens):
        for spelling, meaning in table.get(tokens[position], ()):
            if tuple(tokens[position : position + len(spelling)]) == spelling:
                yield meaning
                position += len(spelling)
                break
        else:
            token, position = tokens[position], position + 1
            if token in _NEGATIONS:
                after = position + (tokens[position : position + 1] in _ARTICLES)
                word = tokens[after] if after < len(tokens) else ""
                if _PLAIN.fullmatch(word) and word not in known.stop and word not in table:
                    token, position = "not_" + stem(word), after + 1
            yield token


def content_stems(text: str) -> frozenset[str]:
    """The stems of a text's plain words, without stop words, noise and one-letter words."""
    known = words()
    found = set()
    for token in join_phrases(raw_tokens(plain_text(text))):
        for word in token.replace("-", " ").replace("/", " ").replace(".", " ").split():
            if len(word) < 2 or word in known.empty:
                continue
            if "_" in word or _PLAIN.fullmatch(word):
                found.add(stem(known.synonyms.get(word, word).split()[-1]))
    return frozenset(found)
