"""What commands that are asked about a log share: their options, and reading the log."""

from typing import Annotated

import typer

from mem_assets.interfaces.endings import USAGE, Ended, say

Tool = Annotated[str | None, typer.Option(help="Tool that printed it; detected when not given.")]
AsJson = Annotated[bool, typer.Option("--json", help="Canonical JSON on standard output.")]


def read_text(name: str) -> str:
    """The log in a file, or in standard input for "-"; one that cannot be read is wrong usage."""
    from mem_assets.interfaces.log_input import HEAD_BYTES, TAIL_BYTES, read_log
    from mem_assets.storage.archives import InputError

    try:
        log = read_log(name)
    except InputError as fault:
        shown = "standard input" if name == "-" else name or "the file"
        raise Ended("wrong_usage", f"cannot read {shown}: {fault.detail}", USAGE) from fault
    if log.left_out:
        say(
            f"the middle of the log was left out, about {log.left_out} bytes: the first "
            f"{HEAD_BYTES >> 20} MiB and the last {TAIL_BYTES >> 20} MiB are read, and lines are "
            "numbered without it"
        )
    return log.text
