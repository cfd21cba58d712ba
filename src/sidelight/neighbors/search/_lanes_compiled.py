"""Sums of squares in lanes: one order of additions, on every processor, by vector instructions.

A compiler may not reorder the additions of a sum, and so leaves it scalar; allowed to, it adds in
an order that depends on the processor.  Here the order is written down: lane l adds up the
coordinates l, l + 8, l + 16, …, and the lanes are added in pairs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir

from sidelight.core.compiler import cgutils, intrinsic, types

#: Coordinates that are worked on together.
LANES = 8

INDEX = ir.IntType(64)


class Lanes:
    """Vectors of float32 or float64, loaded from the arguments of an intrinsic."""

    def __init__(self, context: Any, builder: Any, signature: Any, arguments: Any, wide: bool):
        self.builder, self.arguments = builder, arguments
        self.tables: list[Any] = [
            context.make_array(kind)(context, builder, value)
            if isinstance(kind, types.Array)
            else None
            for kind, value in zip(signature.args, arguments, strict=True)
        ]
        self.vector = ir.VectorType(ir.DoubleType() if wide else ir.FloatType(), LANES)

    def width(self, table: int) -> Any:
        """Count the columns of an argument."""
        return self.builder.extract_value(self.tables[table].shape, 1)

    def row(self, table: int, index: int) -> Any:
        """Point to the row of one argument that another one tells."""
        first = self.builder.mul(self.arguments[index], self.width(table))
        return self.builder.gep(self.tables[table].data, [first])

    def load(self, row: Any, place: Any) -> Any:
        """Load what stands at a place of a row and after it."""
        stored = ir.VectorType(row.type.pointee, LANES)
        pointer = self.builder.bitcast(self.builder.gep(row, [place]), stored.as_pointer())
        value = self.builder.load(pointer)
        value.align = 4
        return value if stored == self.vector else self.builder.fpext(value, self.vector)

    def constant(self, value: float) -> Any:
        """The same number in all lanes."""
        return ir.Constant(self.vector, [value] * LANES)

    def sum_of_squares(self, stop: Any, term: Callable[[Any], Any]) -> Any:
        """Add up the squares of the terms before ``stop``, a multiple of the lanes."""
        total = cgutils.alloca_once_value(self.builder, self.constant(0.0))
        self.builder.store(self.constant(0.0), total)
        first, step = ir.Constant(INDEX, 0), ir.Constant(INDEX, LANES)
        with cgutils.for_range_slice(self.builder, first, stop, step, INDEX) as (place, _):
            value = term(place)
            square = self.builder.fmul(value, value)
            self.builder.store(self.builder.fadd(self.builder.load(total), square), total)
        return self.added_up(self.builder.load(total))

    def added_up(self, lanes: Any) -> Any:
        """Add up the lanes, in pairs."""
        size = LANES
        while size > 1:
            size //= 2
            low, high = (self._part(lanes, first, size) for first in (0, size))
            lanes = self.builder.fadd(low, high)
        return self.builder.extract_element(lanes, ir.Constant(ir.IntType(32), 0))

    def _part(self, lanes: Any, first: int, size: int) -> Any:
        places = ir.Constant(ir.VectorType(ir.IntType(32), size), list(range(first, first + size)))
        return self.builder.shuffle_vector(lanes, ir.Constant(lanes.type, ir.Undefined), places)


@intrinsic
def squared_length(typing_context: Any, rows: Any, i: Any) -> Any:
    """``‖rows[i]‖²``; the columns are a multiple of the lanes."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        lanes = Lanes(context, builder, signature, arguments, wide=False)
        row = lanes.row(0, 1)
        return lanes.sum_of_squares(lanes.width(0), lambda place: lanes.load(row, place))

    return types.float32(rows, types.int64), generate


@intrinsic
def squared_gap(typing_context: Any, rows: Any, i: Any, j: Any) -> Any:
    """``‖rows[i] − rows[j]‖²``; the columns are a multiple of the lanes."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        lanes = Lanes(context, builder, signature, arguments, wide=False)
        one, other = lanes.row(0, 1), lanes.row(0, 2)

        def gap(place: Any) -> Any:
            return builder.fsub(lanes.load(one, place), lanes.load(other, place))

        return lanes.sum_of_squares(lanes.width(0), gap)

    return types.float32(rows, types.int64, types.int64), generate


@intrinsic
def squared_gap_across(
    typing_context: Any, rows: Any, i: Any, j: Any, centres: Any, a: Any, b: Any
) -> Any:
    """``‖(rows[i] − rows[j]) + (centres[a] − centres[b])‖²``, the same the other way round."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        lanes = Lanes(context, builder, signature, arguments, wide=False)
        one, other, here, there = (lanes.row(*at) for at in ((0, 1), (0, 2), (3, 4), (3, 5)))

        def gap(place: Any) -> Any:
            between = builder.fsub(lanes.load(here, place), lanes.load(there, place))
            return builder.fadd(
                builder.fsub(lanes.load(one, place), lanes.load(other, place)), between
            )

        return lanes.sum_of_squares(lanes.width(0), gap)

    int64 = types.int64
    return types.float32(rows, int64, int64, centres, int64, int64), generate


@intrinsic
def squared_gap_wide(typing_context: Any, rows: Any, i: Any, j: Any, stop: Any) -> Any:
    """``‖rows[i] − rows[j]‖²`` of the columns before ``stop``, whole lanes, in float64."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        lanes = Lanes(context, builder, signature, arguments, wide=True)
        one, other = lanes.row(0, 1), lanes.row(0, 2)

        def gap(place: Any) -> Any:
            return builder.fsub(lanes.load(one, place), lanes.load(other, place))

        return lanes.sum_of_squares(arguments[3], gap)

    return types.float64(rows, types.int64, types.int64, types.int64), generate


@intrinsic
def write_group_minima(
    typing_context: Any, products: Any, i: Any, norms: Any, minima: Any, stop: Any
) -> Any:
    """Write into ``minima[0, g]`` the least ``norms[0, j] − 2 products[i, j]``, j = g, g + n, … .

    There are n groups, a multiple of the lanes, and ``stop`` is a multiple of n.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        lanes = Lanes(context, builder, signature, arguments, wide=False)
        own, offsets, target = lanes.row(0, 1), lanes.tables[2].data, lanes.tables[3].data
        n_groups, first, step = lanes.width(3), ir.Constant(INDEX, 0), ir.Constant(INDEX, LANES)
        with cgutils.for_range_slice(builder, first, n_groups, step, INDEX) as (group, _):
            least = cgutils.alloca_once(builder, lanes.vector)
            builder.store(lanes.constant(float("inf")), least)
            with cgutils.for_range_slice(builder, group, arguments[4], n_groups, INDEX) as (at, _):
                product = lanes.load(own, at)
                value = builder.fsub(lanes.load(offsets, at), builder.fadd(product, product))
                so_far = builder.load(least)
                smaller = builder.fcmp_ordered("<", value, so_far)
                builder.store(builder.select(smaller, value, so_far), least)
            place = builder.bitcast(builder.gep(target, [group]), lanes.vector.as_pointer())
            builder.store(builder.load(least), place, align=4)
        return context.get_dummy_value()

    return types.void(products, types.int64, norms, minima, types.int64), generate
