"""Speed as a ratio to the best peer, measured in one run: ``python -m benchmarks``.

Every contender runs in a fresh process on one core, in turns (A, B, A, B, …), on the same data,
and their answers are compared in the same run: a ratio counts only between answers that agree.
What is measured is the processor time of one call.  The data are made before it, and a smaller
problem is solved before it, so that imports and compilation are not counted.

``--small`` solves tiny problems to see that answers agree, and judges no goal.

To add a row, put a :class:`~benchmarks.row.Row` into a file of :mod:`benchmarks.rows`.
"""
