"""Gradients of operators: right for every incoming one, no more computed than is needed, and never lost."""

from __future__ import annotations

import gc
import threading
from pathlib import Path

import pytest
import torch
from torch.autograd import forward_ad

from operator_folder import KERNEL, read_operator, write_operator

SMOOTH = """
from opwright import Backward

smooth = Operator(
    "smooth_silu(Tensor input) -> Tensor",
    inputs={"input": Tensor(batch, layout="copy")},
    dtypes=("float32", "float64"),
    reference=torch.nn.functional.silu,
    sources={"cpu": "kernel.cpp"},
    compile_flags=("-O0",),
    vmap=batch,
    backward=Backward(
        "smooth_silu_backward(Tensor grad_output, Tensor input) -> Tensor grad_input",
        saved=("input",), sources={"cpu": "kernel.cpp"}, compile_flags=("-O0",),
    ),
)
"""
SMOOTH_KERNEL = """
template <typename T>
void smooth_silu(opwright::View<const T, 1> input, opwright::View<T, 1> output) {
  opwright::map(output, [](auto x) { return opwright::silu(x); }, input);
}
template <typename T>
void smooth_silu_backward(opwright::View<const T, 1> grad_output, opwright::View<const T, 1> input,
                     opwright::View<T, 1> grad_input) {
  opwright::map(grad_input, [](auto g, auto x) {
    const auto s = opwright::sigmoid(x);
    return g * s * (1 + x * (1 - s));
  }, grad_output, input);
}
"""

# Counts in ``asked`` what is asked; one backward for each argument, and one for both.
SCALED = """
from opwright import Backward

asked = []

def grad_x(grad_output, w, factor):
    asked.append("x")
    return factor * grad_output * w

def grad_w(grad_output, x, factor):
    asked.append("w")
    return factor * grad_output * x

def both(grad_output, x, w, factor):
    asked.append("both")
    return factor * grad_output * w, factor * grad_output * x

scaled = Operator(
    "{name}(Tensor x, Tensor w, *, float factor=2.0) -> Tensor",
    inputs={{"x": Tensor(batch), "w": Tensor(batch)}}, dtypes=("float32", "float64"),
    reference=lambda x, w, factor=2.0: x * w * factor,
    function=lambda x, w, factor=2.0: x * w * factor,
    backward=(
        Backward("{name}_dx(Tensor grad_output, Tensor w, float factor) -> Tensor grad_x", function=grad_x{more}),
        Backward("{name}_dw(Tensor grad_output, Tensor x, float factor) -> Tensor grad_w", function=grad_w{more}),
        Backward("{name}_both(Tensor grad_output, Tensor x, Tensor w, float factor) -> "
                 "(Tensor grad_x, Tensor grad_w)", function=both{more}),
    ),
)
scaled.asked = asked
"""
BY_REFERENCE = """
parts = Operator(
    "parts(Tensor x, Tensor? y=None, float p=2.0) -> (Tensor low, Tensor high, Tensor sign)",
    inputs={"x": Tensor(batch), "y": Tensor(batch)},
    outputs=(Tensor(batch), Tensor(batch), Tensor(batch, dtype="int64")), dtypes=("float32", "float64"),
    reference=lambda x, y=None, p=2.0: (x.sin() * p, x.exp() + (0 if y is None else y * x), x.sign().long()),
    function=lambda x, y=None, p=2.0: (x.sin() * p, x.exp() + (0 if y is None else y * x), x.sign().long()),
    backward="reference",
)
"""
SAVES_OUTPUT = """
from opwright import Backward

grown = Operator(
    "grown(Tensor x) -> Tensor y", inputs={"x": Tensor(batch)}, dtypes=("float64",),
    reference=torch.exp, function=torch.exp,
    backward=Backward("grown_backward(Tensor grad_y, Tensor y) -> Tensor grad_x",
                      saved="y", function=torch.mul, reference=torch.mul),
)
"""
# The first argument's gradient is the incoming one itself.
UNCHANGED = """
from opwright import Backward

asked = []

def grad_gate(grad_low, gate):
    asked.append("gate")
    return grad_low * gate.cos()

shifted = Operator(
    "shifted(Tensor x, Tensor gate) -> (Tensor low, Tensor high)",
    inputs={"x": Tensor(batch), "gate": Tensor(batch)}, outputs=(Tensor(batch), Tensor(batch)),
    dtypes=("float32", "float64"), vmap=batch,
    reference=lambda x, gate: (gate.sin(), x + 1), function=lambda x, gate: (gate.sin(), x + 1),
    backward=Backward("shifted_backward(Tensor grad_low, Tensor gate) -> Tensor grad_gate",
                      function=grad_gate, unchanged={"x": "high"}, double_backward="reference"),
)
shifted.asked = asked
"""


