"""How fast signatures are found, beside what else reads the same bytes in the same run.

Each contender reads all logs in turn, three times over, on one core; its best time counts. The
first round, in which automata are built, is left out for all of them.
"""

import gc
import time
from collections.abc import Callable
from dataclasses import dataclass

import re2

from mem_assets.signature import extract

ROUNDS = 4
DRAIN_SHARE = 12
"""Drain3 reads one log in so many: it takes minutes for all."""
_ERROR_WORD = rb"(?i)\b(?:error|fail|failed|failure|fatal|exception)\b"


@dataclass(frozen=True)
class Throughput:
    """Bytes a second of processor time, by contender."""

    signatures: float
    bare: float
    by_line: float
    drain: float


def throughput(logs: list[bytes]) -> Throughput:
    """Signatures; a bare re2 scan of whole logs for error words; the same line by line; Drain3."""
    word = re2.compile(_ERROR_WORD)
    best = dict.fromkeys(("signatures", "bare", "by_line"), float("inf"))
    size = sum(map(len, logs))
    for number in range(ROUNDS):
        for name, read in (
            ("signatures", lambda log: extract(None, log)),
            ("bare", lambda log: sum(1 for _ in word.finditer(log))),
            ("by_line", lambda log: sum(word.search(x) is not None for x in log.split(b"\n"))),
        ):
            seconds = _seconds(read, logs)
            best[name] = min(best[name], seconds) if number else best[name]
    sample = logs[::DRAIN_SHARE]
    drain = sum(map(len, sample)) / _seconds(_drain(), sample)
    return Throughput(**{name: size / seconds for name, seconds in best.items()}, drain=drain)


def _seconds(read: Callable[[bytes], object], logs: list[bytes]) -> float:
    gc.collect()
    start = time.process_time()
    for log in logs:
        read(log)
    return time.process_time() - start


def _drain() -> Callable[[bytes], object]:
    """Drain3 with its defaults: it mines templates of lines, the usual way to make logs alike."""
    from drain3 import TemplateMiner
    from drain3.template_miner_config import TemplateMinerConfig

    miner = TemplateMiner(config=TemplateMinerConfig())

    def read(log: bytes) -> None:
        for line in log.decode("utf-8", "replace").splitlines():
            miner.add_log_message(line)

    return read
