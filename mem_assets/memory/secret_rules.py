"""The secret formats a scan looks for: the library's patterns and this package's own.

Everything is loaded at the first use and kept. Each rule is one google-re2 pattern; all of them
together are one automaton (re2.Set) that tells in a single pass which rules have a match at all.
"""

import importlib
import inspect
import pkgutil
import re
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any

import re2

from mem_assets.memory import key_blocks, secret_assignments

Span = tuple[int, int, str]
"""Byte offsets start and end of one secret, and its kind."""

DATA_FILE = "secret_patterns.toml"

NOT_TAKEN = {
    "ArtifactoryDetector": "matches any word in capitals that begins with AP and a hex digit",
    "BasicAuthDetector": "matches masks; secret_assignments.urls takes reserved characters too",
    "CloudantDetector": "look-behind; assignments and URLs are secret_assignments' rules",
    "DiscordBotTokenDetector": "no boundary: dotted class names match, and the automaton explodes",
    "GitLabTokenDetector": "look-ahead; the own pattern adds newer kinds",
    "IbmCloudIamDetector": "look-behind; an assignment, so secret_assignments' rule",
    "IbmCosHmacDetector": "look-behind; an assignment, so secret_assignments' rule",
    "IPPublicDetector": "an address is no secret",
    "PrivateKeyDetector": "finds the header alone, also where a message quotes it; see key_blocks",
    "SoftlayerDetector": "look-behind; an assignment, so secret_assignments' rule",
    "TelegramBotTokenDetector": "a number before a commit's hash matches",
    "TwilioKeyDetector": "no boundary on the right",
}
"""Detectors of detect-secrets whose patterns are not taken, and why."""


@dataclass(frozen=True)
class Rule:
    """One secret format: the pattern that finds a trace of it, and what names the secrets.

    is_net: counts only where no other rule names a secret, since its match holds more than that.
    """

    pattern: str
    spans: Callable[[bytes], Iterator[Span]]
    is_net: bool = False


def options() -> re2.Options:
    """UTF-8 patterns over bytes; the automaton may grow, and nothing is printed."""
    chosen = re2.Options()
    chosen.log_errors = False
    chosen.max_mem = 256 << 20
    return chosen


def matching(data: bytes) -> list[Rule]:
    """The rules with a match somewhere in the data, those that name a secret best first."""
    together, rules = _automaton()
    hits = together.Match(data)
    # The last pattern is empty and always matches: without it, the automaton gave up.
    return [rules[hit] for hit in sorted(hits) if hit < len(rules)] if hits else list(rules)


@cache
def _automaton() -> tuple[re2.Set, tuple[Rule, ...]]:
    """The set that tells which rules match anywhere, and the rules in its order.

    Raises ValueError where a pattern is refused, naming the file and the entry.
    """
    rules = (
        *read_rules(files(__package__).joinpath(DATA_FILE).read_text(encoding="utf-8")),
        Rule(key_blocks.TRACE, key_blocks.spans),
        Rule(secret_assignments.URL_TRACE, secret_assignments.urls),
        Rule(secret_assignments.FLAG_TRACE, secret_assignments.flags),
        Rule(secret_assignments.ASSIGNMENT_TRACE, secret_assignments.assignments),
        *_library_rules(),
    )
    together = re2.Set.SearchSet(options())
    for rule in rules:
        together.Add(rule.pattern)
    together.Add("")
    together.Compile()
    return together, rules


def read_rules(text: str) -> list[Rule]:
    """The rules of a pattern file. Raises ValueError naming the file, the entry, what to do."""
    entries = tomllib.loads(text).get("secret", [])
    rules = []
    for number, entry in enumerate(entries, start=1):
        where = f"{DATA_FILE}: entry {number} ({entry.get('kind', 'without a kind')})"
        unknown = sorted(set(entry) - {"kind", "pattern", "digit"})
        if unknown:
            raise ValueError(f"{where}: unknown key {unknown[0]!r}; use kind, pattern, digit")
        kind, pattern = entry.get("kind"), entry.get("pattern")
        if not isinstance(kind, str) or not re.fullmatch(r"[a-z][a-z0-9-]*", kind):
            raise ValueError(f"{where}: kind must be lower case words joined by hyphens")
        if not isinstance(pattern, str):
            raise ValueError(f"{where}: pattern must be a string")
        rules.append(_pattern_rule(kind, pattern, entry.get("digit", False), where))
    return rules


def _library_rules() -> list[Rule]:
    """The denylists of detect-secrets' detectors, but for those in NOT_TAKEN.

    Its filters, its entropy detectors and its line by line scan are not used: they judge source
    code. Raises ValueError where a pattern is not in google-re2's syntax, so that a new release
    of the library cannot lose one unseen.
    """
    import detect_secrets.plugins as plugins
    from detect_secrets.plugins.base import RegexBasedDetector

    rules = []
    detector: Any
    for name in sorted(module.name for module in pkgutil.iter_modules(plugins.__path__)):
        module = importlib.import_module(f"{plugins.__name__}.{name}")
        for detector_name, detector in sorted(inspect.getmembers(module, inspect.isclass)):
            if inspect.isabstract(detector) or not issubclass(detector, RegexBasedDetector):
                continue
            if detector.__module__ != module.__name__ or detector_name in NOT_TAKEN:
                continue
            kind = re.sub(r"[^a-z0-9]+", "-", detector.secret_type.lower()).strip("-")
            for regexp in detector.denylist:
                flags = "(?i)" if regexp.flags & re.IGNORECASE else ""
                pattern = rf"{flags}\b(?:{regexp.pattern})"
                rule = _pattern_rule(kind, pattern, False, f"detect-secrets {detector_name}")
                rules.append(replace(rule, is_net=True))
    return rules


def _pattern_rule(kind: str, pattern: str, digit: bool, where: str) -> Rule:
    try:
        regexp = re2.compile(pattern, options())
    except re2.error as error:
        raise ValueError(f"{where}: pattern refused: {error}") from error
    group = min(regexp.groups, 1)

    def spans(data: bytes) -> Iterator[Span]:
        for match in regexp.finditer(data):
            start, end = match.span(group)
            masked = len(set(data[start:end])) == 1
            if not masked and (not digit or _DIGIT.search(data, start, end)):
                yield start, end, kind

    return Rule(pattern, spans)


_DIGIT = re.compile(rb"[0-9]")
