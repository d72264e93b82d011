"""`mem sig`: how a failure becomes a signature, why two differ, what other rules would change."""

import sys
from typing import Annotated

import typer

from mem_assets.interfaces.endings import (
    FAILED,
    FOUND,
    NOTHING_KNOWN,
    USAGE,
    Ended,
    clear_errors,
    fail,
    open_home,
    print_json,
)
from mem_assets.interfaces.log_argument import AsJson, Tool, read_text

DIFFERENT = NOTHING_KNOWN
"""As `diff` and `cmp` end: 1 is an answer, and no failure of the command."""

EXIT_CODES = (
    "Exit codes: 0 explained, the same signature, or nothing differs; 1 no signature, different, "
    "or something differs; 2 wrong usage; 3 failed: rules that cannot be used, or evidence that "
    "could not be run; 141 the reader of the output went away."
)

sig = typer.Typer(help="Failure signatures.", no_args_is_help=True)


@sig.command(epilog=EXIT_CODES)
def explain(
    file: Annotated[str, typer.Argument(help='A log, or "-" for standard input.')],
    tool: Tool = None,
    as_json: AsJson = False,
) -> None:
    """How a log becomes a signature: rule, lines, identity, each substitution, hash."""
    with clear_errors(as_json):
        from mem_assets.interfaces.explain import explain_signature
        from mem_assets.settings import Settings

        explanation = explain_signature(tool, read_text(file), Settings.from_env().rule_book())
        if explanation is None:
            reason = "no signature: the output is empty, or says that it ended well"
            raise Ended("nothing_known", reason, NOTHING_KNOWN)
        if as_json:
            print_json(explanation)
        else:
            from mem_assets.interfaces.render import console, show_explanation

            show_explanation(console(sys.stdout), explanation)


@sig.command(epilog=EXIT_CODES)
def compare(
    a: Annotated[str, typer.Argument(help='A log, or "-" for standard input.')],
    b: Annotated[str, typer.Argument(help='Another log, or "-" for standard input.')],
    tool: Tool = None,
    as_json: AsJson = False,
) -> None:
    """Whether two failures are the same signature; if not, why, and where they part.

    Shows the first place where their normal forms differ, the words around it on both sides, and
    the substitutions that were made there: a part that changes from run to run and was not
    substituted keeps a failure from being found again.
    """
    if a == b == "-":
        fail("only one of the two can be standard input", USAGE)
    with clear_errors(as_json):
        from mem_assets.interfaces.explain import compare_signatures
        from mem_assets.settings import Settings

        rules = Settings.from_env().rule_book()
        compared = compare_signatures(tool, (a, read_text(a)), (b, read_text(b)), rules)
        if as_json:
            print_json(compared)
        else:
            from mem_assets.interfaces.render import console, show_comparison

            show_comparison(console(sys.stdout), compared)
        raise typer.Exit(FOUND if compared["same"] else DIFFERENT)


@sig.command(epilog=EXIT_CODES)
def replay(as_json: AsJson = False) -> None:
    """What the present rules make of the evidence on record; writes nothing.

    Run it after an upgrade, or after a change of the rules in MEM_RULES, and before a backfill:
    it signs the stored text of every log in the memory log once more and tells which signatures
    split (one hash before, several now), merge (several before, one now), move (one becomes
    another), are lost, are new, or are only recorded otherwise, with each log, its identity and
    its rule before and now. What is as you meant it, take over by materialising `signatures`
    of the days, and what follows it, again; else mend the rules first.

    Exit code 0 only where nothing differs and the text of every log was still there to be run.
    """
    with clear_errors(as_json):
        from dataclasses import asdict

        from mem_assets.memory.signed_logs import signed_logs
        from mem_assets.signature.replay import replay as replay_logs
        from mem_assets.storage.evidence import EvidenceStore
        from mem_assets.storage.memory_log import MemoryLog

        settings = open_home()
        logs = signed_logs(MemoryLog(settings.home).read_all())
        if not logs:
            reason = f"no log is on record in {settings.home}: run the daily job, or set MEM_HOME"
            raise Ended("no_evidence", reason, FAILED)
        store = EvidenceStore(settings.home)
        found = replay_logs(logs, store.read_signed, rules=settings.rule_book())
        if as_json:
            print_json({**asdict(found), "differs": found.differs})
        else:
            from mem_assets.interfaces.render import console, show_replay

            show_replay(console(sys.stdout), found)
        if found.differs:
            raise typer.Exit(DIFFERENT)
        raise typer.Exit(FAILED if found.not_run else FOUND)
