"""Sums over all pairs of points in a plane, each pair once, in single precision.

    φ_i = Σ_j v_ij,   ∇φ_i = −2 Σ_j v_ij² (y_i − y_j),   v_ij = 1 / (1 + ‖y_i − y_j‖²)

A pair adds to both of its points.  Thirty-two points at a time meet all that come after them, one
by one: what they get stays in vectors, and what they give to the other is added up in sixteen lanes
of its own, which are added in pairs at the end.  Additions have one order, on every processor.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir

from sidelight.core.compiler import cgutils, intrinsic, njit, types
from sidelight.core.compiler._lanes_compiled import INDEX

#: Numbers in a vector, and vectors of points that meet the others together.
LANES, TOGETHER = 16, 2
#: Points at a time.
BLOCK = LANES * TOGETHER
#: Where points are that fill up the last block: what they add is nothing.
FAR = np.float32(1e9)

_PLACE = ir.IntType(32)
_VECTOR = ir.VectorType(ir.FloatType(), LANES)


def _alike(value: float) -> Any:
    return ir.Constant(_VECTOR, [value] * LANES)


class _Block:
    """Points of a block: arguments places (2, m), first, given (m, 3·16), got (3, m)."""

    def __init__(self, context: Any, builder: Any, signature: Any, arguments: Any) -> None:
        self.builder = builder
        tables = [
            context.make_array(signature.args[place])(context, builder, arguments[place])
            for place in (0, 2, 3)
        ]
        self.m = builder.extract_value(tables[0].shape, 1)
        self.places, self.given, self.got = (table.data for table in tables)
        self.first = arguments[1]
        self.firsts = [self._after(self.first, LANES * k) for k in range(TOGETHER)]
        self.points = [
            [self._load(self._at(self.places, axis, i)) for axis in (0, 1)] for i in self.firsts
        ]
        self.sums = [[self._zero() for _ in range(3)] for _ in range(TOGETHER)]

    def meet_each_other(self) -> None:
        """Add what the points of the block do to each other, and each to itself."""
        with self._each(self.first, self._after(self.first, BLOCK)) as (j, _):
            self._add(self._pairs(j))

    def meet_the_rest(self) -> None:
        """Add what the points of the block and those after it do to each other."""
        builder = self.builder
        with self._each(self._after(self.first, BLOCK), self.m) as (j, _):
            parts = self._pairs(j)
            self._add(parts)
            start = builder.mul(j, ir.Constant(INDEX, 3 * LANES))
            for what in range(3):
                given = parts[0][what]
                for part in parts[1:]:
                    given = builder.fadd(given, part[what])
                place = builder.gep(self.given, [self._after(start, LANES * what)])
                self._store(builder.fadd(self._load(place), given), place)

    def keep(self) -> None:
        """Write down what the points of the block got."""
        for first, sums in zip(self.firsts, self.sums, strict=True):
            for what, total in enumerate(sums):
                self._store(self.builder.load(total), self._at(self.got, what, first))

    def _pairs(self, j: Any) -> list[tuple[Any, Any, Any]]:
        """v, v²(x − x_j) and v²(y − y_j) of the points of the block and point j."""
        builder = self.builder
        other = [self._everywhere(builder.load(self._at(self.places, a, j))) for a in (0, 1)]
        found = []
        for point in self.points:
            x, y = (builder.fsub(a, b) for a, b in zip(point, other, strict=True))
            squared = builder.fadd(builder.fmul(x, x), builder.fmul(y, y))
            v = builder.fdiv(_alike(1.0), builder.fadd(_alike(1.0), squared))
            w = builder.fmul(v, v)
            found.append((v, builder.fmul(w, x), builder.fmul(w, y)))
        return found

    def _add(self, parts: list[tuple[Any, Any, Any]]) -> None:
        for sums, part in zip(self.sums, parts, strict=True):
            for total, value in zip(sums, part, strict=True):
                self.builder.store(self.builder.fadd(self.builder.load(total), value), total)

    def _each(self, start: Any, stop: Any) -> Any:
        return cgutils.for_range_slice(self.builder, start, stop, ir.Constant(INDEX, 1), INDEX)

    def _after(self, place: Any, by: int) -> Any:
        return self.builder.add(place, ir.Constant(INDEX, by))

    def _at(self, table: Any, row: int, place: Any) -> Any:
        start = self.builder.mul(ir.Constant(INDEX, row), self.m)
        return self.builder.gep(table, [self.builder.add(start, place)])

    def _load(self, place: Any) -> Any:
        value = self.builder.load(self.builder.bitcast(place, _VECTOR.as_pointer()))
        value.align = 4
        return value

    def _store(self, value: Any, place: Any) -> None:
        self.builder.store(value, self.builder.bitcast(place, _VECTOR.as_pointer())).align = 4

    def _zero(self) -> Any:
        total = cgutils.alloca_once_value(self.builder, _alike(0.0))
        self.builder.store(_alike(0.0), total)
        return total

    def _everywhere(self, value: Any) -> Any:
        nothing = ir.Constant(_VECTOR, ir.Undefined)
        one = self.builder.insert_element(nothing, value, ir.Constant(_PLACE, 0))
        mask = ir.Constant(ir.VectorType(_PLACE, LANES), [0] * LANES)
        return self.builder.shuffle_vector(one, nothing, mask)


@intrinsic
def _meet(typing_context: Any, places: Any, first: Any, given: Any, got: Any) -> Any:
    """Let a block of points meet each other and all that come after it."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        block = _Block(context, builder, signature, arguments)
        block.meet_each_other()
        block.meet_the_rest()
        block.keep()
        return context.get_dummy_value()

    return types.void(places, types.int64, given, got), generate


