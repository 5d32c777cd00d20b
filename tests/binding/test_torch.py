"""Generated bindings inside PyTorch: autograd, fake tensors, compile, export, models."""

from __future__ import annotations

import copy
import io
import pickle
import threading

import pytest
import torch

COMPILED = {"fullgraph": True, "backend": "aot_eager"}
NO_BACKWARD = (
    "spread: argument `y` requires grad, and the operator has no backward: call it under "
    "torch.no_grad(), or detach the argument"
)


def spread_arguments():
    return torch.arange(6.0).view(2, 3), torch.ones(2, 3)


@pytest.mark.parametrize("kind", ["leaf", "not a leaf", "parameter"])
def test_a_gradient_that_would_be_lost_is_refused(ops, kind):
    x, y = spread_arguments()
    y = torch.nn.Parameter(y) if kind == "parameter" else y.requires_grad_()
    y = y * 1 if kind == "not a leaf" else y
    with pytest.raises(RuntimeError) as caught:
        ops.spread(x, y)
    assert str(caught.value) == NO_BACKWARD


def test_without_grad_mode_it_is_taken(ops):
    x, y = spread_arguments()
    y.requires_grad_()
    with torch.no_grad():
        low, high = ops.spread(x, y)
    assert (low.tolist(), high) == ([[-1, 0, 1], [2, 3, 4]], 15)
    with torch.inference_mode():
        low, high = ops.spread(x.clone(), y)
    assert (low.tolist(), high) == ([[0, 1, 2], [3, 4, 5]], 21)
    low, high = ops.spread(x, y.detach())
    assert (low.tolist(), high) == ([[0, 1, 2], [3, 4, 5]], 21)


def test_an_integer_tensor_needs_no_gradient(ops):
    low, high = ops.spread(torch.ones(3, dtype=torch.int32))
    assert (low.tolist(), high) == ([1, 1, 1], 3)


def test_outputs_require_no_grad(ops):
    low, high = ops.spread(*spread_arguments())
    assert not low.requires_grad
    assert not high.requires_grad


def test_a_write_is_counted_for_autograd(ops):
    x, y = spread_arguments()
    version, other = x._version, y._version
    ops.spread(x, y)
    assert (x._version, y._version) == (version + 1, other)
    ops.spread(torch.tensor(1.0))  # also without dimensions


def test_autograd_refuses_a_tensor_that_was_overwritten(ops):
    x = torch.ones(3, requires_grad=True)
    saved = x * 1
    loss = (saved * saved).sum()
    with torch.no_grad():
        ops.spread(saved)
    with pytest.raises(RuntimeError, match=r"modified by an inplace operation"):
        loss.backward()


def test_inference_tensors_can_be_written_in_inference_mode_only(ops):
    with torch.inference_mode():
        x = torch.ones(3)
        ops.spread(x)
        assert x.tolist() == [2, 2, 2]
    with pytest.raises(RuntimeError, match=r"[Ii]nference tensor"):
        ops.spread(x)


