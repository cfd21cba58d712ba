"""One way to compare embeddings: up to the sign of each axis, or up to a rotation."""

from __future__ import annotations

import numpy as np


def align_signs(Z, reference):
    """Turn each column of Z so that it points along the reference's."""
    turns = np.sign(np.einsum("ij,ij->j", Z, reference))
    return Z * np.where(turns == 0, 1, turns)


def assert_same_map(Z, reference, *, atol=1e-8):
    """Equal up to the sign of each axis, relative to the size of the reference."""
    scale = np.abs(reference).max()
    np.testing.assert_allclose(align_signs(Z, reference), reference, rtol=0, atol=atol * scale)


def subspace_gap(A, B):
    """The sine of the largest angle between the column spaces of A and B."""
    Qa, Qb = np.linalg.qr(A)[0], np.linalg.qr(B)[0]
    return float(np.linalg.norm(Qa - Qb @ (Qb.T @ Qa), ord=2))


def gap_between(*parts):
    """The least gap between the boxes around sets of points; negative where two overlap."""
    boxes = [(part.min(axis=0), part.max(axis=0)) for part in parts]
    return min(
        float(np.maximum(a[0] - b[1], b[0] - a[1]).max())
        for number, a in enumerate(boxes)
        for b in boxes[:number]
    )
