"""How far an output may be from the exact answer where nobody says so.

Magnitudes are plain numbers here; `opwright.judge` applies the rule to whole tensors.
"""

from __future__ import annotations

import math

from opwright.spec.formats import FLOAT_FORMATS

# The default rule. An element may be wrong by the sum of
#   ULP_FLOOR ulp of the output dtype,
#   REFERENCE_FACTOR times what the reference is wrong by, beyond rounding, at that dtype and
#     magnitude (in half types ROUNDING_FACTOR times, up to ROUNDING_ULP),
#   what a sum of n terms costs (`reduction_limit`),
# and the mean error may not be MEAN_FACTOR times the reference's.
#
# Half types: computing in float32 and rounding once is wrong by 0.5 ulp and a little; three times
# that, so that one more rounding on the way passes.
# float32: two or three library functions in a row, 1 to 2 ulp each on CPUs and GPUs.
# float64: the oracle has the same rounding errors itself, so that they count twice.
ULP_FLOOR = {"float16": 1.5, "bfloat16": 1.5, "float32": 4.0, "float64": 8.0}
# Right formulas differ: tanh as 1 - 2 / (exp(2u) + 1) makes a GELU up to 7 times as wrong as
# torch's own (measured, float32, 100 000 normal inputs; 11 times on 3 inputs).
REFERENCE_FACTOR = 8.0
# A few ulp in a half type are roundings to it, not arithmetic: those are much alike in all formulas.
ROUNDING_FACTOR = {"float16": 3.0, "bfloat16": 3.0, "float32": 8.0, "float64": 8.0}
ROUNDING_ULP = 2.0
# Below so many elements of like magnitude the reference may be right by luck: it is taken to be
# wrong by as many ulp more as `unseen_ulp` says. (In half types rounding hides its arithmetic.)
ENOUGH_ELEMENTS = 64
UNSEEN_ULP = {"float16": (0.35, 0.35), "bfloat16": (0.35, 0.35)}
# Higham, Accuracy and Stability of Numerical Algorithms, ch. 4: summing n terms one by one is wrong
# by at most (n - 1) u sum|x|; Higham and Mary (2019): with rounding errors of either sign,
# sqrt(n) u sum|x| times a small constant. Measured for sequential float32 sums of 16 to 65536
# normal, uniform and lognormal terms, 500 to 2000 each: at most 1.5 sqrt(n) u max(|y|, rms(y)).
# Several sums in a row (mean, variance) are why it is more.
REDUCTION_FACTOR = 8.0
# Half types are accumulated in float32.
ACCUMULATOR = {"float16": "float32", "bfloat16": "float32"}
# What the oracle itself loses where it cancels, in eps of a float64 output's typical size.
ORACLE_FACTOR = 8.0
# Mean errors, in units of the limits: right rounding takes 0.25 ulp of 1.5, truncation 0.5. Above
# that, errors that are allowed one by one show a factor of 1.01 or a sum in a half type.
MEAN_FLOOR = 0.4
MEAN_FACTOR = 2.0


def unseen_ulp(dtype: str, elements: int) -> float:
    """ULP by which a reference may be wrong in general that looks right in so few ``elements``."""
    if elements >= ENOUGH_ELEMENTS:
        return 0.0
    least, most = UNSEEN_ULP.get(dtype, (1.0, 16.0))
    return min(most, least * ENOUGH_ELEMENTS / max(elements, 1))


def reduction_limit(dtype: str, length: int, scale: float) -> float:
    """Absolute error that summing ``length`` terms may cause in outputs of magnitude ``scale``."""
    form = FLOAT_FORMATS[ACCUMULATOR.get(dtype, dtype)]
    return REDUCTION_FACTOR * math.sqrt(length) * form.eps / 2 * scale if length > 1 else 0.0
