"""Edges between rows of groups that differ: weaker, or longer, by how much they do."""

from __future__ import annotations

import scipy.sparse as sp

from sidelight.estimator.territory.memberships import Memberships


def weaken_between(
    weights: sp.csr_array, found: Memberships, differ: sp.csr_array, strength: float
) -> None:
    """Multiply the edges of a graph by 1 − strength Σ U_ig U_jh D_gh, in place."""
    from sidelight.estimator.territory._differences_compiled import weaken

    weaken(*_told(weights, found, differ), strength)


def lengthen_between(
    lengths: sp.csr_array, found: Memberships, differ: sp.csr_array, strength: float
) -> None:
    """Multiply the edges of a graph by 1 + strength Σ U_ig U_jh D_gh, in place."""
    from sidelight.estimator.territory._differences_compiled import lengthen

    lengthen(*_told(lengths, found, differ), strength)


def _told(edges: sp.csr_array, found: Memberships, differ: sp.csr_array) -> tuple[object, ...]:
    differ.sort_indices()
    said = (differ.indptr, differ.indices, differ.data)
    return edges.indptr, edges.indices, edges.data, found.groups, found.shares, said
