"""What this machine and this vLLM can do."""

from kveval.doctor.machine import diagnosis
from kveval.engine.inspection import Inspection, Installed
from kveval.hardware.host import host_facts
from kveval.store.manifest import Host

HOST = Host(machine="x86_64", system="Linux", cpus=16, memory=2**37, gpus=("NVIDIA H200, 143771 MiB, 580",))


def lines(host=HOST, **more):
    given = {"version": "0.32.0", "device": "cuda", "max_model_len": None, "kv_dtypes": ("auto", "fp8", "fp8_e5m2")}
    return list(diagnosis(host, Installed(**given | more)))


def test_machine_and_engine_are_named():
    text = "\n".join(lines())
    for said in ("16 CPU cores, 128 GiB", "vLLM 0.32.0 for cuda", "NVIDIA H200, 143771 MiB", "auto, fp8, fp8_e5m2"):
        assert said in text
    assert "Not supported on this machine" not in text


def test_what_the_machine_cannot_hold_stands_apart_with_the_reason():
    refused = dict.fromkeys(("fp8", "fp8_e5m2"), "needs AVX-512.")
    found = lines(HOST.model_copy(update={"gpus": ()}), device="cpu", refused=refused)
    assert "GPUs: none listed by nvidia-smi" in found
    assert "KV dtypes accepted on this machine: auto" in found
    assert "Not supported on this machine: fp8, fp8_e5m2: needs AVX-512." in found


def test_a_vllm_that_does_not_list_its_dtypes_is_said_not_to():
    assert lines(kv_dtypes=())[-1].startswith("KV dtypes: this vLLM does not list them")


def test_the_installed_vllm_answers():
    installed = Inspection([]).result()
    assert "auto" in installed.kv_dtypes
    assert set(installed.refused) <= set(installed.kv_dtypes)
    assert list(diagnosis(host_facts(), installed))
