from mem_assets.memory.log import LogEntry
from mem_assets.memory.signed_logs import signed_logs
from mem_assets.signature import extract
from mem_assets.storage.memory_log import MemoryLog
from tests.recorded import DATE, record, retract

TEXT = "npm ERR! code E404\nnpm ERR! 404 Not Found - GET https://registry.example/x\n"


def test_what_was_signed_is_read_back(tmp_path):
    record(tmp_path, {"npm/b.log": TEXT, "npm/a.log": "nothing\n"}, "npm", exit_code=1)
    first, second = signed_logs(MemoryLog(tmp_path).read_all())
    assert (first.path, second.path) == (f"{DATE}/logs/npm/a.log", f"{DATE}/logs/npm/b.log")
    assert (second.tool, second.exit_code, second.date) == ("npm", 1, DATE)
    assert second.signatures[0]["sig_sha"] == extract("npm", TEXT).sig_sha


def test_the_latest_record_counts_and_what_stands_retracted_does_not(tmp_path):
    record(tmp_path, {"a.log": TEXT, "b.log": "error: b\n"}, "npm")
    log = MemoryLog(tmp_path)
    first = log.read(DATE)[0].entry
    log.append(DATE, [LogEntry("evidence", first.subject, {**first.body, "signatures": []})])
    by_id = {one.log_id: one for one in signed_logs(log.read_all())}
    assert len(by_id) == 2
    assert by_id[first.subject].signatures == ()
    retract(tmp_path, first.subject)
    assert first.subject not in {one.log_id for one in signed_logs(log.read_all())}
    log.append("2026-11-25", [LogEntry("memory_restored", first.subject, {"reason": "right"})])
    assert set(by_id) == {one.log_id for one in signed_logs(reversed(log.read_all()))}
