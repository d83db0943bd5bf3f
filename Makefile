# The one list of commands. `make` alone prints it. CI calls these and nothing else.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help

# Another environment, or another Python: make VENV=.venv-3.13 PYTHON=python3.13 test
export VENV := .venv
BIN := $(VENV)/bin
# One thread a process: two processes of two threads on two cores are seven times slower.
WORKERS ?= 2
export OMP_NUM_THREADS ?= 1
export MKL_NUM_THREADS ?= 1
export OPENBLAS_NUM_THREADS ?= 1
# PyTorch's own index, for the CPU build and for nothing else.
export TORCH_INDEX := https://download.pytorch.org/whl/cpu
NBVAL := --nbval --nbval-current-env --nbval-cell-timeout 300
# A test that hangs ends with its stack, named; it never holds up the run.
BOUND := -o faulthandler_timeout=900 -o faulthandler_exit_on_timeout=true
# A browser may stall on a busy machine. What ran out of time is tried once more and listed; a
# wrong assertion never is.
STALLS := --timeout 300 --timeout-method signal -o timeout_func_only=true \
	--reruns 1 --only-rerun Timeout --rerun-show-tracebacks -rfER
CODE := .
# A clone may lack it.
GRADER := $(wildcard grader/pyproject.toml)
# What did not change since it passed is left out (tools/passed.py); ALL=1 leaves out nothing.
PASSED = $(BIN)/python -m pytest $(BOUND) -n $(WORKERS) --dist loadfile -q --passed

.PHONY: help book serve lab grader test environment notebooks quick robust thorough mutants
.PHONY: colab newest system clean lint format types javascript unit site browser touched
.PHONY: kernels models interpreted compiled grader-test lines audit links take-home pdf

help:  ## print this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 14

# ---- read ----

book:  ## build the book: no torch, no kernel
	@tools/phase environment tools/environment book
	@tools/phase site $(MAKE) site
	@echo
	@echo "The book is built. Open _build/html/index.html, or run: make serve"

serve:  ## show the built book on http://127.0.0.1:8000
	@test -f _build/html/index.html || { echo "Nothing is built yet: run make book first." >&2; exit 1; }
	@echo "http://127.0.0.1:8000/  (Ctrl-C stops it)"
	@$(BIN)/python -m http.server --bind 127.0.0.1 --directory _build/html 8000

site:
	@rm -rf _build
	@$(BIN)/python tools/status.py
	@$(BIN)/jupyter-book build . --path-output . -n -W --keep-going -q

lab:  ## run the notebooks in JupyterLab
	@tools/environment lab
	@[ "$$(id -u)" -ne 0 ] || echo "You are root, so JupyterLab is given --allow-root."
	@$(BIN)/python -m jupyterlab $$([ "$$(id -u)" -ne 0 ] || echo --allow-root) book/index.ipynb

grader:  ## set up what grading needs: no Node, no browser; torch with TORCH=1
	@tools/environment $(if $(filter 1,$(TORCH)),torch,book) grader -- bubblewrap
	@echo "Ready. In each new terminal: source $(BIN)/activate; then: attention-course --help"
	@$(BIN)/python -c "import torch" 2> /dev/null || echo \
		"The one exercise that needs torch, multi-head-attention: make grader TORCH=1"

# ---- prove ----

test:  ## the one gate: everything that a change must pass; ALL=1 also what it cannot touch
	@tools/phase environment $(MAKE) environment
	@tools/phase lint $(MAKE) lint
	@tools/phase types $(MAKE) types
	@tools/phase javascript $(MAKE) javascript
	@tools/phase "site (strict build)" $(MAKE) site
	@tools/phase "notebooks and unit tests" $(MAKE) unit
	@tools/phase "built site in a browser" $(MAKE) browser
	@if [ -e $(VENV)-kernels/.stamp ]; then $(MAKE) kernels; else \
		echo; echo "== kernels: not run. Their tests need Triton (1 GB): make kernels"; fi
	@echo "make test: every gate is green."

types:
	@$(BIN)/mypy

lint:
	@$(BIN)/ruff check $(CODE)
	@$(BIN)/ruff format --check $(CODE)
	@$(BIN)/zizmor --offline --quiet .github

format:  ## write Python and JavaScript in the house's layout
	@$(BIN)/ruff format $(CODE)
	@node_modules/.bin/biome format --write

javascript:
	@node_modules/.bin/biome check --error-on-warnings
	@node_modules/.bin/tsc -p tsconfig.json
	@node_modules/.bin/tsc -p tsconfig.site.json
	@tools/node_tests

