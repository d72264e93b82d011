"""How vLLM is started here: offline where a model is on the machine, in this process, quiet."""

import importlib.metadata
import os

from mem_assets.engines.errors import EngineMissing

_DEFAULTS = {
    "HF_HUB_OFFLINE": "1",
    "VLLM_ENABLE_V1_MULTIPROCESSING": "0",
    "VLLM_CPU_KVCACHE_SPACE": "1",
    "VLLM_NO_USAGE_STATS": "1",
    "VLLM_LOGGING_LEVEL": "ERROR",
}


def prepare_environment() -> None:
    """Set what vLLM reads when it is imported; what the user has set stands."""
    for name, value in _DEFAULTS.items():
        os.environ.setdefault(name, value)


def vllm_version() -> str:
    """The installed vLLM as "package version", read from metadata without importing it.

    Raises EngineMissing where neither vllm nor vllm-cpu is installed.
    """
    for package in ("vllm", "vllm-cpu"):
        try:
            return f"{package} {importlib.metadata.version(package)}"
        except importlib.metadata.PackageNotFoundError:
            continue
    raise EngineMissing("vLLM is not installed: run `make install` (CPU), or `pip install vllm`")
