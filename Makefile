# Two commands matter: `make run` starts the product, `make test` proves it. TESA_* variables may follow either.
PYTHON ?= python3
VENV_PYTHON = .venv/bin/python
TESTS = $(if $(APP),tests/$(APP))
# Half of what the long tests do is waiting for processes and browsers of their own.
PROCESSES = $(shell $(PYTHON) -c "import os; print(os.cpu_count() * 3 // 2 or 1)")
FAST = --ignore tests/browser --hypothesis-profile fast
export

.PHONY: run install worker-gpu fairseq-env test test-all test-fast test-pure test-neural smoke screenshots check format constraints clean

run:            ## install, migrate, seed the demo, start everything
	@$(PYTHON) tesa_site/install.py
	@exec $(VENV_PYTHON) -m tesa_site.launch

install:
	@$(PYTHON) tesa_site/install.py

worker-gpu:     ## install torch, and start a worker that trains neural rankers, on the installation that TESA_* variables name
	@$(MAKE) --no-print-directory .venv-neural
	@exec .venv-neural/bin/python -m tesa_site.processes worker gpu

fairseq-env:    ## a Python with fairseq in .venv-fairseq, or in the folder FAIRSEQ_ENV, for TESA_FAIRSEQ_PYTHON
	@$(PYTHON) tesa_site/fairseq_env.py $(FAIRSEQ_ENV)

test:           ## every test this machine can run, but for the strong forms (with CI=true, none may be skipped)
	@$(PYTHON) tesa_site/install.py dev
	@$(VENV_PYTHON) -m pytest --numprocesses $(PROCESSES) --dist loadfile $(PYTEST_ARGS)

test-all:       ## these and the strong forms: large numbers, more examples, each page loaded on each screen
	@$(MAKE) --no-print-directory test PYTEST_ARGS="--all $(PYTEST_ARGS)"

test-fast:      ## tests without long proofs, processes and browsers, in minutes; APP=corpus: those of one app
	@$(PYTHON) tesa_site/install.py dev
	@$(VENV_PYTHON) -m pytest --numprocesses auto --dist loadfile $(FAST) -m "not slow and not processes" $(TESTS) $(PYTEST_ARGS)

test-pure:      ## of these, the ones that need no database, in less than a minute
	@$(PYTHON) tesa_site/install.py dev
	@$(VENV_PYTHON) -m pytest --numprocesses auto --dist loadfile $(FAST) -m "not slow and not processes and not database" $(TESTS) $(PYTEST_ARGS)

.PHONY: .venv-neural
.venv-neural:   # torch beside what .venv has; .venv itself never gets it
	@$(PYTHON) tesa_site/install.py
	@test -x .venv-neural/bin/python || $(PYTHON) -m venv .venv-neural
	@.venv-neural/bin/python -m pip install --quiet --no-compile --disable-pip-version-check -c constraints.txt -r neural-requirements.txt
	@.venv/bin/python -c "import site; print(site.getsitepackages()[0])" > $$(echo .venv-neural/lib/python*/site-packages)/tesa.pth

test-neural:    ## tests of the neural rankers, with torch in .venv-neural
	@$(PYTHON) tesa_site/install.py dev
	@$(MAKE) --no-print-directory .venv-neural
	@OMP_NUM_THREADS=1 .venv-neural/bin/python -m pytest -n 0 tests/modeling/neural $(PYTEST_ARGS)

smoke:          ## the whole way once, from an empty folder to a finished campaign
	@$(PYTHON) tesa_site/install.py dev
	@$(VENV_PYTHON) -m tests.smoke

screenshots:    ## every page in two widths and two themes, in var/screenshots
	@$(PYTHON) tesa_site/install.py dev
	@$(VENV_PYTHON) -m tests.screenshots $(SCREENSHOTS)

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
	rm -rf .venv .venv-neural .venv-fairseq .mypy_cache .ruff_cache .pytest_cache .hypothesis
