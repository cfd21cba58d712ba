"""Sums over the edges of a point in a plane, eight edges at a time.

Additions have one order, on every processor: lane l adds up the edges l, l + 8, l + 16, … of a
point, and the lanes are added in pairs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir

from sidelight.core.compiler import cgutils, intrinsic, types
from sidelight.core.compiler._lanes_compiled import INDEX, LANES, Lanes
from sidelight.latent.neighbor_embedding._tail_compiled import LOG_2, ODD_POWERS

_PLACE = ir.IntType(32)
_ROOT_HALF = 0.7071067811865476


class _Edges:
    """The edges ``first : last`` of a point: arguments indices, weights, Y, i, first, last."""

    def __init__(self, context: Any, builder: Any, signature: Any, arguments: Any) -> None:
        self.builder = builder
        self.lanes = Lanes(context, builder, signature, arguments, wide=True)
        self.indices, self.weights = (self.lanes.tables[place].data for place in (0, 1))
        self.i, self.first, self.last = arguments[3:6]
        self.own = self._point(self.i)

    def each_eight(self, act: Callable[[Any, Any, Any], None]) -> None:
        """Act on weights and gaps of eight edges at a time; what is left has its last eight.

        These may begin before the first edge of the point: what is not its own has weight zero.
        """
        builder, step = self.builder, ir.Constant(INDEX, LANES)
        left = builder.and_(builder.sub(self.last, self.first), ir.Constant(INDEX, LANES - 1))
        stop = builder.sub(self.last, left)
        with cgutils.for_range_slice(builder, self.first, stop, step, INDEX) as (edge, _):
            act(self._weights(edge), *self._gaps(edge))
        with builder.if_then(builder.icmp_signed(">", left, ir.Constant(INDEX, 0))):
            edge = builder.sub(self.last, step)
            numbers = ir.Constant(ir.VectorType(INDEX, LANES), list(range(LANES)))
            own = builder.icmp_signed(">=", numbers, self.lanes.everywhere(builder.sub(step, left)))
            weights = builder.select(own, self._weights(edge), self.lanes.constant(0.0))
            act(weights, *self._gaps(edge))

    def _weights(self, edge: Any) -> Any:
        return self.lanes.load(self.weights, edge)

    def _gaps(self, edge: Any) -> tuple[Any, Any]:
        """x and y of the point less those of the eight others."""
        builder = self.builder
        names = ir.VectorType(self.indices.type.pointee, LANES)
        place = builder.bitcast(builder.gep(self.indices, [edge]), names.as_pointer())
        others = builder.load(place)
        others.align = 4
        gaps = []
        for lane in range(LANES):
            j = builder.extract_element(others, ir.Constant(_PLACE, lane))
            j = j if j.type == INDEX else builder.zext(j, INDEX)
            gaps.append(builder.fsub(self.own, self._point(j)))
        while len(gaps) > 1:
            size = 2 * gaps[0].type.count
            pairs = zip(gaps[::2], gaps[1::2], strict=True)
            gaps = [self._shuffled(a, b, list(range(size))) for a, b in pairs]
        both, nothing = gaps[0], ir.Constant(gaps[0].type, ir.Undefined)
        x, y = (self._shuffled(both, nothing, list(range(a, 2 * LANES, 2))) for a in (0, 1))
        return x, y

    def _point(self, j: Any) -> Any:
        builder, pair = self.builder, ir.VectorType(ir.DoubleType(), 2)
        first = builder.shl(j, ir.Constant(INDEX, 1))
        place = builder.bitcast(builder.gep(self.lanes.tables[2].data, [first]), pair.as_pointer())
        point = builder.load(place)
        point.align = 8
        return point

    def _shuffled(self, one: Any, other: Any, places: list[int]) -> Any:
        mask = ir.Constant(ir.VectorType(_PLACE, len(places)), places)
        return self.builder.shuffle_vector(one, other, mask)

    def sum_of(self) -> Any:
        """Where lanes are added up, at zero."""
        total = cgutils.alloca_once_value(self.builder, self.lanes.constant(0.0))
        self.builder.store(self.lanes.constant(0.0), total)
        return total

    def add(self, total: Any, values: Any) -> None:
        """Add to it."""
        self.builder.store(self.builder.fadd(self.builder.load(total), values), total)

    def stretched(self, x: Any, y: Any, per_dof: Any) -> Any:
        """1 + (x² + y²)/ν."""
        builder = self.builder
        squared = builder.fadd(builder.fmul(x, x), builder.fmul(y, y))
        return builder.fadd(self.lanes.constant(1.0), builder.fmul(per_dof, squared))


@intrinsic
def pull_of_edges(
    typing_context: Any,
    indices: Any,
    weights: Any,
    Y: Any,
    i: Any,
    first: Any,
    last: Any,
    per_dof: Any,
    forces: Any,
) -> Any:
    """Set forces_i = Σ P_ij (y_i − y_j) / (1 + ‖y_i − y_j‖²/ν) over the edges ``first : last``."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        edges = _Edges(context, builder, signature, arguments)
        per_dof = edges.lanes.everywhere(arguments[6])
        sums = edges.sum_of(), edges.sum_of()

        def act(weight: Any, x: Any, y: Any) -> None:
            w = builder.fdiv(weight, edges.stretched(x, y, per_dof))
            for total, gap in zip(sums, (x, y), strict=True):
                edges.add(total, builder.fmul(w, gap))

        edges.each_eight(act)
        target = edges.lanes.row(7, 3)
        for axis, total in enumerate(sums):
            force = edges.lanes.added_up(builder.load(total))
            builder.store(force, builder.gep(target, [ir.Constant(INDEX, axis)]))
        return context.get_dummy_value()

    at = types.int64
    return types.void(indices, weights, Y, at, at, at, types.float64, forces), generate


