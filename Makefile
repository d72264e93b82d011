PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
DEMO := .demo

export DAGSTER_HOME ?= $(CURDIR)/.dagster_home

.PHONY: install demo test lint bench bench-signatures bench-gate bench-gate-quality serve ui clean

install: $(VENV)/.installed

$(VENV)/.installed: requirements.lock pyproject.toml
	test -d $(VENV) || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip setuptools wheel
	$(BIN)/python -m pip install --quiet --no-deps -r requirements.lock
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	$(BIN)/python -m compileall -q mem_assets
	touch $@

$(DAGSTER_HOME)/dagster.yaml: dagster.yaml
	mkdir -p $(DAGSTER_HOME)
	cp dagster.yaml $@

demo: install $(DAGSTER_HOME)/dagster.yaml
	MEM_HOME=$(DEMO) MEM_LANDING=fixtures/landing $(BIN)/python -m bench.demo

test: install
	$(BIN)/python -m pytest

lint: install $(DAGSTER_HOME)/dagster.yaml
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/dagster definitions validate -w workspace.yaml

bench: install
	MEM_HOME=$(DEMO) MEM_LANDING=fixtures/landing $(BIN)/python -m bench.lookup

bench-signatures: install
	$(BIN)/python -m bench.signatures $(ARGS)

bench-gate: install
	$(BIN)/python -m bench.gate

bench-gate-quality: install
	$(BIN)/python -m bench.gate_quality $(ARGS)

ui: install $(DAGSTER_HOME)/dagster.yaml
	MEM_HOME=$(DEMO) MEM_LANDING=fixtures/landing $(BIN)/dagster dev -w workspace.yaml --host 127.0.0.1 --port 3000

clean:
	rm -rf $(VENV) $(DEMO) .dagster_home data *.egg-info .mypy_cache .pytest_cache .ruff_cache
