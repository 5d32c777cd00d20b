from __future__ import annotations

from pathlib import Path

import pytest

from opwright.discovery import find_one
from opwright.errors import SpecError, ToolchainError
from opwright.frozen import replace
from opwright.generate.simulated import simulated_request
from opwright.session.building import request_for
from opwright.spec.target import Target
from opwright.toolchain.torch_facts import torch_facts

EXAMPLES = Path(__file__).parent.parent.parent / "examples"


def test_extensions_are_refused_with_what_to_use_instead() -> None:
    spec = find_one(f"{EXAMPLES / 'swish'}:swish_extension").spec
    with pytest.raises(SpecError, match="extensions do not run") as caught:
        request_for(spec, Target("simulated"))
    assert "--target emulated" in caught.value.hint


def test_an_older_torch_is_refused() -> None:
    older = replace(torch_facts(), version="2.12.1", release=(2, 12, 1))
    with pytest.raises(ToolchainError, match=r"needs torch 2\.13 or later, and this is 2\.12\.1"):
        simulated_request(older)


def test_every_source_of_the_device_is_in_one_of_its_units() -> None:
    request = simulated_request(torch_facts())
    lines = sorted(line for unit in request.units for line in unit.text.splitlines())
    assert lines == sorted(f'#include "{path.name}"' for path in request.root.glob("*.cpp"))
    torch, own = (unit.text for unit in request.units)
    assert '"tensors.cpp"' in torch
    assert '"memory.cpp"' in own


def test_the_wave_size_is_in_the_build_key() -> None:
    spec = find_one("add2").spec
    requests = [request_for(spec, Target("simulated", wave)) for wave in ("wave32", "wave64")]
    defines = [dict(request.defines) for request in requests if request is not None]
    assert [entry["OPWRIGHT_WAVE_SIZE"] for entry in defines] == ["32", "64"]
    assert all(entry["OPWRIGHT_SIMULATED"] == "1" for entry in defines)
