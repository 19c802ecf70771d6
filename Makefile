# make demo   set up, and compare auto and fp8 KV caches on a small model (CPU, about a quarter of an hour)
# make test   set up, and pass the tests

SHELL := /bin/bash
ready := .venv/ready

.PHONY: demo test check
demo: $(ready)
	.venv/bin/kveval run --lengths 2k,4k,8k --samples 4 --out reports/demo

test: check
	.venv/bin/python -m pytest

check: $(ready)
	.venv/bin/ruff check
	.venv/bin/ruff format --check
	.venv/bin/mypy

$(ready): requirements-cpu.txt pyproject.toml scripts/setup.sh
	scripts/setup.sh
