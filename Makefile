# `make demo` and `make test` each set up what they need, in .venv. All that has to be there is Python 3.11 and make.

PYTHON ?= python3
VENV := .venv
LOCK_VENV := .venv-lock
PEERS := .venv-peers
CONFORMANCE := .venv-conformance
BROWSER := .venv-browser
DOCS := .venv-docs
OTHER_PYTHONS := 3.12 3.13
REQUIREMENTS := requirements-dev.txt
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

# What reads, writes or lets in: of these every branch is tested.
COVERED := */formats/*,*/gensim_compat/files.py,*/corpus/finding.py,*/corpus/unpacking.py,*/corpus/decoding.py,*/corpus/guessing.py,*/corpus/plain_text.py,*/corpus/lists.py,*/corpus/lines.py,*/corpus/vocabulary.py,*/pairs/pair_reading.py,*/evaluation/questions.py,*/vectors/record.py,*/system/files.py,*/system/temporary.py,*/system/locks.py,*/system/tensors.py,*/system/display.py,*/phrases/files.py,*/training/outputs.py,*/training/checkpoint.py,*/training/loop.py,*/training/monitoring.py,*/training/start.py,*/reports/history.py,*/config.py,*/cli/signals.py,*/cli/saved_command.py,*/maps/saved.py,*/maps/colouring.py,*/explorer/guard.py,*/explorer/parameters.py,*/cli/config_file.py,*/corpus/inputs/*

# The tests run in two lanes, for two cores: the files of BESIDE and then FIGURES in one, all others in the other. Those
# that compile little come first, so that the lanes do not compile the same kernels at the same time. FIGURES, the short
# figures of reliability, have a process of their own: they fork, which is safe only where Ray's threads never ran. No
# coverage is taken of them: they are processes of their own, or read files many thousand times.
BESIDE := tests/corpus/remote tests/formats tests/kernel tests/method tests/pairings tests/pairs tests/preparing/phrases tests/training
FIGURES := tests/reliability

# $(call lanes,pytest) runs all tests with that module of Python's, and fails if a lane did.
define lanes
find src -name '*.nb[ic]' -delete # Numba would not see that a kernel in another file has changed
($(BIN)/python -m $(1) $(BESIDE); beside=$$?; $(BIN)/python -m pytest $(FIGURES) && exit $$beside) > .beside.log 2>&1 & beside=$$!; \
$(BIN)/python -m $(1) $(patsubst %,--ignore=%,$(BESIDE) $(FIGURES) tests/test_wikipedia.py); \
others=$$?; wait $$beside; beside=$$?; cat .beside.log; test $$others = 0 -a $$beside = 0
endef

# Bytecode and compiled kernels are cached, and what is imported is what was installed.
unexport PYTHONDONTWRITEBYTECODE PYTHONPATH PYTHONHOME

.DEFAULT_GOAL := help
.PHONY: help demo test test-versions test-lowest $(OTHER_PYTHONS:%=test-%) suite quality lint bench reliability cluster-test conformance browser-test docs lock clean
.NOTPARALLEL:
.DELETE_ON_ERROR:

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-13s %s\n", $$1, $$2}' Makefile

demo: $(VENV)/.runs ## train on the text of Python's standard library and show what was learnt
	@$(PIP) install --editable '.[map]' # t-SNE; without it, the map shows principal components
	$(BIN)/pairloom demo

test: lint ## check format, style and types, then run all tests, and see what they left out
	$(BIN)/python -m coverage erase
	$(call lanes,coverage run -m pytest)
	$(BIN)/python -m coverage combine --quiet
	$(BIN)/python -m coverage report --fail-under=95
	$(BIN)/python -m coverage report --fail-under=100 --include='$(COVERED)'

test-versions: $(OTHER_PYTHONS:%=test-%) test-lowest ## run all tests on other Pythons, and with the lowest versions of dependencies (40 minutes)

# $(call python,3.12) is a Python of that version: of PATH, if it runs (pyenv has shims of Pythons that do not), or of pyenv.
python = $(firstword $(foreach path,python$(1) $(wildcard $(HOME)/.pyenv/versions/$(1).*/bin/python),$(shell $(path) -c '' 2>/dev/null && echo $(path))))
NONE = @echo "There is no Python $(1) here, on PATH or of pyenv: $@ is skipped."

$(OTHER_PYTHONS:%=test-%): test-%:
	$(if $(call python,$*),$(MAKE) suite VENV=.venv-$* PYTHON=$(call python,$*),$(call NONE,$*))

test-lowest:
	$(if $(call python,3.11),$(MAKE) suite VENV=.venv-lowest PYTHON=$(call python,3.11) REQUIREMENTS=$(LOCK_VENV)/lowest.txt,$(call NONE,3.11))

suite: $(VENV)/.tests
	$(call lanes,pytest)

quality: $(VENV)/.tests ## train on Wikipedia, if ../shared/data has it, and hold speed and scores to their bars (minutes)
	$(BIN)/python -m pytest tests/test_wikipedia.py

lint: $(VENV)/.tests ## check format, style and types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

bench: $(VENV)/.runs $(PEERS)/.peers ## train beside word2vec.c, gensim and fastText, and make a table (see benchmarks/README.md)
	@$(PIP) install 'matplotlib>=3.9' # for the chart
	$(BIN)/python -m benchmarks.compare --peers $(PEERS)/bin $(BENCH)

