"""From a root error's line to its block and its identity."""

from collections.abc import Callable
from dataclasses import dataclass

from mem_assets.signature.rules import Rule, RuleError, RuleSet, compiled

MAX_BLOCK_LINES = 200
MAX_BLOCK_CHARS = 16 * 1024
MAX_BEFORE_LINES = 80
MAX_IDENTITY_LINES = 12
MAX_IDENTITY_CHARS = 2 * 1024
MAX_IDENTITY_LINE = 500
"""Characters of one identity line: an assertion that prints two documents differs every run."""

Lines = Callable[[int], str | None]
"""Lines by their number from the root error's, which is 0; None beyond the log's ends."""


@dataclass(frozen=True)
class Block:
    """A failure in a log: lines first..last, those of the identity, numbered from the root's."""

    rule: Rule
    first: int
    last: int
    identity: tuple[int, ...]
    truncated: bool = False


def is_match(rule: Rule, line: str) -> bool:
    """Whether a line is this rule's root error."""
    if compiled(rule.pattern).search(line) is None:
        return False
    return not rule.unless or compiled(rule.unless).search(line) is None


def build(rule: Rule, lines: Lines) -> Block | None:
    """The block around a root error, or None for a headline with nothing below it."""
    first = _back(rule, lines)
    last, truncated = _on(rule, lines)
    found = {0}
    for pattern in rule.detail:
        hit = next((i for i in range(1, last + 1) if _has(pattern, lines(i))), None)
        found.update(() if hit is None else (hit,))
    for pattern in rule.context:
        hit = next((i for i in range(-1, first - 1, -1) if _has(pattern, lines(i))), None)
        found.update(() if hit is None else (hit,))
    if rule.headline and len(found) == 1:
        return None
    return Block(rule, first, last, tuple(sorted(found)), truncated)


def identity_text(lines: Lines, numbers: tuple[int, ...]) -> str:
    """The identity lines, within their caps; cutting what is cut already changes nothing."""
    kept: list[str] = []
    for number in numbers[:MAX_IDENTITY_LINES]:
        line = (lines(number) or "")[:MAX_IDENTITY_LINE].rstrip()
        if sum(map(len, kept)) + len(line) > MAX_IDENTITY_CHARS:
            break
        kept.append(line)
    return "\n".join(kept)


def _has(pattern: str, line: str | None) -> bool:
    return line is not None and compiled(pattern).search(line) is not None


def _back(rule: Rule, lines: Lines) -> int:
    first = 0
    if rule.before:
        while -first < MAX_BEFORE_LINES and _has(rule.before, lines(first - 1)):
            first -= 1
        while first < 0 and not (lines(first) or "").strip():
            first += 1
    return first


def _on(rule: Rule, lines: Lines) -> tuple[int, bool]:
    """Last line of the block, and whether a cap ended it."""
    last, end, size = 0, 0, 0
    if not rule.after:
        return last, False
    while (line := lines(end + 1)) is not None:
        if (rule.until and _has(rule.until, line)) or not _has(rule.after, line):
            break
        size += len(line)
        if end + 1 >= MAX_BLOCK_LINES or size > MAX_BLOCK_CHARS:
            return last, True
        end += 1
        last = end if line.strip() else last
    return last, False


def check_examples(file: str, rule_set: RuleSet) -> None:
    """Every rule matches its example and not its counter-example, else RuleError."""
    ignored = (*rule_set.consequences, *rule_set.noise)
    for rule in rule_set.rules:
        for key, text, wanted in (
            ("example", rule.example, True),
            ("counter_example", rule.counter_example, False),
        ):
            lines = text.strip("\n").split("\n")
            if wanted != _fires(rule, lines, ignored):
                verb = "does not match" if wanted else "matches"
                raise RuleError(
                    f"{file}: rule '{rule.name}' {verb} its {key}: {text.strip()[:200]}"
                )


def _fires(rule: Rule, lines: list[str], ignored: tuple[str, ...]) -> bool:
    for root, line in enumerate(lines):
        if any(_has(pattern, line) for pattern in ignored) or not is_match(rule, line):
            continue
        near = dict(enumerate(lines, start=-root))
        if build(rule, near.get) is not None:
            return True
    return False
