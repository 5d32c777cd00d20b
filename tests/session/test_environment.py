from __future__ import annotations

import json
import os
import platform
from pathlib import Path

import pytest
import torch

from opwright.session.environment import cpu_model, environment_facts


def test_it_says_what_figures_depend_on_and_is_plain_data() -> None:
    facts = environment_facts()
    assert json.loads(json.dumps(facts)) == facts
    assert facts["python"] == platform.python_version()
    assert facts["torch"] == torch.__version__
    assert facts["threads"] == torch.get_num_threads()
    assert facts["cpus"] == len(os.sched_getaffinity(0))
    assert facts["cpu"]
    assert facts["platform"]


@pytest.mark.parametrize(
    "text, model",
    [
        ("processor\t: 0\nmodel name\t: A: fast CPU\n", "A: fast CPU"),
        ("processor : 0\nModel : Raspberry Pi 5\n", "Raspberry Pi 5"),
        ("", platform.machine()),
    ],
)
def test_the_processor_has_the_name_that_the_kernel_gives_it(
    text: str, model: str, tmp_path: Path
) -> None:
    (tmp_path / "cpuinfo").write_text(text)
    assert cpu_model(tmp_path / "cpuinfo") == model


def test_a_processor_without_a_name_is_known_by_its_architecture(tmp_path: Path) -> None:
    assert cpu_model(tmp_path / "missing") == platform.machine()
