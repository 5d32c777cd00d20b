"""Prints the polynomial coefficients of ``opwright/math.h`` (needs numpy).

Each polynomial is the best one in the sense of the largest relative error of the whole function,
found by Lawson's iteration: least squares whose weights grow where the error is large.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

POINTS = 4001
ITERATIONS = 300
NORMAL_SLOPE = 11 / 32


def fit(
    target: Callable[[float], float],
    scale: Callable[[float], float],
    interval: tuple[float, float],
    terms: int,
) -> tuple[np.ndarray, float]:
    """Minimise max |scale(v) * (P(v) - target(v))| over the interval; return P and that maximum."""
    low, high = interval
    nodes = np.cos(np.pi * (np.arange(POINTS) + 0.5) / POINTS)
    v = (high + low) / 2 + (high - low) / 2 * nodes
    wanted = np.array([target(p) for p in v])
    factor = np.array([scale(p) for p in v])
    basis = np.polynomial.chebyshev.chebvander(nodes, terms - 1)
    weight = np.full(POINTS, 1 / POINTS)
    best, best_error = np.zeros(terms), math.inf
    for _ in range(ITERATIONS):
        rows = np.sqrt(weight) * factor
        solution = np.linalg.lstsq(basis * rows[:, None], wanted * rows, rcond=None)[0]
        error = np.abs(factor * (basis @ solution - wanted))
        if error.max() < best_error:
            best, best_error = solution, float(error.max())
        weight *= error
        weight /= weight.sum()
    series = np.polynomial.Chebyshev(best, domain=[low, high])
    power = series.convert(kind=np.polynomial.Polynomial, domain=[-1, 1], window=[-1, 1])
    return power.coef, best_error


def exp_remainder(r: float) -> float:
    """(exp(r) - 1 - r) / r^2, by its series."""
    return math.fsum(r**k / math.factorial(k + 2) for k in range(18))


def normal_tail(v: float) -> float:
    """Q(t) / s, where exp(-t^2 / 2) Q(t) is the normal distribution at -t, s = 1 / (1 + 11/32 t), v = s t.

    Of the fractions tried, 11/32 gives the smallest error with nine terms.
    """
    s = 1 - NORMAL_SLOPE * v
    t = v / s
    return 0.5 * math.erfc(t * math.sqrt(0.5)) * math.exp(t * t / 2) / s


def tanh_remainder(v: float) -> float:
    """(tanh(x) - x) / x^3 for v = x^2."""
    x = math.sqrt(v)
    return (math.tanh(x) - x) / x**3 if v > 1e-3 else -1 / 3 + v * (2 / 15 - v * 17 / 315)


def erf_excess(v: float) -> float:
    """erf(x) / x - 1 for v = x^2."""
    x = math.sqrt(v)
    return (math.erf(x) / x if v > 0 else 2 / math.sqrt(math.pi)) - 1


FITS = {
    "exp: (exp(r) - 1 - r) / r^2, |r| < 0.41": (
        exp_remainder, lambda r: r * r / math.exp(r), (-0.41, 0.41), 5),
    "normal: Q / s in v, t < 14.5": (
        normal_tail, lambda v: 1 / normal_tail(v), (0.0, 14.5 / (1 + 14.5 * NORMAL_SLOPE)), 9),
    "tanh: (tanh(x) - x) / x^3 in x^2, |x| < 0.625": (
        tanh_remainder, lambda v: v, (0.0, 0.625**2), 5),
    "erf: erf(x) / x - 1 in x^2, |x| < 1": (
        erf_excess, lambda v: 1 / (1 + erf_excess(v)), (0.0, 1.0), 7),
}  # fmt: skip


def main() -> None:
    """Print every polynomial, lowest power first, rounded to float, and its relative error."""
    for name, (target, scale, interval, terms) in FITS.items():
        coefficients, error = fit(target, scale, interval, terms)
        print(f"{name}: relative error {error:.2e}")
        print("  " + ", ".join(f"{np.float32(c)!s}f" for c in coefficients))


if __name__ == "__main__":
    main()
