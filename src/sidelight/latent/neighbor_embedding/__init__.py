"""Near rows are near in a map with heavy tails: t-SNE and its kin, to a million rows."""

from __future__ import annotations

from sidelight.latent.neighbor_embedding.affinities import Affinities, affinities, choices
from sidelight.latent.neighbor_embedding.divergence import Divergence
from sidelight.latent.neighbor_embedding.repulsion import (
    MeshSettings,
    TreeSettings,
    exact_field,
    mesh_field,
    tree_field,
)

__all__ = [
    "Affinities",
    "Divergence",
    "MeshSettings",
    "TreeSettings",
    "affinities",
    "choices",
    "exact_field",
    "mesh_field",
    "tree_field",
]
