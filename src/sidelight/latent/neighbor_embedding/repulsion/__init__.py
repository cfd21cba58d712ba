"""The field in which the points of a map repel each other: exact, on a mesh, or by a tree."""

from __future__ import annotations

from sidelight.latent.neighbor_embedding.repulsion.field import (
    Field,
    MeshSettings,
    exact_field,
    field_by,
    mesh_field,
    moving_field_by,
    single_field,
)
from sidelight.latent.neighbor_embedding.repulsion.tree import TreeSettings, tree_field

__all__ = [
    "Field",
    "MeshSettings",
    "TreeSettings",
    "exact_field",
    "field_by",
    "mesh_field",
    "moving_field_by",
    "single_field",
    "tree_field",
]
