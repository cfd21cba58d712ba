"""The field in which the points of a map repel each other.

With w(s) = (1 + s/ν)^{−ν} of squared distances s, ν degrees of freedom (w = e^{−s} for ν = ∞),

    φ(y) = Σ_j w(‖y − y_j‖²),   Z = Σ_i φ(y_i) − n,

and the push on y_i is the gradient of one field: Σ_j w (1 + s/ν)^{−1} (y_i − y_j) = −½ ∇φ(y_i).

Either the sums are exact, or by a tree (``tree``), or they go by way of a mesh: unit charges are
spread on its nodes by cubic B-splines, convolved with w by real Fourier transforms, and φ and ∇φ
are read by the same splines.  The transform of w is divided by the square of the splines' own,
b(k) = Π (2 + cos k)/3, so that w is interpolated in both of its points.  What a point reads of its
own charge is known, and left out: in a map of few points that is most of the error.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from sidelight.core import FloatArray, Threads, shares
from sidelight.latent.neighbor_embedding.repulsion.convolution import convolution, nodes_along
from sidelight.latent.neighbor_embedding.repulsion.tree import tree_field

#: Points of which the charges are spread in one go: the parts of a mesh are added in order.
_PART = 65_536
#: Points that a thread takes at once.
_SHARE = 8_192
#: Pairs that a thread takes at once: handing over fewer costs more than the sums.
_PAIRS = 2**20
#: Up to so many points the sums over all pairs cost less than the mesh, by dimensions; and in a
#: plane with ν = 1, where single precision is enough for them.
EXACT_UP_TO = {1: 500, 2: 1_500, 3: 5_000}
SINGLE_UP_TO = 4_000


@dataclass(frozen=True)
class MeshSettings:
    """How fine the mesh is.

    Chosen on Gaussian clouds of spread 0.01 to 40 (``tests/latent/neighbor_embedding``).

    Parameters
    ----------
    spacing : float
        The distance of nodes, in the map's unit; the kernel is one unit wide.
    nodes_across : int
        Nodes across a map that is smaller than the kernel, at least.
    most_nodes : int
        With as many empty ones along every axis; beyond, it becomes coarser: in maps of about a
        thousand units across, in space of sixty.
    """

    spacing: float = 0.5
    nodes_across: int = 40
    most_nodes: int = 2**24


MESH = MeshSettings()


class Field(Protocol):
    """What the points of a map do at any place, and to each other."""

    def at(self, A: FloatArray, pool: Threads) -> tuple[FloatArray, FloatArray]:
        """φ and ∇φ at places A."""
        ...

    def among(self, Y: FloatArray, pool: Threads) -> tuple[FloatArray, FloatArray]:
        """φ and ∇φ at the points themselves, each without its own part."""
        ...

    def within(self, A: FloatArray) -> FloatArray:
        """Places brought to where the field is known."""
        ...


@dataclass(frozen=True)
class ExactField:
    """All sums over all points.

    Parameters
    ----------
    Y : ndarray of shape (n, d)
        The points.
    dof : float
        ν.
    """

    Y: FloatArray
    dof: float

    def at(self, A: FloatArray, pool: Threads) -> tuple[FloatArray, FloatArray]:
        """φ and ∇φ at places A."""
        from sidelight.latent.neighbor_embedding._pairs_compiled import LANES, push

        values, slopes = np.empty(len(A)), np.empty(A.shape)
        rows = LANES * max(1, _PAIRS // (LANES * max(len(self.Y), 1)))
        told = (values, slopes)
        pool.run(
            [(push, (A, self.Y, self.dof, s.start, s.stop, *told)) for s in _cut(len(A), rows)]
        )
        return values, slopes

    def among(self, Y: FloatArray, pool: Threads) -> tuple[FloatArray, FloatArray]:
        """φ and ∇φ at the points, each without its own part, w(0) = 1."""
        values, slopes = self.at(Y, pool)
        values -= 1.0
        return values, slopes

    def within(self, A: FloatArray) -> FloatArray:
        """Places as they are."""
        return A


@dataclass(frozen=True)
class SingleField:
    """All sums over pairs of points in a plane, ν = 1, in single precision: off by a millionth.

    For points that move: it is known at them alone.

    Parameters
    ----------
    Y : ndarray of shape (n, 2)
        The points, in single precision, around zero.
    """

    Y: Any

    def among(self, Y: FloatArray, pool: Threads) -> tuple[FloatArray, FloatArray]:
        """φ and ∇φ at the points, each without its own part; every pair is looked at once."""
        from sidelight.latent.neighbor_embedding.repulsion._all_pairs_compiled import (
            push_each_other,
        )

        values, slopes = np.empty(len(Y)), np.empty(Y.shape)
        push_each_other(self.Y, values, slopes)
        return values, slopes


@dataclass(frozen=True)
class MeshField:
    """The field on the nodes of a mesh.

    Parameters
    ----------
    nodes : ndarray of shape (m_0, m_1, m_2)
        What the splines make φ of, less its level.
    level : float
        What all of φ has in common: of a small map nearly everything.
    origin : ndarray of shape (d,)
        Where the first node is.
    spacing : float
        How far apart they are.
    own : ndarray of shape (c_0, c_1, c_2, 4)
        What a point reads of its own charge, by where it is in its cell.
    """

    nodes: FloatArray
    level: float
    origin: FloatArray
    spacing: float
    own: FloatArray

    def at(self, A: FloatArray, pool: Threads) -> tuple[FloatArray, FloatArray]:
        """φ and ∇φ at places A, which lie on the mesh."""
        values, slopes = np.empty(len(A)), np.empty(A.shape)
        told = (self.origin, 1.0 / self.spacing, self.nodes, values, slopes)
        read = _loops(A.shape[1]).read
        pool.run([(read, (A, s.start, s.stop, *told)) for s in _cut(len(A), _SHARE)])
        values += self.level
        return values, slopes

    def among(self, Y: FloatArray, pool: Threads) -> tuple[FloatArray, FloatArray]:
        """φ and ∇φ at the points, each without its own part."""
        values, slopes = self.at(Y, pool)
        leave_out_itself = _loops(Y.shape[1]).leave_out_itself
        told = (self.origin, 1.0 / self.spacing, self.own, values, slopes)
        pool.run([(leave_out_itself, (Y, s.start, s.stop, *told)) for s in _cut(len(Y), _SHARE)])
        return values, slopes

    def within(self, A: FloatArray) -> FloatArray:
        """Places brought onto the mesh."""
        sizes = np.array(self.nodes.shape[::-1][: A.shape[1]])
        low = self.origin + self.spacing
        return np.clip(A, low, self.origin + self.spacing * (sizes - 2.01))


def moving_field_by(repulsion: str, d: int, n: int, dof: float) -> Any:
    """How the field of n points is summed up while they move, hundreds of times."""
    few = repulsion == "auto" and d == 2 and dof == 1.0 and n <= SINGLE_UP_TO
    return single_field if few else field_by(repulsion, d, n)


def field_by(repulsion: str, d: int, n: int) -> Any:
    """How the field of n points is summed up: as is said, or by what costs less.

    A mesh in space has too many nodes as soon as a map unfolds; a tree has not.
    """
    if repulsion == "auto":
        many = d in EXACT_UP_TO and n > EXACT_UP_TO[d]
        repulsion = ("tree" if d == 3 else "mesh") if many else "exact"
    return {"exact": exact_field, "mesh": mesh_field, "tree": tree_field}[repulsion]


def exact_field(Y: FloatArray, dof: float, pool: Threads) -> ExactField:
    """The field of points, by all pairs."""
    return ExactField(Y, dof)


def single_field(Y: FloatArray, dof: float, pool: Threads) -> SingleField:
    """The field of points in a plane, by all pairs in single precision."""
    from sidelight.latent.neighbor_embedding.repulsion._all_pairs_compiled import around_zero

    return SingleField(around_zero(Y))


def mesh_field(
    Y: FloatArray, dof: float, pool: Threads, settings: MeshSettings = MESH
) -> MeshField:
    """The field of points, on a mesh around them."""
    from sidelight.latent.neighbor_embedding.repulsion._mesh_compiled import bounds

    low, high = np.empty(Y.shape[1]), np.empty(Y.shape[1])
    bounds(Y, low, high)
    spacing, inner = _shape_of(high - low, settings)
    d = Y.shape[1]
    # centred, so that places around the points are on the mesh as well
    width = spacing * (np.array(inner[::-1][:d]) - 1)
    origin = 0.5 * (low + high) - 0.5 * width
    parts = _cut(len(Y), _PART)
    meshes = [np.zeros(inner, dtype=np.float32) for _ in parts]
    told, spread = (origin, 1.0 / spacing), _loops(d).spread
    pool.run(
        [(spread, (Y, s.start, s.stop, *told, mesh)) for s, mesh in zip(parts, meshes, strict=True)]
    )
    density = meshes[0]
    for other in meshes[1:]:
        density += other
    convolved = convolution(inner, spacing, dof)
    level = convolved.least * len(Y)
    return MeshField(convolved(density), level, origin, spacing, convolved.own)


def _loops(d: int) -> Any:
    """Between points and a mesh: written out for planes."""
    from sidelight.latent.neighbor_embedding.repulsion import _mesh_compiled, _plane_compiled

    return _plane_compiled if d == 2 else _mesh_compiled


def _cut(n: int, size: int) -> list[slice]:
    return list(shares(n, max(1, -(-n // size))))


def _shape_of(extent: FloatArray, settings: MeshSettings) -> tuple[float, tuple[int, ...]]:
    """The spacing and the size of a mesh: few different ones, so that kernels are kept."""
    largest = float(extent.max())
    spacing = settings.spacing
    if largest < spacing * settings.nodes_across:
        finer = np.log2(spacing * settings.nodes_across / max(largest, 1e-300))
        spacing *= 2.0 ** (-np.ceil(2.0 * finer) / 2.0)
    while True:
        sizes = [nodes_along(float(e) / spacing + 6.0, spacing) for e in extent]
        if np.prod([2.0 * size for size in sizes]) <= settings.most_nodes:
            return spacing, tuple([1] * (3 - len(sizes)) + sizes[::-1])
        spacing *= 2.0**0.5
