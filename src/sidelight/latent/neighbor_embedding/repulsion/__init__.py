"""The field in which the points of a map repel each other: exact, or on a mesh."""

from __future__ import annotations

from sidelight.latent.neighbor_embedding.repulsion.field import (
    Field,
    MeshSettings,
    exact_field,
    field_by,
    mesh_field,
)

__all__ = ["Field", "MeshSettings", "exact_field", "field_by", "mesh_field"]