def described(folder: Path, text: str):
    return read_operator(write_operator(folder, text))


@pytest.fixture(scope="module")
def smooth(tmp_path_factory):
    """Forward and backward by kernels."""
    folder = tmp_path_factory.mktemp("smooth")
    # Loaded, so that torch.ops has it whichever test comes first.
    return read_operator(write_operator(folder, SMOOTH, kernel=KERNEL + SMOOTH_KERNEL)).load()


@pytest.fixture(scope="module")
def scaled(tmp_path_factory):
    return described(tmp_path_factory.mktemp("scaled"), SCALED.format(name="scaled", more=""))


@pytest.fixture(scope="module")
def twice(tmp_path_factory):
    """As ``scaled``, with second derivatives."""
    text = SCALED.format(name="twice", more=', double_backward="reference"')
    return described(tmp_path_factory.mktemp("twice"), text)


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    return described(tmp_path_factory.mktemp("parts"), BY_REFERENCE)


@pytest.fixture(scope="module")
def grown(tmp_path_factory):
    return described(tmp_path_factory.mktemp("grown"), SAVES_OUTPUT)


@pytest.fixture(scope="module")
def shifted(tmp_path_factory):
    return described(tmp_path_factory.mktemp("shifted"), UNCHANGED)


def numbers(*sizes: int, grad: bool = True) -> torch.Tensor:
    generator = torch.Generator().manual_seed(sum(sizes))
    return torch.randn(*sizes, dtype=torch.float64, generator=generator).requires_grad_(grad)


INCOMING = {
    "dense": lambda: numbers(4, 6, grad=False),
    "expanded": lambda: torch.tensor(0.7, dtype=torch.float64).expand(4, 6),
    "one row for all": lambda: numbers(1, 6, grad=False).expand(4, 6),
    "transposed": lambda: numbers(6, 4, grad=False).t(),
    "sliced": lambda: numbers(8, 12, grad=False)[1::2, ::2],
}


@pytest.mark.parametrize("kind", INCOMING)
def test_a_gradient_that_comes_in_as_any_view_is_right(smooth, kind: str) -> None:
    x, grad = numbers(4, 6), INCOMING[kind]()
    (found,) = torch.autograd.grad(smooth(x), x, grad)
    (expected,) = torch.autograd.grad(torch.nn.functional.silu(x), x, grad)
    torch.testing.assert_close(found, expected)


@pytest.mark.parametrize("call", ["operator", "torch.ops"])
def test_a_sum_gives_its_gradient(smooth, call: str) -> None:
    x = numbers(5)
    op = smooth if call == "operator" else torch.ops.opwright.smooth_silu
    op(x).sum().backward()
    (expected,) = torch.autograd.grad(torch.nn.functional.silu(x).sum(), x)
    torch.testing.assert_close(x.grad, expected)


def test_gradients_of_kernels_are_those_of_differences(smooth) -> None:
    assert torch.autograd.gradcheck(smooth, (numbers(3, 2),))


def test_the_node_of_the_graph_has_the_operators_name(smooth) -> None:
    assert smooth(numbers(2)).grad_fn.name() == "smooth_siluBackward"