@intrinsic
def stretch_of_edges(
    typing_context: Any,
    indices: Any,
    weights: Any,
    Y: Any,
    i: Any,
    first: Any,
    last: Any,
    per_dof: Any,
) -> Any:
    """Σ P_ij log(1 + ‖y_i − y_j‖²/ν) over the edges ``first : last`` of a point."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        edges = _Edges(context, builder, signature, arguments)
        per_dof, total = edges.lanes.everywhere(arguments[6]), edges.sum_of()

        def act(weight: Any, x: Any, y: Any) -> None:
            far = _logarithms(edges.lanes, edges.stretched(x, y, per_dof))
            edges.add(total, builder.fmul(weight, far))

        edges.each_eight(act)
        return edges.lanes.added_up(builder.load(total))

    at = types.int64
    return types.float64(indices, weights, Y, at, at, at, types.float64), generate


def _logarithms(lanes: Lanes, x: Any) -> Any:
    """log x of numbers from one on, by the operations of ``_tail_compiled.logarithm``."""
    builder, constant = lanes.builder, lanes.constant
    whole = ir.VectorType(INDEX, LANES)

    def bits(value: int) -> Any:
        return ir.Constant(whole, [value] * LANES)

    # x = 2ᵏ m, √½ ≤ m < √2, by the bits of its exponent and its mantissa
    parts = builder.bitcast(x, whole)
    exponent = builder.sub(builder.lshr(parts, bits(52)), bits(1022))
    mantissa = builder.and_(parts, bits(2**52 - 1))
    m = builder.bitcast(builder.or_(mantissa, bits(1022 << 52)), lanes.vector)
    small = builder.fcmp_ordered("<", m, constant(_ROOT_HALF))
    m = builder.select(small, builder.fadd(m, m), m)
    exponent = builder.select(small, builder.sub(exponent, bits(1)), exponent)
    k = builder.sitofp(builder.trunc(exponent, ir.VectorType(_PLACE, LANES)), lanes.vector)
    t = builder.fdiv(builder.fsub(m, constant(1.0)), builder.fadd(m, constant(1.0)))
    squared, value = builder.fmul(t, t), constant(0.0)
    for power in ODD_POWERS:
        value = builder.fadd(builder.fmul(value, squared), constant(power))
    rest = builder.fadd(builder.fmul(value, t), builder.fmul(k, constant(LOG_2[1])))
    return builder.fadd(rest, builder.fmul(k, constant(LOG_2[0])))