@intrinsic
def _added_up(typing_context: Any, given: Any, number: Any) -> Any:
    """Add up the sixteen lanes of a number, in pairs."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        table = context.make_array(signature.args[0])(context, builder, arguments[0])
        start = builder.mul(arguments[1], ir.Constant(INDEX, LANES))
        place = builder.gep(table.data, [start])
        lanes = builder.load(builder.bitcast(place, _VECTOR.as_pointer()))
        lanes.align = 4
        size = LANES
        while size > 1:
            size //= 2
            halves = []
            for first in (0, size):
                mask = ir.Constant(ir.VectorType(_PLACE, size), list(range(first, first + size)))
                nothing = ir.Constant(lanes.type, ir.Undefined)
                halves.append(builder.shuffle_vector(lanes, nothing, mask))
            lanes = builder.fadd(*halves)
        return builder.extract_element(lanes, ir.Constant(_PLACE, 0))

    return types.float32(given, types.int64), generate


@njit(cache=True, nogil=True)
def push_each_other(Y, values, slopes):  # type: ignore[no-untyped-def]
    """Set φ and ∇φ at points in single precision, each without its own part."""
    push_through(Y, *room_for(len(Y)), values, slopes)


@njit(cache=True, nogil=True)
def room_for(n):  # type: ignore[no-untyped-def]
    """Memory for n points: their places in whole blocks, what they give and what they get."""
    m = BLOCK * ((n + BLOCK - 1) // BLOCK)
    given = np.empty((m, 3 * LANES), np.float32)
    return np.full((2, m), FAR), given, np.empty((3, m), np.float32)


@njit(cache=True, nogil=True)
def push_through(Y, places, given, got, values, slopes):  # type: ignore[no-untyped-def]
    """Do so with memory that there is already."""
    n, m = len(Y), len(given)
    given[:] = 0.0
    for i in range(n):
        places[0, i], places[1, i] = Y[i, 0], Y[i, 1]
    for first in range(0, m, BLOCK):
        _meet(places, first, given, got)
    for i in range(n):
        values[i] = np.float64(got[0, i]) + _added_up(given, 3 * i) - 1.0
        slopes[i, 0] = -2.0 * (np.float64(got[1, i]) - _added_up(given, 3 * i + 1))
        slopes[i, 1] = -2.0 * (np.float64(got[2, i]) - _added_up(given, 3 * i + 2))


@njit(cache=True, nogil=True)
def around_zero(Y):  # type: ignore[no-untyped-def]
    """Points in single precision, the middle of their range being zero."""
    single = np.empty(Y.shape, np.float32)
    for axis in range(Y.shape[1]):
        low = high = Y[0, axis]
        for i in range(1, len(Y)):
            low, high = min(low, Y[i, axis]), max(high, Y[i, axis])
        middle = 0.5 * (low + high)
        for i in range(len(Y)):
            single[i, axis] = Y[i, axis] - middle
    return single
