"""Vectors in registers: loops whose order of additions is written down, on every processor.

A compiler may not reorder the additions of a sum, and so leaves it scalar; allowed to, it adds in
an order that depends on the processor.  Here several sums are made side by side, each in its order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir

from sidelight.core.compiler import cgutils, types

#: Coordinates that are worked on together.
LANES = 8

INDEX = ir.IntType(64)
_PLACE = ir.IntType(32)


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

    def store(self, value: Any, row: Any, place: Any) -> None:
        """Store lanes of the row's own kind at a place and after it."""
        pointer = self.builder.bitcast(self.builder.gep(row, [place]), value.type.as_pointer())
        self.builder.store(value, pointer, align=4)

    def everywhere(self, value: Any) -> Any:
        """One number in all lanes."""
        nothing = ir.Constant(ir.VectorType(value.type, LANES), ir.Undefined)
        one = self.builder.insert_element(nothing, value, ir.Constant(_PLACE, 0))
        zeros = ir.Constant(ir.VectorType(_PLACE, LANES), [0] * LANES)
        return self.builder.shuffle_vector(one, nothing, zeros)

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
        return self.builder.extract_element(lanes, ir.Constant(_PLACE, 0))

    def _part(self, lanes: Any, first: int, size: int) -> Any:
        places = ir.Constant(ir.VectorType(_PLACE, size), list(range(first, first + size)))
        return self.builder.shuffle_vector(lanes, ir.Constant(lanes.type, ir.Undefined), places)
