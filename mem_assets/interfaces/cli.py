"""`mem`: asking from the command line. Heavy modules are imported by the command that needs them.

An answer from the exact tier loads no model, no index and no pipeline.
"""

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mem_assets.interfaces import gate_commands, rebuild_commands, transfer_commands
from mem_assets.interfaces.endings import (
    EXIT_CODES,
    FAILED,
    FOUND,
    NOTHING_KNOWN,
    STALE,
    USAGE,
    clear_errors,
    fail,
    open_home,
    print_json,
    run,
    say,
)
from mem_assets.interfaces.log_argument import AsJson, Tool, read_text
from mem_assets.interfaces.sig_commands import sig

if TYPE_CHECKING:
    from mem_assets.engines.embedder import CachedEmbedder
    from mem_assets.settings import Settings

app = typer.Typer(
    help="Find the lesson from the error.",
    epilog=EXIT_CODES,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
symptoms = typer.Typer(help="Symptom lines of memories.", no_args_is_help=True)
app.add_typer(sig, name="sig")
app.add_typer(symptoms, name="symptoms")
app.add_typer(gate_commands.gate, name="gate")
app.command(epilog=rebuild_commands.EPILOG)(rebuild_commands.rebuild)
app.command("export", epilog=EXIT_CODES)(transfer_commands.export_log)
app.command("import", epilog=EXIT_CODES)(transfer_commands.import_log)


def search_failed(status: str, reason: str) -> dict[str, Any]:
    """What `context --json` prints where no answer could be looked for."""
    return {"status": "search_failed", "reason": reason, "matches": []}


def no_status(status: str, reason: str) -> dict[str, Any]:
    """What `status --json` prints where there is no generation to tell of."""
    return {"status": status, "reason": reason, "stale": [reason]}


@app.command(epilog=EXIT_CODES)
def context(
    error: Annotated[
        str | None, typer.Argument(help='The error, or "-" for standard input.')
    ] = None,
    tool: Tool = None,
    file: Annotated[
        str | None, typer.Option(help="Read the error from a file, plain, .gz or .zst.")
    ] = None,
    as_json: AsJson = False,
    top: Annotated[int, typer.Option(min=1, max=50, help="Answers at most.")] = 5,
) -> None:
    """What is known about an error. Of a long log, the failure inside it is asked."""
    if (error is None) == (file is None):
        fail("give either the error (or - for standard input) or --file", USAGE)
    with clear_errors(as_json, search_failed):
        if file is not None:
            query = read_text(file)
        else:
            query = read_text("-") if error == "-" else error or ""
        if not query.strip():
            fail("the error is empty", USAGE)
        _answer(open_home(), query, tool, as_json, top)


def _answer(settings: "Settings", query: str, tool: str | None, as_json: bool, top: int) -> None:
    from mem_assets.retrieval.lookup import lookup
    from mem_assets.storage.generation import open_current

    generation = open_current(settings.home)
    answer = lookup(
        generation,
        query,
        tool,
        embedder=lambda: start_embedder(settings),
        top=top,
        rules=settings.rule_book(),
    )
    if answer.tier != "exact":
        answer = replace(answer, stale=staleness(settings))
    if as_json:
        print_json(answer.to_dict())
    else:
        from mem_assets.interfaces.render import console, show_answer

        show_answer(console(sys.stdout), answer)
    if answer.stale:
        say(f"the index is stale: {answer.stale}")
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

    say("no exact match; loading the engine to compare by meaning …")
    return open_embedder(settings.home / "cache" / "vectors")


@symptoms.command(epilog=EXIT_CODES)
def show(
    sha: Annotated[str, typer.Argument(help="A memory's sha, or the first characters of it.")],
    as_json: AsJson = False,
) -> None:
    """The failures that a memory would explain, line by line, and where each line came from."""
    with clear_errors(as_json):
        from mem_assets.retrieval.symptoms import read_symptoms
        from mem_assets.storage.generation import open_current

        memory = read_symptoms(open_current(open_home().home), sha)
        if as_json:
            print_json(memory.to_dict())
        else:
            from mem_assets.interfaces.render import console, show_symptoms

            show_symptoms(console(sys.stdout), memory)


@app.command(epilog=EXIT_CODES)
def status(as_json: AsJson = False) -> None:
    """The published generation, and whether it is fresh. Exit code 4, with the reason, if not."""
    with clear_errors(as_json, no_status):
        from mem_assets.storage.freshness import freshness
        from mem_assets.storage.generation import open_current

        settings = open_home()
        generation = open_current(settings.home)
        stale = list(freshness(settings))
        state = {**generation.manifest, "generation": generation.id}
        if as_json:
            print_json({**state, "status": "stale" if stale else "fresh", "stale": stale})
        else:
            from mem_assets.interfaces.render import console, show_status

            show_status(console(sys.stdout), state, stale)
        if stale:
            raise typer.Exit(STALE)


@app.command(epilog=EXIT_CODES)
def rollback() -> None:
    """Go back to the generation that was published before this one."""
    with clear_errors():
        from mem_assets.storage import generation

        home = open_home().home
        before = generation.current_id(home)
        now = generation.rollback(home)
        typer.echo(f"rolled back from {before} to {now.id}")


def main() -> None:
    """The entry point of `mem`."""
    run(app)