@pytest.mark.parametrize(
    "x_needs, w_needs, asked",
    [(True, False, ["x"]), (False, True, ["w"]), (True, True, ["both"])],
)
def test_only_backwards_that_are_needed_are_asked(scaled, x_needs, w_needs, asked) -> None:
    x, w = numbers(3, grad=x_needs), numbers(1, 3, grad=w_needs)[0]
    w = w.detach().requires_grad_(w_needs)
    out = scaled(x, w, factor=3.0)
    scaled.asked.clear()
    out.sum().backward()
    assert scaled.asked == asked
    assert x.grad is None if not x_needs else torch.equal(x.grad, 3 * w.detach())
    assert w.grad is None if not w_needs else torch.equal(w.grad, 3 * x.detach())


@pytest.mark.parametrize("kind", INCOMING)
def test_a_gradient_that_is_unchanged_is_the_incoming_one_and_asks_nobody(shifted, kind) -> None:
    x, gate, grad = numbers(4, 6), numbers(4, 6, grad=False), INCOMING[kind]()
    shifted.asked.clear()
    (found,) = torch.autograd.grad(shifted(x, gate)[1], x, grad)
    assert found.data_ptr() == grad.data_ptr()
    assert found.stride() == grad.stride()
    assert shifted.asked == []


def test_beside_one_that_is_unchanged_the_others_are_asked_for(shifted) -> None:
    x, gate = numbers(3), numbers(3, 1)[:, 0].detach().requires_grad_()
    shifted.asked.clear()
    low, high = shifted(x, gate)
    torch.autograd.backward((low, high), (torch.full_like(low, 2.0), torch.full_like(high, 3.0)))
    assert torch.equal(x.grad, torch.full_like(x, 3.0))
    torch.testing.assert_close(gate.grad, 2 * gate.detach().cos())
    assert shifted.asked == ["gate"]


def test_of_a_return_that_nobody_uses_the_unchanged_gradient_is_zero(shifted) -> None:
    x, gate = numbers(3), numbers(3)
    (found,) = torch.autograd.grad(shifted(x, gate)[0].sum(), x)
    assert torch.equal(found, torch.zeros(3, dtype=torch.float64))


def test_an_unchanged_gradient_has_derivatives_of_its_own(shifted) -> None:
    x, gate = numbers(3), numbers(3)
    assert torch.autograd.gradgradcheck(shifted, (x, gate))
    grad = numbers(3)
    (found,) = torch.autograd.grad(shifted(x, gate)[1], x, grad, create_graph=True)
    (again,) = torch.autograd.grad((found * 2).sum(), grad)
    assert torch.equal(again, torch.full_like(again, 2.0))


def test_an_unchanged_gradient_is_that_of_transforms_and_of_compiled_calls_too(shifted) -> None:
    x, gate = numbers(4, grad=False), numbers(4, grad=False)

    def weighted(x: torch.Tensor, gate: torch.Tensor) -> torch.Tensor:
        low, high = shifted(x, gate)
        return (low * high * high).sum()

    def plain(x: torch.Tensor, gate: torch.Tensor) -> torch.Tensor:
        return (gate.sin() * (x + 1) ** 2).sum()

    both = (0, 1)
    for found, expected in zip(
        torch.func.grad(weighted, both)(x, gate), torch.func.grad(plain, both)(x, gate), strict=True
    ):
        torch.testing.assert_close(found, expected)
    rows = torch.vmap(torch.func.grad(weighted))(x[:, None], gate[:, None])
    torch.testing.assert_close(rows, torch.func.grad(plain)(x, gate)[:, None])
    leaf = x.clone().requires_grad_()
    torch.compile(weighted, backend="aot_eager", fullgraph=True)(leaf, gate).backward()
    torch.testing.assert_close(leaf.grad, torch.func.grad(plain)(x, gate))


def test_the_same_tensor_twice_gets_both_gradients(scaled, parts) -> None:
    x = numbers(3)
    scaled(x, x).sum().backward()
    torch.testing.assert_close(x.grad, 4 * x.detach())
    (found,) = torch.autograd.grad(parts(x, x)[1].sum(), x)
    torch.testing.assert_close(found, (x.exp() + 2 * x).detach())


def test_arguments_by_keyword_and_defaults_are_recorded(scaled) -> None:
    x, w = numbers(3), numbers(3, grad=False)
    for out, factor in ((scaled(x, w), 2), (scaled(w=w, x=x), 2), (scaled(x, w=w, factor=5.0), 5)):
        (found,) = torch.autograd.grad(out.sum(), x)
        assert torch.equal(found, factor * w)


