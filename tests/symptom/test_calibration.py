from pathlib import Path

import pytest

from mem_assets.symptom import calibration
from mem_assets.symptom.calibration import load_calibration, load_probes, probes_sha


def test_the_packaged_bounds_and_probes_are_sound() -> None:
    bounds = load_calibration()
    assert bounds.matching.max_entries <= 2
    assert bounds.filters.max_lines == 8
    assert 0.0 < bounds.filters.general_cosine < 1.0
    assert len(set(load_probes())) == len(load_probes()) >= 30
    assert len(probes_sha()) == 64


@pytest.mark.parametrize(
    ("find", "put", "says"),
    [
        ("threshold =", "floor =", r"\[matching\]: missing or unknown: \['floor', 'threshold'\]"),
        ("max_lines = 8", "max_lines = 8.5", r"\[filters\] max_lines: a number"),
        ("max_lines = 8", "max_lines = -1", r"\[filters\] max_lines: a number"),
        ("max_lines = 8", "max_lines = true", r"\[filters\] max_lines: a number"),
        ("[filters]", "[filter]", "unknown key 'filter'"),
    ],
)
def test_wrong_bounds_are_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, find: str, put: str, says: str
) -> None:
    text = calibration.CALIBRATION_FILE.read_text()
    assert find in text
    path = tmp_path / "calibration.toml"
    path.write_text(text.replace(find, put))
    monkeypatch.setattr(calibration, "CALIBRATION_FILE", path)
    with pytest.raises(ValueError, match=r"^calibration\.toml: " + says):
        load_calibration.__wrapped__()


@pytest.mark.parametrize("text", ["{", "[]", '{"line": 3}', '{"line": "x", "y": 1}'])
def test_wrong_probes_are_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str
) -> None:
    path = tmp_path / "probes.jsonl"
    path.write_text('{"line": "x"}\n' + text)
    monkeypatch.setattr(calibration, "PROBES_FILE", path)
    with pytest.raises(ValueError, match=r"^probes\.jsonl:2: "):
        load_probes.__wrapped__()
