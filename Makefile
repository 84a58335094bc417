# The two commands: `make run` serves the app, `make test` passes all tests. Each sets up what it needs.

PYTHON = python3
HOST = 0.0.0.0
PORT = 8765
VENV = .venv

.PHONY: run test lock clean

run: $(VENV)/installed
	$(VENV)/bin/scorekeeper run --host $(HOST) --port $(PORT)

test: $(VENV)/installed-for-tests
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy
	$(VENV)/bin/python -m pytest
	DATABASE=postgresql $(VENV)/bin/python -m pytest

# The newest versions that fit pyproject.toml, written down for everybody.
lock: $(VENV)/installed-for-tests
	$(VENV)/bin/pip install --quiet pip-tools
	$(VENV)/bin/pip-compile --quiet --upgrade --all-extras --strip-extras --no-annotate --no-header \
		--no-emit-index-url --no-emit-find-links --no-emit-trusted-host --output-file requirements.lock pyproject.toml

clean:
	rm -rf $(VENV)

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed; PYTHON=… names it")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/installed: $(VENV)/bin/python pyproject.toml requirements.lock
	$(VENV)/bin/pip install --quiet --constraint requirements.lock --editable .
	touch $@

$(VENV)/installed-for-tests: $(VENV)/bin/python pyproject.toml requirements.lock
	$(VENV)/bin/pip install --quiet --constraint requirements.lock --editable '.[test]'
	touch $@ $(VENV)/installed
