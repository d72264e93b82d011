"""The logs on record, as they were signed: what a replay of the rules runs on."""

from collections.abc import Iterable

from mem_assets.memory.log import LogRecord
from mem_assets.signature.replay import SignedLog


def signed_logs(records: Iterable[LogRecord]) -> list[SignedLog]:
    """One for each log that still is evidence, by the latest record of it, sorted by date and path.

    records: every day's, in any order. A log that stands retracted is left out, as in the index.
    """
    latest: dict[str, LogRecord] = {}
    retracted: set[str] = set()
    for record in sorted(records, key=lambda record: (record.date, record.seq)):
        match record.entry.type:
            case "evidence":
                latest[record.entry.subject] = record
            case "memory_retracted":
                retracted.add(record.entry.subject)
            case "memory_restored":
                retracted.discard(record.entry.subject)
    standing = [record for log_id, record in latest.items() if log_id not in retracted]
    return sorted(map(_signed, standing), key=lambda log: (log.date, log.path, log.log_id))


def _signed(record: LogRecord) -> SignedLog:
    body = record.entry.body
    context = body["context"]
    return SignedLog(
        log_id=record.entry.subject,
        date=record.date,
        path=body["path"],
        text_sha=body["text_sha"],
        tool=body["tool"],
        job=context["job"],
        step=context["step"],
        exit_code=context["exit_code"],
        signatures=tuple(body["signatures"]),
    )
