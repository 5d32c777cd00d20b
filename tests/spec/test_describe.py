# ruff: noqa: E501 -- tables of one line a case
"""Every wrong description is refused with file, line and field, before anything is built."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from opwright import Dim, Extension, Operator, Scalar, Shape, Tensor, Tolerance
from opwright.errors import SpecError
from opwright.spec.expression import Expression

rows = Dim("rows", typical=(4, 64), edge=(0, 1, 3))
cols = Dim("cols", typical=(8, 32), edge=(0, 1, 5))
batch = Shape("batch")


def description(**changed: Any) -> dict[str, Any]:
    """A right description, with changes."""
    right = {
        "schema": "f(Tensor x, Tensor? y=None, int k=1, float eps=0.5, str mode='a') -> Tensor",
        "inputs": {"x": Tensor(rows, cols), "y": Tensor(cols)},
        "dtypes": ("float32",),
        "scalars": {"k": Scalar(1, 2), "mode": Scalar("a", "b")},
        "reference": lambda x, y=None, k=1, eps=0.5, mode="a": x,
        "sources": {"cpu": "kernel.cpp"},
    }
    return {**right, **changed}


def describe(**changed: Any) -> Operator:
    fields = description(**changed)
    return Operator(fields.pop("schema"), **fields)


def schema(text: str, **more: Any) -> dict[str, Any]:
    """Another schema of one required tensor ``x``, and what suits it."""
    suits = {"inputs": {"x": Tensor(rows, cols)}, "scalars": None, "reference": max}
    return {"schema": text, **suits, **more}


X = {"x": Tensor(rows, cols)}
OPTIONAL_SET = {"x": Tensor(rows), "y": Tensor(rows, dtype=("int32", "int64"))}
EXTENSION = Extension(sources="e.cpp", call=lambda m, x, y, k, eps, mode: x)

# name -> (changes, field, what the message says, what its hint says)
WRONG: dict[str, tuple[dict[str, Any], str, str, str]] = {
    # what belongs to one kind of implementation
    "flags for an extension": ({"sources": None, "extension": EXTENSION, "compile_flags": ("-O1",)}, "sources", "compile_flags= goes with sources=", "of its own"),
    "folders for a function": ({"sources": None, "function": max, "include_dirs": ("a",)}, "sources", "include_dirs= goes with sources=", "needs none"),
    # schema
    "no text": (schema(3), "schema", "is 3, not text", "as PyTorch does"),
    "no arrow": (schema("f(Tensor x)"), "schema", "is not of the form", "-> Tensor"),
    "list argument": (schema("f(Tensor x, int[] k) -> Tensor"), "schema", "'int[] k' is not understood", "Lists"),
    "list of tensors": (schema("f(Tensor[] x) -> Tensor"), "schema", "'Tensor[] x' is not understood", "Lists"),
    "no name": (schema("f(Tensor x, int) -> Tensor"), "schema", "'int' is not understood", "then a name"),
    "view": (schema("f(Tensor(a) x) -> Tensor(a)"), "schema", "may be returned as a view", "Tensor(a!)"),
    "written and optional": (schema("f(Tensor(a!)? x) -> ()"), "schema", "is not understood", "Tensor?"),
    "written scalar": (schema("f(Tensor x, int(a!) k) -> ()"), "schema", "is not understood", "Tensor?"),
    "two of one alias": (schema("f(Tensor(a!) x, Tensor(a!) y) -> ()"), "schema", "marked (a!)", "(b!)"),
    "returned alias of nothing": (schema("f(Tensor x) -> Tensor(a!)"), "schema", "is no argument", "Mark one"),
    "returned twice": (schema("f(Tensor(a!) x) -> (Tensor(a!), Tensor(a!))"), "schema", "returned twice", "once"),
    "return of a scalar": (schema("f(Tensor x) -> int"), "schema", "return 'int' is not understood", "Tensor"),
    "nothing comes out": (schema("f(Tensor x) -> ()"), "schema", "nothing is written", "Return"),
    "arguments of one name": (schema("f(Tensor x, int x) -> Tensor"), "schema", "are named 'x'", "Rename"),
    "return named as an argument": (schema("f(Tensor x) -> Tensor x"), "schema", "are named 'x'", "Rename"),
    "unnamed return clashes": (schema("f(Tensor x, int output) -> Tensor"), "schema", "named 'output'", "result"),
    "default behind": (schema("f(Tensor x, int k=1, int j) -> Tensor"), "schema", "'j' has no default", "Reorder"),
    "star at the end": (schema("f(Tensor x, *) -> Tensor"), "schema", "'*' stands for nothing", "one '*'"),
    "two stars": (schema("f(Tensor x, *, int k, *, int j) -> Tensor"), "schema", "'*' stands", "one '*'"),
    "default of another type": (schema("f(Tensor x, int k='a') -> Tensor"), "schema", "default 'a' of argument 'k' is no int", "value"),
    "bool for an int": (schema("f(Tensor x, int k=True) -> Tensor"), "schema", "default True", "int"),
    "int for a bool": (schema("f(Tensor x, bool k=1) -> Tensor"), "schema", "is no bool", "bool"),
    "float for an int": (schema("f(Tensor x, int k=1.5) -> Tensor"), "schema", "is no int", "int"),
    "None for an int": (schema("f(Tensor x, int k=None) -> Tensor"), "schema", "is no int", "int"),
    "number for a str": (schema("f(Tensor x, str k=1) -> Tensor"), "schema", "is no str", "str"),
    "value for a tensor": (schema("f(Tensor x, Tensor? k=1) -> Tensor"), "schema", "is no Tensor?", "Tensor?"),
    "default that is no value": (schema("f(Tensor x, bool k=true) -> Tensor"), "schema", "default true of argument 'k' is not a value", "PyTorch"),
    "default in hexadecimal": (schema("f(Tensor x, int k=0x10) -> Tensor"), "schema", "not plain decimal", "differently"),
    "int for an optional float": (schema("f(Tensor x, float? e=3) -> Tensor"), "schema", "stays an int", "3.0"),
    "default too large": (schema(f"f(Tensor x, int k={2**63}) -> Tensor"), "schema", "is no int", "int"),
    "operator named as a word of C++": (schema("double(Tensor x) -> Tensor"), "schema", "'double' is a word of C++", "Rename"),
    "operator named as a word of Python": (schema("lambda(Tensor x) -> Tensor"), "schema", "a word of Python", "Rename"),
    "operator named as a namespace": (schema("std(Tensor x) -> Tensor"), "schema", "outside every C++ namespace", "my_std"),
    "operator named as a type": (schema("size_t(Tensor x) -> Tensor"), "schema", "outside every C++ namespace", "my_size_t"),
    "operator named main": (schema("main(Tensor x) -> Tensor"), "schema", "outside every C++ namespace", "my_main"),
    "operator name that begins with a digit": (schema("1f(Tensor x) -> Tensor"), "schema", "is not an identifier", "plain"),
    "name beyond ASCII": (schema("größe(Tensor x) -> Tensor"), "schema", "is not an identifier", "letters"),
    "argument named as a word of C++": (schema("f(Tensor x, int new) -> Tensor"), "schema", "'new' is a word of C++", "new_"),
    "argument named as a word of Python": (schema("f(Tensor x, int lambda) -> Tensor"), "schema", "word of Python", "lambda_"),
    "argument named as a macro": (schema("f(Tensor x, float NAN) -> Tensor"), "schema", "'NAN' is a word of C++", "NAN_"),
    "argument with two underscores": (schema("f(Tensor x, int a__b) -> Tensor"), "schema", "holds '__'", "one '_'"),
    "return named as a word of C++": (schema("f(Tensor x) -> Tensor this"), "schema", "return name 'this'", "this_"),
    # inputs
    "inputs missing": ({"inputs": None}, "inputs", "is None", "Tensor(...)"),
    "unknown argument": ({"inputs": {**X, "yy": Tensor(cols)}}, "inputs", "'yy' is no tensor argument", "Did you mean 'y'?"),
    "scalar in inputs": ({"inputs": {**X, "y": Tensor(cols), "k": Tensor()}}, "inputs", "'k' is no tensor argument", "x, y"),
    "argument missing": ({"inputs": X}, "inputs", "tensor argument 'y' is not described", "Add it"),
    "no Tensor": ({"inputs": {**X, "y": (cols,)}}, "inputs", "not a Tensor", "Tensor(rows, hidden)"),
    "like: in inputs": ({"inputs": {**X, "y": Tensor(cols, dtype="like:x")}}, "inputs", "has dtype 'like:x'", "outputs"),
    "no tensor that is always there": (schema("f(Tensor? x) -> Tensor"), "inputs", "always there", "plain Tensor"),
    "no tensor at all": (schema("f(int k=1) -> Tensor", inputs={}), "inputs", "always there", "plain Tensor"),
    "optional with a set of dtypes": (schema("f(Tensor x, Tensor? y) -> Tensor", inputs=OPTIONAL_SET), "inputs", "'y' may be None and has a set", "one dtype"),
    "written and copied": (schema("f(Tensor(a!) x) -> ()", inputs={"x": Tensor(rows, layout="copy")}), "inputs", "layout 'copy'", "swallow"),
    "typo in a dim": ({"inputs": {"x": Tensor(rows, cols), "y": Tensor("row * 2")}}, "inputs", "'row' is no dim", "Did you mean 'rows'?"),
    "dim of an optional in arithmetic": ({"inputs": {"x": Tensor(rows, "n * 2"), "y": Tensor(Dim("n"))}}, "inputs", "'n' is no dim of an argument that is always there", "rows"),
    "comparison as a size": ({"inputs": {"x": Tensor(rows, "rows < 2"), "y": Tensor(rows)}}, "inputs", "is a comparison", "arithmetic"),
    "dim named as an argument": ({"inputs": {"x": Tensor(rows, Dim("k")), "y": Tensor(rows)}}, "inputs", "'k' names a dim, and an argument", "Rename"),
    "dim named as an output": ({"inputs": {"x": Tensor(Dim("output")), "y": Tensor(Dim("output"))}}, "inputs", "'output' names a dim", "Rename"),
    "dim named as a dtype of kernels": ({"inputs": {"x": Tensor(Dim("T")), "y": Tensor(Dim("T"))}}, "inputs", "'T' names a dim", "Rename"),
    "argument named as a dtype of kernels": (schema("f(Tensor x, int T_x=1) -> Tensor"), "inputs", "'T_x' names a dtype", "Rename"),
    "two dims of one name": ({"inputs": {"x": Tensor(rows, cols), "y": Tensor(Dim("cols"))}}, "inputs", "two different dims are named 'cols'", "once"),
    "dim and shape of one name": ({"inputs": {"x": Tensor(rows, cols), "y": Tensor(Shape("cols"))}}, "inputs", "two different dims", "once"),
    "dim of two optionals": (
        schema("f(Tensor x, Tensor? y, Tensor? z) -> Tensor", inputs={"x": Tensor(rows), "y": Tensor(cols), "z": Tensor(cols)}),
        "inputs", "only 'y' and 'z' have dim 'cols'", "its own dim",
    ),
    # outputs
    "output of an unknown dim": ({"outputs": Tensor(Dim("n"))}, "outputs", "'n' is no dim of an input", "rows, cols, k"),
    "output of a dim of an optional": ({"inputs": {**X, "y": Tensor(Dim("n"))}, "outputs": Tensor(Dim("n"))}, "outputs", "'n' is no dim of an input that is always there", "Known"),
    "output of a typo": ({"outputs": Tensor("rws + 1")}, "outputs", "'rws' is no dim", "Did you mean 'rows'?"),
    "output of a float argument": ({"outputs": Tensor("eps * 2")}, "outputs", "'eps' is no dim", "Known"),
    "too many outputs": ({"outputs": (Tensor(rows), Tensor(rows))}, "outputs", "describes 2 outputs, the schema returns 1", "not described"),
    "no Tensor in outputs": ({"outputs": (rows,)}, "outputs", "is (Dim(", "Tensor(...)"),
    "output of an unknown name": ({"outputs": {"out": Tensor(rows)}}, "outputs", "'out' is no output", "Did you mean 'output'?"),
    "output with a set of dtypes": ({"outputs": Tensor(rows, dtype=("int32", "int64"))}, "outputs", "set of dtypes", "like:"),
    "like: unknown": ({"outputs": Tensor(rows, dtype="like:xx")}, "outputs", "'xx' is no tensor argument", "Did you mean 'x'?"),
    "like: an optional": ({"outputs": Tensor(rows, dtype="like:y")}, "outputs", "'y' is no tensor argument that is always there", "x"),
    "output with a layout": ({"outputs": Tensor(rows, layout="strided")}, "outputs", "layout 'strided'", "dense"),
    # dtypes
    "dtypes missing": ({"dtypes": None}, "dtypes", "is missing", "float32"),
    "dtypes empty": ({"dtypes": ()}, "dtypes", "is empty", "float32"),
    "dtype unknown": ({"dtypes": ("flaot32",)}, "dtypes", "unknown dtype 'flaot32'", "Did you mean 'float32'?"),
    "dtype twice": ({"dtypes": ("float32", "torch.float32")}, "dtypes", "twice", "once"),
    "dtypes no list": ({"dtypes": 3}, "dtypes", "is 3", "float32"),
    "dtypes of no tensor": (schema("f(Tensor x) -> Tensor", inputs={"x": Tensor(rows, dtype="int64")}), "dtypes", "speaks of no tensor", "Leave it out"),
    "dtype decided by nothing": (
        schema("f(Tensor x, Tensor? y) -> Tensor", inputs={"x": Tensor(rows, dtype="int64"), "y": Tensor(rows)}),
        "dtypes", "no argument decides it", "dtypes of their own",
    ),
    # reference, function, namespace
    "reference missing": ({"reference": None}, "reference", "cannot be called", "PyTorch"),
    "reference of fewer arguments": ({"reference": lambda x, y: x}, "reference", "takes (x, y), but is called with (x, y, k, eps, mode)", "their order"),
    "function of other arguments": ({"function": lambda x: x, "sources": None}, "function", "takes (x)", "their order"),
    "function no function": ({"function": 3, "sources": None}, "function", "cannot be called", "function"),
    "namespace of PyTorch": ({"namespace": "aten"}, "namespace", "PyTorch's own", "yours"),
    "namespace no identifier": ({"namespace": "my-ops"}, "namespace", "not an identifier", "plain"),
    "two namespaces": ({"schema": "mine::" + description()["schema"], "namespace": "yours"}, "namespace", "'yours', and the schema says 'mine'", "one"),
    # sources, extension
    "none": ({"sources": None}, "sources", "no implementation is given", "exactly one"),
    "several": ({"function": lambda x, y, k, eps, mode: x}, "sources", "sources and function are given", "exactly one"),
    "sources and extension": ({"extension": EXTENSION}, "sources", "sources and extension are given", "exactly one"),
    "sources no dict": ({"sources": "kernel.cpp"}, "sources", "is 'kernel.cpp'", '"cpu"'),
    "unknown target": ({"sources": {"cdua": "k.cu"}}, "sources", "'cdua' is no target", "Did you mean 'cuda'?"),
    "source no name": ({"sources": {"cpu": 3}}, "sources", "'cpu' is 3", "file name"),
    "source empty": ({"sources": {"cpu": ()}}, "sources", "'cpu' is ()", "file name"),
    "source with a quote": ({"sources": {"cpu": 'a".cpp'}}, "sources", "'cpu' is", "file name"),
    "source twice": ({"sources": {"cpu": ("a.cpp", "a.cpp")}}, "sources", "names 'a.cpp' twice", "once"),
    "extension no extension": ({"sources": None, "extension": "e.cpp"}, "extension", "is 'e.cpp'", "Extension("),
    "extension of other arguments": (
        {"sources": None, "extension": Extension(sources="e.cpp", call=lambda x: x)},
        "extension", "called with (module, x, y, k, eps, mode)", "their order",
    ),
    "include_dirs a text": ({"include_dirs": "include"}, "include_dirs", "is 'include'", "[...]"),
    "compile_flags a text": ({"compile_flags": "-O2"}, "compile_flags", "is '-O2'", "[...]"),
    "compile flag no text": ({"compile_flags": [3]}, "compile_flags", "holds 3", "texts"),
    # scalars
    "scalars no dict": ({"scalars": [1]}, "scalars", "is [1]", "Scalar("),
    "unknown scalar": ({"scalars": {"epps": Scalar(1.0)}}, "scalars", "'epps' is no scalar argument", "Did you mean 'eps'?"),
    "tensor in scalars": ({"scalars": {"x": Scalar(1.0)}}, "scalars", "'x' is no scalar argument", "k, eps, mode"),
    "bare value": ({"scalars": {"eps": 1e-5}}, "scalars", "'eps' is 1e-05", "Scalar(1e-05)"),
    "bare text": ({"scalars": {"mode": "ab"}}, "scalars", "'mode' is 'ab'", "Scalar('ab')"),
    "no values": (schema("f(Tensor x, int k) -> Tensor"), "scalars", "'k' has no default and no values", "Scalar("),
    "value of another type": ({"scalars": {"k": Scalar(1, 2.5)}}, "scalars", "'k': the value 2.5 is no int", "type"),
    "bool value for an int": ({"scalars": {"k": Scalar(True)}}, "scalars", "the value True is no int", "type"),
    "None for a plain int": ({"scalars": {"k": Scalar(None)}}, "scalars", "the value None is no int", "type"),
    "text for a float": ({"scalars": {"eps": Scalar("1")}}, "scalars", "is no float", "type"),
    "value below": ({"scalars": {"k": Scalar(1, 0, minimum=1)}}, "scalars", "the value 0 is below minimum=1", "Correct"),
    "value above": ({"scalars": {"eps": Scalar(2.0, maximum=1)}}, "scalars", "the value 2.0 is above maximum=1", "Correct"),
    "value NaN": ({"scalars": {"eps": Scalar(float("nan"), maximum=1)}}, "scalars", "nan is above", "Correct"),
    "default outside": ({"scalars": {"k": Scalar(3, minimum=2)}}, "scalars", "the default 1 is below", "Correct"),
    "bound of a str": ({"scalars": {"mode": Scalar("a", minimum=0)}}, "scalars", "has a bound", "int and float"),
    "float bound of an int": ({"scalars": {"k": Scalar(1, minimum=0.5)}}, "scalars", "a bound that is none", "int"),
    "default no choice": ({"scalars": {"mode": Scalar("b", "c")}}, "scalars", "the default 'a' is not among the values", "add"),
    # constraints, reduction, tolerance
    "constraint no text": ({"constraints": (3,)}, "constraints", "3 is not an expression", "k <= experts"),
    "constraints no list": ({"constraints": 3}, "constraints", "is 3", "comparisons"),
    "constraint no comparison": ({"constraints": ("rows + 1",)}, "constraints", "rows + 1 is not a comparison", "Write one"),
    "constraint of a typo": ({"constraints": ("row < 2",)}, "constraints", "'row' is no dim", "Did you mean 'rows'?"),
    "constraint with a call": ({"constraints": ("max(rows, 1) < 2",)}, "constraints", "'max(rows, 1)' cannot be used", "Only"),
    "constraint no Python": ({"constraints": ("rows <",)}, "constraints", "is not an expression", "arithmetic"),
    "constraint of a shape": ({"inputs": {"x": Tensor(batch), "y": Tensor(cols)}, "constraints": ("batch < 2",)}, "constraints", "'batch' is no dim", "Known"),
    "constraint that nothing keeps": ({"constraints": ("rows > 64",)}, "constraints", "no declared sizes satisfy rows > 64", "declare"),
    "constraints that nothing keeps together": ({"constraints": ("rows > 3", "rows < 4")}, "constraints", "no declared sizes satisfy rows > 3 and rows < 4", "declare"),
    "constraint that no scalar keeps": ({"constraints": ("k > 2",)}, "constraints", "no declared sizes satisfy k > 2", "declare"),
    "reduction of a typo": ({"reduction": "cls"}, "reduction", "'cls' is no dim", "Did you mean 'cols'?"),
    "reduction a comparison": ({"reduction": "rows < 2"}, "reduction", "is 'rows < 2'", "number of terms"),
    "reduction a bool": ({"reduction": True}, "reduction", "is True", "number of terms"),
    "flops of a typo": ({"flops": "2 * cls"}, "flops", "'cls' is no dim", "Did you mean 'cols'?"),
    "flops a comparison": ({"flops": "rows < 2"}, "flops", "is 'rows < 2'", "operations of one call"),
    "flops a bool": ({"flops": True}, "flops", "is True", "operations of one call"),
    "flops with a power": ({"flops": "rows ** 2"}, "flops", "'rows ** 2' cannot be used", "Only"),
    "flops of a float argument": ({"flops": "rows * eps"}, "flops", "'eps' is no dim", "Known"),
    "tolerance a number": ({"tolerance": 1e-3}, "tolerance", "is 0.001", "Tolerance("),
    "tolerance of an unknown dtype": ({"tolerance": {"fp32": Tolerance(rtol=1e-3)}}, "tolerance", "unknown dtype 'fp32'", "Known are"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_description_is_refused_with_file_line_and_field(case: str) -> None:
    changes, field, what, hint = WRONG[case]
    fields = description(**changes)
    text = fields.pop("schema")
    with pytest.raises(SpecError) as caught:
        Operator(text, **fields)
    line = caught.traceback[0].lineno + 1
    assert caught.value.what.startswith(f"{Path(__file__)}:{line}: field '{field}': ")
    assert what in caught.value.what
    assert hint in caught.value.hint


WRONG_PARTS = {
    "dim name": (lambda: Dim("2rows"), "Dim name '2rows' is not an identifier"),
    "dim named as a word of C++": (lambda: Dim("int"), "Dim name 'int' is a word of C++"),
    "dim with two underscores": (lambda: Dim("a__b"), "holds '__'"),
    "typical empty": (lambda: Dim("n", typical=()), "Dim 'n': field 'typical' is empty"),
    "typical no numbers": (lambda: Dim("n", typical="4"), "field 'typical' is '4'"),
    "edge negative": (lambda: Dim("n", edge=(-1,)), "field 'edge' contains -1"),
    "edge no int": (lambda: Dim("n", edge=(1.5,)), "field 'edge' contains 1.5"),
    "edge bool": (lambda: Dim("n", edge=(True,)), "field 'edge' contains True"),
    "shape name": (lambda: Shape("a b"), "Shape name 'a b'"),
    "shape typical empty": (lambda: Shape("s", typical=()), "Shape 's': field 'typical' is empty"),
    "one shape": (lambda: Shape("s", typical=(1024, 768)), "field 'typical' is one shape, (1024, 768)"),
    "shape no tuple": (lambda: Shape("s", edge=3), "field 'edge' is 3"),
    "two shapes": (lambda: Tensor(Shape("a"), Shape("b")), "Tensor(*a, *b) has more than one Shape"),
    "size negative": (lambda: Tensor(-1), "size -1 is impossible"),
    "size too large": (lambda: Tensor(2**63), "is impossible"),
    "size no size": (lambda: Tensor(1.5), "1.5 is not a size"),
    "size None": (lambda: Tensor(None), "None is not a size"),
    "size with a call": (lambda: Tensor("abs(rows)"), "'abs(rows)' cannot be used"),
    "size with true division": (lambda: Tensor("rows / 2"), "'rows / 2' cannot be used"),
    "layout": (lambda: Tensor(rows, layout="dense"), "field 'layout' is 'dense'"),
    "tensor dtype": (lambda: Tensor(rows, dtype="int46"), "unknown dtype 'int46'"),
    "tensor dtypes empty": (lambda: Tensor(rows, dtype=()), "field 'dtype' is empty"),
    "tensor dtypes twice": (lambda: Tensor(rows, dtype=("int32", "int32")), "twice"),
    "range reversed": (lambda: Tensor(rows, range=(1, 0)), "field 'range' is (1, 0)"),
    "range no numbers": (lambda: Tensor(rows, range=("a", "b")), "field 'range' is"),
    "range NaN": (lambda: Tensor(rows, range=(0.0, float("nan"))), "field 'range' is"),
    "range of one": (lambda: Tensor(rows, range=(1,)), "field 'range' is"),
    "scalar empty": (Scalar, "Scalar() has no values"),
    "scalar bounds reversed": (lambda: Scalar(1, minimum=2, maximum=1), "'minimum' is 2, more than"),
    "scalar bound infinite": (lambda: Scalar(1, maximum=float("inf")), "field 'maximum' is inf"),
    "scalar bound no number": (lambda: Scalar(1, minimum="0"), "field 'minimum' is '0'"),
    "extension without sources": (lambda: Extension(sources=(), call=max), "'sources' is empty"),
    "extension call": (lambda: Extension(sources="a.cpp", call=3), "field 'call' is 3"),
    "extension flags": (lambda: Extension("a.cpp", max, compile_flags=3), "'compile_flags' is 3"),
    "expression empty": (lambda: Expression(""), "is not an expression"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG_PARTS)
def test_a_wrong_part_is_refused_where_it_is_made(case: str) -> None:
    make, what = WRONG_PARTS[case]
    with pytest.raises(SpecError) as caught:
        make()
    assert what in caught.value.what
    assert caught.value.hint


def test_the_right_description_is_taken() -> None:
    spec = describe().spec
    assert list(spec.inputs) == ["x", "y"]
    assert spec.outputs == (Tensor(rows, cols),)
    assert spec.location.file == Path(__file__)
    assert spec.namespace == "opwright"
    assert [(v.name, v.leader) for v in spec.type_variables] == [("T", "x")]


def test_a_schema_may_name_its_namespace() -> None:
    spec = describe(schema="mine::" + description()["schema"]).spec
    assert (spec.namespace, spec.schema.namespace) == ("mine", "mine")
    assert spec.schema.text.startswith("f(")


def test_the_dtype_is_decided_by_a_tensor_that_is_always_there() -> None:
    spec = describe(
        schema="f(Tensor? x, Tensor y) -> Tensor", scalars=None, reference=lambda x, y: y,
        inputs={"x": Tensor(rows), "y": Tensor(rows)},
    ).spec  # fmt: skip
    assert [(v.name, v.leader) for v in spec.type_variables] == [("T", "y")]
    assert spec.outputs == (Tensor(rows),)


def test_one_tensor_with_a_set_of_dtypes_used_twice_is_two_type_variables() -> None:
    index = Tensor(rows, dtype=("int32", "int64"))
    spec = describe(
        schema="f(Tensor x, Tensor y) -> Tensor", scalars=None, reference=lambda x, y: y,
        inputs={"x": index, "y": index}, outputs=Tensor(rows, dtype="like:y"), dtypes=None,
    ).spec  # fmt: skip
    assert [v.name for v in spec.type_variables] == ["T_x", "T_y"]
    assert spec.dtype_of(spec.outputs[0]) == "T_y"


def test_an_operator_of_fixed_dtypes_needs_no_dtypes() -> None:
    spec = describe(
        schema="f(Tensor x) -> Tensor", scalars=None, reference=lambda x: x, dtypes=None,
        inputs={"x": Tensor(rows, dtype="int64")},
    ).spec  # fmt: skip
    assert spec.type_variables == ()
    assert spec.dtype_of(spec.outputs[0]) == "int64"


def test_reference_gets_keyword_only_arguments_by_keyword() -> None:
    describe(**schema("f(Tensor x, *, int k=1) -> Tensor", reference=lambda x, *, k=1: x))
    with pytest.raises(SpecError, match="field 'reference'"):
        describe(**schema("f(Tensor x, *, int k=1) -> Tensor", reference=lambda x, j: x))


def test_operations_count_dims_shapes_and_int_arguments() -> None:
    assert describe().spec.flops is None
    assert describe(flops="2 * rows * cols + k").spec.flops == Expression("2 * rows * cols + k")
    shaped = {"x": Tensor(batch, cols), "y": Tensor(cols)}
    assert describe(inputs=shaped, flops="3 * batch * cols").spec.flops is not None
    assert describe(inputs=shaped, flops=batch).spec.flops == Expression("batch")
