"""What has to travel with a record: the machine and the software that the run was made with."""

from __future__ import annotations

import os
import platform
from pathlib import Path
from typing import Any


def environment_facts() -> dict[str, Any]:
    """Python, torch, operating system, CPU, GPUs and threads of this process. Imports torch."""
    import torch

    return {
        "python": platform.python_version(),
        "torch": str(torch.__version__),
        "torch_cuda": torch.version.cuda or "",
        "torch_hip": torch.version.hip or "",
        "platform": platform.platform(),
        "machine": platform.machine(),
        "libc": " ".join(platform.libc_ver()),
        "cpu": cpu_model(),
        "gpus": gpu_names(),
        "cpus": len(os.sched_getaffinity(0)),
        "threads": torch.get_num_threads(),
    }


def gpu_names() -> list[str]:
    """The GPUs that torch sees, as they call themselves. Imports torch, and starts its use of them."""
    import torch

    return [torch.cuda.get_device_name(index) for index in range(torch.cuda.device_count())]


def cpu_model(cpuinfo: Path = Path("/proc/cpuinfo")) -> str:
    """The processor's name as the kernel gives it; the architecture where it gives none."""
    try:
        lines = cpuinfo.read_text(errors="replace").splitlines()
    except OSError:
        lines = []
    facts = dict(_fact(line) for line in lines if ":" in line)
    return facts.get("model name") or facts.get("Model") or platform.machine()


def _fact(line: str) -> tuple[str, str]:
    name, _, value = line.partition(":")
    return name.strip(), value.strip()
