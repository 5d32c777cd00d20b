"""Operators in the dispatcher: names, kernels that follow each other, callables."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
import torch

from operator_folder import make_operator, read_operator, write_doubled, write_operator
from opwright.binding.dispatch import dispatch_key
from opwright.log import logging_to
from opwright.spec.target import ARCHITECTURES, parse_target

TWO = torch.full((2, 2), 2.0)


def test_the_operator_is_one_of_torch_ops(tmp_path: Path) -> None:
    op = read_operator(write_doubled(tmp_path, "registered")).load()
    assert torch.equal(torch.ops.opwright.registered(TWO), op(TWO))
    assert torch.ops.opwright.registered.default is op.implementation.overload


def test_every_kind_of_target_has_a_dispatch_key() -> None:
    assert {kind: dispatch_key(parse_target(kind)) for kind in ARCHITECTURES} == {
        "cpu": "CPU",
        "cuda": "CUDA",
        "hip": "CUDA",
        "npu": "PrivateUse1",
        "emulated": "CPU",
        "simulated": "PrivateUse1",
    }


def test_a_second_operator_of_one_name_gets_a_namespace_of_its_own(tmp_path: Path) -> None:
    said: list[tuple[str, str]] = []
    with logging_to(lambda kind, message, facts: said.append((kind, message))):
        first = read_operator(write_doubled(tmp_path / "a", "namesake", 2)).load()
        second = read_operator(write_doubled(tmp_path / "b", "namesake", 3)).load()
    assert torch.equal(first(TWO), TWO * 2)
    assert torch.equal(second(TWO), TWO * 3)
    assert torch.equal(torch.ops.opwright.namesake(TWO), TWO * 2)
    assert torch.equal(torch.ops.opwright_2.namesake(TWO), TWO * 3)
    expected = "torch.ops.opwright.namesake is taken in this process; this one is torch.ops.opwright_2.namesake"
    assert [message for kind, message in said if kind == "binding.renamed"] == [expected]


def test_somebody_elses_operator_keeps_its_name(tmp_path: Path) -> None:
    library = torch.library.Library("opwright", "FRAGMENT")
    library.define("taken_before(Tensor x) -> Tensor")
    op = read_operator(write_doubled(tmp_path, "taken_before"))
    assert op.implementation.dispatcher.namespace == "opwright_2"


def test_an_operator_that_is_described_again_keeps_its_place(tmp_path: Path) -> None:
    first = read_operator(write_doubled(tmp_path, "again", 2)).load()
    write_doubled(tmp_path, "again", 5)
    second = read_operator(tmp_path).load()
    assert second.implementation.dispatcher is first.implementation.dispatcher
    for op in (first, second, torch.ops.opwright.again):
        assert torch.equal(op(TWO), TWO * 5)


def test_a_rebuilt_kernel_takes_the_place_of_the_old_one(tmp_path: Path, capfd) -> None:
    op = read_operator(write_doubled(tmp_path, "rebuilt", 2)).load()
    compiled = torch.compile(op, fullgraph=True, backend="aot_eager")
    assert torch.equal(compiled(TWO), TWO * 2)
    for factor in (3, 2, 4):
        write_doubled(tmp_path, "rebuilt", factor)
        op.load()
        assert torch.equal(op(TWO), TWO * factor)
        assert torch.equal(compiled(TWO), TWO * factor)
    assert "Overriding" not in "".join(capfd.readouterr())


def test_a_kernel_is_exchanged_under_the_calls_of_other_threads(tmp_path: Path) -> None:
    op = read_operator(write_doubled(tmp_path, "exchanged", 2)).load()
    stop, wrong, seen = threading.Event(), [], set()

    def call() -> None:
        while not stop.is_set():
            try:
                seen.add(float(op(TWO)[0, 0]))
            except Exception as error:
                wrong.append(error)

    threads = [threading.Thread(target=call) for _ in range(3)]
    for thread in threads:
        thread.start()
    for factor in (3, 2) * 10:
        write_doubled(tmp_path, "exchanged", factor)
        op.load()
    stop.set()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert seen == {4.0, 6.0}


def test_threads_that_call_first_build_once(tmp_path: Path) -> None:
    op = read_operator(write_doubled(tmp_path, "first_call"))
    results: list[torch.Tensor] = []
    barrier = threading.Barrier(4)

    def call() -> None:
        barrier.wait()
        results.append(op(TWO))

    threads = [threading.Thread(target=call) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(torch.equal(result, TWO * 2) for result in results)
    assert len(results) == 4


def test_operators_that_are_built_alike_are_exchanged_apart(tmp_path: Path) -> None:
    first = read_operator(write_doubled(tmp_path / "a", "alike")).load()
    second = read_operator(write_doubled(tmp_path / "b", "alike")).load()
    write_doubled(tmp_path / "b", "alike", 7)
    second.load()
    assert torch.equal(first(TWO), TWO * 2)
    assert torch.equal(second(TWO), TWO * 7)


CALLABLE = """
def double(x, *, factor=2):
    return x * factor

def write(x):
    x.add_(1)

