"""Cubic B-splines around a point of a mesh, written out."""

from __future__ import annotations

from sidelight.core.compiler import njit

_SIXTH = 1.0 / 6.0


@njit(cache=True, nogil=True, inline="always")
def cell_of(y, origin, per_unit):  # type: ignore[no-untyped-def]
    """The first of the four nodes around a coordinate, and where it lies beyond the second."""
    at = (y - origin) * per_unit
    node = int(at)
    return node - 1, at - node


@njit(cache=True, nogil=True, inline="always")
def spline(t):  # type: ignore[no-untyped-def]
    """The spline at the four nodes around a point."""
    u = 1.0 - t
    first, last = u * u * u * _SIXTH, t * t * t * _SIXTH
    second = (4.0 - 3.0 * t * t * (2.0 - t)) * _SIXTH
    return first, second, 1.0 - first - second - last, last


@njit(cache=True, nogil=True, inline="always")
def spline_slopes(t):  # type: ignore[no-untyped-def]
    """Its derivative there."""
    u = 1.0 - t
    first, last = -0.5 * u * u, 0.5 * t * t
    second = t * (1.5 * t - 2.0)
    return first, second, -(first + second + last), last