WRONG_CALLS = {
    "a keyword that is none": lambda op, x: op(x, x, nonsense=1),
    "a keyword by position": lambda op, x: op(x, x, 3.0),
    "one too many": lambda op, x: op(x, x, x, x),
    "one too few": lambda op, x: op(x),
    "one twice": lambda op, x: op(x, x, w=x),
    "None for a tensor": lambda op, x: op(x, None),
    "text for a number": lambda op, x: op(x, x, factor="2"),
}


@pytest.mark.parametrize("kind", WRONG_CALLS)
@pytest.mark.parametrize("records", [True, False])
def test_a_wrong_call_is_refused_whether_it_is_recorded_or_not(scaled, kind, records) -> None:
    with pytest.raises((RuntimeError, TypeError), match="scaled") as caught:
        WRONG_CALLS[kind](scaled, numbers(3, grad=records))
    assert not isinstance(caught.value, RecursionError)


def test_an_undefined_gradient_of_one_output_counts_as_zero(parts) -> None:
    x = numbers(4)
    low, high, _ = parts(x, p=3.0)
    (of_low,) = torch.autograd.grad(low.sum(), x, retain_graph=True)
    torch.testing.assert_close(of_low, 3 * x.detach().cos())
    (of_high,) = torch.autograd.grad(high.sum(), x)
    torch.testing.assert_close(of_high, x.detach().exp())


def test_integer_outputs_are_no_part_of_the_graph(parts) -> None:
    low, high, sign = parts(numbers(4))
    assert (low.requires_grad, high.requires_grad, sign.requires_grad) == (True, True, False)


def test_an_optional_tensor_may_be_absent_or_learn(parts) -> None:
    x, y = numbers(4), numbers(2, 2).detach().view(4).requires_grad_()
    (found,) = torch.autograd.grad(parts(x, y)[1].sum(), y)
    assert torch.equal(found, x.detach())
    (found,) = torch.autograd.grad(parts(x, None)[1].sum(), x)
    torch.testing.assert_close(found, x.detach().exp())


def test_a_dtype_that_may_be_an_integer_takes_no_gradient_away(tmp_path: Path) -> None:
    op = described(tmp_path, """
mixed = Operator(
    "mixed(Tensor x) -> Tensor", inputs={"x": Tensor(batch)}, dtypes=("int64", "float32"),
    reference=lambda x: x * 3, function=lambda x: x * 3, backward="reference",
)
""")  # fmt: skip
    x = torch.ones(3, requires_grad=True)
    op(x).sum().backward()
    assert x.grad.tolist() == [3, 3, 3]
    assert op(torch.ones(3, dtype=torch.int64)).tolist() == [3, 3, 3]


def test_an_output_can_be_saved(grown) -> None:
    x = numbers(3)
    assert torch.autograd.gradcheck(grown, (x,))
    out = grown(x)
    out.detach().add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        out.sum().backward()


def test_a_saved_argument_that_is_written_to_is_noticed(smooth) -> None:
    leaf = numbers(3)
    x = leaf * 1
    out = smooth(x)
    x.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        out.sum().backward()


def test_a_graph_is_used_twice_only_where_it_is_kept(smooth) -> None:
    x = numbers(3)
    total = smooth(x).sum()
    (first,) = torch.autograd.grad(total, x, retain_graph=True)
    (second,) = torch.autograd.grad(total, x)
    assert torch.equal(first, second)
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        torch.autograd.grad(total, x)


def test_second_derivatives_by_reference_are_right(parts, twice) -> None:
    assert torch.autograd.gradgradcheck(lambda x, y: parts(x, y)[:2], (numbers(3), numbers(3)))
    x, w = numbers(3), numbers(2, 1).detach().expand(2, 1).new_ones(3).requires_grad_()
    assert torch.autograd.gradgradcheck(twice, (x, w))


REFUSED_TWICE = (
    'smooth_silu: its gradient cannot be differentiated again: .*double_backward="reference"'
)


