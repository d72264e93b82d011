"""Log text to Signature."""

from mem_assets.hashing import sha256_json, sha256_text
from mem_assets.signature.block import MAX_IDENTITY_CHARS, MAX_IDENTITY_LINES, identity_text
from mem_assets.signature.ending import TAIL, tail, verdict, wrapper_of
from mem_assets.signature.lines import Log
from mem_assets.signature.model import Signature
from mem_assets.signature.normalisation import normalise, substitutions_version
from mem_assets.signature.rules import GENERIC, WARNING, RuleBook, compiled, packaged_rules
from mem_assets.signature.scan import Found, Scanner, scanner
from mem_assets.signature.text import clean, decode

_DETECT_CHARS = 256 * 1024


def extract(
    tool: str | None,
    output: str | bytes,
    *,
    exit_code: int | None = None,
    job: str | None = None,
    step: str | None = None,
    rules: RuleBook | None = None,
) -> Signature | None:
    """The signature of the failure in a tool's output; never an exception on any bytes.

    None for empty output, and where the exit code is 0, as given or as the log's end states it.
    `tool` None: the first root error of any tool says which one failed, and a CI runner's log is
    the runner's. An exit code that is not given is read from the log's end. `inner` is set where
    a rule of another tool fired: inside a wrapper, or a generic rule.
    """
    book = rules or packaged_rules()
    log = Log(output)
    name = book.canonical(tool) if tool and tool.strip() else wrapper_of(book, log)
    scan = scanner(book, name)
    exit_code = verdict(scan, log) if exit_code is None else exit_code
    if exit_code == 0:
        return None
    root, step_end = scan.failure(log)
    found = root or tail(scan, log, step_end) or tail(scan, log)
    if found is None:
        return None
    return _signature(book, scan, found, name, exit_code, job, step)


def _signature(
    book: RuleBook,
    scan: Scanner,
    found: Found,
    name: str | None,
    exit_code: int | None,
    job: str | None,
    step: str | None,
) -> Signature | None:
    block, near = found.block, found.near
    fired = block.rule.tool
    identity = identity_text(scan.view(near, fired), block.identity)
    normalised = normalise(identity)
    if not normalised:
        return None
    first = near.span(block.first) or (0, 0)
    line_start = near.log.number(first[0]) + 1

    def build(tool: str, inner: Signature | None) -> Signature:
        return Signature(
            tool=tool,
            inner_tool=inner.tool if inner else None,
            raw=near.raw(block.first, block.last),
            line_start=line_start,
            line_end=line_start + block.last - block.first,
            identity=identity,
            normalised=normalised,
            sig_sha=signature_sha(tool, normalised),
            rule=block.rule.full_name,
            error_found=block.rule.rank < WARNING or exit_code is not None,
            job=job,
            step=step,
            exit_code=exit_code,
            diagnostics=_diagnostics(book, found, tool),
            inner=inner,
        )

    if name is None or name == fired:
        return build(fired, None)
    return build(name, build(fired, None))


def signature_sha(tool: str, normalised: str) -> str:
    """SHA-256 of tool and normal form: exit status 1 means another thing in another tool."""
    return sha256_text(f"{tool}\n{normalised}")


def _diagnostics(book: RuleBook, found: Found, tool: str) -> tuple[str, ...]:
    block, near = found.block, found.near
    own = book.sets.get(tool)
    wraps_all = own is not None and "*" in own.wraps
    unmatched = own is not None and tool != GENERIC and block.rule.tool == GENERIC
    identity_chars = sum(len(near.line(number) or "") for number in block.identity)
    present = {
        "block_truncated": block.truncated,
        "identity_truncated": len(block.identity) > MAX_IDENTITY_LINES
        or identity_chars > MAX_IDENTITY_CHARS,
        "input_truncated": near.log.truncated,
        "rule_set_unmatched": unmatched and (block.rule is TAIL or not wraps_all),
    }
    return tuple(name for name, is_present in present.items() if is_present)


def detect_tools(text: str | bytes, *, rules: RuleBook | None = None) -> tuple[str, ...]:
    """Tools that may have written a text, most likely first; () where nothing tells.

    First the tool of the root error, then by the number of tell-tales found; at a tie, by name.
    """
    book = rules or packaged_rules()
    text = decode(text)
    if len(text) > 2 * _DETECT_CHARS:
        text = f"{text[:_DETECT_CHARS]}\n{text[-_DETECT_CHARS:]}"
    log = Log(text)
    root, _ = scanner(book, None).failure(log)
    fired = root.block.rule.tool if root else None
    cleaned = clean(log.text.decode("utf-8", "replace"))
    wrapper = wrapper_of(book, log)
    scores: dict[str, int] = {}
    for tool, rule_set in book.sets.items():
        patterns = rule_set.detect
        tales = sum(compiled(f"(?m){p}").search(cleaned) is not None for p in patterns)
        scores[tool] = tales + 100 * (tool == fired) + 1000 * (tool == wrapper)
    likely = [tool for tool in scores if scores[tool] and tool != GENERIC]
    return tuple(sorted(likely, key=lambda tool: (-scores[tool], tool)))


def rules_version(rules: RuleBook | None = None) -> str:
    """Content hash of all rules and substitutions in use: equal versions give equal signatures."""
    book = rules or packaged_rules()
    return sha256_json({"rules": book.version, "substitutions": substitutions_version()})
