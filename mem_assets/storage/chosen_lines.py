"""Lines that a controller chose from logs without an error line: what was recorded first, stands.

No cache: a log must never hash two ways, whichever model or prompt comes later. One file a log,
under chosen_lines/ of the data home, named by the log's content.
"""

import json
import os
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from mem_assets.hashing import canonical_json
from mem_assets.storage.atomic import fsync_folder, temporary_name

FOLDER = "chosen_lines"


class ChoiceDamaged(RuntimeError):
    """A record cannot be read; the message names the file and what to do."""


@dataclass(frozen=True)
class ChosenLines:
    """lines: as they stand in the log, none where nothing was chosen. answer: what the controller
    said; the rest is what made it."""

    lines: tuple[str, ...]
    answer: str
    model_id: str
    prompt_sha: str
    parameters: str
    engine_version: str


class ChosenLineStore:
    """The records of a data home."""

    def __init__(self, home: Path) -> None:
        self.folder = home / FOLDER

    def path(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key}.json"

    def read(self, key: str) -> ChosenLines | None:
        """The record of a log, or None. Raises ChoiceDamaged."""
        path = self.path(key)
        try:
            data = json.loads(path.read_bytes())
            record = ChosenLines(**data | {"lines": tuple(data["lines"])})
        except FileNotFoundError:
            return None
        except (ValueError, TypeError, KeyError) as error:
            raise ChoiceDamaged(
                f"{path} is damaged: restore it from a copy; without it the log would be asked "
                "about again, and might hash another way"
            ) from error
        texts = [getattr(record, field.name) for field in fields(record)[1:]]
        if not all(isinstance(text, str) for text in [*texts, *record.lines]):
            raise ChoiceDamaged(f"{path} is damaged: restore it from a copy")
        return record

    def record(self, key: str, chosen: ChosenLines) -> ChosenLines:
        """Record a choice, flushed, unless there is one; the one that stands."""
        path = self.path(key)
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = temporary_name(path)
        try:
            with temporary.open("wb") as file:
                file.write(canonical_json(asdict(chosen)).encode("utf-8", "replace"))
                file.flush()
                os.fsync(file.fileno())
            os.link(temporary, path)  # fails where another writer was first
            fsync_folder(path.parent)
        except FileExistsError:
            pass
        finally:
            temporary.unlink(missing_ok=True)
        standing = self.read(key)
        assert standing is not None
        return standing


def recorded_lines(home: Path, key_of: Callable[[str], str]) -> Callable[[str], tuple[str, ...]]:
    """A log's text to the lines on record for it. No model is asked."""
    store = ChosenLineStore(home)

    def lines(output: str) -> tuple[str, ...]:
        if not store.folder.is_dir():
            return ()
        record = store.read(key_of(output))
        return () if record is None else record.lines

    return lines
