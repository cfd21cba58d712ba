"""Charges on the nodes of a mesh, convolved with the kernel w by real Fourier transforms.

A transform takes a mesh for one that is repeated without end, and empty nodes keep a map from its
copies: as many again along every axis, for w goes on for ever.  In a map that is wide w is split,
as electric forces are [1]_: with s the squared distance and R a reach,

    w(s) = near(s) + far(s),   far(s) = w(s) for s ≥ R²,
    far(s) = Σ_{k ≤ p} binom(−ν, k) w(R²) ((s − R²)/(ν + R²))^k for s < R²,

the Taylor polynomial of w.  What is near ends at R, and so many empty nodes are enough.  What is
far is smooth, and goes by a mesh F times as coarse.  Its charges are sums of those that there are,
and its field is known on the finer mesh, for wide splines are sums of narrow ones,

    B(x/F) = Σ_k c_k B(x − k),   Σ_k c_k z^k = (1 + z + … + z^{F−1})⁴ / F³.

References
----------
.. [1] R. Skeel, I. Tezcan and D. Hardy (2002), "Multiple grid methods for classical molecular
   dynamics".
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

import numpy as np
import scipy.fft

from sidelight.core import FloatArray

#: Entries along a cell of what a point reads of its own charge: linear between them to 3e-5.
_OWN = 64
#: Nodes along the three axes of a mesh; an axis that a map does not have is one node wide.
Shape: TypeAlias = tuple[int, ...]


@dataclass(frozen=True)
class SplitSettings:
    """Where near ends and far begins.

    Forces are as near to exact ones as without it, to 1 % of their error: chosen on Gaussian clouds
    of spread 20 and 40, an even one and a map of digits, ν = ½ and 1, of reaches 8 to 16 and
    degrees 2 to 6 (``tests/latent/neighbor_embedding``).

    Parameters
    ----------
    spacing : float
        A mesh is split from this spacing on: in units of w, R must not be short.
    reach : int
        R, in nodes.
    degree : int
        p.
    factor : int
        F.
    """

    spacing: float = 0.5
    reach: int = 12
    degree: int = 3
    factor: int = 4


SPLIT = SplitSettings()


@dataclass(frozen=True)
class Kernel:
    """An even function on the nodes of a mesh, ready to be convolved with.

    Parameters
    ----------
    transform : ndarray
        Its transform, divided by that of the splines, squared: it is interpolated in both of its
        points.
    padded : tuple of int
        The nodes of the mesh, with the empty ones.
    least : float
        The least value, taken off before: single precision is then enough, however small the map.
    """

    transform: FloatArray
    padded: Shape
    least: float

    @classmethod
    def of(cls, values: FloatArray, padded: Shape) -> tuple[Kernel, FloatArray]:
        """The function with these values on half of every axis; what a charge makes around it."""
        axes = _axes(padded)
        splines = np.ones((1, 1, 1))
        for axis in axes:
            spline = np.zeros(values.shape[axis])
            spline[:2] = 2.0 / 3.0, 1.0 / 6.0
            splines = splines * scipy.fft.dct(spline, type=1).reshape(_along(axis))
        # even along every axis, and so is its transform: half of each says all
        least = float(values.min())
        transform = scipy.fft.dctn(values - least, type=1, axes=axes) / splines**2
        near = scipy.fft.idctn(transform, type=1, axes=axes)[:4, :4, :4] + least
        for axis in set(axes) - {2}:
            steps = np.arange(padded[axis])
            transform = transform.take(np.minimum(steps, padded[axis] - steps), axis=axis)
        return cls(transform.astype(np.float32), padded, least), near

    def convolved(self, density: FloatArray) -> FloatArray:
        """The sums on the nodes of a mesh of charges, less the least value of each.

        Axis by axis: lines of padding are neither transformed before there is something in them,
        nor after nothing will be read from them.
        """
        across = [axis for axis in (1, 0) if self.padded[axis] > 1]
        spectrum = scipy.fft.rfft(density, self.padded[2], axis=2)
        for axis in across:
            spectrum = scipy.fft.fft(spectrum, self.padded[axis], axis=axis)
        spectrum *= self.transform
        for axis in reversed(across):
            spectrum = scipy.fft.ifft(spectrum, axis=axis, overwrite_x=True)
            spectrum = spectrum[
                tuple(slice(density.shape[axis]) if a == axis else slice(None) for a in range(3))
            ]
        nodes = scipy.fft.irfft(spectrum, self.padded[2], axis=2)
        return np.ascontiguousarray(nodes[:, :, : density.shape[2]])


@dataclass(frozen=True)
class Convolution:
    """The way from charges to their field.

    Parameters
    ----------
    near : Kernel
        What is near, or all of w.
    far : Kernel, optional
        What is far, on a coarser mesh.
    own : ndarray of shape (c_0, c_1, c_2, 4)
        What a point reads of its own charge, by where it is in its cell: φ and ∇φ per node.
    """

    near: Kernel
    far: Kernel | None
    own: FloatArray

    @property
    def least(self) -> float:
        """What the field has less of, for every charge."""
        return self.near.least + (self.far.least if self.far is not None else 0.0)

    def __call__(self, density: FloatArray) -> FloatArray:
        """The field of charges on the same nodes."""
        nodes = self.near.convolved(density)
        if self.far is not None:
            nodes += _finer(self.far.convolved(_coarser(density)), density.shape)
        return nodes


def nodes_along(cells: float, spacing: float) -> int:
    """The nodes along an axis, no fewer than cells, that make a fast length with the empty ones."""
    if spacing < SPLIT.spacing:
        return _fast_length(2.0 * cells) // 2
    return _fast_length(cells + SPLIT.reach) - SPLIT.reach


def _with_empty_nodes(inner: Shape, spacing: float) -> Shape:
    wide = spacing >= SPLIT.spacing
    longer = (size + SPLIT.reach if wide else 2 * size for size in inner)
    return tuple(full if size > 1 else 1 for size, full in zip(inner, longer, strict=True))


def _fast_length(wanted: float) -> int:
    """The least even length with a fast transform, no shorter than wanted."""
    return 2 * int(scipy.fft.next_fast_len(int(np.ceil(wanted / 2.0)), real=True))


@lru_cache(maxsize=4)
def convolution(inner: Shape, spacing: float, dof: float) -> Convolution:
    """The convolution with w on so many nodes."""
    padded = _with_empty_nodes(inner, spacing)
    if spacing < SPLIT.spacing:
        kernel, stencil = Kernel.of(_tails(_squared(padded, spacing), dof), padded)
        return Convolution(kernel, None, _own(stencil, padded))
    squared, reach = _squared(padded, spacing), (SPLIT.reach * spacing) ** 2
    some = tuple(slice(SPLIT.reach + 1) for _ in inner)
    values = np.zeros_like(squared)
    values[some] = _tails(squared[some], dof) - _far(squared[some], reach, dof)
    near, stencil = Kernel.of(values, padded)
    coarse = tuple(_fast_length(2 * _coarse_size(size)) if size > 1 else 1 for size in inner)
    far, _ = Kernel.of(_far(_squared(coarse, spacing * SPLIT.factor), reach, dof), coarse)
    own = _own(stencil, padded)
    own[..., 0] += _far(np.zeros((1, 1, 1)), reach, dof).item()  # which is level around it
    return Convolution(near, far, own)


def _far(squared: FloatArray, reach: float, dof: float) -> FloatArray:
    """The far part of w at squared distances, ``reach`` being R²."""
    far = _tails(np.maximum(squared, reach), dof)
    gap = (reach - np.minimum(squared, reach)) / (1.0 + reach / dof)
    term = far
    for k in range(SPLIT.degree):
        term = term * ((1.0 + k / dof) / (k + 1.0)) * gap
        far = far + term
    return far


def _tails(squared: FloatArray, dof: float) -> FloatArray:
    """Values w(s) for every s."""
    from sidelight.latent.neighbor_embedding._tail_compiled import write_tails

    values = np.empty(squared.shape)
    write_tails(squared.ravel(), dof, values.reshape(-1))
    return values


def _squared(padded: Shape, spacing: float) -> FloatArray:
    """Squared distances from the first node along half of every axis."""
    squared = np.zeros((1, 1, 1))
    for axis in _axes(padded):
        steps = np.arange(padded[axis] // 2 + 1)
        squared = squared + ((spacing * steps) ** 2).reshape(_along(axis))
    return squared


def _own(around: FloatArray, padded: Shape) -> FloatArray:
    """What a point reads of its own charge, from what that makes of the nodes around it."""
    from sidelight.latent.neighbor_embedding.repulsion._mesh_compiled import write_own

    stencil = np.zeros((4, 4, 4))
    stencil[tuple(slice(size) for size in around.shape)] = around
    own = np.empty((*(_OWN + 1 if size > 1 else 1 for size in padded), 4))
    write_own(stencil, len(_axes(padded)), own)
    return own


@lru_cache(maxsize=1)
def _mask() -> FloatArray:
    """The wide spline of narrow ones, c."""
    ones, mask = np.ones(SPLIT.factor), np.ones(1)
    for _ in range(4):
        mask = np.convolve(mask, ones)
    return (mask / SPLIT.factor**3).astype(np.float32)


def _coarse_size(size: int) -> int:
    """The coarse nodes whose splines reach so many fine ones: from one before them on."""
    return (size - 1 + 2 * (SPLIT.factor - 1)) // SPLIT.factor + 2


def _coarser(density: FloatArray) -> FloatArray:
    """The charges of the coarse splines: Σ_k c_k of those of the fine ones."""
    from sidelight.latent.neighbor_embedding.repulsion._levels_compiled import gather

    for axis in _axes(density.shape):
        lines = np.ascontiguousarray(np.moveaxis(density, axis, 0))
        fewer = np.zeros((_coarse_size(len(lines)), *lines.shape[1:]), dtype=np.float32)
        gather(_flat(lines), _mask(), SPLIT.factor, _flat(fewer))
        density = np.moveaxis(fewer, 0, axis)
    return density


def _finer(nodes: FloatArray, shape: Shape) -> FloatArray:
    """The field of the coarse splines as one of the fine ones."""
    from sidelight.latent.neighbor_embedding.repulsion._levels_compiled import scatter

    for axis in reversed(_axes(shape)):
        lines = np.ascontiguousarray(np.moveaxis(nodes, axis, 0))
        more = np.zeros((shape[axis], *lines.shape[1:]), dtype=np.float32)
        scatter(_flat(lines), _mask(), SPLIT.factor, _flat(more))
        nodes = np.moveaxis(more, 0, axis)
    return nodes


def _flat(lines: FloatArray) -> FloatArray:
    return lines.reshape(len(lines), -1)


def _axes(shape: Shape) -> tuple[int, ...]:
    return tuple(axis for axis in range(3) if shape[axis] > 1)


def _along(axis: int) -> list[int]:
    return [-1 if other == axis else 1 for other in range(3)]
