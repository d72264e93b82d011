"""Two copies of one day's log made one, where one of them continues the other."""

from collections.abc import Sequence

from mem_assets.memory.log import LogRecord


class LogsDiffer(ValueError):
    """Two logs of a day say different things at the same place; neither is taken for the other."""

    def __init__(self, name: str, line: int) -> None:
        super().__init__(
            f"{name}:{line}: the log here says something else than the one that comes in; a log is "
            "only ever continued: import it into a home of its own"
        )
        self.line = line


def merge_logs(
    ours: Sequence[LogRecord], theirs: Sequence[LogRecord], name: str
) -> list[LogRecord]:
    """The longer log; a body that was purged in either is purged.

    name: of the file, for LogsDiffer, which is raised where neither continues the other.
    """
    both = list(zip(ours, theirs, strict=False))
    for line, (one, other) in enumerate(both, start=1):
        if one.record_sha != other.record_sha:
            raise LogsDiffer(name, line)
    longer = ours if len(ours) >= len(theirs) else theirs
    shared = [other if other.entry.is_purged else one for one, other in both]
    return [*shared, *longer[len(both) :]]
