"""SwiGLU's gate, gate * sigmoid(gate) * up, for tensors of any shape."""

import torch
import torch.nn.functional as F
from opwright import Backward, Operator, Shape, Tensor

shape = Shape(
    "shape",
    typical=((1024, 768), (4096, 1024)),
    edge=((), (0,), (1,), (7,), (3, 0, 2), (2, 3, 5), (65_537,)),
)


def reference(gate: torch.Tensor, up: torch.Tensor) -> torch.Tensor:
    wide = torch.promote_types(gate.dtype, torch.float32)  # half types are rounded once
    return (F.silu(gate.to(wide)) * up.to(wide)).to(gate.dtype)


swiglu = Operator(
    "swiglu(Tensor gate, Tensor up) -> Tensor",
    inputs={"gate": Tensor(shape, layout="copy"), "up": Tensor(shape, layout="copy")},
    dtypes=("float32", "bfloat16", "float16", "float64"),
    reference=reference,
    sources={"cpu": "swiglu.cpp", "cuda": "swiglu.cu", "hip": "swiglu.cu"},
    backward=Backward(
        "swiglu_backward(Tensor grad_output, Tensor gate, Tensor up)"
        " -> (Tensor grad_gate, Tensor grad_up)",
        saved=("gate", "up"),
        sources={
            "cpu": "swiglu_backward.cpp",
            "cuda": "swiglu_backward.cu",
            "hip": "swiglu_backward.cu",
        },
    ),
    autocast="widest",
    vmap=shape,
)
