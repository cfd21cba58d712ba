"""Compiled kernel: a step of Chebyshev's recurrence for a sparse matrix and some vectors."""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from sidelight.core import FloatArray, IntArray
from sidelight.core.compiler import cgutils, intrinsic, njit, types
from sidelight.core.compiler._lanes_compiled import INDEX, LANES, Lanes

__all__ = ["LANES", "chebyshev_step"]


@intrinsic
def _step_of_row(
    typing_context: Any,
    indices: Any,
    data: Any,
    now: Any,
    i: Any,
    before: Any,
    group: Any,
    first: Any,
    last: Any,
    centre: Any,
    factor: Any,
) -> Any:
    """Do a step for row i, whose entries are ``first : last``, and eight of the vectors."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        lanes = Lanes(context, builder, signature, arguments, wide=True)
        columns, entries, block = (lanes.tables[place].data for place in (0, 1, 2))
        _, _, _, _, _, group, first, last, centre, factor = arguments
        own = lanes.load(lanes.row(2, 3), group)
        total = cgutils.alloca_once(builder, lanes.vector)
        builder.store(builder.fmul(lanes.everywhere(builder.fneg(centre)), own), total)
        step = ir.Constant(INDEX, 1)
        with cgutils.for_range_slice(builder, first, last, step, INDEX) as (entry, _):
            j = builder.sext(builder.load(builder.gep(columns, [entry])), INDEX)
            value = builder.load(builder.gep(entries, [entry]))
            row = builder.gep(block, [builder.mul(j, lanes.width(2))])
            term = builder.fmul(lanes.everywhere(value), lanes.load(row, group))
            builder.store(builder.fadd(builder.load(total), term), total)
        row = builder.gep(lanes.tables[4].data, [builder.mul(arguments[3], lanes.width(4))])
        new = builder.fmul(lanes.everywhere(factor), builder.load(total))
        lanes.store(builder.fsub(new, lanes.load(row, group)), row, group)
        return context.get_dummy_value()

    int64, number = types.int64, types.float64
    told = (indices, data, now, int64, before, int64, int64, int64, number, number)
    return types.void(*told), generate


@njit(cache=True, nogil=True)
def chebyshev_step(
    indptr: IntArray,
    indices: IntArray,
    data: FloatArray,
    now: FloatArray,
    before: FloatArray,
    centre: float,
    factor: float,
    first: int,
    last: int,
) -> None:  # pragma: no cover
    """Put ``factor (A − centre) now − before`` in the place of ``before``, rows first to last."""
    for group in range(0, now.shape[1], LANES):
        for i in range(first, last):
            ends = indptr[i], indptr[i + 1]
            _step_of_row(indices, data, now, i, before, group, *ends, centre, factor)
