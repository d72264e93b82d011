"""Where no rule finds an error line: lines of the log that somebody else has chosen.

Pure, around `extract`. Who chooses is passed in: a person's record, or a model's answer. A choice
counts only as lines that stand in the log, so that it can name no failure that is not in it.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from mem_assets.hashing import sha256_text
from mem_assets.signature.extraction import extract
from mem_assets.signature.model import Signature
from mem_assets.signature.rules import RuleBook
from mem_assets.signature.text import strip_ansi
from mem_assets.templates import TEXT_BYTES, as_shown, cut

TAIL_RULE = "generic.tail"
"""The rule of a signature of a log without any error line."""

CHOSEN_RULE = "controller.line"
"""The rule of a signature whose lines were chosen."""

MAX_LINES = 3
MAX_LINE = 300
"""Characters of a line that are shown to who chooses."""

NO_LINE = "NONE"
LINE_MARK = "LINE: "

Choose = Callable[[str], Sequence[str]]
"""A log's text to lines that stand in it, one after the other; none where nothing is chosen."""

_BREAK = re.compile(r"\r\n|\n|\r")


def extract_or_choose(
    tool: str | None,
    output: str,
    choose: Choose | None,
    *,
    exit_code: int | None = None,
    job: str | None = None,
    step: str | None = None,
    rules: RuleBook | None = None,
) -> Signature | None:
    """As `extract`; `choose` is asked only where no rule finds an error line.

    The signature of chosen lines is the one that those lines have by themselves, so one of them
    pasted, or the block, hashes alike without anybody being asked again.
    """
    found = extract(tool, output, exit_code=exit_code, job=job, step=step, rules=rules)
    if choose is None or found is None or found.rule != TAIL_RULE:
        return found
    lines = tuple(choose(output))
    first = _place(split_lines(output), lines)
    return found if first is None else _of_lines(found, lines, first, rules)


def log_key(output: str) -> str:
    """The name of a log by its content; the kind of line breaks, and any at its ends, are none."""
    return sha256_text("\n".join(split_lines(output)).strip("\n"))


def split_lines(output: str) -> list[str]:
    """Lines as signatures number them."""
    return _BREAK.split(output)


def excerpt(output: str) -> str:
    """The end of a log as it is shown to who chooses: no blank lines, long lines cut."""
    kept: list[str] = []
    room = TEXT_BYTES
    for line in reversed(split_lines(output)):
        shown = _shown(line)
        room -= len(shown.encode()) + 1 if shown else 0
        if room < 0:
            break
        if shown:
            kept.append(shown)
    return "\n".join(reversed(kept))


def read_choice(answer: str, output: str) -> tuple[str, ...]:
    """The lines of a log that an answer names, as they stand in it; () for none, or for an answer
    of another form than up to MAX_LINES lines "LINE: …", each a line of the log word for word.

    Lines that do not stand one after the other are several failures: the first is taken.
    """
    named = [line for line in answer.split("\n") if line.strip()]
    if not 0 < len(named) <= MAX_LINES or not all(line.startswith(LINE_MARK) for line in named):
        return ()
    wanted = [line.removeprefix(LINE_MARK).strip() for line in named]
    lines = split_lines(output)
    shown = [_shown(line) for line in lines]
    if not set(wanted) <= set(filter(_says_something, shown)):
        return ()
    first = _place(shown, wanted)
    if first is None:
        first, wanted = shown.index(wanted[0]), wanted[:1]
    return tuple(lines[first : first + len(wanted)])


def _of_lines(
    tail: Signature, lines: tuple[str, ...], first: int, rules: RuleBook | None
) -> Signature:
    raw = "\n".join(lines)
    found = extract(
        tail.tool, raw, exit_code=tail.exit_code, job=tail.job, step=tail.step, rules=rules
    )
    if found is None:
        return tail

    def chosen(signature: Signature) -> Signature:
        return replace(
            signature,
            raw=raw,
            line_start=first + 1,
            line_end=first + len(lines),
            rule=CHOSEN_RULE,
            error_found=True,
            diagnostics=tail.diagnostics,
            inner=None if signature.inner is None else chosen(signature.inner),
        )

    return chosen(found)


def _place(lines: Sequence[str], wanted: Sequence[str]) -> int | None:
    """Where some lines first stand one after the other, from 0; None for nowhere."""
    size = len(wanted)
    if not size:
        return None
    return next(
        (
            number
            for number in range(len(lines) - size + 1)
            if lines[number] == wanted[0] and list(lines[number : number + size]) == list(wanted)
        ),
        None,
    )


def _shown(line: str) -> str:
    return cut(as_shown(strip_ansi(line[: 4 * MAX_LINE])), MAX_LINE).strip()


def _says_something(line: str) -> bool:
    return any(map(str.isalnum, line))
