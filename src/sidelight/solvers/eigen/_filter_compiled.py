"""Compiled loops of filters: a step of Chebyshev's recurrence, and rows in another order."""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from sidelight.core import FloatArray, IntArray
from sidelight.core.compiler import cgutils, intrinsic, njit, types
from sidelight.core.compiler._lanes_compiled import INDEX, LANES, Lanes

__all__ = ["LANES", "chebyshev_step", "reorder"]


def _steps_of_row(groups: int, data: Any) -> Any:
    """Code for a step for row i, whose entries are ``first : last``, and so many eights of vectors.

    Arguments indices, data, now, i, before, group, first, last, centre, factor.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        lanes = Lanes(context, builder, signature, arguments, wide=data.dtype == types.float64)
        columns, entries, block = (lanes.tables[place].data for place in (0, 1, 2))
        _, _, _, i, _, group, first, last, centre, factor = arguments
        eights = [builder.add(group, ir.Constant(INDEX, LANES * k)) for k in range(groups)]
        own, away = lanes.row(2, 3), lanes.everywhere(builder.fneg(centre))
        totals = []
        for eight in eights:
            total = cgutils.alloca_once(builder, lanes.vector)
            builder.store(builder.fmul(away, lanes.load(own, eight)), total)
            totals.append(total)
        step = ir.Constant(INDEX, 1)
        with cgutils.for_range_slice(builder, first, last, step, INDEX) as (entry, _):
            j = builder.sext(builder.load(builder.gep(columns, [entry])), INDEX)
            value = lanes.everywhere(builder.load(builder.gep(entries, [entry])))
            row = builder.gep(block, [builder.mul(j, lanes.width(2))])
            for eight, total in zip(eights, totals, strict=True):
                term = builder.fmul(value, lanes.load(row, eight))
                builder.store(builder.fadd(builder.load(total), term), total)
        row = builder.gep(lanes.tables[4].data, [builder.mul(i, lanes.width(4))])
        for eight, total in zip(eights, totals, strict=True):
            new = builder.fmul(lanes.everywhere(factor), builder.load(total))
            lanes.store(builder.fsub(new, lanes.load(row, eight)), row, eight)
        return context.get_dummy_value()

    return generate


def _told(indices: Any, data: Any, now: Any, before: Any) -> Any:
    at, number = types.int64, data.dtype
    return types.void(indices, data, now, at, before, at, at, at, number, number)


@intrinsic
def _step_of_eight(
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
    """Do a step for row i and eight vectors."""
    return _told(indices, data, now, before), _steps_of_row(1, data)


@intrinsic
def _step_of_sixteen(
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
    """Do a step for row i and sixteen vectors, which are read together."""
    return _told(indices, data, now, before), _steps_of_row(2, data)


@njit(cache=True, nogil=True)
def chebyshev_step(
    indptr: IntArray,
    indices: IntArray,
    data: FloatArray,
    now: FloatArray,
    before: FloatArray,
    source: FloatArray,
    shares: FloatArray,
    centre: float,
    factor: float,
    first: int,
    last: int,
) -> None:  # pragma: no cover
    """Put ``factor (A − centre) now − before + source · shares`` in the place of ``before``.

    Of the rows ``first : last``; a source without rows adds nothing.
    """
    number = data.dtype.type
    centre_, factor_ = number(centre), number(factor)
    width = now.shape[1]
    for i in range(first, last):
        begin, end = indptr[i], indptr[i + 1]
        for group in range(0, width - LANES, 2 * LANES):
            _step_of_sixteen(indices, data, now, i, before, group, begin, end, centre_, factor_)
        if width % (2 * LANES) > 0:
            group = width - LANES
            _step_of_eight(indices, data, now, i, before, group, begin, end, centre_, factor_)
        if len(source) > 0:
            for vector in range(width):
                before[i, vector] += source[i, vector] * shares[vector]


@njit(cache=True, nogil=True)
def reorder(
    indptr: IntArray,
    indices: IntArray,
    data: FloatArray,
    order: IntArray,
    rank: IntArray,
    new_indptr: IntArray,
    new_indices: IntArray,
    new_data: FloatArray,
) -> None:  # pragma: no cover
    """Write row ``order[i]`` as row i, its columns by their ranks."""
    place = 0
    for i in range(len(order)):
        new_indptr[i] = place
        for entry in range(indptr[order[i]], indptr[order[i] + 1]):
            new_indices[place] = rank[indices[entry]]
            new_data[place] = data[entry]
            place += 1
    new_indptr[len(order)] = place
