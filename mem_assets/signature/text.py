"""Log text without what is not the tool's: wrong bytes, terminal codes, a runner's prefixes."""

import re

MAX_LINE = 2000
"""Characters of a line that are read: the longest compiler message seen in CI logs is shorter."""

# `re`, not re2, whose substitution costs 5 µs a match in Python. Each pattern is linear: its parts
# begin differently, none of them nests a quantifier over the same characters.
_TERMINAL = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # CSI: colour, cursor, erase
    r"|\x1b[\]PX^_][^\x07\x1b\n\r]*(?:\x07|\x1b\\)?"  # OSC and its like: titles, links
    r"|\x1b[ -/]*[0-~]"
    r"|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x80-\x9f\ufeff]"  # NUL, backspace, lone ESC, byte order mark
)
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")  # nearly all of them, and far quicker alone
_ISO = r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[ ]?[+-]\d\d:?\d\d)?"
_END = r"(?=\n|\Z)"
_PREFIX = re.compile(
    r"\n(?:"  # a literal first: the search leaps from break to break
    r"[^\t\n]{1,120}\t[^\t\n]{1,120}\t(?=\d{4}-\d\d-\d\dT)"  # job and step: downloaded run log
    rf"|{_ISO}(?:[ ](?:stdout|stderr)[ ][FP])?(?:[ ]|{_END})"  # runner, container runtime
    rf"|\[{_ISO}\][ ]?"
    rf"|\[?\d\d:\d\d:\d\d(?:[.,]\d{{1,6}})?\]?(?:[ ]|{_END})"
    r"|\#\d{1,4}[ ](?:\d{1,6}\.\d{1,6}[ ])?"  # image build: step number and its clock
    r"|[A-Za-z0-9][\w.]{0,40}(?:[-_][\w.]{1,40}){0,4}[-_]\d{1,3}[ ]{1,40}\|[ ]?"  # compose service
    r")+"
)


def decode(output: str | bytes) -> str:
    """Text of a log; wrong bytes become U+FFFD. UTF-16 is recognised by its byte order mark."""
    if isinstance(output, str):
        return output
    if output[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return output.decode("utf-16", "replace")
    return output.decode("utf-8", "replace")


def strip_ansi(text: str) -> str:
    """Text without terminal codes and control characters; tabs and line breaks stay."""
    text = _COLOUR.sub("", text.replace("\x00", ""))
    return _TERMINAL.sub("", text)


def clean(text: str) -> str:
    """Lines as the tool wrote them: without terminal codes and what a runner puts before each."""
    return _PREFIX.sub("\n", "\n" + strip_ansi(text))[1:]
