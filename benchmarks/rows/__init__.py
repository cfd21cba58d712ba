"""All rows of the table, a file for each family."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatch

from benchmarks.row import Row
from benchmarks.rows.classical_mds import CLASSICAL_MDS
from benchmarks.rows.factor_removal import FACTOR_REMOVAL
from benchmarks.rows.gated import GATED
from benchmarks.rows.gplvm import GPLVM
from benchmarks.rows.hybrid_embedding import HYBRID_EMBEDDING
from benchmarks.rows.importing import IMPORTING
from benchmarks.rows.isomap import ISOMAP
from benchmarks.rows.kernel_information_embedding import KERNEL_INFORMATION_EMBEDDING
from benchmarks.rows.kernel_pca import KERNEL_PCA
from benchmarks.rows.laplacian_eigenmaps import LAPLACIAN_EIGENMAPS
from benchmarks.rows.locally_linear_embedding import LOCALLY_LINEAR_EMBEDDING
from benchmarks.rows.maximum_entropy_unfolding import MAXIMUM_ENTROPY_UNFOLDING
from benchmarks.rows.neighbor_embedding import NEIGHBOR_EMBEDDING
from benchmarks.rows.neighbor_mismatch import NEIGHBOR_MISMATCH
from benchmarks.rows.neighbors import NEIGHBORS
from benchmarks.rows.pca import PRINCIPAL_COMPONENTS
from benchmarks.rows.semidefinite_embedding import SEMIDEFINITE_EMBEDDING
from benchmarks.rows.starting import STARTING
from benchmarks.rows.tangent_distance import TANGENT_DISTANCE

ROWS: tuple[Row, ...] = (
    *ISOMAP,
    *LOCALLY_LINEAR_EMBEDDING,
    *LAPLACIAN_EIGENMAPS,
    *HYBRID_EMBEDDING,
    *MAXIMUM_ENTROPY_UNFOLDING,
    *KERNEL_PCA,
    *KERNEL_INFORMATION_EMBEDDING,
    *CLASSICAL_MDS,
    *PRINCIPAL_COMPONENTS,
    *SEMIDEFINITE_EMBEDDING,
    *GPLVM,
    *NEIGHBORS,
    *NEIGHBOR_EMBEDDING,
    *NEIGHBOR_MISMATCH,
    *FACTOR_REMOVAL,
    *TANGENT_DISTANCE,
    *GATED,
    *IMPORTING,
    *STARTING,
)


def find_row(name: str) -> Row:
    """Give the row of this name."""
    return next(row for row in ROWS if row.name == name)


def choose_rows(patterns: Sequence[str]) -> list[Row]:
    """Choose rows by name: ``isomap-5000/mnist_30``, ``isomap-5000`` (all data), ``*/mnist*``.

    Parameters
    ----------
    patterns : sequence of str
        Names, their parts before the slash, or shell patterns of either; all rows for none.

    Returns
    -------
    list of Row
        In the order of the table.

    Raises
    ------
    ValueError
        If a pattern fits no row.
    """
    for pattern in patterns:
        if not any(_fits(row, pattern) for row in ROWS):
            known = ", ".join(row.name for row in ROWS)
            raise ValueError(f"No row is named {pattern!r}. The rows are: {known}.")
    return [row for row in ROWS if not patterns or any(_fits(row, p) for p in patterns)]


def _fits(row: Row, pattern: str) -> bool:
    return fnmatch(row.name, pattern) or fnmatch(row.name.partition("/")[0], pattern)