reliability: $(VENV)/.tests ## break files, writes, processes and the package itself on purpose, and make a table (16 minutes)
	$(BIN)/python -m reliability

cluster-test: $(VENV)/.tests ## train on Ray while workers, raylets and drivers are killed, and compare the bytes (16 minutes)
	$(BIN)/python -m reliability.cluster

conformance: $(VENV)/.tests $(CONFORMANCE)/.peers ## read the files of other programs and have them read ours
	$(BIN)/python -m pytest tests/conformance

browser-test: $(VENV)/.tests $(BROWSER)/.browser ## use the page of `pairloom explore` in Chromium, and keep screenshots (3 minutes)
	@command -v chromium >/dev/null || { test "$$(id -u)" = 0 && apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium fonts-noto-cjk; } \
		|| { echo "These tests need Chromium. Install it (on Debian: apt-get install chromium) and run this again." >&2; exit 1; }
	PAIRLOOM=$(abspath $(BIN)/pairloom) $(BROWSER)/bin/python -m pytest --confcutdir=tests/explorer/browser -p no:cacheprovider -o filterwarnings=error tests/explorer/browser

docs: $(VENV)/.tests $(DOCS)/.site ## build docs/ and a reference made of the code into a site, and follow its links (build/site)
	$(BIN)/python -m scripts.site $(DOCS)/bin/zensical

COMPILE := UV_CUSTOM_COMPILE_COMMAND='make lock' $(LOCK_VENV)/bin/uv pip compile pyproject.toml --group dev --all-extras \
	--python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate --no-config --quiet

lock: $(LOCK_VENV)/bin/uv ## renew requirements-dev.txt from pyproject.toml
	$(COMPILE) --universal --upgrade --output-file requirements-dev.txt

$(LOCK_VENV)/lowest.txt: pyproject.toml | $(LOCK_VENV)/bin/uv
	$(COMPILE) --resolution lowest-direct --output-file $@

clean: ## remove .venv and every cache
	rm -rf $(VENV) $(VENV)-* .mypy_cache .pytest_cache .ruff_cache .hypothesis .coverage* .beside.log .browser-screenshots build dist
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +

# The files below mark what is done: .made is an empty environment, .runs has the package, .tests also the tools.
# A change of pyproject.toml or the lock installs again, which fetches only what is missing.

%/.made:
	@command -v $(PYTHON) >/dev/null || { \
		echo "pairloom needs Python 3.11 or newer, and there is no $(PYTHON) here. Install one, or name it: make PYTHON=/path/to/python" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(None if sys.version_info >= (3, 11) else "pairloom needs Python 3.11 or newer, and $(PYTHON) is %d.%d. Name a newer one: make PYTHON=python3.12" % sys.version_info[:2])'
	$(PYTHON) -m venv --clear $*
	@touch $@

$(LOCK_VENV)/bin/uv: | $(LOCK_VENV)/.made
	$(LOCK_VENV)/bin/python -m pip --disable-pip-version-check --quiet install uv

$(PEERS)/.peers: | $(PEERS)/.made
	@echo "Installing the peers into $(PEERS); fastText and word2vec are compiled, which takes some minutes."
	@$(PEERS)/bin/python -m pip --disable-pip-version-check --quiet install gensim fasttext word2vec
	@touch $@

# Each by itself, so that one that cannot be installed leaves only its own tests out.
$(CONFORMANCE)/.peers: | $(CONFORMANCE)/.made
	@echo "Installing other programs into $(CONFORMANCE): some 2 GB and some minutes, since two are compiled."
	@for packages in gensim fasttext word2vec model2vec 'torch==2.13.0 sentence-transformers' spacy; do \
		$(CONFORMANCE)/bin/python -m pip --disable-pip-version-check --quiet install $$packages \
			|| echo "$$packages could not be installed; its tests will be skipped."; \
	done
	@touch $@

$(BROWSER)/.browser: | $(BROWSER)/.made
	@echo "Installing Playwright and axe into $(BROWSER); about 50 MB."
	@$(BROWSER)/bin/python -m pip --disable-pip-version-check --quiet install 'playwright>=1.50' 'axe-playwright-python>=0.1.4' 'pytest>=9.0' 'pytest-timeout>=2.3'
	@touch $@

# Pinned, since it is young and its output is what people see.
$(DOCS)/.site: | $(DOCS)/.made
	@echo "Installing zensical into $(DOCS); about 20 MB."
	@$(DOCS)/bin/python -m pip --disable-pip-version-check --quiet install zensical==0.0.73
	@touch $@

$(VENV)/.runs: pyproject.toml | $(VENV)/.made
	@echo "Installing pairloom into $(VENV); the first time fetches about 80 MB."
	@$(PIP) install --editable .
	@touch $@

$(VENV)/.tests: pyproject.toml $(REQUIREMENTS) | $(VENV)/.made
	@echo "Installing pairloom and its development tools into $(VENV); the first time fetches about 140 MB."
	@$(PIP) install --require-hashes --requirement $(REQUIREMENTS)
	@$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $(VENV)/.runs $@
