"""The compiler of loops, loaded whole: through here and nowhere else.

A half-imported compiler cannot be imported again, so that Ctrl-C waits until it is there.  The
first function that it compiles makes it load the rest of itself, which is done here, too.
"""

from __future__ import annotations

from sidelight.core.interruption import deferred_interruption

with deferred_interruption():
    from numba import njit, types
    from numba.core import cgutils
    from numba.extending import intrinsic

    njit(lambda: 0)()

__all__ = ["cgutils", "intrinsic", "njit", "types"]
