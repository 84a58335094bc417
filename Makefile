# The two commands: `make run` serves the app, `make test` passes the tests. Each installs what it needs into .venv.

PYTHON ?= python3
HOST = 0.0.0.0
PORT ?= 8765

# Which tests instead of every day's, as in `make test TESTS="tests/games tests/browser"`.
TESTS =

# Which release the commit is to be, as in `make release TAG=0.3.0`.
TAG =

.PHONY: run lint test test-all check lock release clean install install-for-tests

run: install
	@MALLOC_ARENA_MAX=1 .venv/bin/python -m scorekeeper run --host $(HOST) --port $(PORT)

lint: install-for-tests
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy

# Every day's tests, on SQLite. They say at the end which were left out.
test: lint
	.venv/bin/python -m pytest $(or $(TESTS),-m "not apart")

# Everything: both databases, every browser, races, faults, hosting, mutants, bare machines.
test-all: install-for-tests
	.venv/bin/python -m tests.parts

# What to run after every change: under a minute.
check: lint
	.venv/bin/python -m pytest tests/scoring tests/games tests/test_architecture.py

# The newest versions that fit pyproject.toml and every supported Python, for everybody.
lock: install-for-tests
	.venv/bin/python -m pip install --quiet uv
	.venv/bin/uv pip compile --quiet --upgrade --universal --python-version 3.11 --all-extras --no-annotate --no-header \
		--no-emit-index-url --no-emit-find-links --output-file requirements.lock pyproject.toml

# The files of a release, in dist/. The workflow that uploads them calls this.
release: install-for-tests
	.venv/bin/python deploy/release.py $(TAG)

clean:
	rm -rf .venv .venv.old dist

install: FLAGS =
install-for-tests: FLAGS = --extra test
install install-for-tests:
	@$(PYTHON) -c "" 2>/dev/null || \
		{ echo "$(PYTHON) is missing. Scorekeeper needs Python 3.11 or newer: run 'sudo apt install python3 python3-venv'." >&2; exit 1; }
	@$(PYTHON) deploy/install.py $(FLAGS)
