# Two commands matter: `make run` starts the product, `make test` proves it. TESA_* variables may follow either.
PYTHON ?= python3
VENV_PYTHON = .venv/bin/python
TESTS = $(if $(APP),tests/$(APP))
export

.PHONY: run install test test-fast test-pure smoke check format constraints clean

run:            ## install, migrate, seed the demo, start everything
	@$(PYTHON) tesa_site/install.py
	@exec $(VENV_PYTHON) -m tesa_site.launch

install:
	@$(PYTHON) tesa_site/install.py

test:           ## every test this machine can run (with CI=true, none may be skipped)
	@$(PYTHON) tesa_site/install.py dev
	@$(VENV_PYTHON) -m pytest --numprocesses auto --dist loadfile $(PYTEST_ARGS)

test-fast:      ## tests without processes and browsers, in minutes; APP=corpus: those of one app
	@$(PYTHON) tesa_site/install.py dev
	@$(VENV_PYTHON) -m pytest --numprocesses auto --dist loadfile -m "not processes and not browser" $(TESTS) $(PYTEST_ARGS)

test-pure:      ## of these, the ones that need no database, in less than a minute
	@$(PYTHON) tesa_site/install.py dev
	@$(VENV_PYTHON) -m pytest --numprocesses auto --dist loadfile -m "not database and not processes and not browser" $(TESTS) $(PYTEST_ARGS)

smoke:          ## the whole way once, from an empty folder to a finished campaign
	@$(PYTHON) tesa_site/install.py dev
	@$(VENV_PYTHON) -m tests.smoke

check:          ## what CI checks besides the tests
	@$(PYTHON) tesa_site/install.py dev
	$(VENV_PYTHON) -m ruff check .
	$(VENV_PYTHON) -m ruff format --check .
	git ls-files '*.html' | xargs .venv/bin/djade --target-version 5.2 --check
	$(VENV_PYTHON) -m mypy .
	$(VENV_PYTHON) manage.py makemigrations --check --dry-run

format:
	@$(PYTHON) tesa_site/install.py dev
	$(VENV_PYTHON) -m ruff check --fix .
	$(VENV_PYTHON) -m ruff format .
	git ls-files '*.html' | xargs .venv/bin/djade --target-version 5.2

constraints:    ## pin the exact versions again, where every machine has wheels for them
	@$(PYTHON) tesa_site/install.py dev
	@$(VENV_PYTHON) -m tesa_site.constraints

clean:          ## remove what can be made again; your data in var/ stays
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis
