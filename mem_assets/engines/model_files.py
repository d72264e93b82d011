"""Where a generating model's files lie, and the hash that names its weights."""

import hashlib
import json
from functools import cache
from pathlib import Path

from mem_assets.engines.errors import EngineMissing
from mem_assets.hashing import sha256_lines

READ = ("*.json", "*.safetensors", "*.jinja", "*.txt", "*.model")
"""What decides an answer: weights, tokenizer, chat template."""


def find_model(name: str) -> Path:
    """The folder of a model, given as a folder or as a name on the model hub.

    A model of the hub must have been fetched before (`hf download owner/model`).
    Raises EngineMissing, saying what to do, where there is no such model or it has no weights.
    """
    folder = Path(name).expanduser()
    if not folder.is_dir():
        folder = _from_hub(name)
    if not (folder / "config.json").is_file() or not any(folder.glob("*.safetensors")):
        raise EngineMissing(
            f"{folder} holds no model (config.json and *.safetensors): set MEM_CONTROLLER to a "
            "model's folder, its name on the hub, or the address of a vLLM server"
        )
    return folder


def _from_hub(name: str) -> Path:
    if name.count("/") != 1 or name.startswith((".", "/", "~")):
        raise EngineMissing(
            f"MEM_CONTROLLER names {name}, which is no folder here, no name on the model hub "
            "(owner/model) and no http:// address"
        )
    try:
        from huggingface_hub import snapshot_download

        # Never fetched by a run of its own accord: a controller is several gigabytes.
        return Path(snapshot_download(name, local_files_only=True))
    except Exception as error:
        raise EngineMissing(
            f"the model {name} is not on this machine: fetch it once with `hf download {name}`, "
            f"or set MEM_CONTROLLER to a model's folder ({type(error).__name__})"
        ) from error


@cache
def weights_sha(folder: Path) -> str:
    """SHA-256 over the names and contents of the files that decide what a model answers.

    Read once a process: a model of 8 GB takes some ten seconds.
    """
    lines = []
    for path in sorted(path for pattern in READ for path in folder.glob(pattern)):
        with path.open("rb") as file:
            lines.append(f"{hashlib.file_digest(file, 'sha256').hexdigest()} {path.name}")
    return sha256_lines(lines)


def context_length(folder: Path) -> int:
    """Tokens that a model can read, by its config.json; 0 where it does not say."""
    config = json.loads((folder / "config.json").read_text("utf-8"))
    lengths = [
        part.get("max_position_embeddings")
        for part in (config, config.get("text_config"))
        if isinstance(part, dict)
    ]
    return next((length for length in lengths if isinstance(length, int)), 0)
