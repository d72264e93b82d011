"""How well the gate judges the labelled set: `make bench-gate-quality`.

A line of the table is one kind of candidate. `--misses` lists below it what was judged otherwise
than labelled, `--reasons` every reason that a rejected candidate's author would read.
"""

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

from bench.gate_set import DEFAULT, RIGHT, WRONG, WRONG_RULE, Judged, judged, load, rates

DESERVING_BAR = 0.95
UNDESERVING_BAR = 0.90


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--set", type=Path, default=DEFAULT, help="labelled candidates, JSONL")
    parser.add_argument("--misses", action="store_true", help="list what was judged otherwise")
    parser.add_argument("--reasons", action="store_true", help="list every reason")
    options = parser.parse_args()
    results = judged(load(options.set))
    print(*table(results), sep="\n")
    if options.misses:
        print("", *(told(one) for one in results if one.outcome != RIGHT), sep="\n")
    if options.reasons:
        print("", *(told(one) for one in results if not one.accepted), sep="\n")


def table(results: Sequence[Judged]) -> list[str]:
    """Lines of text: per kind right, wrong rule and wrong, then the two figures."""
    deserving, others = rates(results)
    lines = [f"{'kind':42}{'right':>7}{'wrong rule':>12}{'wrong':>7}"]
    for deserves in (True, False):
        part = [one for one in results if one.label.deserves == deserves]
        lines += _kinds(part, "deserves" if deserves else "does not")
    lines.append(f"deserving accepted: {deserving:.3f} (bar {DESERVING_BAR})")
    lines.append(f"others rejected, by a fitting rule: {others:.3f} (bar {UNDESERVING_BAR})")
    return lines


def told(one: Judged) -> str:
    """One line's id, label and text with its verdicts."""
    verdicts = "; ".join(f"{verdict.rule}: {verdict.reason}" for verdict in one.verdicts)
    label = "deserves" if one.label.deserves else "/".join(sorted(one.label.fitting))
    text = one.label.text.replace("\n", "\\n")
    return f"{one.label.id} [{label}] {one.label.why}\n    {text}\n    -> {verdicts}"


def _kinds(results: Iterable[Judged], prefix: str) -> list[str]:
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for one in results:
        counts[one.label.group][one.outcome] += 1
        counts["together"][one.outcome] += 1
        if one.label.lang != "en":
            counts[f"language {one.label.lang}"][one.outcome] += 1
    return [
        f"{f'{prefix}: {group}':42}{count[RIGHT]:7}{count[WRONG_RULE]:12}{count[WRONG]:7}"
        for group, count in sorted(counts.items())
    ]


if __name__ == "__main__":
    main()
