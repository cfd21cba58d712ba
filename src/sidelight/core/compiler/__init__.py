"""The compiler of loops, and vectors in registers for those that it would leave scalar."""

from __future__ import annotations

from sidelight.core.compiler.loading import cgutils, intrinsic, njit, types

__all__ = ["cgutils", "intrinsic", "njit", "types"]
