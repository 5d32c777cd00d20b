# `make demo` and `make test` need Linux, Python >= 3.10, g++ and make. Everything else goes into .venv.
#   PYTHON=...   the Python to make .venv with (default: the first one that is new enough)
#   TORCH=...    another torch (TORCH=torch==2.5.1); to change it later, `make clean` first
#   JOBS=...     test processes at a time

TORCH ?= $(shell cat requirements/torch.txt)
JOBS ?= 2
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
C_SOURCES = $(shell find src -name '*.h' -o -name '*.cpp' -o -name '*.cu' -o -name '*.hip')
export PYTHON

.DEFAULT_GOAL := help
.PHONY: help demo test lint types unit exhaustive format clean
.DELETE_ON_ERROR:

help:
	@echo "make demo    install into .venv and check three operators"
	@echo "make test    lint, types and tests, in the same .venv"
	@echo "make exhaustive    the further operators, examples and planted faults of device code, which take long"
	@echo "make lint | types | unit | format | clean"

demo: $(VENV)/.package
	$(BIN)/opwright check bias_gelu swish add2

test: lint types unit

unit: $(VENV)/.tests
	$(BIN)/pytest -n $(JOBS) --dist loadgroup

exhaustive: $(VENV)/.tests
	$(BIN)/pytest -n $(JOBS) --dist loadgroup -m exhaustive

lint: $(VENV)/.tests
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/clang-format --dry-run --Werror $(C_SOURCES)

types: $(VENV)/.tests
	$(BIN)/mypy

format: $(VENV)/.tests
	$(BIN)/ruff check --fix --quiet . || true
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(C_SOURCES)

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache

# Each stamp is touched only when its step has succeeded, so a broken-off step is done again.
# torch comes first and alone: resolved together with the rest, it may be another build of it.
$(VENV)/.torch: requirements/torch.txt scripts/find_python.sh
	@python=$$(sh scripts/find_python.sh) && echo "$(VENV): made with $$python" && \
	  "$$python" -m venv --clear $(VENV)
	@echo "$(VENV): installing $(TORCH)"
	@$(PIP) install "$(TORCH)"
	@touch $@

$(VENV)/.package: $(VENV)/.torch pyproject.toml requirements/test.txt
	@echo "$(VENV): installing opwright"
	@$(PIP) install --constraint requirements/test.txt --editable .
	@touch $@

$(VENV)/.tests: $(VENV)/.package requirements/test.txt
	@echo "$(VENV): installing what the tests need"
	@$(PIP) install --requirement requirements/test.txt
	@touch $@
