"""How well items are predicted from others near them in a map, each from its rivals alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from sidelight.core import FloatArray, IntArray
from sidelight.latent.conditioning.partial_matches import in_few_columns
from sidelight.latent.density import squared_distances
from sidelight.mapping import prediction_error
from sidelight.similarity import gaussian_similarity

#: Entries of kernels of several scales that are held at once.
_ENTRIES = 1 << 16


@dataclass(frozen=True)
class _Group:
    """Rows none of which is a rival of any other row."""

    rows: IntArray
    items: FloatArray
    rivals: FloatArray

    def errors(self, Z: FloatArray, scales: FloatArray) -> list[float]:
        distances = np.where(self.rivals > 0, squared_distances(Z[self.rows], Z[self.rows]), np.inf)
        nearest = distances.min(axis=1, keepdims=True)
        nearest[~np.isfinite(nearest)] = 0.0
        apart, errors = distances - nearest, []
        at_once = max(1, _ENTRIES // apart.size)
        for first in range(0, len(scales), at_once):
            bandwidths = 1 / scales[first : first + at_once, None, None]
            k = self.rivals * gaussian_similarity(apart, bandwidths)
            k /= np.maximum(k.sum(axis=2, keepdims=True), 1e-300)
            errors += [prediction_error(predicted, self.items) for predicted in k @ self.items]
        return errors


@dataclass(frozen=True)
class Prediction:
    """Items, and from whom they are to be predicted: of classes each is judged by itself."""

    groups: tuple[_Group, ...]
    size: int

    @classmethod
    def of(cls, Y: FloatArray, rivals: FloatArray) -> Prediction:
        """Prepare to predict every item from the others by their weights as its rivals."""
        others = np.where(np.eye(len(Y), dtype=bool), 0.0, rivals)
        _, names = connected_components(csr_array(others), directed=False)
        groups = []
        for name in range(names.max() + 1):
            rows = np.flatnonzero(names == name)
            # a turn and a shift of all change no error; a lone item, whom nobody predicts, stays
            items = in_few_columns(Y[rows]) if len(rows) > 1 else Y[rows]
            groups.append(_Group(rows, items, others[np.ix_(rows, rows)]))
        return cls(tuple(groups), Y.size)

    def errors(self, Z: FloatArray, scales: FloatArray) -> FloatArray:
        """Mean squares by which items are missed in a map, for kernels exp(−s d²) of scales s."""
        missed = np.sum([group.errors(Z, scales) for group in self.groups], axis=0)
        return np.asarray(missed / self.size)

    def error(self, Z: FloatArray) -> float:
        """The same for the map as it is."""
        return float(self.errors(Z, np.ones(1))[0])
