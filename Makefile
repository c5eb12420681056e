# `make run` on a fresh checkout is enough. Windows and macOS: docs/setup.md.
PYTHON ?= python3
VENV   := .venv/bin/python

.PHONY: help run test check bench soak clean

help:
	@echo "make run     open FFN Explorer (prepares .venv first)"
	@echo "make test    every test, without a screen"
	@echo "make check   ruff, mypy --strict, import contracts"
	@echo "make bench   timings against their limits"
	@echo "make soak    the tests that run for minutes"
	@echo "make clean   remove what was built; .venv stays"

run:
	@$(PYTHON) packaging/prepare.py
	$(VENV) -m ffn_explorer $(ARGS)

test:
	@$(PYTHON) packaging/prepare.py --test
	$(VENV) -m pytest -n 2 $(ARGS)

check:
	@$(PYTHON) packaging/prepare.py --test
	$(VENV) -m ruff check
	$(VENV) -m ruff format --check
	$(VENV) -m mypy
	.venv/bin/lint-imports

bench:
	@$(PYTHON) packaging/prepare.py
	$(VENV) -m ffn_explorer bench $(ARGS)

soak:
	@$(PYTHON) packaging/prepare.py --test
	$(VENV) -m pytest -m soak --timeout 3600 tests/soak $(ARGS)

clean:
	rm -rf build dist tests/output .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find ffn_explorer tests packaging -name __pycache__ -type d -prune -exec rm -rf {} +
