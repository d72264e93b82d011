"""Keeping an engine's start-up chatter out of answers and pipes."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def quiet_output() -> Iterator[None]:
    """Send what C libraries and loggers write to stdout and stderr to nowhere meanwhile.

    Done on the file descriptors, since torch and vLLM write below Python's streams, and on
    stdout above all: `--json` must stay JSON. MEM_ENGINE_OUTPUT=1 shows everything.
    """
    if os.environ.get("MEM_ENGINE_OUTPUT"):
        yield
        return
    sys.stdout.flush()
    sys.stderr.flush()
    saved = [os.dup(1), os.dup(2)]
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        yield
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        for number, descriptor in enumerate(saved, start=1):
            os.dup2(descriptor, number)
            os.close(descriptor)
        os.close(nowhere)