def test_a_custom_function_may_call_it(ops):
    class Doubled(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return ops.spread(x.clone(), -x)[0]

        @staticmethod
        def backward(ctx, grad):
            return 2 * grad

    x = torch.ones(3, requires_grad=True)
    Doubled.apply(x).sum().backward()
    assert x.grad.tolist() == [2, 2, 2]


def opcheck_cases(ops):
    x, y = spread_arguments()
    scalar = torch.tensor(1.0, dtype=torch.float64)
    return {
        "spread": (ops.spread, (x, y), {}),
        "spread without": (ops.spread, (x,), {}),
        "spread empty": (ops.spread, (torch.ones(0, 3), torch.ones(0, 3)), {}),
        "spread int": (ops.spread, (x.int(), y.int()), {}),
        "scalars": (ops.scalars, (scalar, 1, 1.0, True, "abc"), {"kw": 3, "os": "xy"}),
        "strides": (ops.strides, (torch.ones(2, 8)[:, ::2], torch.zeros(4, dtype=torch.int64)), {}),
    }


@pytest.mark.parametrize(
    "case", ["spread", "spread without", "spread empty", "spread int", "scalars", "strides"]
)
def test_torch_finds_nothing_wrong(stable_ops, case):
    op, args, kwargs = opcheck_cases(stable_ops)[case]
    found = torch.library.opcheck(op.implementation.overload, args, kwargs)
    assert found
    assert set(found.values()) == {"SUCCESS"}


@pytest.mark.parametrize("dynamic", [False, True])
def test_it_compiles_without_a_graph_break(stable_ops, dynamic):
    op = stable_ops.spread

    def model(x, y):
        low, high = op(x * 2, y)
        return low + 1, high

    compiled = torch.compile(model, dynamic=dynamic, **COMPILED)
    for size in (3, 5, 0):
        x, y = torch.rand(size, 4), torch.rand(size, 4)
        torch.testing.assert_close(compiled(x, y), model(x, y))


def test_a_write_survives_compilation(stable_ops):
    op = stable_ops.spread

    @torch.compile(**COMPILED)
    def model(x):
        op(x)
        op(x)
        return x * 10

    x = torch.ones(2, 3)
    assert torch.equal(model(x), torch.full((2, 3), 30.0))
    assert torch.equal(x, torch.full((2, 3), 3.0))


def test_a_gradient_that_would_be_lost_is_refused_when_compiled(stable_ops):
    op = stable_ops.spread
    model = torch.compile(lambda x, y: op(x.clone(), y * 2)[0], **COMPILED)
    x, y = spread_arguments()
    with pytest.raises(
        Exception, match="argument `y` requires grad, and the operator has no backward"
    ):
        model(x, y.requires_grad_())
    with torch.no_grad():
        model(x, y)


@pytest.mark.parametrize("shape", [(4, 6), (2, 3, 6), (6,), (0, 6)])
def test_meta_tensors_get_what_real_ones_get(ops, shape):
    call = {
        "out": torch.zeros(4, 6), "x": torch.ones(4, 6), "bias": torch.ones(6),
        "index": torch.arange(4), "lead": torch.ones(shape), "k": 2,
        "mid": torch.ones(2, *shape[:-1], 12),
    }  # fmt: skip
    _, real = ops.contract(**call)
    _, meta = ops.contract(
        **{n: v.to("meta") if isinstance(v, torch.Tensor) else v for n, v in call.items()}
    )
    assert (meta.shape, meta.stride(), meta.dtype) == (real.shape, real.stride(), real.dtype)
    assert meta.device.type == "meta"


def test_fake_tensors_keep_sizes_symbolic(stable_ops):
    from torch.fx.experimental.proxy_tensor import make_fx

    call = {
        "out": torch.zeros(4, 6), "x": torch.ones(4, 6), "bias": torch.ones(6),
        "index": torch.arange(4), "lead": torch.ones(3, 6), "mid": torch.ones(2, 3, 12),
    }  # fmt: skip
    traced = make_fx(lambda c: stable_ops.contract(**c, k=2), tracing_mode="symbolic")(call)
    _, value = next(n.meta["val"] for n in traced.graph.nodes if "contract" in str(n.target))
    assert all(isinstance(size, torch.SymInt) for size in value.shape)
    assert "+ 1" in str(value.shape[1])  # cols + k - 1


@pytest.mark.parametrize(
    "changed, message",
    [
        ({"x": torch.ones(4)}, r"argument `x`: expected 2 dimensions \(rows, cols\)"),
        ({"x": None}, "argument `x`: expected a tensor, got None"),
        ({"bias": torch.ones(5)}, r"argument `bias`: expected shape \[6\] .*, got shape \[5\]"),
    ],
)
def test_fake_tensors_are_refused_where_sizes_make_no_sense(stable_ops, changed, message):
    right = {
        "out": torch.zeros(4, 6), "x": torch.ones(4, 6), "bias": torch.ones(6),
        "index": torch.arange(4), "lead": torch.ones(3, 6), "mid": torch.ones(2, 3, 6),
    }  # fmt: skip
    with torch.device("meta"):
        call = {n: v if v is None else v.to("meta") for n, v in {**right, **changed}.items()}
    with pytest.raises(RuntimeError, match=message):
        stable_ops.contract(**call)


class Model(torch.nn.Module):
    def __init__(self, op):
        super().__init__()
        self.op = op
        self.weight = torch.nn.Parameter(torch.ones(3), requires_grad=False)

    def forward(self, x):
        return self.op(x * self.weight, x)[0]


def test_a_module_holds_it(stable_ops):
    model = Model(stable_ops.spread)
    x = torch.rand(2, 3)
    assert torch.equal(model(x), torch.zeros(2, 3))
    assert torch.equal(torch.compile(model, **COMPILED)(x), torch.zeros(2, 3))


def test_a_copied_module_shares_it(stable_ops):
    model = Model(stable_ops.spread)
    for copied in (copy.copy(model), copy.deepcopy(model)):
        assert copied.op is model.op
        assert torch.equal(copied(torch.ones(3)), torch.zeros(3))


def test_a_pickled_module_finds_it_again(stable_ops):
    model = Model(stable_ops.spread)
    assert pickle.loads(pickle.dumps(model.op)) is model.op
    buffer = io.BytesIO()
    torch.save(model.op, buffer)
    buffer.seek(0)
    assert torch.load(buffer, weights_only=False) is model.op


def test_a_module_is_exported(stable_ops):
    model = Model(stable_ops.spread)
    x = torch.rand(2, 3)
    exported = torch.export.export(model, (x,), dynamic_shapes=({0: torch.export.Dim("n")},))
    assert any("spread" in str(node.target) for node in exported.graph.nodes)
    assert torch.equal(exported.module()(torch.rand(7, 3)), torch.zeros(7, 3))


def test_several_threads_compile_and_call(stable_ops):
    op, wrong = stable_ops.spread, []

    def work(number):
        x = torch.full((4,), float(number))
        if op(x)[0].tolist() != [number] * 4:
            wrong.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
