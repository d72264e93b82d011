"""The same lesson told again is found; a lesson about something else is not."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mem_assets.memory import duplicate_words as words_module
from mem_assets.memory import duplicates as module
from mem_assets.memory.duplicates import (
    MAX_COMPARED,
    DuplicateIndex,
    conflict,
    jaccard,
    near_duplicates,
)
from mem_assets.memory.fingerprints import fingerprint

CLUSTER = (
    "The cluster was rebuilt over the weekend and signs with a fresh authority; laptops still "
    "trusted the old one. Fetched the credentials again."
)
WHEEL = (
    "The wheel of numpy 1.26 was built against an older glibc than the slim image carries, so "
    "the import died; pinned numpy and raised the limit of the job."
)

POOL = (
    "The pool of pgbouncer 1.21 was full for two hours: the job holds 90 sockets to the Postgres "
    "database and was killed with exit 137. Raised `pool_size` and let the job close what it opens."
)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (CLUSTER, CLUSTER),
        (CLUSTER, CLUSTER.lower().replace(";", " -")),
        (CLUSTER, f"FYI: {CLUSTER}"),
        (CLUSTER, CLUSTER.replace("fresh", "new")),
        (CLUSTER, CLUSTER.replace(" over the weekend", "")),
        (CLUSTER, CLUSTER.replace("Fetched", "Downloaded").replace("laptops", "our laptops")),
        (CLUSTER, "Fetched the credentials again. " + CLUSTER.split(" Fetched")[0]),
        (CLUSTER, f"{CLUSTER} See OPS-12 and https://x.example/8 of 2026-11-24."),
        (WHEEL, WHEEL.replace("numpy", "`numpy`")),
        (WHEEL, WHEEL.replace("was built", "had been built")),
        ("It didn't renew the certificate in time.", "It did not renew the certificate in time."),
        (POOL, POOL.replace("90 sockets", "some 100 sockets")),
        (POOL, POOL.replace("for two hours", "for 2 h")),
        (POOL, POOL.replace("pgbouncer 1.21", "pgbouncer v1.21")),
        (POOL, POOL.replace("Postgres", "PostgreSQL").replace("database", "db")),
        (POOL, POOL.replace("`pool_size`", "pool_size")),
        (POOL, POOL.replace("The pool", "Wednesday: the pool (3 nodes)")),
        (POOL, "\n".join(f"> {line}" for line in POOL.split(". "))),
    ],
)
def test_a_retelling_is_a_near_duplicate(one, other):
    ((first, second, score),) = near_duplicates([("b", other), ("a", one)])
    assert (first, second) == ("a", "b")
    assert module.THRESHOLD <= score <= 1


@pytest.mark.parametrize(
    ("one", "other", "why"),
    [
        (WHEEL, WHEEL.replace("1.26", "2.0"), "numbers"),
        (WHEEL, WHEEL.replace("numpy", "pandas"), "names"),
        (WHEEL, WHEEL.replace("numpy", "NumPy").replace("glibc", "libstdc++.so"), "names"),
        (WHEEL, WHEEL.replace("raised", "lowered"), "opposites"),
        (CLUSTER, CLUSTER.replace("still trusted", "never trusted"), "negation"),
        (CLUSTER, CLUSTER.replace("cluster", "gateway"), "names"),
        (f"{WHEEL} In `a.toml`.", f"{WHEEL} In `b.toml`.", "names"),
        (f"{WHEEL} Seen on Windows.", f"{WHEEL} Seen on Linux.", "names"),
        (POOL, POOL.replace("pgbouncer 1.21", "pgbouncer 1.22"), "numbers"),
        (POOL, POOL.replace("90 sockets", "900 sockets"), "numbers"),
        (POOL, POOL.replace("exit 137", "exit 143"), "numbers"),
        (POOL, POOL.replace("`pool_size`", "`max_client_conn`"), "names"),
        (POOL, POOL.replace("was full", "was not full"), "negation"),
    ],
)
def test_a_lesson_about_something_else_is_kept_apart(one, other, why):
    left, right = fingerprint(one), fingerprint(other)
    assert jaccard(left.shingles, right.shingles) >= module.THRESHOLD
    assert conflict(left, right) == conflict(right, left) == why
    assert near_duplicates([("a", one), ("b", other)]) == []


def test_unrelated_texts_are_no_pair():
    assert near_duplicates([("a", CLUSTER), ("b", WHEEL), ("c", ""), ("d", "word")]) == []


def test_a_key_stands_once():
    with pytest.raises(ValueError, match="held already"):
        near_duplicates([("a", CLUSTER), ("a", WHEEL)])


def test_the_most_alike_comes_first():
    index = DuplicateIndex()
    index.add("far", fingerprint(CLUSTER.replace(" over the weekend", "")))
    index.add("near", fingerprint(f"FYI: {CLUSTER}"))
    assert [key for key, _ in index.find(fingerprint(CLUSTER))] == ["near", "far"]


def test_many_texts_from_one_template_stay_linear(monkeypatch):
    calls = 0
    original = module.jaccard

    def counted(one, other):
        nonlocal calls
        calls += 1
        return original(one, other)

    monkeypatch.setattr(module, "jaccard", counted)
    letters = "bcdfgh"
    names = [a + b + c + "ok" for a in letters for b in letters for c in letters]
    texts = [(name, WHEEL.replace("numpy", name)) for name in names]
    assert near_duplicates(texts) == []
    assert calls <= MAX_COMPARED * len(texts)


@pytest.mark.parametrize(
    ("data", "read", "message"),
    [
        ({"negations": 3}, lambda: words_module.entries("negations"), "negations: not a text"),
        ({"opposites": "up\n"}, lambda: words_module.pairs("opposites"), "opposites: 'up' is not"),
    ],
)
def test_data_is_checked(monkeypatch, data, read, message):
    words_module.entries.cache_clear()
    words_module.pairs.cache_clear()
    monkeypatch.setattr(words_module.tomllib, "loads", lambda _: data)
    with pytest.raises(ValueError, match=rf"duplicate_words\.toml, {message}"):
        read()
    words_module.entries.cache_clear()
    words_module.pairs.cache_clear()


WORDS = st.lists(
    st.sampled_from(["the", "lock", "was", "not", "stale", "`a.b`", "Go", "1.2", "raised", ";"]),
    max_size=30,
).map(" ".join)


@given(st.lists(st.one_of(WORDS, st.text()), max_size=6), st.randoms())
def test_pairs_do_not_depend_on_the_order(texts, order: random.Random):
    keyed = [(f"{number:02}", text) for number, text in enumerate(texts)]
    shuffled = keyed.copy()
    order.shuffle(shuffled)
    pairs = near_duplicates(keyed)
    assert near_duplicates(shuffled) == pairs == sorted(pairs)
    assert all(one < other for one, other, _ in pairs)


@given(WORDS)
def test_a_text_is_a_duplicate_of_itself(text):
    assert near_duplicates([("a", text), ("b", text)]) == [("a", "b", 1.0)]
