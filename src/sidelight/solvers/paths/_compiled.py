"""Compiled kernels: shortest paths from many sources at once, one lane of a vector per source.

The labels of a batch of sources lie side by side, one row of 256 bytes per node, and an edge is
relaxed for the whole batch by a handful of vector instructions.  Labels are corrected until no
edge can lower any of them, so that the order of the visits decides how long it takes and never
what comes out: rounding is monotone, hence the fixpoint is the least rounded path length, whatever
the batch or the thread.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir

from sidelight.core.compiler import cgutils, intrinsic, njit, types

ROW_BYTES = 256
"""Bytes of labels per node: 64 sources in single precision, 32 in double."""

_WINDOW = 192
"""Visits are repeated within so many successive nodes before the wave moves on.

Long enough to hold the nodes that two sources of one batch reach in different orders, short enough
to pass little on that is not settled; 128 to 256 measure alike.
"""
BLOCK = 32
"""Side of the blocks in which the table is mirrored: both stay in the cache."""

_COLUMNS = 128
"""Nodes per step of the transposition of labels into rows of the table."""


@intrinsic
def _push(
    typing_context: Any,
    labels: Any,
    indices: Any,
    weights: Any,
    start: Any,
    stop: Any,
    node: Any,
    position: Any,
    dirty: Any,
) -> Any:
    """Relax the edges ``start:stop`` that leave ``node``, in all lanes, without a branch.

    A compiler leaves the plain loop over lanes scalar, hence the vectors written by hand.  Every
    improved neighbour is flagged in ``dirty`` at its position; the least of these positions is
    returned.
    """
    scalar_type = labels.dtype
    n_lanes = ROW_BYTES // (scalar_type.bitwidth // 8)
    signature = types.int64(
        labels, indices, weights, types.int64, types.int64, types.int64, position, dirty
    )

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        def data(i: int) -> Any:
            return context.make_array(signature.args[i])(context, builder, arguments[i]).data

        labels, indices, weights, position, dirty = (data(i) for i in (0, 1, 2, 6, 7))
        start, stop, node = arguments[3:6]
        int64, int32, int8 = ir.IntType(64), ir.IntType(32), ir.IntType(8)
        vector = ir.VectorType(context.get_value_type(scalar_type), n_lanes)
        any_lane = cgutils.get_or_insert_function(
            builder.module,
            ir.FunctionType(ir.IntType(1), [ir.VectorType(ir.IntType(1), n_lanes)]),
            f"llvm.vector.reduce.or.v{n_lanes}i1",
        )

        def row(index: Any) -> Any:
            offset = builder.mul(index, ir.Constant(int64, n_lanes))
            return builder.bitcast(builder.gep(labels, [offset]), vector.as_pointer())

        def load(pointer: Any) -> Any:
            value = builder.load(pointer)
            value.align = scalar_type.bitwidth // 8
            return value

        own = load(row(node))
        lowest = cgutils.alloca_once_value(builder, ir.Constant(int64, 2**62))
        step = ir.Constant(int64, 1)
        with cgutils.for_range_slice(builder, start, stop, step, int64) as (edge, _):
            neighbour = builder.sext(builder.load(builder.gep(indices, [edge])), int64)
            weight = builder.load(builder.gep(weights, [edge]))
            undefined = ir.Constant(vector, ir.Undefined)
            weight = builder.insert_element(undefined, weight, ir.Constant(int32, 0))
            lanes = ir.Constant(ir.VectorType(int32, n_lanes), [0] * n_lanes)
            candidate = builder.fadd(own, builder.shuffle_vector(weight, undefined, lanes))
            target = row(neighbour)
            old = load(target)
            improved = builder.fcmp_ordered("<", candidate, old)
            builder.store(
                builder.select(improved, candidate, old), target, align=scalar_type.bitwidth // 8
            )
            flag = builder.call(any_lane, [improved])
            where = builder.sext(builder.load(builder.gep(position, [neighbour])), int64)
            place = builder.gep(dirty, [where])
            builder.store(builder.or_(builder.load(place), builder.zext(flag, int8)), place)
            so_far = builder.load(lowest)
            lower = builder.and_(flag, builder.icmp_signed("<", where, so_far))
            builder.store(builder.select(lower, where, so_far), lowest)
        return builder.load(lowest)

    return signature, generate


@njit(cache=True, nogil=True)
def _spread(indptr, indices, order, n_done, n_seen, position):  # type: ignore[no-untyped-def]
    """Append what is reached from ``order[n_done:n_seen]``, breadth first; how many there are.

    ``position`` holds the places of the nodes seen, and -1 for the others.
    """
    while n_done < n_seen:
        node = order[n_done]
        n_done += 1
        for edge in range(indptr[node], indptr[node + 1]):
            neighbour = indices[edge]
            if position[neighbour] < 0:
                position[neighbour] = n_seen
                order[n_seen] = neighbour
                n_seen += 1
    return n_seen


@njit(cache=True, nogil=True)
def breadth_first_order(indptr, indices, start, order, position):  # type: ignore[no-untyped-def]
    """Number the nodes breadth first from ``start``, then from each that is left."""
    position[:] = -1
    n_seen = 0
    for i in range(-1, indptr.shape[0] - 1):
        root = start if i < 0 else i
        if position[root] < 0:
            position[root] = n_seen
            order[n_seen] = root
            n_seen = _spread(indptr, indices, order, n_seen, n_seen + 1, position)


@njit(cache=True, nogil=True)
def _settle(indptr, indices, weights, labels, order, n_reached, position, dirty, window):  # type: ignore[no-untyped-def]
    """Visit flagged nodes, window by window of the order, until no flag is left.

    Passes over one window repeat in the same direction; passes over everything run to and fro, for
    sources that see the nodes in opposite orders.
    """
    n_visits = 0
    behind = True
    while behind:
        behind = False
        low = 0
        while low < n_reached:
            if not dirty[low]:
                low += 1
                continue
            high = min(low + window, n_reached)
            forwards = True
            again = True
            while again:
                again = False
                for i in range(high - low):
                    place = low + i if forwards else high - 1 - i
                    if dirty[place]:
                        dirty[place] = 0
                        node = order[place]
                        start, stop = indptr[node], indptr[node + 1]
                        lowest = _push(labels, indices, weights, start, stop, node, position, dirty)
                        n_visits += 1
                        again |= lowest < high
                        behind |= lowest < low
                if window >= n_reached:
                    forwards = not forwards
            low = high
    return n_visits


@njit(cache=True, nogil=True)
def solve_batches(  # type: ignore[no-untyped-def]
    indptr, indices, weights, label, entries, lengths, rows, compact, first, last, out
):
    """Fill rows of ``out`` with the distances to all nodes, for the batches ``first:last``.

    Batch b holds the sources ``rows[b * n_lanes : (b + 1) * n_lanes]``.  Source i is joined to the
    nodes ``entries[i]`` by edges of the lengths ``lengths[i]``; a source that is itself a node has
    one entry of length zero.  Nodes i are stored as ``label[i]``.

    The wave of a compact batch reaches the nodes about in breadth-first order from its sources.
    Where the sources lie far apart there is no such order, and that of the labels is swept to and
    fro.  Returns the number of visits.
    """
    n = indptr.shape[0] - 1
    n_entries = entries.shape[1]
    n_lanes = ROW_BYTES // weights.itemsize
    # rows that begin with a cache line spare every vector a second access
    raw = np.empty((n + 1) * n_lanes, dtype=weights.dtype)
    skip = (-(raw.ctypes.data // weights.itemsize)) % (64 // weights.itemsize)
    labels = raw[skip : skip + n * n_lanes]
    order = np.arange(n, dtype=np.int32)
    position = np.arange(n, dtype=np.int32)
    dirty = np.zeros(n, dtype=np.uint8)
    n_visits = 0
    for batch in range(first, last):
        begin = batch * n_lanes
        width = min(n_lanes, rows.shape[0] - begin)
        labels[:] = np.inf
        if compact:
            position[:] = -1
        n_reached = 0
        for lane in range(width):
            source = rows[begin + lane]
            for j in range(n_entries):
                node = label[entries[source, j]]
                cell = node * n_lanes + lane
                if lengths[source, j] < labels[cell]:
                    labels[cell] = lengths[source, j]
                    if position[node] < 0:
                        position[node] = n_reached
                        order[n_reached] = node
                        n_reached += 1
                    dirty[position[node]] = 1
        window = n
        if compact:
            window = _WINDOW
            n_reached = _spread(indptr, indices, order, 0, n_reached, position)
        else:
            n_reached = n
        n_visits += _settle(
            indptr, indices, weights, labels, order, n_reached, position, dirty, window
        )
        for block in range(0, n, _COLUMNS):
            stop = min(block + _COLUMNS, n)
            for lane in range(width):
                row = rows[begin + lane]
                for column in range(block, stop):
                    out[row, column] = labels[label[column] * n_lanes + lane]
    return n_visits


@njit(cache=True, nogil=True)
def symmetrise(matrix, first, last):  # type: ignore[no-untyped-def]
    """Take the lesser of both directions, for the blocks of rows ``first:last``.

    Both are the same length summed from either end, a rounding apart.
    """
    n = matrix.shape[0]
    for block in range(first, last):
        top = block * BLOCK
        bottom = min(top + BLOCK, n)
        for left in range(top, n, BLOCK):
            right = min(left + BLOCK, n)
            for i in range(top, bottom):
                for j in range(max(left, i + 1), right):
                    lesser = min(matrix[i, j], matrix[j, i])
                    matrix[i, j] = lesser
                    matrix[j, i] = lesser
