"""One patch machine at all sites of an image: the field of gated experts (5.16).

S(y, z; x) = Σ_s S(y^s, z^s; x^s) over all patches s that touch the image, so that every pixel is
covered by as many.  What lies outside is zero: of inputs and of real outputs, which are centred,
that is the mean, and of others no pixel that is on, and no count.  Given an input image this is a
restricted Boltzmann machine too: outputs that several patches cover are told the sum of what each
says.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch
from torch.nn import functional

from sidelight.gated.boltzmann.energy import Coupling, Folded, fold
from sidelight.gated.premapping import Weights
from sidelight.gated.units import Tensor, Units


@dataclass(frozen=True)
class Sites:
    """The patches of images of one size.

    Parameters
    ----------
    place : tuple (height, width)
        Of the images.
    patch : tuple (height, width)
        Of a patch.
    cropped : bool
        Whether the images are crops of larger ones: then patches lie in them, and not around, and
        the pixels at their edges, which other patches cover too, are not :attr:`free`.
    """

    place: tuple[int, int]
    patch: tuple[int, int]
    cropped: bool = False

    @property
    def shape(self) -> tuple[int, int]:
        """Sites down and across."""
        (h, w), (p, q) = self.place, self.patch
        around = -1 if self.cropped else 1
        return h + around * (p - 1), w + around * (q - 1)

    def free(self, n_channels: int) -> Tensor:
        """The pixels of a row, (channels, height, width), that no other patch covers."""
        (p, q), inside = self.patch, torch.zeros(self.place, dtype=torch.bool)
        inside[p - 1 : self.place[0] - p + 1, q - 1 : self.place[1] - q + 1] = True
        return inside.expand(n_channels, -1, -1).reshape(-1)

    @property
    def n(self) -> int:
        """How many."""
        return self.shape[0] * self.shape[1]

    def cut(self, images: Tensor) -> Tensor:
        """Patches, (images, sites, columns), of images as rows of (channels, height, width)."""
        pictures = images.reshape(len(images), -1, *self.place)
        return functional.unfold(pictures, self.patch, padding=self._margin).transpose(1, 2)

    def add(self, patches: Tensor) -> Tensor:
        """The sum of all patches that cover a pixel, as rows."""
        columns = patches.transpose(1, 2)
        return functional.fold(columns, self.place, self.patch, padding=self._margin).flatten(1)

    @property
    def _margin(self) -> tuple[int, int]:
        return (0, 0) if self.cropped else (self.patch[0] - 1, self.patch[1] - 1)


@dataclass(frozen=True)
class AtSites:
    """The couplings of all sites, (images × sites), as one between images and all mapping units."""

    of_patch: Coupling
    sites: Sites

    def onto_mapping(self, f: Tensor) -> Tensor:
        """Σ_j f^s_j Ŵ^s_jk, site by site."""
        n, m = f.shape[:2]
        patches = self.sites.cut(f.flatten(0, 1)).unflatten(0, (n, m)).transpose(1, 2)
        told = self.of_patch.onto_mapping(patches.flatten(0, 1)).unflatten(0, (n, self.sites.n))
        return told.transpose(1, 2).flatten(2)

    def onto_output(self, z: Tensor) -> Tensor:
        """Σ_s Σ_k Ŵ^s_jk z^s_k, over the sites that cover a pixel."""
        n, m = z.shape[:2]
        each = z.unflatten(2, (self.sites.n, -1)).transpose(1, 2).flatten(0, 1)
        told = self.of_patch.onto_output(each).unflatten(0, (n, self.sites.n)).transpose(1, 2)
        return self.sites.add(told.flatten(0, 1)).unflatten(0, (n, m))

    def times(self, beta: float) -> AtSites:
        """β Ŵ."""
        return replace(self, of_patch=self.of_patch.times(beta))

    def take(self, rows: Tensor) -> AtSites:
        """Those of some images."""
        each = rows[:, None] * self.sites.n + torch.arange(self.sites.n, device=rows.device)
        return replace(self, of_patch=self.of_patch.take(each.flatten()))


def fold_field(weights: Weights, units: Units, x: Tensor, sites: Sites) -> Folded:
    """The machine that input images make, (images, channels × height × width)."""
    n = len(x)
    each = fold(weights, units, sites.cut(x).flatten(0, 1))
    b = sites.add(each.b.reshape(n, sites.n, -1)).unsqueeze(1)
    return Folded(units, AtSites(each.coupling, sites), b, each.c.reshape(n, 1, -1))
