# The README's commands. Everything is set up by the targets themselves; a second call is instant.
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
SERVICES := $(PYTHON) deploy/services.py

.PHONY: help setup run test coverage check services test-services stop-services faults soak format docs lock

help:  ## Show what can be made
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 18

setup: $(STAMP)  ## Make .venv with the locked dependencies

$(STAMP): requirements/dev.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "error: Python 3.11 or newer is needed; set PYTHON=python3.12, say"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "setting up .venv (a minute or two, once)"
	@$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.lock
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $(STAMP)

run: setup  ## Start the embedded system and watch the sample claims travel through it
	@$(BIN)/veristream up --samples --fresh

test: setup  ## Everything that needs nothing but Python
	$(BIN)/pytest -m "not services and not faults"

coverage: setup  ## The same with a report of what they reach; twice as slow
	$(BIN)/pytest -m "not services and not faults" --timeout=600 --cov --cov-report=term:skip-covered

check: setup  ## Formatting, lint, types, and the four floors
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

format: setup  ## Put the code into shape
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

services:  ## Install and start real Kafka, Neo4j and Weaviate without Docker
	$(SERVICES) install --apt
	$(SERVICES) start
	$(SERVICES) status

stop-services:  ## Stop them; their data stays
	$(SERVICES) stop

# Servers of their own, so that tests never meet the data of `make services`; wiped at the end.
TEST_HOME := $(CURDIR)/.run/test-services
WITH_TEST_SERVICES = set -e; $(SERVICES) install --apt; trap '$(SERVICES) wipe --home $(TEST_HOME)' EXIT; \
	$(SERVICES) start --home $(TEST_HOME); eval "$$($(SERVICES) env --home $(TEST_HOME))";

test-services: setup  ## The same behaviour on the real servers, and the faults
	$(WITH_TEST_SERVICES) $(BIN)/pytest -m "services or faults"

soak: setup  ## Longer than CI has time for
	$(WITH_TEST_SERVICES) VERISTREAM_SOAK_ROUNDS=10 $(BIN)/pytest -m faults

docs: setup  ## Write the reference pages from the code's tables
	$(BIN)/python -m streams.reference docs/reference

lock: setup  ## Resolve the dependencies anew
	$(BIN)/uv pip compile -q --generate-hashes --no-header --no-annotate --python-version 3.11 --universal pyproject.toml -o requirements/runtime.lock
	$(BIN)/uv pip compile -q --generate-hashes --no-header --no-annotate --python-version 3.11 --universal --extra dev pyproject.toml -c requirements/runtime.lock -o requirements/dev.lock
