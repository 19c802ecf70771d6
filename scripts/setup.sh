#!/usr/bin/env bash
# Make .venv with vLLM for CPUs and kveval itself, once. Installs exactly what requirements-cpu.txt names, by hash.
set -euo pipefail
cd "$(dirname "$0")/.."

python=${PYTHON:-python3.11}
if ! "$python" -c 'import platform, sys; sys.exit((sys.version_info[:2], platform.machine()) != ((3, 11), "x86_64"))' 2>/dev/null; then
  echo "setup: $python is not CPython 3.11 on x86-64, for which requirements-cpu.txt is made: install it, or name it with PYTHON=." >&2
  exit 2
fi

torch_index=https://download.pytorch.org/whl/cpu
install() { .venv/bin/python -m pip --disable-pip-version-check install --quiet --no-deps "$@"; }

if [ -e .venv ] && [ ! -e .venv/ready ] && [ ! -e .venv/kveval-setup ]; then
  echo "setup: .venv was not made by this script: move it away first." >&2
  exit 2
fi
echo "setup: making .venv (3.5 GB, two minutes or more)"
rm -rf .venv
"$python" -m venv .venv
touch .venv/kveval-setup
if install -r requirements-cpu.txt 2> .venv/install.log; then
  echo "setup: installed from pip's own indexes"
elif install -r requirements-cpu.txt --extra-index-url "$torch_index"; then
  echo "setup: installed with PyTorch's index of CPU builds beside pip's own ($torch_index)"
else
  cat .venv/install.log >&2
  exit 2
fi
install --no-build-isolation --editable .
touch .venv/ready
