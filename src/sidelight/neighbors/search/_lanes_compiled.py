"""Sums of squares in lanes: one order of additions, on every processor, by vector instructions.

Lane l adds up the coordinates l, l + 8, l + 16, …, and the lanes are added in pairs.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from sidelight.core.compiler import cgutils, intrinsic, types
from sidelight.core.compiler._lanes_compiled import INDEX, LANES, Lanes


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
