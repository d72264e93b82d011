"""`mem gate`: what the gate would decide now."""

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mem_assets.interfaces.endings import (
    DIFFERS,
    EXIT_CODES,
    NOTHING_KNOWN,
    Ended,
    clear_errors,
    open_home,
    print_json,
)

if TYPE_CHECKING:
    from pathlib import Path

    from mem_assets.memory.replay import Change

gate = typer.Typer(help="The acceptance gate.", no_args_is_help=True)

EPILOG = (
    "Nothing is written, and nothing changes by itself: what is accepted stays until it is "
    "retracted (`mem forget`), also where the gate would reject it now; what was rejected is "
    "judged anew when its day is materialised again. Exit code 0 only where nothing would change. "
    + EXIT_CODES
)


@gate.command(epilog=EPILOG)
def replay(
    date: Annotated[
        str | None, typer.Option(metavar="YYYY-MM-DD", help="This day; every day when not given.")
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Canonical JSON on standard output.")
    ] = False,
) -> None:
    """Judge stored candidates again under the present policy, and say what would change.

    What is accepted stays until it is retracted: a memory that would be rejected now stays.
    """
    with clear_errors(as_json):
        home = open_home().home
        dates, changes = _replayed(home, date)
        if as_json:
            print_json(_report(dates, changes))
        else:
            from mem_assets.interfaces.render import console
            from mem_assets.interfaces.render_replay import show_changes

            show_changes(console(sys.stdout), dates, changes)
        if changes:
            raise typer.Exit(DIFFERS)


def _replayed(home: "Path", date: str | None) -> tuple[list[str], list["Change"]]:
    """(days looked at, changes). Raises Ended where there are no candidates to judge."""
    from mem_assets.memory.replay import replay as replay_day
    from mem_assets.pipeline.stages.memories import candidates_from
    from mem_assets.storage.days import Days
    from mem_assets.storage.memory_log import MemoryLog

    days = Days(home)
    dates = days.dates("candidate_memories")
    if date is not None:
        dates = [day for day in dates if day == date]
    if not dates:
        what = f"no candidates of {date}" if date else "no candidates"
        raise Ended("nothing_known", f"{what} in {home}: run the job `daily`", NOTHING_KNOWN)
    judged = set(days.dates("gate_verdicts"))
    retracted = MemoryLog(home).retracted()
    changes: list[Change] = []
    for day in dates:
        candidates = candidates_from(day, days.read("candidate_memories", day))
        recorded = days.read("gate_verdicts", day) if day in judged else []
        changes += replay_day(candidates, recorded, retracted)
    return dates, changes


def _report(dates: list[str], changes: list["Change"]) -> dict[str, Any]:
    from mem_assets.memory.gate import policy_version

    return {
        "status": "differs" if changes else "unchanged",
        "days": dates,
        "policy_version": policy_version(),
        "changes": [change.to_dict() for change in changes],
    }
