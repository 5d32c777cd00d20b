"""Schemas are read as PyTorch reads them, or refused."""

from __future__ import annotations

import pytest
import torch

from opwright.spec.schema import Argument, Return, parse_schema

TAKEN = [
    "f(Tensor x) -> Tensor",
    "f(Tensor x, Tensor? y=None) -> (Tensor, Tensor)",
    "f(Tensor(a!) x, Tensor y) -> ()",
    "f(Tensor(a!) x, Tensor(b!) y) -> (Tensor(b!), Tensor, Tensor(a!))",
    "f(Tensor x, int k=-3, float e=1e-5, bool b=True, str s='a,b') -> Tensor",
    "f(Tensor x, int? k=None, float? e=3.0, bool? b=False, str? s=None) -> Tensor result",
    "f(Tensor x, *, int k, float e=.5) -> (Tensor low, Tensor high)",
    "f(Tensor x, float e=-1.5E+3) -> Tensor",
    'f(Tensor x, str s="it\'s (x)") -> Tensor',
    " f (\n  Tensor x,\n  int k = 1\n) -> Tensor ",
]


@pytest.mark.parametrize("text", TAKEN)
def test_what_is_taken_is_read_as_pytorch_reads_it(text: str) -> None:
    ours, theirs = parse_schema(text), torch._C.parse_schema(parse_schema(text).text)
    assert [a.name for a in ours.arguments] == [a.name for a in theirs.arguments]
    assert [a.keyword_only for a in ours.arguments] == [a.kwarg_only for a in theirs.arguments]
    assert [a.has_default for a in ours.arguments] == [
        a.has_default_value() for a in theirs.arguments
    ]
    for a, b in zip(ours.arguments, theirs.arguments, strict=True):
        assert (a.mutated is not None) == (b.alias_info is not None and b.alias_info.is_write)
        assert a.type + "?" * a.optional == str(b.type).replace("Optional[", "").replace("]", "?")
        assert not a.has_default or (
            a.default == b.default_value and type(a.default) is type(b.default_value)
        )
    assert len(ours.returns) == len(theirs.returns)
    assert [r.alias is not None for r in ours.returns] == [
        r.alias_info is not None for r in theirs.returns
    ]


def test_returns_have_names() -> None:
    assert parse_schema("f(Tensor x) -> Tensor").returns == (Return("output"),)
    assert parse_schema("f(Tensor x) -> (Tensor)").returns == (Return("output"),)
    assert parse_schema("f(Tensor x) -> (Tensor, Tensor y)").returns == (
        Return("output0"),
        Return("y"),
    )
    assert parse_schema("f(Tensor(a!) x) -> Tensor(a!)").fresh_returns == ()


def test_a_namespace_is_no_part_of_the_text() -> None:
    schema = parse_schema("mine::f(Tensor x) -> Tensor")
    assert (schema.namespace, schema.name, schema.text) == ("mine", "f", "f(Tensor x) -> Tensor")


def test_values_become_a_call() -> None:
    schema = parse_schema("f(Tensor x, int k, *, float e=0.5) -> Tensor")
    assert schema.as_call({"e": 1.0, "k": 2, "x": "x"}) == (["x", 2], {"e": 1.0})
    with pytest.raises(KeyError):
        schema.argument("nothing")


@pytest.mark.parametrize(
    "kind, optional, taken, refused",
    [
        ("int", False, [0, -1, 2**63 - 1, -(2**63)], [True, 1.0, "1", None, 2**63]),
        ("float", False, [0.5, 1, float("nan")], [True, "1", None]),
        ("bool", False, [True, False], [0, 1, None, "True"]),
        ("str", False, ["", "a"], [0, None, b"a"]),
        ("int", True, [None, 1], [True]),
        ("Tensor", True, [None], [1]),
    ],
)
def test_an_argument_takes_values_of_its_type(kind, optional, taken, refused) -> None:
    argument = Argument("x", kind, optional=optional)
    assert [value for value in taken if not argument.takes(value)] == []
    assert [value for value in refused if argument.takes(value)] == []
