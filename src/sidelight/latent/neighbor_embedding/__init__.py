"""Near rows are near in a map with heavy tails: t-SNE and its kin, to a million rows."""

from __future__ import annotations

from sidelight.latent.neighbor_embedding.affinities import Affinities, affinities, choices
from sidelight.latent.neighbor_embedding.divergence import Divergence
from sidelight.latent.neighbor_embedding.repulsion import MeshSettings, exact_field, mesh_field

__all__ = [
    "Affinities",
    "Divergence",
    "MeshSettings",
    "affinities",
    "choices",
    "exact_field",
    "mesh_field",
]
