"""The compiler of loops, loaded whole: through here and nowhere else.

A half-imported compiler cannot be imported again, so that Ctrl-C waits until it is there.  The
first function that it compiles makes it load the rest of itself, which is done here, too.

Divisions follow IEEE arithmetic, as numpy's do: a check for zero before each of them would keep
loops from being done several elements at a time.
"""

from __future__ import annotations

from functools import partial

from sidelight.core.interruption import deferred_interruption

with deferred_interruption():
    import numba
    from numba import types
    from numba.core import cgutils
    from numba.extending import intrinsic

    njit = partial(numba.njit, error_model="numpy")
    njit(lambda: 0)()

__all__ = ["cgutils", "intrinsic", "njit", "types"]
