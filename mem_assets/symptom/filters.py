"""What every projector's lines must pass: four filters, in order; a dropped line keeps its reason.

1. `duplicate`: the same words in the same order as an earlier line.
2. `restates`: the share of the line's content words that the memory says too is at or above the
   bound. The text vector finds such a line already. A quoted line stands in the memory by its
   nature and is what a tool printed, so the filter leaves it alone.
3. `general`: its cosine to a line of the frozen probe set is at or above the bound. No quotation
   saves it: "Process completed with exit code 1" singles nothing out.
4. `cap`: the first lines are kept, in the order given.
"""

from collections.abc import Callable, Sequence

import numpy as np

from mem_assets.symptom.calibration import Filters, load_probes
from mem_assets.symptom.model import DroppedLine, SymptomLine
from mem_assets.symptom.words import content_stems, plain_text, raw_tokens

Embedding = Callable[[str], np.ndarray]
"""A text's vector: float32, unit length."""

QUOTED = "quoted"


def filter_lines(
    memory_text: str,
    lines: Sequence[SymptomLine],
    embedding: Embedding,
    bounds: Filters,
) -> tuple[tuple[SymptomLine, ...], tuple[DroppedLine, ...]]:
    """The lines kept, in their order, and those dropped, each with its filter's name and figure.

    `embedding` is asked for the lines and for the probe set.
    """
    if not lines:
        return (), ()
    said = content_stems(memory_text)
    probes = np.stack([embedding(probe) for probe in load_probes()])
    kept: list[SymptomLine] = []
    dropped: list[DroppedLine] = []
    seen: set[str] = set()
    for line in lines:
        form = " ".join(raw_tokens(plain_text(line.line)))
        reason = ""
        if not form or form in seen:
            reason = "duplicate"
        elif line.origin != QUOTED and (share := _share(line.line, said)) >= bounds.restated_share:
            reason = f"restates: {share:.2f} of its words stand in the memory"
        elif (general := cosines(probes, embedding(line.line)).max()) >= bounds.general_cosine:
            reason = f"general: cosine {general:.2f} to a line that singles nothing out"
        elif len(kept) >= bounds.max_lines:
            reason = f"cap: {bounds.max_lines} lines are kept"
        seen.add(form)
        if reason:
            dropped.append(DroppedLine(line.line, line.origin, reason))
        else:
            kept.append(line)
    return tuple(kept), tuple(dropped)


def cosines(matrix: np.ndarray, vector: np.ndarray) -> np.ndarray:
    """Cosines of unit rows to a unit vector, to six digits.

    Summed row by row without BLAS, whose order of additions depends on shape and threads: the same
    pair gives the same figure in any batch.
    """
    return np.round(np.einsum("ij,j->i", matrix, vector, optimize=False).astype(np.float64), 6)


def _share(line: str, said: frozenset[str]) -> float:
    stems = content_stems(line)
    return len(stems & said) / len(stems) if stems else 0.0
