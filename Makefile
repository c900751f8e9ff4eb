# The commands of README.md. What they do is in tools/setup.py, which runs without make too.
PYTHON ?= $(shell command -v python3 || command -v python)
VENV ?= .venv
SUITE ?= quick
DEVICE ?= auto
BIN = $(VENV)/bin

export VENV

.PHONY: help guide test install dev site serve check format perf picture clean

help: ## List these commands
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

guide: python ## Install, measure this machine (SUITE=quick DEVICE=auto), build the guide into public/
	@$(PYTHON) tools/setup.py guide --suite $(SUITE) --device $(DEVICE)

test: python ## Install what the tests need and run them
	@$(PYTHON) tools/setup.py test

install: python ## Only install, into .venv
	@$(PYTHON) tools/setup.py

dev: python ## Only install, with the test tools
	@$(PYTHON) tools/setup.py --dev

site: install ## Build the guide from the store
	@$(BIN)/mkdocs build --strict

serve: install ## Show the guide on http://localhost:8000 and build it again when a run is added
	@$(BIN)/mkdocs serve

check: dev ## Lint and format check only
	@$(BIN)/ruff check . && $(BIN)/ruff format --check .

format: dev ## Bring the code into the house format
	@$(BIN)/ruff check --fix . && $(BIN)/ruff format .

perf: dev ## Measure what our own code costs and how far off its times are (20 minutes); prints a table
	@$(BIN)/python tests/perf

picture: dev ## Take the README's picture from the guide in public/
	@$(BIN)/python tools/picture.py

clean: ## Remove the environment, the built guide and caches; the store stays
	@rm -rf $(VENV) public .cache .pytest_cache .ruff_cache .hypothesis build dist

.PHONY: python
python:
	@test -n "$(PYTHON)" || { echo "Error: no python3 on the PATH. Install Python 3.11 or newer."; exit 1; }
