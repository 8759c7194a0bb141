# Every verb of the project; `make` lists them. Each sets up what it needs and nothing twice.
PORT ?= 8000
TESTS ?= tests
ARGS ?=
PYTHON ?=
py := .venv/bin/python
export PYTHON PYTHONUNBUFFERED := 1
# Whatever the environment says, compiled Python is kept: a dozen processes and every later call
# would compile the same files again, the tests' with pytest's assertions.
unexport PYTHONDONTWRITEBYTECODE
# Tests are independent of each other: a process a processor and one more, each of which imports both
# frameworks (1 GB) and has servers of its own. Each begins with a row of neighbours, which share what
# they made, and takes over from another when it has done its own. While one waits for a browser or a
# service, the others have its processor: two processes left a quarter of two processors idle. Tests
# that need no device do not wait, and each process collects all of them first.
parallel := --maxprocesses 4 --dist worksteal
processes := $(shell expr $$(nproc) + 1)

.DEFAULT_GOAL := help
.PHONY: help setup page run test check format types toolchain bench conformance clean
.PHONY: check-types check-texts

help: ## list the verbs
	@awk -F ':.*## ' '/^[a-z]+:.*## /{printf "make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: ## make .venv with every dependency [PYTHON=python3]
	@PYTHON="$(PYTHON)" ./scripts/setup

page: setup ## build the page into webapp/static/app
	@$(py) frontend/build.py

run: page ## start everything in the foreground; Ctrl-C stops it [PORT=8000]
	@exec $(py) -m launcher --port "$(PORT)"

test: page ## run all tests, or what they leave out of sweeps [TESTS=tests/compiler_core SWEEP=1]
	@CHROMIUM="$$($(py) scripts/chromium.py)" $(py) -m pytest -n $(processes) $(parallel) $(if $(SWEEP),-m sweep) $(TESTS)

check: setup ## format, lint, types, import contracts, tests that need no device
	@$(MAKE) --no-print-directory --jobs 2 --output-sync=target check-types check-texts
	$(py) -m pytest -q -n logical $(parallel) -m null

check-types:
	$(py) -m mypy

check-texts:
	$(py) -m ruff format --check .
	$(py) -m ruff check .
	.venv/bin/lint-imports
	$(py) frontend/build.py npm run --silent check

format: setup ## format the code and apply the linter's safe fixes
	$(py) -m ruff check --fix-only .
	$(py) -m ruff format .

types: setup ## write what is generated from the report's types: wire.ts, docs/report.md
	$(py) frontend/generate_wire.py
	$(py) scripts/report_doc.py

toolchain: setup ## make an environment with other versions [NAME=jax-0.9]
	@$(py) scripts/toolchain.py "$(NAME)"

bench: setup ## measure against eager, Inductor and XLA, or a version [SUITE=families AGAINST=commit]
	$(py) -m bench$(if $(AGAINST),.against $(AGAINST)) --suite $(or $(SUITE),twelve) $(ARGS)

conformance: setup ## both frameworks' own test databases, and random programs [ARGS="--share 1/10"]
	$(py) -m conformance $(ARGS)

clean: ## delete what the other verbs made, your runs in var/ excepted
	rm -rf .venv .toolchains *.egg-info frontend/node_modules webapp/static/app .mypy_cache .ruff_cache .pytest_cache
