import tomllib

import pytest

from mem_assets.retrieval.calibration import PATH, CalibrationError, calibration, parse


def packaged() -> dict:
    return tomllib.loads(PATH.read_text(encoding="utf-8"))


def test_high_asks_at_least_what_medium_asks_and_medium_more_than_the_floor():
    found = calibration()
    for bounds in (found.observed, found.projected, found.text):
        assert bounds.high.cosine > bounds.medium.cosine > found.floor.answer
        assert bounds.high.agreement >= bounds.medium.agreement


@pytest.mark.parametrize(
    ("kind", "cosine", "margin", "agreement", "expected"),
    [
        ("observed", 1.0, 1.0, 3, "high"),
        ("observed", 1.0, 1.0, 0, "low"),
        ("observed", 1.0, -0.1, 3, "low"),
        ("observed", 0.3, 0.3, 3, "low"),
        ("observed", 0.7, 0.2, 2, "high"),
        ("projected", 0.7, 0.2, 2, "medium"),
        ("projected", 1.0, 0.5, 2, "high"),
        ("text", 1.0, 1.0, 3, "high"),
        ("text", 0.5, 0.4, 3, "low"),
    ],
)
def test_confidence(kind, cosine, margin, agreement, expected):
    assert calibration().confidence(kind, cosine, margin, agreement) == expected


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("floor",), {"symptom": 0.1}, r"x\.toml: \[floor\] must have exactly"),
        (("fusion", "k"), "sixty", r"x\.toml: fusion\.k must be a number"),
        (("exact", "many"), True, r"exact\.many must be a number"),
        (("confidence", "text"), {}, r"\[confidence\.text\.high\]"),
        (("confidence",), {}, r"\[confidence\.observed\.high\]"),
    ],
)
def test_a_wrong_entry_is_named(path, value, message):
    data = packaged()
    at = data
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    with pytest.raises(CalibrationError, match=message):
        parse(data, "x.toml")
