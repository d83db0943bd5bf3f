# The one list of commands. `make` alone prints it. CI calls these and nothing else.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help

VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= $(shell tools/find_python)
# One thread a process: two processes of two threads on two cores are seven times slower.
WORKERS ?= 2
export OMP_NUM_THREADS ?= 1
export MKL_NUM_THREADS ?= 1
export OPENBLAS_NUM_THREADS ?= 1
# PyTorch's own index, for the CPU build and for nothing else.
TORCH_INDEX := https://download.pytorch.org/whl/cpu
NBVAL := --nbval --nbval-current-env --nbval-cell-timeout 300
# A test that hangs ends with its stack, named; it never holds up the run.
BOUND := -o faulthandler_timeout=900 -o faulthandler_exit_on_timeout=true
# A browser may stall on a busy machine. What ran out of time is tried once more and listed; a
# wrong assertion never is.
STALLS := --timeout 300 --timeout-method signal -o timeout_func_only=true \
	--reruns 1 --only-rerun Timeout --rerun-show-tracebacks -rfER
PIP := $(BIN)/python -m pip install -qq --disable-pip-version-check
BESIDE := $(BIN)/python -m pip --python $(VENV)-nbgrader/bin/python install -qq --disable-pip-version-check
CODE := .

.PHONY: help book serve lab test environment notebooks quick robust late thorough mutants colab system clean
.PHONY: lint types javascript unit site browser status touched

help:  ## print this list
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' Makefile | expand -t 14

# ---- read ----

book: $(VENV)/.book  ## build the book: no torch, no kernel
	@tools/phase site $(MAKE) site
	@echo
	@echo "The book is built. Open _build/html/index.html, or run: make serve"

serve:  ## show the built book on http://127.0.0.1:8000
	@test -f _build/html/index.html || { echo "Nothing is built yet: run make book first." >&2; exit 1; }
	@echo "http://127.0.0.1:8000/  (Ctrl-C stops it)"
	@$(BIN)/python -m http.server --bind 127.0.0.1 --directory _build/html 8000

site:
	@rm -rf _build
	@$(BIN)/jupyter-book build . --path-output . -n -W --keep-going -q

lab: $(VENV)/.lab  ## run the notebooks in JupyterLab
	@$(BIN)/jupyter lab book/index.ipynb

# ---- prove ----

test:  ## the one gate: everything that a change must pass
	@tools/phase environment $(MAKE) environment
	@tools/phase lint $(MAKE) lint
	@tools/phase types $(MAKE) types
	@tools/phase javascript $(MAKE) javascript
	@tools/phase "site (strict build)" $(MAKE) site
	@tools/phase "notebooks and unit tests" $(MAKE) unit
	@tools/phase "built site in a browser" $(MAKE) browser
	@tools/phase status $(MAKE) status
	@echo "make test: every gate is green."

types:
	@$(BIN)/mypy

lint:
	@$(BIN)/ruff check $(CODE)
	@$(BIN)/ruff format --check $(CODE)

javascript:
	@node_modules/.bin/tsc -p tsconfig.json
	@tools/node_tests

unit:
	@$(BIN)/python -m pytest $(NBVAL) $(BOUND) -n $(WORKERS) --dist loadfile -q -m "not browser and not site and not thorough" book tests

browser:
	@$(BIN)/python -m pytest $(BOUND) $(STALLS) -n $(WORKERS) --dist loadfile -q -m "(browser or site) and not thorough" tests

status:
	@$(BIN)/python tools/status.py --check

quick: environment  ## the inner loop: lint, and the tests and notebooks that a change touches
	@$(BIN)/python tools/quick.py

touched:
	@$(BIN)/python -m pytest $(NBVAL) $(BOUND) -n $(WORKERS) --dist loadfile -q -m "not site and not thorough" $(TESTS)

# MINUTES=10 begins no notebook after ten minutes; the next call goes on where this one stopped.
robust: environment  ## nbval again with other kernels and two threads; MINUTES=10 for a part
	@$(BIN)/python tools/robust.py --minutes $(or $(MINUTES),inf)
	@$(BIN)/python tools/status.py

thorough: environment $(VENV)/.lab  ## the tests that build small books, start nbgrader or stall browsers
	@tools/phase "site (strict build)" $(MAKE) site
	@$(BIN)/python -m pytest $(BOUND) $(STALLS) -n $(WORKERS) --dist loadfile -q -m thorough tests

late:  ## the browser tests again, every frame a tenth of a second late
	@LATE_FRAMES=100 $(MAKE) browser

mutants: environment  ## the wrong answers of every exercise, and the check that caught each
	@$(BIN)/python tools/mutants.py

colab:  ## the tests of widgets, reference and figures with Colab's versions
	@tools/colab "$(TORCH_INDEX)"

# ---- make ----

notebooks: environment  ## execute every notebook and store it; then the status page
	@$(BIN)/python tools/execute_notebooks.py
	@$(BIN)/python tools/status.py

environment: $(VENV)/.test $(VENV)-nbgrader/.stamp node_modules/.stamp  ## .venv and node_modules with all that the tests need
	@tools/need bubblewrap chromium node

system:  ## install what Debian or Ubuntu lacks (as root)
	@tools/system

clean:  ## remove what was built; the environment stays
	rm -rf _build .make

$(BIN)/python:
	@tools/find_python > /dev/null
	@echo "Creating $(VENV) with $$("$(PYTHON)" --version)"
	@"$(PYTHON)" -m venv "$(VENV)" || { tools/need venv; exit 1; }

$(VENV)/.book: requirements/book.txt pyproject.toml | $(BIN)/python
	@echo "Installing what the book needs (no torch)"
	@$(PIP) -r requirements/book.txt
	@$(PIP) --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.test: $(VENV)/.book requirements.txt
	@echo "Installing what the tests need, and the CPU build of torch"
	@tools/torch_cpu "$(BIN)/python" "$(TORCH_INDEX)"
	@$(PIP) -r requirements.txt
	@touch $@

# Widgets that were run and saved are there again when the notebook is opened: the setting.
$(VENV)/.lab: $(VENV)/.test requirements/lab.txt requirements/lab_settings.json
	@$(PIP) -r requirements/lab.txt
	@install -D -m 644 requirements/lab_settings.json $(VENV)/etc/jupyter/labconfig/default_setting_overrides.json
	@touch $@

# nbgrader lives apart: its grades are compared with ours, and it needs no torch.
$(VENV)-nbgrader/.stamp: requirements/nbgrader.txt | $(VENV)/.book
	@echo "Installing nbgrader beside it"
	@$(BIN)/python -m venv --clear --without-pip $(VENV)-nbgrader
	@$(BESIDE) --no-compile --no-deps -r requirements/nbgrader.txt
	@$(BESIDE) --no-deps --no-build-isolation -e .
	@touch $@

node_modules/.stamp: $(wildcard package.json package-lock.json)
	@tools/need node
	@mkdir -p node_modules
	@if [ -f package-lock.json ]; then npm ci --silent --ignore-scripts --no-audit --no-fund; fi
	@mkdir -p node_modules && touch $@
