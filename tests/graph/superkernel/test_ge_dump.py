"""A graph as torchair writes it is read back with its scopes."""

from __future__ import annotations

from opwright.graph.superkernel.ge_dump import GeOperator, read_dump

# From torchair of torch-npu 2.13.0, shortened.
DUMP = r"""node {
    name: "arg0_1"
    op: "Data"
    attr {
        key: "index"
        value {
            s: 'i: 0\n'
        }
    }
}
node {
    name: "MatMul"
    op: "MatMul"
    input: "arg0_1:0"
    attr {
        key: "_super_kernel_options"
        value {
            s: 's: "debug-aic-num=24:debug-aiv-num=48"\n'
        }
    }
    attr {
        key: "_super_kernel_scope"
        value {
            s: 's: "sp1"\n'
        }
    }
    attr {
        key: "[i]x1"
        value {
            s: 'name: "x1"\ndtype: DT_FLOAT\n'
        }
    }
}
"""


def test_operators_come_with_their_scope_and_its_options() -> None:
    assert read_dump(DUMP) == [
        GeOperator("arg0_1", "Data", "", ""),
        GeOperator("MatMul", "MatMul", "sp1", "debug-aic-num=24:debug-aiv-num=48"),
    ]


def test_no_text_is_no_operators() -> None:
    assert read_dump("") == []
