"""Log text to Signature."""

from mem_assets.hashing import sha256_json, sha256_text
from mem_assets.signature.block import MAX_IDENTITY_CHARS, MAX_IDENTITY_LINES, Block, identity_text
from mem_assets.signature.model import Signature
from mem_assets.signature.normalisation import normalise, substitutions_version
from mem_assets.signature.rules import GENERIC, WARNING, RuleBook, compiled, packaged_rules
from mem_assets.signature.scan import TAIL, Scanner, scanner, wrapper_of
from mem_assets.signature.text import Log, clean, decode

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
    exit_code = scan.verdict(log) if exit_code is None else exit_code
    if exit_code == 0:
        return None
    block = scan.find(log)
    if block is None:
        return None
    return _signature(book, scan, log, block, name, exit_code, job, step)


def _signature(
    book: RuleBook,
    scan: Scanner,
    log: Log,
    block: Block,
    name: str | None,
    exit_code: int | None,
    job: str | None,
    step: str | None,
) -> Signature | None:
    fired = block.rule.tool
    identity = identity_text(scan.view(log, fired), block.identity)
    normalised = normalise(identity)
    if not normalised:
        return None

    def build(tool: str, inner: Signature | None) -> Signature:
        return Signature(
            tool=tool,
            inner_tool=inner.tool if inner else None,
            raw="\n".join(log.raw(number) for number in range(block.first, block.last + 1)),
            line_start=block.first + 1,
            line_end=block.last + 1,
            identity=identity,
            normalised=normalised,
            sig_sha=signature_sha(tool, normalised),
            rule=block.rule.full_name,
            error_found=block.rule.rank < WARNING or exit_code is not None,
            job=job,
            step=step,
            exit_code=exit_code,
            diagnostics=_diagnostics(book, log, block, tool),
            inner=inner,
        )

    if name is None or name == fired:
        return build(fired, None)
    return build(name, build(fired, None))


def signature_sha(tool: str, normalised: str) -> str:
    """SHA-256 of tool and normal form: exit status 1 means another thing in another tool."""
    return sha256_text(f"{tool}\n{normalised}")


def _diagnostics(book: RuleBook, log: Log, block: Block, tool: str) -> tuple[str, ...]:
    own = book.sets.get(tool)
    wraps_all = own is not None and "*" in own.wraps
    unmatched = own is not None and tool != GENERIC and block.rule.tool == GENERIC
    identity_chars = sum(len(log.line(number)) for number in block.identity)
    found = {
        "block_truncated": block.truncated,
        "identity_truncated": len(block.identity) > MAX_IDENTITY_LINES
        or identity_chars > MAX_IDENTITY_CHARS,
        "input_truncated": log.truncated,
        "rule_set_unmatched": unmatched and (block.rule is TAIL or not wraps_all),
    }
    return tuple(name for name, present in found.items() if present)


def detect_tools(text: str | bytes, *, rules: RuleBook | None = None) -> tuple[str, ...]:
    """Tools that may have written a text, most likely first; () where nothing tells.

    First the tool of the root error, then by the number of tell-tales found; at a tie, by name.
    """
    book = rules or packaged_rules()
    text = decode(text)
    if len(text) > 2 * _DETECT_CHARS:
        text = f"{text[:_DETECT_CHARS]}\n{text[-_DETECT_CHARS:]}"
    log = Log(text)
    block = scanner(book, None).first_error(log)
    fired = block.rule.tool if block else None
    cleaned = "\n".join(clean(chunk) for _, chunk in log.chunks())
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
