"""`mem rebuild`: everything derived made again from the memory log, and compared."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from mem_assets.interfaces.endings import (
    DIFFERS,
    EXIT_CODES,
    USAGE,
    clear_errors,
    fail,
    open_home,
    print_json,
    say,
)

if TYPE_CHECKING:
    from mem_assets.rebuild.from_log import OpenEngines
    from mem_assets.settings import Settings

EPILOG = (
    "Without --accept and --publish nothing in MEM_HOME is touched: all is made in a folder "
    "beside it. Exit code 0 only where nothing differs, also where differences were accepted. "
    + EXIT_CODES
)


def engines(settings: "Settings") -> "OpenEngines":
    """What opens the engines; a place for tests to put their own."""
    from mem_assets.rebuild.engines import engines_of

    return engines_of(settings)


def rebuild(
    from_log: Annotated[
        bool, typer.Option("--from-log", help="From the memory log and nothing else.")
    ] = False,
    use_cache: Annotated[
        bool, typer.Option("--use-cache", help="Begin with a copy of the cache, not an empty one.")
    ] = False,
    accept: Annotated[
        bool,
        typer.Option(
            "--accept",
            help="Record what came out otherwise for a reason (model, prompt, rules or catalogue "
            "changed) in the memory log; never drift.",
        ),
    ] = False,
    publish: Annotated[
        bool, typer.Option("--publish", help="Publish the generation that the log gives.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Canonical JSON on standard output.")
    ] = False,
) -> None:
    """Make everything derived again from the memory log, and say what differs and why."""
    if not from_log:
        fail("give --from-log: the memory log is what a rebuild is made from", USAGE)
    with clear_errors(as_json):
        from mem_assets.rebuild.from_log import rebuild as rebuild_home

        settings = open_home()
        home = settings.home
        if not (home / "log").is_dir():
            fail(f"{home} has no memory log: set MEM_HOME to a home, or `mem import` one", USAGE)
        say("making everything anew from the memory log; the engine takes its time to load …")
        report = rebuild_home(
            home, engines(settings), use_cache=use_cache, accept=accept, publishing=publish
        )
        if as_json:
            print_json(report.to_dict())
        else:
            from mem_assets.interfaces.render import console
            from mem_assets.interfaces.render_rebuild import show_report

            show_report(console(sys.stdout), report)
        if report.differing:
            raise typer.Exit(DIFFERS)
