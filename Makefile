# Every target works from a path with spaces: nothing here names an absolute path as a target or prerequisite.
SHELL := /bin/sh
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

VENV := .venv
BIN := $(VENV)/bin
CREATED := $(VENV)/.created
# The memory half needs PyTorch and a model, hundreds of megabytes: `make WITH_MEMORY=0 TARGET` does without them, and says so to
# fleetmem, which never falls back on its own. Each variant has stamps of its own, so one may follow the other. pip reads its
# PIP_… variables from the environment as ever: an index with CPU builds of PyTorch goes there.
WITH_MEMORY ?= 1
ifeq ($(WITH_MEMORY),0)
RUNTIME := $(VENV)/.runtime-installed
DEV := $(VENV)/.dev-installed
RUNTIME_EXTRAS :=
DEV_EXTRAS := [dev]
RUNTIME_COVERS := $(RUNTIME)
DEV_COVERS := $(RUNTIME) $(DEV)
up demo prove drill bench: export FLEETMEM_RECOGNIZER ?= off
else
RUNTIME := $(VENV)/.memory-installed
DEV := $(VENV)/.dev-memory-installed
RUNTIME_EXTRAS := [memory]
DEV_EXTRAS := [dev,memory]
RUNTIME_COVERS := $(VENV)/.runtime-installed $(RUNTIME)
DEV_COVERS := $(RUNTIME_COVERS) $(VENV)/.dev-installed $(DEV)
endif
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet --quiet install --root-user-action=ignore
# Tests share one Postgres; two workers keep two cores busy without starving it.
PYTEST_WORKERS ?= 2
MINUTES ?= 10

.PHONY: help setup up demo test soak prove drill bench check clean

help: ## show this
	@echo 'fleetmem: make TARGET'
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/\1|\2/p' Makefile | while IFS='|' read -r name text; do printf '  %-8s %s\n' "$$name" "$$text"; done

setup: $(DEV) ## create .venv with everything, development tools included

up: $(RUNTIME) ## run the fleet: Postgres, gateway and console, in the foreground
	@exec $(BIN)/fleetmem up

demo: $(RUNTIME) ## play a household's day on a throw-away fleet
	@exec $(BIN)/fleetmem demo

test: $(DEV) ## pass every test
	@exec $(BIN)/python -m pytest -n $(PYTEST_WORKERS) --dist loadfile $(ARGS)

prove: $(RUNTIME) ## attack a throw-away fleet and report what held
	@exec $(BIN)/fleetmem prove --throw-away

drill: $(RUNTIME) ## back up, wreck and restore a throw-away fleet, and report what came back
	@exec $(BIN)/fleetmem drill --throw-away

soak: $(DEV) ## kill and cut a throw-away fleet under load, for MINUTES (10), and count
	@exec $(BIN)/python -m tests.faults.soak --minutes $(MINUTES) $(ARGS)

bench: $(RUNTIME) ## measure what fence and memory cost on this machine
	@exec $(BIN)/python bench $(ARGS)

check: $(DEV) ## what CI holds the code to: style, types, import contracts
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

clean: ## remove the environment and caches; never the fleet's data in .fleetmem
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis

$(CREATED):
	@sh scripts/venv $(VENV)
	@touch $@

$(RUNTIME): pyproject.toml | $(CREATED)
	@echo 'setup: installing fleetmem$(RUNTIME_EXTRAS) and what it runs on (once; a few minutes) …'
	@$(PIP) --editable '.$(RUNTIME_EXTRAS)'
	@touch $(RUNTIME_COVERS)

$(DEV): pyproject.toml | $(CREATED)
	@echo 'setup: installing fleetmem$(DEV_EXTRAS) with its development tools (once; a few minutes) …'
	@$(PIP) --editable '.$(DEV_EXTRAS)'
	@touch $(DEV_COVERS)