unit:
	@$(PASSED) unit $(NBVAL)

browser:
	@$(PASSED) browser $(STALLS)

quick: environment  ## the inner loop: lint, and the tests and notebooks that a change touches
	@$(BIN)/python tools/quick.py

touched:
	@$(BIN)/python -m pytest $(NBVAL) $(BOUND) -n $(WORKERS) --dist loadfile -q -m "not site and not thorough and not interpreted and not compiled and not pretrained" $(TESTS)

# MINUTES=10 begins no notebook after ten minutes; the next call goes on where this one stopped.
robust: environment  ## nbval again with other kernels and two threads; MINUTES=10 for a part
	@$(BIN)/python tools/robust.py --minutes $(or $(MINUTES),inf)

thorough: environment  ## the tests that build small books, start JupyterLab or Firefox, or stall browsers
	@tools/environment lab
	-@tools/system firefox # without it, its tests are skipped, and the run says so
	@tools/phase "site (strict build)" $(MAKE) site
	@tools/phase "thorough tests" $(PASSED) thorough $(STALLS) --timeout 800 -rfERs
	@if [ -e $(VENV)-models/.stamp ]; then $(MAKE) models; fi

grader-test: environment  ## the grader's own gate; CI calls it when grader, protocol or bank changed
	@tools/phase "grader, lint" $(MAKE) lint CODE=grader
	@tools/phase "grader, types" $(BIN)/mypy grader/src
	@tools/phase "grader, tests" $(PASSED) grader
	@tools/phase "grader, pages in a browser" $(PASSED) grader-browser $(STALLS)

kernels:  ## the Triton kernels, interpreted and compiled, no GPU needed; TRITON=3.6.0 for Colab's
	@tools/environment kernels
	@tools/phase "kernels, interpreted" $(MAKE) interpreted
	@tools/phase "kernels, compiled" $(MAKE) compiled

models: environment  ## two pretrained models (87 MB): are they what the page shows? SMOLLM=1 for a third
	@tools/environment models
	@tools/phase "pretrained models" $(VENV)-models/bin/python -m pytest $(BOUND) -q -m pretrained tests/models/pretrained

interpreted:
	@TRITON_INTERPRET=1 $(VENV)-kernels/bin/python -m pytest $(BOUND) -n $(WORKERS) -q -m interpreted tests/kernels

compiled:
	@TRITON_CACHE_DIR="$(CURDIR)/$(VENV)-kernels/cache" $(VENV)-kernels/bin/python -m pytest $(BOUND) -n $(WORKERS) -q -m compiled tests/kernels

lines:  ## how many lines are taught or touched, and how many are machinery
	@$(BIN)/python tools/lines.py

mutants: environment  ## the wrong answers of every exercise, and the check that caught each
	@$(BIN)/python tools/mutants.py

colab:  ## the tests of widgets, reference and figures with Colab's versions
	@tools/colab colab "$(TORCH_INDEX)"

newest:  ## the same with the newest versions (needs the network)
	@tools/colab newest "$(TORCH_INDEX)"

audit:  ## known faults of what is pinned (needs the network)
	@"$$(tools/find_python)" -m venv .make/audit
	@.make/audit/bin/python -m pip install -qq pip-audit
	@for pinned in requirements.txt requirements/*.txt; do echo "$$pinned"; \
		sed -n 's/+cpu//; s/ *;.*//; /==/p' "$$pinned" > .make/audit/pinned.txt; \
		.make/audit/bin/pip-audit --disable-pip --no-deps -r .make/audit/pinned.txt; done
	@npm audit

links: book  ## follow every link that leads out of the book (needs the network)
	@$(BIN)/jupyter-book build . --path-output . --builder linkcheck

take-home: book  ## dist/: the site to open by double click, the notebooks, the wheel
	@$(BIN)/python tools/take_home.py

pdf: environment  ## dist/: the whole book as one PDF, figures and widgets as stills
	@tools/phase site $(MAKE) site
	@$(BIN)/python tools/pdf.py

# ---- make ----

notebooks: environment  ## execute every notebook and store it
	@$(BIN)/python tools/execute_notebooks.py

environment:  ## .venv, node_modules and what the machine lacks: all that the tests need
	@tools/environment test $(if $(GRADER),grader) node -- compiler $(if $(GRADER),bubblewrap) chromium node

system:  ## install what Debian or Ubuntu lacks, and nothing else
	@tools/system python compiler bubblewrap chromium node

clean:  ## remove what was built; the environment stays
	rm -rf _build .make
