"""`mem export` and `mem import`: the memory log and its evidence as one archive."""

from pathlib import Path
from typing import Annotated

import typer

from mem_assets.interfaces.endings import USAGE, clear_errors, fail, open_home

SUFFIX = ".tar.zst"


def export_log(
    archive: Annotated[Path, typer.Argument(help=f"The file to write, such as memory{SUFFIX}.")],
) -> None:
    """Write the memory log and its evidence into one archive, the same bytes for the same log.

    From it the same generation is built elsewhere: `mem import`, then `mem rebuild --from-log
    --publish`.
    """
    with clear_errors():
        from mem_assets.storage.transfer import export_log as export

        home = open_home().home
        if not (home / "log").is_dir():
            fail(f"{home} has no memory log: set MEM_HOME to a home", USAGE)
        if not archive.absolute().parent.is_dir():
            fail(f"{archive.absolute().parent} is no folder", USAGE)
        done = export(home, archive.absolute())
        typer.echo(
            f"{archive}: {done.records} records of {done.days} days and the texts of {done.texts} "
            "logs"
        )
        if done.missing:
            typer.echo(f"{done.missing} texts are on record and no longer kept")


def import_log(
    archive: Annotated[Path, typer.Argument(help="An archive of `mem export`.")],
    home: Annotated[
        Path | None, typer.Option(help="The home to import into; MEM_HOME when not given.")
    ] = None,
) -> None:
    """Bring an archive into a home: a new one, or one whose log it continues. Nothing on record is
    ever replaced, and nothing is written where any of the archive is refused."""
    with clear_errors():
        from mem_assets.storage.transfer import import_log as bring

        if not archive.is_file():
            fail(f"{archive} is no file", USAGE)
        target = open_home().home if home is None else home.absolute()
        if target.exists() and not target.is_dir():
            fail(f"{target} is no folder", USAGE)
        done = bring(archive, target)
        typer.echo(
            f"{target}: {done.records} of {done.held} records are new, on {done.days} days, and "
            f"{done.texts} texts; `mem rebuild --from-log --publish` builds and publishes the index"
        )
