"""How far an output may be from the exact answer where users say so."""

from __future__ import annotations

import math

from opwright.errors import SpecError
from opwright.frozen import Frozen


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
        from opwright.spec.formats import float_format  # a description is checked without

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
        from opwright.spec.formats import float_format

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