@pytest.mark.parametrize("by", ["position", "keyword"])
@pytest.mark.parametrize("only", [True, False])
def test_a_number_that_asks_for_a_gradient_is_refused(parts, by: str, only: bool) -> None:
    x, p = numbers(3, grad=not only), torch.nn.Parameter(torch.tensor(2.0))
    with pytest.raises(RuntimeError, match="parts: argument `p` requires grad, and it is a number"):
        parts(x, None, p) if by == "position" else parts(x, p=p)
    given = p.detach()
    assert torch.equal(parts(x, p=given)[0], parts(x, None, 2.0)[0])
    with torch.no_grad():
        assert torch.equal(parts(x, p=p)[0], parts(x, None, 2.0)[0])


def test_second_derivatives_of_kernels_are_refused(smooth) -> None:
    x = numbers(3)
    (grad,) = torch.autograd.grad(smooth(x).sum(), x, create_graph=True)
    with pytest.raises(RuntimeError, match=REFUSED_TWICE):
        grad.sum().backward()


@pytest.mark.parametrize("saved_learns", [True, False])
def test_a_second_derivative_through_either_source_is_refused(smooth, saved_learns) -> None:
    x, incoming = numbers(3), numbers(3)
    grad_output = incoming.detach() if saved_learns else incoming
    (grad,) = torch.autograd.grad(smooth(x), x, grad_output, create_graph=True)
    assert grad.requires_grad
    with pytest.raises(RuntimeError, match=REFUSED_TWICE):
        torch.autograd.grad(grad.sum(), x if saved_learns else incoming)


@pytest.mark.parametrize("call", ["operator", "torch.ops"])
def test_forward_mode_is_refused(smooth, call: str) -> None:
    op = smooth if call == "operator" else torch.ops.opwright.smooth_silu
    x = numbers(3, grad=False)
    with pytest.raises(RuntimeError, match="argument `input` has a forward-mode gradient"):
        torch.func.jvp(op, (x,), (x,))
    with forward_ad.dual_level():
        with pytest.raises(RuntimeError, match="argument `input` has a forward-mode gradient"):
            op(forward_ad.make_dual(x, x))
        assert torch.equal(op(x), smooth(x))


def test_nothing_is_recorded_where_autograd_is_off(smooth) -> None:
    x = numbers(3)
    with torch.no_grad():
        assert not smooth(x).requires_grad
        assert not torch.ops.opwright.smooth_silu(x).requires_grad
    with torch.inference_mode():
        assert smooth(x).is_inference()
    assert not smooth(x.detach()).requires_grad
    assert torch.is_grad_enabled()
    assert smooth(x).requires_grad  # and the switches are as they were


TRANSFORMS = {
    "grad": lambda f, x: torch.func.grad(lambda x: f(x).sum())(x),
    "vjp": lambda f, x: torch.func.vjp(f, x)[1](torch.ones_like(x))[0],
    "jacrev": lambda f, x: torch.func.jacrev(f)(x),
    "vmap of grad": lambda f, x: torch.vmap(torch.func.grad(lambda x: f(x).sum()))(x),
    "grad of vmap": lambda f, x: torch.func.grad(lambda x: torch.vmap(f)(x).sum())(x),
    "vmap of vmap of grad": lambda f, x: torch.vmap(
        torch.vmap(torch.func.grad(lambda x: f(x).sum()))
    )(x),
}


@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("call", ["operator", "torch.ops"])
def test_reverse_transforms_are_right(smooth, transform: str, call: str) -> None:
    op = smooth if call == "operator" else torch.ops.opwright.smooth_silu
    x = numbers(2, 3, grad=False)
    found = TRANSFORMS[transform](op, x)
    torch.testing.assert_close(found, TRANSFORMS[transform](torch.nn.functional.silu, x))


def test_grad_of_grad_is_right_or_refused(smooth, twice, parts) -> None:
    x = torch.tensor([0.3], dtype=torch.float64)

    def second(f):
        return torch.func.grad(lambda x: torch.func.grad(lambda x: f(x).sum())(x).sum())(x)

    torch.testing.assert_close(second(lambda x: twice(x, x)), torch.full_like(x, 4))
    torch.testing.assert_close(second(lambda x: parts(x)[1]), x.exp())
    with pytest.raises(RuntimeError, match=REFUSED_TWICE):
        second(smooth)


