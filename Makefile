# make demo   set up, and compare auto and fp8 KV caches on the probe, a small model that comes with kveval (CPU)
# make test   set up, and pass the tests

SHELL := /bin/bash
ready := .venv/ready

.PHONY: demo test check
demo: $(ready)
	.venv/bin/kveval run --tasks evidence,copy --lengths 8k,16k,32k --out reports/demo

test: check
	.venv/bin/python -m pytest -m "not engine" -n auto --dist worksteal
	.venv/bin/python -m pytest -m engine

check: $(ready)
	.venv/bin/ruff check
	.venv/bin/ruff format --check
	.venv/bin/mypy

$(ready): requirements-cpu.txt pyproject.toml scripts/setup.sh
	scripts/setup.sh
