"""Inputs made to be slow: how much more a byte of each costs than one of an ordinary log.

Each is a process of its own, so that the memory it takes can be told apart.
"""

import multiprocessing
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from mem_assets.signature import extract

SIZE = 8 * 1024 * 1024
"""Bytes of each input."""
_ORDINARY = (
    b"$ make\ncc -c cart.c\ncart.c:3:5: error: 'sum' undeclared\nmake: *** [cart.o] Error 1\n"
)


@dataclass(frozen=True)
class Cost:
    """seconds_per_byte, and the peak of memory above that before the call, in bytes per byte."""

    name: str
    seconds_per_byte: float
    memory_per_byte: float


def inputs() -> dict[str, Callable[[], bytes]]:
    """Each input's maker by name; made in the process that measures it."""
    return {
        "one line of letters": lambda: _fill(b"a"),
        "one line of blanks": lambda: _fill(b" ") + b"x",
        "one line of error words": lambda: _fill(b"error failed exception "),
        "lines of error words": lambda: _fill(b"error error failed error\n"),
        "numbered error lines": lambda: _numbered("error {0}: item {0} failed\n"),
        "error words in other cases": lambda: _numbered("no ErRoR in step {0}, 0 errors\n"),
        "lines of one letter": lambda: _fill(b"e\n"),
        "blank lines": lambda: _fill(b"\n"),
        "carriage returns": lambda: _fill(b"\r"),
        "progress bar": lambda: _numbered("\r[{0}] downloading error.tar 45% \x1b[K"),
        "NULs": lambda: _fill(b"\x00"),
        "NULs between letters": lambda: _fill(b"error: x\n".decode().encode("utf-16-le")),
        "wrong UTF-8": lambda: _fill(b"\xff\xc3(\xe2\x82 error\n"),
        "terminal codes": lambda: _fill(b"\x1b[31;1m\x1b[0m"),
        "half terminal codes": lambda: _fill(b"\x1b[\x1b]\x1b"),
        "colours inside words": lambda: _fill(b"er\x1b[1mro\x1b[0mr: x\n"),
        "open brackets": lambda: _fill(b"([{<"),
        "nested quantifier bait": lambda: _numbered("a.a.a.a.a.a.a.a.a.a.a.Error{0}!\n"),
        "colons": lambda: _fill(b"a: : : : "),
        "dotted names": lambda: _fill(b"a.b_c-d." * 200 + b"\n"),
        "headlines without a detail": lambda: _numbered("  {0}1) item\n   more of it\n"),
        "runner's lines": lambda: _numbered("2026-11-24T10:00:00.{0:07}Z ##[error]x {0}\n"),
        "stack frames": lambda: _numbered("\tat com.acme.Cart{0}.sum(Cart.java:{0})\n"),
        "step ends": lambda: _numbered('The command "x{0}" exited with 0.\nerror: y{0}\n'),
        "tool's own noise": lambda: _numbered("npm ERR! code E{0}\nnpm ERR! errno {0}\n"),
        "compiler warnings": lambda: _numbered("a.c:{0}:5: warning: error-prone {0} [-Wx]\n"),
        "one letter a line, wide": lambda: _fill("● ✗ ❌\n".encode()),
    }


def costs() -> Iterator[Cost]:
    """The cost of each input, in order."""
    context = multiprocessing.get_context("spawn")
    for name in inputs():
        with context.Pool(1) as pool:
            yield pool.apply(_cost, (name,))


def _cost(name: str) -> Cost:
    made = inputs()[name]()
    extract(None, _ORDINARY * 500)
    extract(None, made[: len(made) // 16])  # what is compiled and learnt once is not this input's
    Path("/proc/self/clear_refs").write_text("5")  # the peak so far is forgotten
    before = _memory("VmRSS")
    start = time.process_time()
    extract(None, made)
    seconds = time.process_time() - start
    return Cost(name, seconds / len(made), (_memory("VmHWM") - before) / len(made))


def _memory(what: str) -> int:
    """Bytes of memory of this process: resident now (VmRSS), or at most (VmHWM)."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    line = next(line for line in status.splitlines() if line.startswith(what))
    return int(line.split()[1]) * 1024


def _fill(unit: bytes) -> bytes:
    return unit * (SIZE // len(unit))


def _numbered(line: str) -> bytes:
    count = SIZE // len(line.format(1234567)) + 1
    return "".join(line.format(number) for number in range(count)).encode()
