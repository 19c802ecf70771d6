"""What is said of the machine."""

import os

import pytest

from kveval.hardware import host


@pytest.mark.parametrize(
    ("gpus", "installed", "on_gpu"),
    [([], False, False), (["NVIDIA H200"], False, True), (["NVIDIA H200"], True, False)],
)
def test_a_build_for_cpus_serves_on_no_gpu_that_is_there(monkeypatch, gpus, installed, on_gpu):
    monkeypatch.setattr(host, "gpus", lambda: gpus)
    monkeypatch.setattr(host, "_is_installed", lambda _: installed)
    assert host.serves_on_gpu() is on_gpu


def test_cores_are_those_that_may_be_used(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1}, raising=False)
    assert host.host_facts().cpus == 2
