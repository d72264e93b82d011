import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

# The small generation is shared with the tests of retrieval.
sys.path.insert(0, str(Path(__file__).parents[1] / "retrieval"))

from known import BODY, DECISION, PEER
from small_generation import WordHashEmbedder, build

from mem_assets.interfaces import cli
from mem_assets.storage.generation import publish


@pytest.fixture(scope="session")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("home")
    publish(folder, build(folder, [BODY]).id)
    publish(folder, build(folder, [PEER, BODY, DECISION]).id)
    return folder


@pytest.fixture
def mem(home, monkeypatch, set_stale):
    """Runs `mem` on the small generation, fresh unless a test says otherwise."""
    monkeypatch.setenv("MEM_HOME", str(home))
    set_stale([])
    monkeypatch.setattr(cli, "start_embedder", lambda settings: WordHashEmbedder())
    runner = CliRunner()
    return lambda *args, **more: runner.invoke(cli.app, list(args), **more)


@pytest.fixture
def set_stale(monkeypatch):
    def to(reasons):
        fake = SimpleNamespace(freshness=lambda settings: reasons)
        monkeypatch.setitem(sys.modules, "mem_assets.storage.freshness", fake)

    return to
