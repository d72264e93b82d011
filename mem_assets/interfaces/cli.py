"""`mem`: asking from the command line. Heavy modules are imported by the command that needs them.

An answer from the exact tier loads no model, no index and no pipeline.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

if TYPE_CHECKING:
    from mem_assets.engines.embedder import CachedEmbedder
    from mem_assets.settings import Settings

FOUND, NOTHING_KNOWN, USAGE, FAILED, STALE = 0, 1, 2, 3, 4

EXIT_CODES = (
    "Exit codes: 0 found or done, 1 nothing known, 2 wrong usage, "
    "3 the search failed or no generation is published, 4 the generation is stale (status only)."
)

app = typer.Typer(
    help="Find the lesson from the error.",
    epilog=EXIT_CODES,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
sig = typer.Typer(help="Failure signatures.", no_args_is_help=True)
symptoms = typer.Typer(help="Symptom lines of memories.", no_args_is_help=True)
app.add_typer(sig, name="sig")
app.add_typer(symptoms, name="symptoms")

Tool = Annotated[str | None, typer.Option(help="Tool that printed it; detected when not given.")]
AsJson = Annotated[bool, typer.Option("--json", help="Canonical JSON on standard output.")]


def fail(message: str, code: int) -> NoReturn:
    """One line on standard error, then the exit code."""
    from mem_assets.retrieval.answer import printable

    typer.echo(f"mem: {' '.join(printable(message).split())}", err=True)
    raise typer.Exit(code)


@contextmanager
def clear_errors() -> Iterator["Settings"]:
    """The settings for a command; what goes wrong in it ends as one line, never a traceback."""
    from mem_assets.retrieval.symptoms import AmbiguousShaError, MemoryNotFoundError
    from mem_assets.settings import Settings
    from mem_assets.storage.generation import NoGeneration

    try:
        yield Settings.from_env()
    except MemoryNotFoundError as error:
        fail(str(error), NOTHING_KNOWN)
    except AmbiguousShaError as error:
        fail(str(error), USAGE)
    except (typer.Exit, typer.Abort, BrokenPipeError):
        raise
    except NoGeneration as error:
        fail(str(error), FAILED)
    except Exception as error:
        fail(f"{type(error).__name__}: {error}", FAILED)


def read_input(name: str) -> bytes:
    """The bytes of a file, or of standard input for "-"; a missing file is wrong usage."""
    if name == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(name).read_bytes()
    except OSError as error:
        fail(f"cannot read {name}: {error.strerror}", USAGE)


def print_json(value: Any) -> None:
    """Canonical JSON, one line: equal answers are equal bytes."""
    from mem_assets.hashing import canonical_json

    typer.echo(canonical_json(value).encode("utf-8", "replace"))


@app.command(epilog=EXIT_CODES)
def context(
    error: Annotated[
        str | None, typer.Argument(help='The error, or "-" for standard input.')
    ] = None,
    tool: Tool = None,
    file: Annotated[str | None, typer.Option(help="Read the error from a file.")] = None,
    as_json: AsJson = False,
    top: Annotated[int, typer.Option(min=1, max=50, help="Answers at most.")] = 5,
) -> None:
    """What is known about an error. Of a long log, the failure inside it is asked."""
    if (error is None) == (file is None):
        fail("give either the error (or - for standard input) or --file", USAGE)
    if error is not None and error != "-":
        query = error
    else:
        query = read_input(file or "-").decode("utf-8", "replace")
    if not query.strip():
        fail("the error is empty", USAGE)
    with clear_errors() as settings:
        from mem_assets.retrieval.lookup import lookup
        from mem_assets.storage.generation import open_current

        generation = open_current(settings.home)
        answer = lookup(generation, query, tool, embedder=lambda: start_embedder(settings), top=top)
        if answer.tier != "exact":
            answer = replace(answer, stale=staleness(settings))
        if as_json:
            print_json(answer.to_dict())
        else:
            from mem_assets.interfaces.render import console, show_answer

            show_answer(console(sys.stdout), answer)
        if answer.stale:
            typer.echo(f"mem: the index is stale: {answer.stale}", err=True)
        if answer.status == "search_failed":
            fail(f"the search failed: {answer.reason}", FAILED)
        raise typer.Exit(FOUND if answer.status == "found" else NOTHING_KNOWN)


def staleness(settings: "Settings") -> str | None:
    """Why the index is behind its inputs. An exact hit is not asked: it stands whatever else came,
    and reading the inputs takes longer than the answer."""
    from mem_assets.storage.freshness import freshness

    return "; ".join(freshness(settings)) or None


def start_embedder(settings: "Settings") -> "CachedEmbedder":
    """The embedder; says so first, since the engine takes its time to load."""
    from mem_assets.engines.embedder import open_embedder

    typer.echo("mem: no exact match; loading the engine to compare by meaning …", err=True)
    return open_embedder(settings.home / "cache" / "vectors")


@sig.command(epilog=EXIT_CODES)
def explain(
    file: Annotated[str, typer.Argument(help='A log, or "-" for standard input.')],
    tool: Tool = None,
    as_json: AsJson = False,
) -> None:
    """How a log becomes a signature: rule, lines, identity, each substitution, hash."""
    data = read_input(file)
    with clear_errors():
        from mem_assets.interfaces.explain import explain_signature

        explanation = explain_signature(tool, data)
        if explanation is None:
            fail("no signature: the output is empty, or says that it ended well", NOTHING_KNOWN)
        if as_json:
            print_json(explanation)
        else:
            from mem_assets.interfaces.render import console, show_explanation

            show_explanation(console(sys.stdout), explanation)


@symptoms.command(epilog=EXIT_CODES)
def show(
    sha: Annotated[str, typer.Argument(help="A memory's sha, or the first characters of it.")],
    as_json: AsJson = False,
) -> None:
    """The failures that a memory would explain, line by line, and where each line came from."""
    with clear_errors() as settings:
        from mem_assets.retrieval.symptoms import read_symptoms
        from mem_assets.storage.generation import open_current

        memory = read_symptoms(open_current(settings.home), sha)
        if as_json:
            print_json(memory.to_dict())
        else:
            from mem_assets.interfaces.render import console, show_symptoms

            show_symptoms(console(sys.stdout), memory)


@app.command(epilog=EXIT_CODES)
def status(as_json: AsJson = False) -> None:
    """The published generation, and whether it is fresh. Exit code 4, with the reason, if not."""
    with clear_errors() as settings:
        from mem_assets.storage.freshness import freshness
        from mem_assets.storage.generation import open_current

        generation = open_current(settings.home)
        stale = list(freshness(settings))
        state = {**generation.manifest, "generation": generation.id}
        if as_json:
            print_json({**state, "stale": stale})
        else:
            from mem_assets.interfaces.render import console, show_status

            show_status(console(sys.stdout), state, stale)
        if stale:
            raise typer.Exit(STALE)


@app.command(epilog=EXIT_CODES)
def rollback() -> None:
    """Go back to the generation that was published before this one."""
    with clear_errors() as settings:
        from mem_assets.storage import generation

        before = generation.open_current(settings.home)
        now = generation.rollback(settings.home)
        typer.echo(f"rolled back from {before.id} to {now.id}")


def main() -> None:
    """The entry point of `mem`."""
    app()
