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
lock: install-for-tests
	.venv/bin/python -m pip install --quiet uv
	.venv/bin/uv pip compile --quiet $(UPGRADE) --universal --python-version 3.11 --all-extras --no-annotate --no-header \
		--no-emit-index-url --no-emit-find-links --output-file requirements.lock pyproject.toml

clean:
	rm -rf .venv .venv.old dist

install: FLAGS =
install-for-tests: FLAGS = --extra test
install install-for-tests:
	@$(PYTHON) -c "" 2>/dev/null || \
		{ echo "$(PYTHON) is missing. Scorekeeper needs Python 3.11 or newer: run 'sudo apt install python3 python3-venv'." >&2; exit 1; }
	@$(PYTHON) deploy/install.py $(FLAGS)
