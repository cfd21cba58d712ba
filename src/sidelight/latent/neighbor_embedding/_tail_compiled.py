"""Exponentials and logarithms written out: those of libraries differ in the last bit.

They are made of additions, products and powers of two, which are the same on every processor.
"""

from __future__ import annotations

import math

from sidelight.core.compiler import njit

#: Of the polynomial for e^{−r}, the highest power first: (−1)ⁿ/n!.
_COEFFICIENTS = tuple((-1.0) ** n / math.factorial(n) for n in range(13, -1, -1))
#: log 2, in two parts, the first of which times a whole number is exact.
LOG_2 = (0.693145751953125, 1.4286068203094172e-06)
#: Of 2 artanh t, the highest power first: 2/21, 2/19, …, 2.
ODD_POWERS = tuple(2.0 / odd for odd in range(21, 0, -2))


@njit(cache=True, nogil=True)
def decay(x):  # type: ignore[no-untyped-def]
    """e^{−x} for x ≥ 0: 2^{−k} times a polynomial in what is left, |r| ≤ ½ log 2."""
    if x > 700.0:
        return 0.0
    k = math.floor(x * 1.4426950408889634 + 0.5)
    r = (x - k * LOG_2[0]) - k * LOG_2[1]
    value = _COEFFICIENTS[0]
    for coefficient in _COEFFICIENTS[1:]:
        value = value * r + coefficient
    return math.ldexp(value, -int(k))


@njit(cache=True, nogil=True)
def logarithm(x):  # type: ignore[no-untyped-def]
    """log x for x > 0: that of 2ᵏ m, log m = 2 artanh((m − 1)/(m + 1)), √½ < m ≤ √2."""
    m, k = math.frexp(x)
    if m < 0.7071067811865476:
        m, k = 2.0 * m, k - 1
    t = (m - 1.0) / (m + 1.0)
    squared, value = t * t, 0.0
    for power in ODD_POWERS:
        value = value * squared + power
    return (value * t + k * LOG_2[1]) + k * LOG_2[0]


@njit(cache=True, nogil=True)
def tail(squared, dof):  # type: ignore[no-untyped-def]
    """w(s) = (1 + s/ν)^{−ν}, e^{−s} for ν = ∞."""
    if math.isinf(dof):
        return decay(squared)
    return decay(dof * logarithm(1.0 + squared / dof))


@njit(cache=True, nogil=True)
def write_tails(squared, dof, values):  # type: ignore[no-untyped-def]
    """Set values = w(s) for every s."""
    for i in range(len(squared)):
        values[i] = 1.0 / (1.0 + squared[i]) if dof == 1.0 else tail(squared[i], dof)