called = Operator(
    "called(Tensor x, *, int factor=2) -> Tensor", inputs={"x": Tensor(batch)}, dtypes=("float32",),
    reference=double, function=double,
)
"""


def test_a_callable_is_an_operator(tmp_path: Path) -> None:
    op = read_operator(write_operator(tmp_path, CALLABLE)).load()
    assert torch.equal(op(TWO), TWO * 2)
    assert torch.equal(op(TWO, factor=3), TWO * 3)
    assert torch.equal(
        torch.compile(op, fullgraph=True, backend="aot_eager")(TWO, factor=3), TWO * 3
    )
    with pytest.raises(
        RuntimeError, match="called: argument `x` requires grad, and the operator has no backward"
    ):
        op(TWO.clone().requires_grad_())
    with torch.no_grad():
        assert not op(TWO.clone().requires_grad_()).requires_grad


def test_what_a_callable_writes_is_counted(tmp_path: Path) -> None:
    description = """
def write(x):
    x.data.add_(1)

counted = Operator(
    "counted(Tensor(a!) x) -> ()", inputs={"x": Tensor(batch)}, dtypes=("float32",),
    reference=write, function=write,
)
"""
    op = read_operator(write_operator(tmp_path, description))
    x = torch.ones(3)
    op(x)
    assert (x.tolist(), x._version) == ([2, 2, 2], 1)


@pytest.mark.parametrize("name", ["exp", "index", "select", "div", "remove", "y0", "max", "stack"])
def test_the_c_librarys_names_may_be_used(name: str, tmp_path: Path) -> None:
    kernel = f"""
#include <cmath>
#include <cstdlib>
#include <cstdio>
#include <algorithm>
#include <strings.h>
#include <sys/select.h>
template <typename T>
void {name}(opwright::View<const T, 2> x, opwright::View<T, 2> output) {{
  for (int64_t i = 0; i < x.numel(); ++i) output.data[i] = T(std::exp(double(x.data[i])));
}}
"""
    description = f"""
named = Operator(
    "{name}(Tensor x) -> Tensor", inputs={{"x": Tensor(rows, cols)}}, dtypes=("float32", "float64"),
    reference=torch.exp, sources={{"cpu": "kernel.cpp"}}, compile_flags=("-O0",),
)
"""
    op = make_operator(tmp_path, description, kernel).load()
    torch.testing.assert_close(op(TWO), TWO.exp())


def test_nothing_but_none_is_refused_at_once(tmp_path: Path) -> None:
    read_operator(write_operator(tmp_path, CALLABLE.replace("called", "given"))).load()
    with pytest.raises(RuntimeError, match="given: argument `x`: expected a tensor, got None"):
        torch.ops.opwright.given(None)


LEARNING = """
learning = Operator(
    "learning(Tensor x) -> Tensor", inputs={{"x": Tensor(batch)}}, dtypes=("float32",),
    reference=lambda x: x * {factor}, function=lambda x: x * {factor}, backward={backward},
)
"""


def test_an_operator_that_is_described_again_learns_as_it_is_described_now(tmp_path: Path) -> None:
    x = torch.ones(3, requires_grad=True)
    for factor in (2, 5):
        text = LEARNING.format(factor=factor, backward="'reference'")
        op = read_operator(write_operator(tmp_path, text)).load()
        for call in (op, torch.ops.opwright.learning):
            (found,) = torch.autograd.grad(call(x).sum(), x)
            assert found.tolist() == [factor] * 3
    op = read_operator(write_operator(tmp_path, LEARNING.format(factor=7, backward=None)))
    op.load()
    for call in (op, torch.ops.opwright.learning):
        with pytest.raises(RuntimeError, match="requires grad, and the operator has no backward"):
            call(x)


def test_torch_ops_loads_at_the_first_call(tmp_path: Path) -> None:
    text = LEARNING.replace("learning", "unloaded").format(factor=3, backward="'reference'")
    op = read_operator(write_operator(tmp_path, text))
    assert not op.implementation.ready
    x = torch.ones(3, requires_grad=True)
    torch.ops.opwright.unloaded(x).sum().backward()
    assert op.implementation.ready
    assert x.grad.tolist() == [3, 3, 3]


POWER = """
class Power(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, power):
        ctx.save_for_backward(x)
        ctx.power = power
        return x**power

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * ctx.power * x ** (ctx.power - 1), None

powered = Operator(
    "powered(Tensor x, int power=2) -> Tensor", inputs={"x": Tensor(batch)}, dtypes=("float32",),
    scalars={"power": Scalar(2, 3)}, reference=lambda x, power: x**power,
    function=lambda x, power: Power.apply(x, power), backward="own",
)
"""


def test_a_function_that_records_itself_gets_every_argument(tmp_path: Path) -> None:
    op = read_operator(write_operator(tmp_path, POWER)).load()
    for call in (op, torch.ops.opwright.powered):
        for given, slope in (((), 2), ((2,), 2), ((3,), 3)):
            x = torch.ones(3, requires_grad=True)
            call(x, *given).sum().backward()
            assert x.grad.tolist() == [slope] * 3
        with pytest.raises(RuntimeError, match="expected tensors"):
            call(None)
