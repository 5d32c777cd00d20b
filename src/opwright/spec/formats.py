"""Binary floating-point formats: their limits and the spacing of their numbers."""

from __future__ import annotations

import math

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
