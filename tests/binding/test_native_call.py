"""A library's own code calls the operator where nobody looks on, and leaves every other call to Python."""

from __future__ import annotations

import gc
import subprocess
import sysconfig
import weakref
from importlib.resources import files
from pathlib import Path

import pytest
import torch
from torch.autograd import forward_ad
from torch.overrides import BaseTorchFunctionMode

from opwright.binding import native_call as module
from opwright.binding.below import AUTOGRAD, exclude, is_excluded
from opwright.binding.library import Library
from opwright.binding.native_call import native_call
from opwright.session.building import build_operator
from opwright.spec.target import Target

X = torch.ones(2)
LEAF = torch.ones(2, requires_grad=True)


def seen(*args, **kwargs):
    """What holds while the dispatcher has the call."""
    return "below", is_excluded(AUTOGRAD), torch.is_grad_enabled()


def careful(*args, **kwargs):
    return "careful", args, kwargs


def fail(*args):
    raise ValueError("planted")


@pytest.fixture(scope="module")
def library(stable_ops) -> Library:
    artifact = build_operator(stable_ops.spread.spec, Target("cpu"))
    assert artifact is not None
    return Library(artifact)


@pytest.fixture
def learning(library):
    return native_call(seen, careful, library, learns=True, casts=True)


@pytest.fixture
def inferring(library):
    return native_call(seen, careful, library, learns=False, casts=False)


def test_an_operator_of_a_library_is_called_so(stable_ops) -> None:
    call = stable_ops.spread.implementation.call
    assert type(call) is type(len)
    assert call(torch.ones(3))[0].tolist() == [1, 1, 1]


@pytest.mark.parametrize("given", [(X,), (X, None, 1, 0.5, True, "text"), ()])
def test_a_call_of_which_nothing_is_recorded_goes_below_autograd(learning, given) -> None:
    assert learning(*given, key=X, other="text") == ("below", True, True)
    assert not is_excluded(AUTOGRAD)


def test_where_nothing_can_be_recorded_grad_mode_is_off_as_well(inferring) -> None:
    assert inferring(X) == ("below", True, False)
    assert torch.is_grad_enabled()
    with torch.no_grad():
        assert inferring(LEAF) == ("below", True, False)
        assert not torch.is_grad_enabled()


def test_without_grad_mode_a_leaf_is_like_any_tensor(learning) -> None:
    with torch.no_grad():
        assert learning(LEAF) == ("below", True, False)
    with torch.inference_mode():
        assert learning(LEAF) == ("below", True, False)


def test_what_was_excluded_before_stays_excluded(learning) -> None:
    exclude(AUTOGRAD, True)
    try:
        assert learning(X) == ("below", True, True)
        assert is_excluded(AUTOGRAD)
    finally:
        exclude(AUTOGRAD, False)


@pytest.mark.parametrize("learns", [True, False])
def test_all_is_as_it_was_after_an_error(library, learns) -> None:
    call = native_call(fail, careful, library, learns=learns, casts=False)
    with pytest.raises(ValueError, match="planted"):
        call(X)
    assert not is_excluded(AUTOGRAD)
    assert torch.is_grad_enabled()


class Other(torch.Tensor):
    pass


RECORDED = {
    "a leaf": ((LEAF,), {}),
    "the last of several": ((X, 1, LEAF), {}),
    "not a leaf": ((LEAF * 1,), {}),
    "a parameter": ((torch.nn.Parameter(X),), {}),
    "by keyword": ((X,), {"eps": 1.0, "y": LEAF}),
    "a class of its own": ((X.as_subclass(Other),), {}),
    "no argument of any schema": (([X],), {}),
}


@pytest.mark.parametrize("how", RECORDED)
def test_what_autograd_may_record_is_left_to_python(learning, inferring, how) -> None:
    args, kwargs = RECORDED[how]
    for call in (learning, inferring):
        assert call(*args, **kwargs) == ("careful", args, kwargs)


def test_a_frozen_parameter_is_like_any_tensor(learning) -> None:
    assert learning(torch.nn.Parameter(X, requires_grad=False))[0] == "below"


def test_who_looks_on_gets_the_call_by_way_of_python(learning, monkeypatch) -> None:
    with forward_ad.dual_level():
        assert learning(X)[0] == "careful"
    with BaseTorchFunctionMode():
        assert learning(X)[0] == "careful"
    with torch.autocast("cpu"):
        assert learning(X)[0] == "careful"
    torch.func.vmap(lambda x: (record(learning(x)[0]), x)[1])(X)
    assert record.last == "careful"
    monkeypatch.setattr(torch.compiler, "_is_compiling_flag", True)
    assert learning(X)[0] == "careful"
    monkeypatch.undo()
    assert learning(X)[0] == "below"


def record(value: str) -> None:
    record.last = value


def test_autocast_is_not_looked_for_where_it_changes_nothing(inferring) -> None:
    with torch.autocast("cpu"):
        assert inferring(X)[0] == "below"


def test_a_torch_without_the_functions_has_the_call_in_python(library, monkeypatch) -> None:
    monkeypatch.setattr(module, "_FUNCTIONS", {"libc10.so": ("no_such_function",)})
    module._thread_state.cache_clear()
    try:
        assert native_call(seen, careful, library, learns=True, casts=True) is careful
        monkeypatch.setattr(module, "_FUNCTIONS", {"libno_such.so": ("any",)})
        module._thread_state.cache_clear()
        assert native_call(seen, careful, library, learns=True, casts=True) is careful
    finally:
        module._thread_state.cache_clear()


def without(_seen, _state):
    return None  # what ctypes makes of a null, where this Python has no means


@pytest.mark.parametrize("lacking", [None, without])
def test_a_library_without_the_code_has_the_call_in_python(library, monkeypatch, lacking) -> None:
    monkeypatch.setattr(library, "_quick_call", lacking)
    assert native_call(seen, careful, library, learns=True, casts=True) is careful


def test_it_keeps_nothing_once_it_is_gone(library) -> None:
    def held(*args):
        return args

    gone = weakref.ref(held)
    call = native_call(seen, held, library, learns=True, casts=False)
    assert call(LEAF) == (LEAF,)
    del call, held
    gc.collect()
    assert gone() is None


def test_its_declarations_are_pythons(tmp_path: Path) -> None:
    header = Path(sysconfig.get_path("include")) / "Python.h"
    if not header.is_file():
        pytest.skip("this Python has no headers")
    text = (Path(str(files("opwright"))) / "include" / "opwright" / "quick_call.h").read_text()
    begin, end = text.index("#define OPWRIGHT_WEAK"), text.index("#undef OPWRIGHT_WEAK")
    unit = tmp_path / "unit.cpp"
    layout = "static_assert(sizeof(PyMethodDef) == 4 * sizeof(void*) && METH_FASTCALL == 0x80);\n"
    python = "#include <Python.h>\n#undef PyCFunction_NewEx\n"
    unit.write_text(f'{python}extern "C" {{\n{text[begin:end]}}}\n{layout}')
    command = ["g++", "-std=c++17", "-fsyntax-only", f"-I{header.parent}", str(unit)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
