"""Reading files of must-merge and must-split pairs, and the logs that they name."""

from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from mem_assets.memory.redaction import redact
from mem_assets.signature.pairs import Pair, PairError, Sample, parse_pairs
from mem_assets.storage.archives import InputError, Limits, unpack
from mem_assets.storage.decoding import decode

LOGS = "landing"
"""Folder of a checkout's fixtures; an installed package has the pairs without the logs."""


@dataclass(frozen=True)
class LoadedPair:
    """A pair with the texts of both sides, redacted as the landing does."""

    pair: Pair
    a: str
    b: str


@dataclass(frozen=True)
class LoadedPairs:
    """left_out: packaged pairs that name logs which an installed package does not have."""

    pairs: tuple[LoadedPair, ...]
    left_out: int


def packaged_pairs() -> Path:
    """The file that comes with the package: in a checkout, a link to fixtures/pairs.tsv."""
    return Path(str(resources.files("mem_assets.signature") / "pairs.tsv")).resolve()


def load_pairs(own: Path | None = None) -> LoadedPairs:
    """The packaged pairs and those of a file of one's own, which come first where both speak of
    the same texts. Raises PairError for what breaks the format, and for a log that is not there."""
    packaged = packaged_pairs()
    found = _read(packaged)
    usable = found if (packaged.parent / LOGS).is_dir() else [p for p in found if not _logs(p)]
    loaded = {pair.key: _load(pair, packaged.parent) for pair in usable}
    if own is not None:
        loaded |= {pair.key: _load(pair, own.parent) for pair in _read(own)}
    return LoadedPairs(tuple(loaded.values()), len(found) - len(usable))


def _read(file: Path) -> tuple[Pair, ...]:
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise PairError(f"{file}: cannot be read as UTF-8 text: {error}") from error
    return parse_pairs(str(file), text)


def _logs(pair: Pair) -> list[str]:
    return [sample.log for sample in (pair.a, pair.b) if sample.log]


def _load(pair: Pair, folder: Path) -> LoadedPair:
    return LoadedPair(pair, _text(pair, "a", folder), _text(pair, "b", folder))


def _text(pair: Pair, field: str, folder: Path) -> str:
    sample: Sample = getattr(pair, field)
    if not sample.log:
        return sample.text
    try:
        with (folder / sample.log).open("rb") as stream:
            text, _ = decode(unpack(stream, sample.log, Limits().log_bytes))
    except (OSError, InputError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise PairError(f"{pair.place}: field '{field}': {sample.log}: {reason}") from error
    return redact(text)[0]