def test_a_transform_over_what_learns_outside_of_it_loses_nothing(twice, smooth) -> None:
    x = numbers(3)
    torch.func.grad(lambda y: twice(y, x).sum())(numbers(3, grad=False)).sum().backward()
    assert torch.equal(x.grad, torch.full_like(x, 2))
    inner = torch.func.grad(lambda y: smooth(y).sum())(x)
    with pytest.raises(RuntimeError, match=REFUSED_TWICE):
        inner.sum().backward()


@pytest.mark.parametrize("dynamic", [False, True])
def test_a_compiled_training_step_is_the_eager_one(smooth, scaled, dynamic: bool) -> None:
    smooth.load()

    def step(x, w):
        return (smooth(x) * scaled(x, w, factor=3.0)).sum()

    compiled = torch.compile(step, fullgraph=True, backend="aot_eager", dynamic=dynamic)
    for size in (3, 5):
        x, w = numbers(size, 2), numbers(size, 2)
        found = torch.autograd.grad(compiled(x, w), (x, w))
        for one, other in zip(found, torch.autograd.grad(step(x, w), (x, w)), strict=True):
            torch.testing.assert_close(one, other)


def test_threads_may_learn_at_the_same_time(smooth) -> None:
    x = numbers(64, grad=False)
    expected = torch.func.grad(lambda x: smooth(x).sum())(x)
    right: list[bool] = []

    def learn() -> None:
        for _ in range(50):
            leaf = x.clone().requires_grad_()
            smooth(leaf).sum().backward()
            right.append(torch.equal(leaf.grad, expected))

    threads = [threading.Thread(target=learn) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert right == [True] * 200


def test_a_step_keeps_nothing(smooth, scaled) -> None:
    def step() -> None:
        x, w = numbers(16, 512), numbers(16, 512)
        (smooth(x) * scaled(x, w, factor=2.5)).sum().backward()

    def living() -> tuple[int, int]:
        gc.collect()
        resident = int(Path("/proc/self/statm").read_text().split()[1]) * 4096
        return len(gc.get_objects()), resident

    def grown() -> tuple[int, int]:
        objects, resident = living()
        for _ in range(500):
            step()
        scaled.asked.clear()
        more_objects, more_resident = living()
        return more_objects - objects, more_resident - resident

    for _ in range(100):
        step()
    scaled.asked.clear()
    rounds = [grown() for _ in range(3)]  # an allocator that settles grows once, a loss each time
    assert min(objects for objects, _ in rounds) < 50
    assert min(resident for _, resident in rounds) < 4_000_000  # a lost tensor a step: 16 MB


@pytest.mark.parametrize("collects", [True, False])
def test_a_graph_that_is_dropped_goes_at_once(smooth, collects: bool) -> None:
    gc.disable()
    try:
        x = numbers(3) * 1
        before = x._use_count()
        out = smooth(x)
        assert x._use_count() > before
        if collects:
            out.sum().backward()
        del out
        assert x._use_count() == before
    finally:
        gc.enable()


AGAIN = """
from opwright import Backward

def again(grad_output, x):
    x = x.detach().requires_grad_()
    with torch.enable_grad():
        return torch.autograd.grad(x.sin(), x, grad_output)[0]

computed_again = Operator(
    "computed_again(Tensor x) -> Tensor", inputs={"x": Tensor(batch)}, dtypes=("float64",),
    reference=torch.sin, function=torch.sin,
    backward=Backward("computed_again_backward(Tensor grad_output, Tensor x) -> Tensor grad_x", function=again),
)
"""


def test_a_backward_may_ask_autograd_itself(tmp_path: Path) -> None:
    op = read_operator(write_operator(tmp_path, AGAIN)).load()
    for call in (op, torch.ops.opwright.computed_again):
        x = torch.arange(3.0, dtype=torch.float64).requires_grad_()
        call(x).sum().backward()
        assert torch.equal(x.grad, torch.cos(x.detach()))
