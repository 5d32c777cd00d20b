"""Extensions ask for tensors on a device; where there is none they have to get those on the CPU."""

from __future__ import annotations

import pytest

from opwright.emulator.torch_device import for_tensors_on_the_cpu


@pytest.mark.parametrize(
    ("source", "translated"),
    [
        ("x.is_cuda() && y.device().is_cuda();", "x.is_cpu() && y.device().is_cpu();"),
        ("x.options().device(torch::kCUDA, 0);", "x.options().device(torch::kCPU, 0);"),
        ("c10::DeviceType::HIP", "c10::DeviceType::CPU"),
        ("TORCH_LIBRARY_IMPL(ops, CUDA, m) {", "TORCH_LIBRARY_IMPL(ops, CPU, m) {"),
        ("at::cuda::getCurrentCUDAStream();", "at::cuda::getCurrentCUDAStream();"),
        ('"is_cuda"; // is_cuda', '"is_cuda"; // is_cuda'),
        ("const int CUDA = 3, is_cuda_graph = 4;", "const int CUDA = 3, is_cuda_graph = 4;"),
    ],
)
def test_only_names_of_the_kind_of_device_become_others(source: str, translated: str) -> None:
    assert for_tensors_on_the_cpu(source) == translated


def test_lines_stay_where_they_are() -> None:
    source = "a\nTORCH_LIBRARY_IMPL(ops,\n  CUDA, m)\nis_cuda\n"
    assert for_tensors_on_the_cpu(source) == "a\nTORCH_LIBRARY_IMPL(ops,\n  CPU, m)\nis_cpu\n"
