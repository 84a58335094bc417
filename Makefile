# The two commands: `make run` serves the app, `make test` passes the tests. Each installs what it needs into .venv.

PYTHON ?= python3
HOST = 0.0.0.0
PORT ?= 8765

# Which tests instead of all, as in `make test TESTS="tests/games tests/browser"`.
TESTS =

.PHONY: run lint test check lock clean install install-for-tests

run: install
	@MALLOC_ARENA_MAX=1 .venv/bin/python -m scorekeeper run --host $(HOST) --port $(PORT)

lint: install-for-tests
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy

# Everything, on SQLite.
test: lint
	.venv/bin/python -m pytest $(TESTS)

# What to run after every change: under a minute.
check: lint
	.venv/bin/python -m pytest tests/scoring tests/games tests/test_architecture.py

# Pin versions that fit pyproject.toml and every supported Python. UPGRADE=--upgrade takes the newest.
lock: install
	$(PIP) install --quiet uv
	.venv/bin/uv pip compile --quiet $(UPGRADE) --universal --python-version 3.11 --all-extras --no-annotate --no-header \
		--no-emit-index-url --no-emit-find-links --output-file requirements.lock pyproject.toml

clean:
	rm -rf .venv dist

# Packages are installed again when what they come from has changed; with the games that instance/games.txt lists.
GAMES = $(wildcard instance/games.txt)
PIP = PIP_CONSTRAINT=requirements.lock PIP_BUILD_CONSTRAINT=requirements.lock PIP_DISABLE_PIP_VERSION_CHECK=1 .venv/bin/python -m pip

install: .venv/installed
install-for-tests: .venv/installed-for-tests

.venv/installed: pyproject.toml requirements.lock $(GAMES)
	@echo "Installing into .venv (a minute or two, only when something has changed) ..."
	@$(PYTHON) -m venv .venv
	@$(PIP) install --quiet --editable . $(addprefix --requirement ,$(GAMES))
	@touch $@

.venv/installed-for-tests: .venv/installed
	@$(PIP) install --quiet --editable ".[test]"
	@touch $@
