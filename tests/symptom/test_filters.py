import numpy as np
import pytest

from mem_assets.symptom import SymptomLine
from mem_assets.symptom.calibration import Filters, load_probes
from mem_assets.symptom.filters import cosines, filter_lines
from tests.symptom.fake import embed

BOUNDS = Filters(restated_share=0.8, general_cosine=0.9, max_lines=3)
MEMORY = "The gasket under the left valve was torn by heat; replaced the gasket."


def lines(*texts: str, origin: str = "catalogue:x") -> list[SymptomLine]:
    return [SymptomLine(text, origin) for text in texts]


@pytest.mark.parametrize(
    ("line", "origin", "reason"),
    [
        ("pump 3: pressure 0x0 below floor", "catalogue:x", ""),
        ("left valve gasket torn", "catalogue:x", "restates: 1.00"),
        ("left valve gasket torn", "quoted", ""),
        ("gasket vent pump blocked", "catalogue:x", ""),
        (load_probes()[0], "catalogue:x", "general: cosine 1.00"),
        (load_probes()[0], "quoted", "general: cosine 1.00"),
        (" ", "catalogue:x", "duplicate"),
    ],
)
def test_each_filter_with_its_reason(line: str, origin: str, reason: str) -> None:
    kept, dropped = filter_lines(MEMORY, lines(line, origin=origin), embed, BOUNDS)
    assert [entry.line for entry in kept] == ([] if reason else [line])
    assert [entry.reason.startswith(reason) for entry in dropped] == ([True] if reason else [])


def test_duplicates_by_words_and_the_cap() -> None:
    given = lines("Pump A fell", '"pump a" fell', "hose b leaks", "tank c empty", "fan d stops")
    kept, dropped = filter_lines(MEMORY, given, embed, BOUNDS)
    assert [entry.line for entry in kept] == ["Pump A fell", "hose b leaks", "tank c empty"]
    assert [entry.reason for entry in dropped] == ["duplicate", "cap: 3 lines are kept"]
    assert len(kept) + len(dropped) == len(given)


def test_nothing_in_nothing_out() -> None:
    def never(text: str) -> np.ndarray:
        raise AssertionError(f"no vector is needed, but {text!r} was asked for")

    assert filter_lines(MEMORY, [], never, BOUNDS) == ((), ())


def test_cosines_do_not_depend_on_the_batch() -> None:
    rows = np.stack([embed(f"word{number} and more words") for number in range(200)])
    vector = embed("and more word7")
    whole = cosines(rows, vector)
    assert [cosines(rows[number : number + 1], vector)[0] for number in range(200)] == list(whole)
