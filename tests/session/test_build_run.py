"""Operators are built one after the other, and found before the first is built."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from cli_operators import OPERATORS
from operator_folder import write_doubled, write_operator
from opwright.errors import DiscoveryError, SpecError
from opwright.session.build_run import build_operators
from opwright.spec.target import Target


def test_each_operator_has_its_library_and_the_field_that_made_it_be_built(tmp_path: Path) -> None:
    (tmp_path / "many.py").write_text(OPERATORS)
    texts = [
        f"{tmp_path / 'many.py'}:right",
        str(write_doubled(tmp_path / "new", "built_in_a_row")),
    ]
    callable_, generated = build_operators(texts, Target("cpu"))
    assert (callable_.spec.name, callable_.artifact) == ("right", None)
    assert generated.artifact is not None
    assert not generated.artifact.hit
    assert generated.artifact.reason == "it was never built"
    _, again = build_operators(texts, Target("cpu"))
    assert again.artifact is not None
    assert (again.artifact.hit, again.artifact.changed) == (True, "")
    with (generated.spec.folder / "kernel.cpp").open("a") as kernel:
        kernel.write("// another line\nstatic int another;\n")
    _, edited = build_operators(texts, Target("cpu"))
    assert edited.artifact is not None
    assert not edited.artifact.hit
    assert "kernel.cpp" in edited.artifact.changed


BACKWARD = """
from opwright import Backward

op = Operator(
    "inferred(Tensor x) -> Tensor", inputs={"x": Tensor(rows)}, dtypes=("float32",),
    reference=lambda x: 2 * x, function=lambda x: 2 * x,
    backward=Backward(
        "inferred_backward(Tensor grad_output, Tensor x) -> Tensor grad_x",
        sources={"cpu": "kernel.cpp"},
    ),
)
"""


def test_a_backward_is_built_where_it_has_sources_or_is_named(tmp_path: Path) -> None:
    folder = write_operator(tmp_path, BACKWARD)  # without its kernel: to be built is enough
    emulated = Target("emulated", "wave32")
    built = {
        target: [each.spec.name for each in build_operators([str(folder)], target)]
        for target in (Target("cpu"), emulated)
    }
    assert built == {Target("cpu"): ["inferred", "inferred_backward"], emulated: ["inferred"]}
    (named,) = build_operators([f"{folder}:inferred_backward"], emulated)
    assert isinstance(named.error, SpecError)


def test_nothing_is_built_where_one_is_not_found(tmp_path: Path, empty_store: Path) -> None:
    texts = [str(write_doubled(tmp_path, "first_of_two")), "nowhere_to_be_found"]
    with pytest.raises(DiscoveryError):
        list(build_operators(texts, Target("cpu")))
    assert not empty_store.exists()


@pytest.mark.slow
def test_a_hit_for_the_emulator_names_no_change_and_an_edit_names_its_file(tmp_path: Path) -> None:
    source = Path(__file__).parent.parent / "emulated_defects" / "tail_not_guarded"
    folder = tmp_path / "edited"
    shutil.copytree(source, folder)

    def changed() -> tuple[bool, str]:
        (built,) = build_operators([str(folder)], Target("emulated", "wave32"))
        assert built.artifact is not None
        return built.artifact.hit, built.artifact.changed

    changed()
    assert changed() == (True, "")
    with (folder / "kernel.cu").open("a") as kernel:
        kernel.write("static int another;\n")
    hit, what = changed()
    assert not hit
    assert what
