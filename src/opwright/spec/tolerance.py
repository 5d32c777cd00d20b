"""How far an output may be from the exact answer: what users declare, and the rule where they don't.

Magnitudes are plain numbers here; `opwright.judge` applies the same rule to whole tensors.
"""

from __future__ import annotations

import math

from opwright.errors import SpecError
from opwright.frozen import Frozen


class FloatFormat(Frozen):
    """A binary floating-point format; ``mantissa_bits`` counts the stored bits."""

    name: str
    mantissa_bits: int
    min_exponent: int
    max_exponent: int

    @property
    def eps(self) -> float:
        """Distance from 1 to the next number."""
        return math.ldexp(1.0, -self.mantissa_bits)

    @property
    def max(self) -> float:
        """Largest finite number."""
        return math.ldexp(2.0 - self.eps, self.max_exponent)

    @property
    def smallest_normal(self) -> float:
        """Smallest number with a full mantissa."""
        return math.ldexp(1.0, self.min_exponent)

    @property
    def smallest_subnormal(self) -> float:
        """Spacing of the numbers below `smallest_normal`."""
        return math.ldexp(1.0, self.min_exponent - self.mantissa_bits)

    @property
    def overflow(self) -> float:
        """Least magnitude that rounds to infinity (infinity itself where a float cannot hold it)."""
        return self.max + math.ldexp(0.5, self.max_exponent - self.mantissa_bits)

    def ulp(self, magnitude: float) -> float:
        """Spacing of this format's numbers in the binade of ``magnitude``."""
        if not math.isfinite(magnitude):
            return math.ldexp(1.0, self.max_exponent - self.mantissa_bits)
        exponent = math.frexp(magnitude)[1] - 1 if magnitude else self.min_exponent
        exponent = min(max(exponent, self.min_exponent), self.max_exponent)
        return math.ldexp(1.0, exponent - self.mantissa_bits)


FLOAT_FORMATS = {
    form.name: form
    for form in (
        FloatFormat("float64", 52, -1022, 1023),
        FloatFormat("float32", 23, -126, 127),
        FloatFormat("float16", 10, -14, 15),
        FloatFormat("bfloat16", 7, -126, 127),
    )
}
_COMPONENTS = {"complex32": "float16", "complex64": "float32", "complex128": "float64"}


def float_format(dtype: str) -> FloatFormat | None:
    """The format of a dtype's numbers (of a complex dtype's parts); None where they are exact."""
    return FLOAT_FORMATS.get(_COMPONENTS.get(dtype, dtype))


class Tolerance(Frozen):
    """What a user allows: ``|actual - exact| <= atol + rtol * |exact|``, as torch combines them.

    ``ulp`` allows so many units in the last place of the output dtype as well; the larger of the
    two counts. ``Tolerance()`` asks for the exact answer. Raises `SpecError` for a number that is
    no tolerance.
    """

    rtol: float = 0.0
    atol: float = 0.0
    ulp: float | None = None

    def __post_init__(self) -> None:
        for name in ("rtol", "atol", "ulp"):
            value = getattr(self, name)
            if value is not None and not (math.isfinite(value) and value >= 0):
                raise SpecError(
                    f"tolerance: {name}={value!r} is not a finite number of at least 0",
                    hint=f"Give {name} as a number such as 1e-3, or leave it out.",
                )
        if self.ulp is not None and 0 < self.ulp < 0.5:
            raise SpecError(
                f"tolerance: ulp={self.ulp!r} is below the half ULP that rounding alone takes",
                hint="Declare ulp of at least 0.5, or 0 for outputs that have to be exact.",
            )

    def allowed(self, magnitude: float, dtype: str) -> float:
        """Largest absolute error at ``magnitude`` in ``dtype``; 0 for exact dtypes.

        Half the spacing of subnormals is always granted: ``rtol`` speaks of normal numbers.
        """
        form = float_format(dtype)
        if form is None:
            return 0.0
        bound = self.atol + self.rtol * abs(magnitude)
        in_ulp = (self.ulp or 0.0) * form.ulp(magnitude)
        return max(bound, in_ulp, form.smallest_subnormal / 2)

    def require_attainable(self, dtype: str, magnitude: float) -> None:
        """Raise `SpecError` if rounding the exact answer at ``magnitude`` can already exceed this.

        An answer that the dtype holds exactly needs no tolerance; callers ask for the others.
        """
        form = float_format(dtype)
        if form is None or abs(magnitude) < form.smallest_normal:
            return
        half_ulp, allowed = form.ulp(magnitude) / 2, self.allowed(magnitude, dtype)
        if allowed >= half_ulp:
            return
        raise SpecError(
            f"no correct operator can meet {self}: at |y|={abs(magnitude):.6g} it allows "
            f"{allowed:.3g}, and half an ULP of {dtype} there is {half_ulp:.3g}",
            hint=f"Declare rtol of at least {form.eps / 2:.3g} for {dtype}, or no tolerance: "
            "the default follows the reference's own error.",
        )


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
