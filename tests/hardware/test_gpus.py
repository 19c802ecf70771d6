import pytest

from kveval.hardware.gpus import memory_bandwidth, parse_gpu

H200, H20 = "NVIDIA H200, 143771 MiB, 570.00", "NVIDIA H20, 97871 MiB, 570.00"


@pytest.mark.parametrize(
    ("line", "bandwidth"),
    [
        (H200, 4.8e12),
        (H20, 4.0e12),
        ("NVIDIA A100-SXM4-80GB, 81920 MiB, 570.00", 2.039e12),
        ("Some other GPU", None),
        ("NVIDIA GH200 480GB, 97871 MiB, 570.00", None),  # memory of another kind
        ("NVIDIA A100X, 81920 MiB, 570.00", None),
    ],
)
def test_bandwidths_are_known_by_the_gpus_name(line, bandwidth):
    assert memory_bandwidth([line]) == (bandwidth and pytest.approx(bandwidth))


def test_gpus_of_two_kinds_have_no_common_bandwidth():
    assert memory_bandwidth([H200, H200]) == pytest.approx(4.8e12)
    assert memory_bandwidth([H200, H20]) is None
    assert memory_bandwidth([]) is None


def test_a_line_of_nvidia_smi_has_a_name_and_a_size():
    assert (parse_gpu(H200).name, parse_gpu(H200).memory_bytes) == ("NVIDIA H200", 143771 * 2**20)
    assert parse_gpu("Some other GPU").memory_bytes is None
