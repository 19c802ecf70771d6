import pytest

from kveval.arms import Arm
from kveval.engine.server import command_line, root_cause


def test_arms_differ_in_the_kv_dtype_alone():
    auto, fp8 = (command_line("m", Arm(d, d), 8192, ("--seed=1",), "cuda") for d in ("auto", "fp8"))
    assert [(a, b) for a, b in zip(auto, fp8, strict=True) if a != b] == [("auto", "fp8")]


def test_the_users_argument_stands_before_a_default():
    words = command_line("m", Arm("auto", "auto"), 8192, ("--max-model-len=9000",), "cpu")
    assert [word for word in words if word.startswith("--max-model-len")] == ["--max-model-len=9000"]


@pytest.mark.parametrize(
    ("log", "cause"),
    [
        (
            "(VllmWorker-0 pid=9) ERROR 11-29 17:47:36 [multiproc_executor.py:953] ValueError: Available memory is less.\n"
            "(EngineCore pid=8) ERROR 11-29 17:47:37 [core.py:1] Exception: WorkerProc initialization failed\n"
            "(APIServer pid=7) RuntimeError: Engine core initialization failed. See root cause above.\n",
            "ValueError: Available memory is less.",
        ),
        (
            "usage: api_server.py [-h]\napi_server.py: error: unrecognized arguments: --no-such-thing\n",
            "unrecognized arguments: --no-such-thing",
        ),
        (
            "pydantic_core._pydantic_core.ValidationError: 1 validation error for ModelConfig\n"
            "  Value error, The model is too small. [type=value_error, input_value=1]\n",
            "The model is too small.",
        ),
        (
            "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB.\n",
            "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB.",
        ),
        (
            "RuntimeError: Engine core initialization failed. See root cause above.\n",
            "RuntimeError: Engine core initialization failed. See root cause above.",
        ),
        (
            "INFO [async.py:1] engine core exited unexpectedly, shutting down\n"
            "vllm.v1.engine.exceptions.EngineDeadError: EngineCore encountered an issue. See stack trace (above).\n",
            "INFO [async.py:1] engine core exited unexpectedly, shutting down",
        ),
        ("INFO 11-29 17:44:33 [a.py:1] all is well\n", None),
    ],
)
def test_the_root_cause_is_the_first_exception_that_echoes_no_other(log, cause):
    assert root_cause(log) == cause
