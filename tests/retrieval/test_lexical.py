import hashlib
import os
import subprocess
import sys

import pytest

from mem_assets.retrieval.lexical import LexicalIndex, build_index, search, tokens

DOCUMENTS = [
    ("a1", "Kong buffered the request body; set proxy-body-size to 0"),
    ("b2", "npm ERR! code ERESOLVE unable to resolve dependency tree"),
    ("c3", "The resolver failed: pin the dependencies"),
    ("d4", ""),
]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Resolving dependencies", ["resolv", "depend"]),
        ("proxy-body-size proxy_body_size", ["proxi", "bodi", "size", "proxi", "bodi", "size"]),
        ("the and of", []),
        ("error[E0599] 413", ["error", "e0599", "413"]),
        ("Überlauf \ud800\x00 naïve", ["überlauf", "naïv"]),
        ("x" * 10_000, []),
        ("", []),
    ],
)
def test_tokens(text, expected):
    assert tokens(text) == expected


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("proxy body size", ["a1"]),
        ("resolve the dependency", ["b2", "c3"]),
        ("ERESOLVE", ["b2"]),
        ("ERESOLVE ERESOLVE eresolve", ["b2"]),
        ("nothing of that", []),
        ("the", []),
        ("", []),
    ],
)
def test_search(tmp_path, query, expected):
    build_index(tmp_path, DOCUMENTS)
    found = LexicalIndex(tmp_path).search(query, 5)
    assert sorted(sha for sha, _ in found) == expected
    assert all(score > 0 for _, score in found)
    assert found == sorted(found, key=lambda hit: (-hit[1], hit[0]))


def test_ties_are_ordered_by_sha(tmp_path):
    build_index(tmp_path, [(f"{i:02x}", "linker not found") for i in range(40)])
    assert [sha for sha, _ in search(tmp_path, "linker", 3)] == ["00", "01", "02"]


def test_keep_filters_before_the_cut(tmp_path):
    build_index(tmp_path, DOCUMENTS)
    found = search(tmp_path, "resolve dependency", 1, keep=lambda sha: sha == "c3")
    assert [sha for sha, _ in found] == ["c3"]


def test_a_hit_must_cover_enough_of_the_query(tmp_path):
    build_index(tmp_path, [*DOCUMENTS, ("e5", "error while linking")])
    query = "error: mysterious quantum flux in sector seven linking"
    assert [sha for sha, _ in search(tmp_path, query, 5, coverage=0.0)] == ["e5"]
    assert search(tmp_path, query, 5, coverage=0.5) == []


@pytest.mark.parametrize("documents", [DOCUMENTS, [("a", "")], []])
def test_bytes_are_identical_whatever_the_hash_seed(tmp_path, documents):
    script = (
        "import sys; from pathlib import Path; from mem_assets.retrieval.lexical import *;"
        f"build_index(Path(sys.argv[1]), {documents!r})"
    )
    hashes = []
    # With numba there or not, too: vLLM brings it into some processes and not into others.
    for seed, before in (("1", ""), ("2", "import numba;")):
        folder = tmp_path / seed
        subprocess.run(
            [sys.executable, "-c", before + script, str(folder)],
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        )
        files = sorted((folder / "lexical").iterdir())
        hashes.append([(p.name, hashlib.sha256(p.read_bytes()).hexdigest()) for p in files])
    assert hashes[0] == hashes[1]
    assert hashes[0]


def test_numba_stays_out_so_that_vllm_can_still_be_loaded():
    script = (
        "import sys, mem_assets.retrieval.lexical;"
        "print([name for name in ('numba', 'llvmlite') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.stdout.strip(), done.stderr) == ("[]", "")


@pytest.mark.parametrize("documents", [[], [("a", ""), ("b", "the of")]])
def test_a_corpus_without_words_finds_nothing(tmp_path, documents):
    build_index(tmp_path, documents)
    index = LexicalIndex(tmp_path)
    assert len(index) == len(documents)
    assert index.search("anything at all", 5) == []


def test_unsorted_documents_are_refused(tmp_path):
    with pytest.raises(ValueError, match="sorted and unique"):
        build_index(tmp_path, [("b", "x"), ("a", "y")])
