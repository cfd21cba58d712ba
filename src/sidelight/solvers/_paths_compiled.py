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
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic

ROW_BYTES = 256
"""Bytes of labels per node: 64 sources in single precision, 32 in double."""

_WINDOW = 192
"""Visits are repeated within so many successive nodes before the wave moves on.

Long enough to cover the detours between neighbouring nodes that two sources of one batch reach in
different orders, short enough that nothing unsettled is passed on; 128 to 256 measure alike.
"""


_LINE = 16
"""Nodes per step of the transposition of labels into rows: one cache line in single precision."""


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
def _heap_insert(heap, size, key, node):  # type: ignore[no-untyped-def]
    """Insert ``node``; an entry is the bits of its key, a float32 ≥ 0, above its number."""
    entry = (np.uint64(key.view(np.uint32)[node]) << np.uint64(32)) | np.uint64(node)
    hole = size
    while hole > 0:
        parent = (hole - 1) >> 2
        if heap[parent] <= entry:
            break
        heap[hole] = heap[parent]
        hole = parent
    heap[hole] = entry
    return size + 1


@njit(cache=True, nogil=True)
def _heap_remove_least(heap, size):  # type: ignore[no-untyped-def]
    """Close the gap at the top of the four-ary heap."""
    size -= 1
    last = heap[size]
    hole = 0
    while True:
        child = 4 * hole + 1
        if child >= size:
            break
        least = child
        for other in range(child + 1, min(child + 4, size)):
            if heap[other] < heap[least]:
                least = other
        if heap[least] >= last:
            break
        heap[hole] = heap[least]
        hole = least
    heap[hole] = last
    return size


@njit(cache=True, nogil=True)
def _settling_order(indptr, indices, weights, key, heap, size, order, position):  # type: ignore[no-untyped-def]
    """Dijkstra's order of the nodes from the seeds on the heap; how many are reached."""
    n_reached = 0
    position[:] = -1
    while size > 0:
        node = np.int64(heap[0] & np.uint64(0xFFFFFFFF))
        size = _heap_remove_least(heap, size)
        if position[node] >= 0:
            continue
        position[node] = n_reached
        order[n_reached] = node
        n_reached += 1
        for edge in range(indptr[node], indptr[node + 1]):
            neighbour = indices[edge]
            length = key[node] + np.float32(weights[edge])
            if length < key[neighbour]:
                key[neighbour] = length
                size = _heap_insert(heap, size, key, neighbour)
    return n_reached


@njit(cache=True, nogil=True)
def _settle(indptr, indices, weights, labels, order, n_reached, position, dirty):  # type: ignore[no-untyped-def]
    """Visit flagged nodes in the given order, window by window, until no flag is left."""
    n_visits = 0
    behind = True
    while behind:
        behind = False
        low = 0
        while low < n_reached:
            if not dirty[low]:
                low += 1
                continue
            high = min(low + _WINDOW, n_reached)
            inside = True
            while inside:
                inside = False
                for place in range(low, high):
                    if dirty[place]:
                        dirty[place] = 0
                        node = order[place]
                        start, stop = indptr[node], indptr[node + 1]
                        lowest = _push(
                            labels, indices, weights, start, stop, node, position, dirty
                        )
                        n_visits += 1
                        inside |= low <= lowest <= place
                        behind |= lowest < low
            low = high
    return n_visits


@njit(cache=True, nogil=True)
def solve_batches(indptr, indices, weights, entries, lengths, rows, first, last, out):  # type: ignore[no-untyped-def]
    """Fill the rows ``rows[first:last]`` of ``out`` with distances to all nodes.

    Source i is joined to the nodes ``entries[i]`` by edges of the lengths ``lengths[i]``; a source
    that is itself a node has one entry of length zero.  Returns the number of visits.
    """
    n = indptr.shape[0] - 1
    n_entries = entries.shape[1]
    n_lanes = ROW_BYTES // weights.itemsize
    # rows that begin with a cache line spare every vector a second access
    raw = np.empty((n + 1) * n_lanes, dtype=weights.dtype)
    skip = (-(raw.ctypes.data // weights.itemsize)) % (64 // weights.itemsize)
    labels = raw[skip : skip + n * n_lanes]
    key = np.empty(n, dtype=np.float32)
    dirty = np.zeros(n, dtype=np.uint8)
    order = np.empty(n, dtype=np.int32)
    position = np.empty(n, dtype=np.int32)
    heap = np.empty(indices.shape[0] + n_lanes * n_entries, dtype=np.uint64)
    n_visits = 0
    for begin in range(first, last, n_lanes):
        width = min(n_lanes, last - begin)
        labels[:] = np.inf
        key[:] = np.inf
        size = 0
        for lane in range(width):
            source = rows[begin + lane]
            for j in range(n_entries):
                node = entries[source, j]
                length = lengths[source, j]
                if length < labels[node * n_lanes + lane]:
                    labels[node * n_lanes + lane] = length
                if np.float32(length) < key[node]:
                    key[node] = length
                    size = _heap_insert(heap, size, key, node)
        n_reached = _settling_order(indptr, indices, weights, key, heap, size, order, position)
        for lane in range(width):
            for j in range(n_entries):
                dirty[position[entries[rows[begin + lane], j]]] = 1
        n_visits += _settle(indptr, indices, weights, labels, order, n_reached, position, dirty)
        for block in range(0, n, _LINE):
            stop = min(block + _LINE, n)
            for lane in range(width):
                row = rows[begin + lane]
                for node in range(block, stop):
                    out[row, node] = labels[node * n_lanes + lane]
    return n_visits
