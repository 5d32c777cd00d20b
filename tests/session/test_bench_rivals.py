"""What is no operator can be held against one: the reference, compiled or not, and functions in a file."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from opwright import Dim, Operator, Tensor
from opwright.errors import UsageError
from opwright.session.bench_rivals import MODES, compiles, described_rival, function_of

SPEC = Operator(
    "doubled(Tensor input) -> Tensor",
    inputs={"input": Tensor(Dim("n", typical=(64,)))},
    dtypes=("float32",),
    reference=lambda input: input * 2,
    function=lambda input: input * 2,
).spec


@pytest.fixture
def functions(tmp_path: Path) -> Path:
    file = tmp_path / "theirs.py"
    file.write_text("def doubled(input):\n    return input + input\n")
    return file


def test_the_reference_is_called_as_it_is() -> None:
    rival = described_rival("reference", SPEC)
    assert rival is not None
    assert rival["name"] == "reference"
    assert function_of(rival, SPEC) is SPEC.reference


@pytest.mark.parametrize("text", ["compile", *(f"compile:{mode}" for mode in MODES)])
def test_the_reference_is_compiled_in_a_mode_for_one_set_of_sizes(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch, "compile", lambda function, **options: (function, options))
    rival = described_rival(text, SPEC)
    assert rival is not None
    assert (rival["name"], compiles(text)) == (text, True)
    mode = text.partition(":")[2]
    expected = {"dynamic": False, "mode": None if mode in ("", "default") else mode}
    assert function_of(rival, SPEC) == (SPEC.reference, expected)


def test_a_mode_that_there_is_not_is_refused_with_what_there_is() -> None:
    with pytest.raises(UsageError, match="has no mode 'max-autotun'") as refused:
        described_rival("compile:max-autotun", SPEC)
    assert "'max-autotune'" in refused.value.hint


def test_the_modes_are_pytorchs_own() -> None:
    assert set(MODES) <= set(torch._inductor.list_mode_options())


def test_a_function_of_the_operators_name_in_a_file_is_called_under_the_files_name(
    functions: Path,
) -> None:
    rival = described_rival(f"call:{functions}", SPEC)
    assert rival is not None
    assert (rival["name"], rival["there"]) == ("theirs", True)
    assert function_of(rival, SPEC)(torch.ones(2)).tolist() == [2.0, 2.0]


def test_a_file_is_not_run_to_see_what_it_has(functions: Path) -> None:
    functions.write_text("import nothing_of_the_kind\ndef tripled(input): ...\n")
    rival = described_rival(f"call:{functions}", SPEC)
    assert rival is not None
    assert not rival["there"]


def test_a_file_that_is_no_python_is_refused(functions: Path) -> None:
    functions.write_text("def (:\n")
    for file in (functions, functions.with_name("gone.py")):
        with pytest.raises(UsageError, match=f"{file.name} cannot be read as Python"):
            described_rival(f"call:{file}", SPEC)


def test_the_name_of_an_operator_is_none_of_these() -> None:
    assert described_rival("swish", SPEC) is None
    assert described_rival("op.py:swish", SPEC) is None
