import json
from dataclasses import replace

import numpy as np
import pytest

from mem_assets.symptom import CatalogueEntry, Projection, catalogue_sha, load_catalogue
from mem_assets.symptom.calibration import Calibration, Filters, Matching, load_probes
from mem_assets.symptom.projector import ProjectionInput, project, texts_to_embed
from tests.symptom.fake import embed

ENTRIES = (
    CatalogueEntry(
        "pump-dry",
        "pump",
        ("pump", "inlet"),
        ("E77 suction lost", "pump 1 tripped", "error: build failed"),
        ("The inlet sieve was clogged with leaves. Cleaned the sieve.",),
    ),
    CatalogueEntry(
        "valve-stuck",
        "valve",
        ("valve", "actuator"),
        ("V12 position fault", "actuator current 9 A"),
        (
            "Ice had blocked the actuator. Heated the line.",
            "Wrong grease thickened in the cold. Changed the grease.",
        ),
    ),
)
BOUNDS = Calibration(Matching(0.5, 0.1, 0.6, 0.1, 2), Filters(0.8, 0.9, 8))
PUMP = "The sieve at the inlet was clogged with leaves after the storm. Cleaned the sieve."
VALVE = "Wrong grease thickened in the cold and the valve stuck. Changed the grease."
OTHER = "A mouse had eaten the cable. Replaced it and closed the duct."
DECISION = "Policy: the inlet sieve is cleaned monthly; leaves in the sieve must not be reported."
QUOTING = (
    'A mouse had eaten the cable, and "link eth9 is down: no carrier, error 19" was shown. '
    "Replaced the cable."
)


def memory(text: str, level: str = "L1", kind: str = "lesson") -> ProjectionInput:
    return ProjectionInput(f"sha of {text}", level, kind, text)


def run(*memories: ProjectionInput) -> list[Projection]:
    return project(list(memories), embed, "engine 1", "model@abc", ENTRIES, BOUNDS)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (
            PUMP,
            [("E77 suction lost", "catalogue:pump-dry"), ("pump 1 tripped", "catalogue:pump-dry")],
        ),
        (
            VALVE,
            [
                ("V12 position fault", "catalogue:valve-stuck"),
                ("actuator current 9 A", "catalogue:valve-stuck"),
            ],
        ),
        (OTHER, []),
        (DECISION, []),
        (QUOTING, [("link eth9 is down: no carrier, error 19", "quoted")]),
    ],
)
def test_lines(text: str, lines: list[tuple[str, str]]) -> None:
    (projection,) = run(memory(text))
    assert [(line.line, line.origin) for line in projection.lines] == lines


def test_a_dropped_line_keeps_its_reason() -> None:
    (projection,) = run(memory(PUMP))
    assert [(drop.line, drop.reason[:7]) for drop in projection.dropped] == [
        ("error: build failed", "general")
    ]


@pytest.mark.parametrize("level", ["L0", "R"])
def test_evidence_and_reference_never_get_a_line(level: str) -> None:
    (projection,) = run(memory(QUOTING + PUMP, level))
    assert (projection.lines, projection.explains_failure, projection.question) == (
        (),
        False,
        "level",
    )


def test_a_decision_gets_none_and_says_why() -> None:
    (projection,) = run(memory(DECISION))
    assert not projection.explains_failure
    assert projection.question in {"decision", "rule_or_habit"}
    assert projection.dropped == ()


def test_what_made_it_is_recorded() -> None:
    (projection,) = run(memory(PUMP))
    assert (projection.projector, projection.model_id) == ("catalogue", "model@abc")
    assert (projection.prompt_sha, projection.engine_version) == (
        catalogue_sha(ENTRIES),
        "engine 1",
    )
    parameters = json.loads(projection.parameters)
    assert parameters["matching"]["threshold"] == 0.6
    assert {"filters", "probes_sha", "classes_version", "question_version"} < set(parameters)
    assert projection.prompt_sha != catalogue_sha()


def test_batch_and_order_change_nothing() -> None:
    memories = [memory(text) for text in (PUMP, VALVE, OTHER, DECISION, QUOTING)]
    whole = run(*memories)
    assert run(*memories[::-1])[::-1] == whole
    assert [run(one)[0] for one in memories] == whole
    assert project(memories, embed, "engine 1", "model@abc", ENTRIES[::-1], BOUNDS) == whole


def test_every_text_it_asks_for_is_announced() -> None:
    memories = [memory(text) for text in (PUMP, VALVE, OTHER, DECISION, QUOTING)]
    memories.append(memory(f"First.\n\n- {PUMP}\n\n- {VALVE}\n\n```\nfatal: z\n```", "L2"))
    announced = texts_to_embed(memories, ENTRIES)
    assert announced == sorted(set(announced))
    vectors = {text: embed(text) for text in announced}
    assert project(memories, vectors.__getitem__, "e", "m", ENTRIES, BOUNDS)
    assert DECISION not in announced


def test_nothing_to_explain_asks_for_no_vector() -> None:
    def never(text: str) -> np.ndarray:
        raise AssertionError(f"{text!r} was asked for")

    assert texts_to_embed([memory(DECISION)]) == []
    assert project([memory(DECISION)], never, "e", "m")[0].lines == ()
    assert project([], never, "e", "m") == []


def test_a_summary_is_matched_by_its_parts() -> None:
    text = f"What broke this month in the plant, and what was done.\n\n- {PUMP}\n\n- {VALVE}"
    (projection,) = run(memory(text, "L2"))
    assert {line.origin for line in projection.lines} == {
        "catalogue:pump-dry",
        "catalogue:valve-stuck",
    }


def test_a_margin_keeps_the_second_out() -> None:
    both = memory(f"{PUMP} {VALVE}")
    narrow = replace(BOUNDS, matching=replace(BOUNDS.matching, max_entries=1))
    (one,) = project([both], embed, "e", "m", ENTRIES, narrow)
    assert len({line.origin for line in one.lines}) == 1


def test_the_default_is_the_packaged_catalogue() -> None:
    announced = set(texts_to_embed([memory(PUMP)]))
    assert set(load_probes()) < announced
    assert {line for entry in load_catalogue() for line in entry.symptoms} < announced
