"""How a command ends: exit codes, one line on standard error, one JSON object, no traceback."""

import logging
import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NoReturn

import typer

if TYPE_CHECKING:
    from mem_assets.settings import Settings

FOUND, NOTHING_KNOWN, USAGE, FAILED, STALE, DIFFERS = 0, 1, 2, 3, 4, 5
BROKEN_PIPE = 141
"""What a shell shows for a program that SIGPIPE ended. The signal itself stays ignored: a server
that loses a client must not die of it."""

EXIT_CODES = (
    "Exit codes: 0 found or done, 1 nothing known (sig: different), 2 wrong usage, "
    "3 the search failed or no generation is published, 4 the generation is stale (status only), "
    "5 something differs (rebuild, gate replay), "
    "141 the reader of the output went away. MEM_DEBUG=1 shows where an error came from."
)

Report = Callable[[str, str], dict[str, Any]]
"""(status, reason) to the object that --json prints where a command fails."""

_log = logging.getLogger(__name__)


class Ended(Exception):
    """A command has no answer: a status for --json, one sentence for people, an exit code."""

    def __init__(self, status: str, reason: str, code: int) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason
        self.code = code


def say(message: str) -> None:
    """One line on standard error."""
    from mem_assets.retrieval.answer import printable

    typer.echo(f"mem: {' '.join(printable(message).split())}", err=True)


def fail(message: str, code: int) -> NoReturn:
    """One line on standard error, then the exit code."""
    say(message)
    raise typer.Exit(code)


def print_json(value: Any) -> None:
    """Canonical JSON, one line, every text safe to print: equal answers are equal bytes."""
    from mem_assets.hashing import canonical_json
    from mem_assets.retrieval.answer import safe

    typer.echo(canonical_json(safe(value)).encode("utf-8", "replace"))


def plain_report(status: str, reason: str) -> dict[str, Any]:
    """What --json prints for a failure where a command's answer has no status of its own."""
    return {"status": status, "reason": reason}


@contextmanager
def clear_errors(as_json: bool = False, report: Report = plain_report) -> Iterator[None]:
    """What goes wrong in a command ends as one line and an exit code, never as a traceback.

    With `as_json`, standard output has one object all the same, but for wrong usage.
    """
    _show_debug()
    try:
        yield
    except (typer.Exit, typer.Abort, BrokenPipeError):
        raise
    except Exception as error:
        _log.debug("this went wrong", exc_info=True)
        end = _ended(error)
        if as_json and end.code != USAGE:
            print_json(report(end.status, end.reason))
        fail(end.reason, end.code)


def _ended(error: Exception) -> Ended:
    from mem_assets.retrieval.symptoms import AmbiguousShaError, MemoryNotFoundError
    from mem_assets.settings import RulesUnusable
    from mem_assets.storage.generation import GenerationDamaged, NoGeneration

    match error:
        case Ended():
            return error
        case MemoryNotFoundError():
            return Ended("nothing_known", str(error), NOTHING_KNOWN)
        case AmbiguousShaError():
            return Ended("wrong_usage", str(error), USAGE)
        case RulesUnusable():
            return Ended("rules_unusable", str(error), FAILED)
        case NoGeneration():
            return Ended("no_generation", str(error), FAILED)
        case GenerationDamaged():
            return Ended("generation_damaged", str(error), FAILED)
    return Ended("failed", _named(error), FAILED)


def _named(error: Exception) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def open_home() -> "Settings":
    """The settings, their home looked at. Raises Ended where MEM_HOME can be no home.

    A home that is not there yet is left to the reader of generations, who says what to do.
    """
    from mem_assets.settings import Settings

    settings = Settings.from_env()
    home, needed = settings.home, "MEM_HOME must be a folder that can be read"
    try:
        is_folder = stat.S_ISDIR(home.stat().st_mode)
    except FileNotFoundError:
        return settings
    except OSError as error:
        raise Ended("no_home", f"{needed}: {home}: {error.strerror}", FAILED) from error
    if not is_folder:
        raise Ended("no_home", f"{needed}: {home} is no folder", FAILED)
    if not os.access(home, os.R_OK | os.X_OK):
        raise Ended("no_home", f"{needed}: {home}: permission denied", FAILED)
    return settings


def run(app: Callable[[], Any]) -> NoReturn:
    """Run the command line; a reader that went away is no "nothing known".

    Both libraries that print exit with 1 on a broken pipe, so their exit is told by its cause.
    """
    code: Any = FOUND
    try:
        app()
    except SystemExit as end:
        code = BROKEN_PIPE if isinstance(end.__context__, BrokenPipeError) else end.code
    except BrokenPipeError:
        code = BROKEN_PIPE
    except Exception as error:
        _show_debug()
        _log.debug("this went wrong", exc_info=True)
        print(f"mem: {' '.join(ascii(_named(error))[1:-1].split())}", file=sys.stderr)
        code = FAILED
    sys.exit(_flushed(code))


def _flushed(code: Any) -> Any:
    """The exit code once all output is out: the interpreter's own flush would end in a message."""
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except OSError as error:
            code = BROKEN_PIPE if isinstance(error, BrokenPipeError) else code or FAILED
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    return code


def _show_debug() -> None:
    """MEM_DEBUG=1: tracebacks on standard error."""
    if os.environ.get("MEM_DEBUG") == "1":
        logging.basicConfig(format="%(message)s")
        logging.getLogger("mem_assets").setLevel(logging.DEBUG)
