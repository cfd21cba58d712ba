"""A field all over an image of any size, tile by tile: the machines of one tile stand in memory.

Every site makes J × K couplings, which are as many tables as the image has pixels.  A tile is
computed with a margin around it, of which nothing is kept: one step back and forth carries what a
pixel is told patch − 1 pixels further, and so do the biases, so that after n steps all is as in the
whole image at (n + 1)(patch − 1) pixels from where the tile was cut.  Where many steps would make
more margin than tile they are done in rounds, all tiles after some steps, and then from there.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import torch

from sidelight.gated.boltzmann.conditionals import mapping_given, output_given
from sidelight.gated.boltzmann.energy import Folded
from sidelight.gated.boltzmann.machine import Machine
from sidelight.gated.boltzmann.sites import Sites, fold_field
from sidelight.gated.units import Tensor

#: What the machines of a tile may take.
_BUDGET = 2.56e8
#: Margins take no more than such a share of a tile on each side, as long as a step fits.
_MARGIN = 0.25

Axes = tuple[int, int]
Part = tuple[slice, slice]


@dataclass(frozen=True)
class Tile:
    """A part of what is asked, and the window of the image that holds all it depends on.

    Parameters
    ----------
    asked : tuple of two slices
        Of the whole.
    window : tuple of two slices
        Pixels.
    inside : tuple of two slices
        The same part, of what the window gives.
    """

    asked: Part
    window: Part
    inside: Part


def tiles(asked: Axes, place: Axes, size: Axes, before: Axes, after: Axes) -> Iterator[Tile]:
    """Tiles of what is asked of an image; windows reach further, as far as there are pixels."""

    def along(axis: int) -> Iterator[tuple[slice, slice, slice]]:
        for start in range(0, asked[axis], size[axis]):
            stop = min(start + size[axis], asked[axis])
            first = max(0, start - before[axis])
            window = slice(first, min(place[axis], stop + after[axis]))
            yield slice(start, stop), window, slice(start - first, stop - first)

    for down, across in product(along(0), list(along(1))):
        yield Tile(*zip(down, across, strict=True))


@dataclass(frozen=True)
class Field:
    """A patch machine all over an image; images are (channels, height, width), as it sees them.

    Parameters
    ----------
    machine : Machine
        Of a patch.
    patch : tuple (height, width)
        Its pixels.
    """

    machine: Machine
    patch: Axes

    def mappings(self, x: Tensor, y: Tensor) -> Tensor:
        """p(z^s_k = 1 | x^s, y^s), (sites down, sites across, mapping units)."""
        sites, reach = self._sites(x), self._reach()
        found = torch.empty(*sites.shape, self.machine.n_mappings)
        for tile in tiles(sites.shape, sites.place, self._size(x, reach), reach, (0, 0)):
            z = mapping_given(self._folded(x, tile), self._row(y, tile).unsqueeze(1))
            z = z.reshape(*self._sites(x, tile).shape, -1)
            found[tile.asked] = z[tile.inside].cpu()
        return found

    def outputs(self, z: Tensor, x: Tensor) -> Tensor:
        """E[y | x, z], of mapping units of all sites."""
        reach, found = self._reach(), self._empty(x)
        for tile in self._tiles(x, reach):
            (top, left), (p, q) = tile.window, reach
            told = z[top.start : top.stop + p, left.start : left.stop + q]
            told = told.reshape(1, 1, -1).to(self.machine.device)
            self._put(found, tile, output_given(self._folded(x, tile), told))
        return found

    def settled(self, x: Tensor, n_steps: int) -> Tensor:
        """Mapping units and outputs in turn, by their means, from outputs without any unit."""
        y, left, together = None, n_steps, self._together(x, n_steps)
        while y is None or left:
            steps = min(left, together)
            y, left = self._moved(x, y, steps), left - steps
        return y

    def bytes_of(self, place: Axes, *, with_mappings: bool = False) -> float:
        """What an image takes while it is gone over: itself, its outputs, and a tile."""
        (p, q), sites = self.patch, Sites(place, self.patch)
        least = (6 * p - 5) * (6 * q - 5)  # a patch, the margins of a step, the sites at the edges
        in_tile = min(sites.n, max(self._side**2, least))
        columns = 4.0 * self.machine.n_inputs + 24.0 * self.machine.n_outputs
        kept = 12.0 * self.machine.n_mappings * sites.n if with_mappings else 0.0
        return kept + columns / (p * q) * math.prod(place) + in_tile * self._bytes_of_a_site

    @property
    def _bytes_of_a_site(self) -> float:
        """Its couplings, twice while they are made, and what they are multiplied by."""
        I, J, K = self.machine.n_inputs, self.machine.n_outputs, self.machine.n_mappings
        return 8.0 * (J * (K + 2) + I)

    def _moved(self, x: Tensor, y: Tensor | None, n_steps: int) -> Tensor:
        """Outputs after so many steps; without any yet, those without mapping units."""
        found = self._empty(x)
        for tile in self._tiles(x, self._reach(n_steps + 1)):
            self._put(found, tile, self._moved_in(tile, x, y, n_steps))
        return found

    def _moved_in(self, tile: Tile, x: Tensor, y: Tensor | None, n_steps: int) -> Tensor:
        """Those of a window; its machines are gone before the next ones are made."""
        folded = self._folded(x, tile)
        if y is None:
            now = folded.units.mean(torch.zeros_like(folded.b), folded.b)
        else:
            now = self._row(y, tile).unsqueeze(1)
        for _ in range(n_steps):
            now = output_given(folded, mapping_given(folded, now))
        return now

    def _tiles(self, x: Tensor, margin: Axes) -> Iterator[Tile]:
        place = self._sites(x).place
        return tiles(place, place, self._size(x, margin), margin, margin)

    def _together(self, x: Tensor, n_steps: int) -> int:
        """Steps of a round: all where the image is one tile, else what margins have room for."""
        if self._is_one(x):
            return n_steps
        room = int(_MARGIN * self._side) // max(1, *self._reach())
        return min(n_steps, max(1, room - 1))

    def _size(self, x: Tensor, margin: Axes) -> Axes:
        """Of tiles, without their margins."""
        sites = self._sites(x)
        if self._is_one(x):
            return sites.shape
        (top, left), (p, q) = margin, self.patch
        return max(self._side - 2 * top - p + 1, p), max(self._side - 2 * left - q + 1, q)

    def _is_one(self, x: Tensor) -> bool:
        return self._sites(x).n * self._bytes_of_a_site <= _BUDGET

    @property
    def _side(self) -> int:
        """Of a tile and its margins, in sites."""
        return math.isqrt(int(_BUDGET / self._bytes_of_a_site))

    def _reach(self, n_steps: int = 1) -> Axes:
        """Pixels that so many steps reach."""
        return n_steps * (self.patch[0] - 1), n_steps * (self.patch[1] - 1)

    def _sites(self, x: Tensor, tile: Tile | None = None) -> Sites:
        height, width = (x if tile is None else x[:, *tile.window]).shape[1:]
        return Sites((height, width), self.patch)

    def _row(self, image: Tensor, tile: Tile) -> Tensor:
        """The window of a tile as a row, where it is computed with."""
        return image[:, *tile.window].reshape(1, -1).to(self.machine.device)

    def _folded(self, x: Tensor, tile: Tile) -> Folded:
        machine = self.machine
        sites = self._sites(x, tile)
        return fold_field(machine.there, machine.units, self._row(x, tile), sites)

    def _empty(self, x: Tensor) -> Tensor:
        p, q = self.patch
        return torch.empty(self.machine.n_outputs // (p * q), *x.shape[1:])

    def _put(self, found: Tensor, tile: Tile, y: Tensor) -> None:
        """Keep of a window what was asked."""
        down, across = (part.stop - part.start for part in tile.window)
        found[:, *tile.asked] = y.reshape(len(found), down, across)[:, *tile.inside].cpu()
