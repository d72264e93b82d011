"""Symptoms: one hash for a query and a signature, and the lines that a memory would explain.

`projector` and `filters` work on vectors and are imported by their own names, so that asking a
question loads no numpy.
"""

from mem_assets.symptom.catalogue import CatalogueEntry, catalogue_sha, load_catalogue
from mem_assets.symptom.classes import classes_version
from mem_assets.symptom.model import DroppedLine, Projection, SymptomLine, SymptomVector
from mem_assets.symptom.query import (
    SymptomTokens,
    expand_abbrev,
    extract_keywords,
    normalize_tokens,
    project_symptom,
)
from mem_assets.symptom.question import explains_failure, question_version
from mem_assets.symptom.quoting import quoted_lines

__all__ = [
    "CatalogueEntry",
    "DroppedLine",
    "Projection",
    "SymptomLine",
    "SymptomTokens",
    "SymptomVector",
    "catalogue_sha",
    "classes_version",
    "expand_abbrev",
    "explains_failure",
    "extract_keywords",
    "load_catalogue",
    "normalize_tokens",
    "project_symptom",
    "question_version",
    "quoted_lines",
]
