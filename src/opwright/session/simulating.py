"""The simulated device in this process: built once a store, and loaded once a process."""

from __future__ import annotations

from types import ModuleType

from opwright.records.artifact import Artifact
from opwright.toolchain.torch_facts import torch_facts


def build_simulated_device() -> Artifact:
    """Find or build the device's library. Raises what `opwright.build.builder.build` raises.

    It takes most of a minute to compile, so that is done before anybody waits for it in a worker.
    """
    from opwright.build.builder import build
    from opwright.generate.simulated import simulated_request

    return build(simulated_request(torch_facts()))


def simulated_device() -> ModuleType:
    """``torch.simulated``, with the device ready for use; see `opwright.simulated.device_module`."""
    from opwright.simulated.install import install, installed

    return installed() or install(build_simulated_device())
