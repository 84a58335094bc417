# The two commands: `make run` serves the app, `make test` passes all tests. Each installs what it needs into .venv.

PYTHON = python3
HOST = 0.0.0.0
PORT = 8765

# Which tests: all of them, or those named, as in `make test TESTS="tests/games tests/scoring"`. On which databases.
TESTS =
DATABASES = sqlite postgresql
QUICK = tests/scoring tests/games tests/test_architecture.py tests/cli/test_command.py $(addprefix tests/web/, \
	tables/test_tables.py tables/test_table_cache.py tables/test_live.py circles/test_circles.py \
	circles/test_settlements.py circles/test_exchange.py pages/test_demo.py support/test_health.py)

.PHONY: run lint test check quick lock clean install install-for-tests

run: install
	@.venv/bin/python -m scorekeeper run --host $(HOST) --port $(PORT)

lint: install-for-tests
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy

test: lint
	$(foreach database,$(DATABASES),DATABASE=$(database) .venv/bin/python -m pytest $(TESTS) &&) true

# What to run after every change: under a minute.
check: lint
	.venv/bin/python -m pytest tests/scoring tests/games tests/test_architecture.py

# The tests that need a minute and no other program; bare machines are tried with these.
quick:
	@$(MAKE) --no-print-directory test TESTS="$(QUICK)"

# The newest versions that fit pyproject.toml and every supported Python, for everybody.
lock: install-for-tests
	.venv/bin/python -m pip install --quiet uv
	.venv/bin/uv pip compile --quiet --upgrade --universal --python-version 3.11 --all-extras --no-annotate --no-header \
		--no-emit-index-url --no-emit-find-links --output-file requirements.lock pyproject.toml

clean:
	rm -rf .venv .venv.old

install: FLAGS =
install-for-tests: FLAGS = --extra test
install install-for-tests:
	@command -v $(PYTHON) >/dev/null || \
		{ echo "Scorekeeper needs Python 3.11 or newer: run 'sudo apt install python3 python3-venv'." >&2; exit 1; }
	@$(PYTHON) deploy/install.py $(FLAGS)
