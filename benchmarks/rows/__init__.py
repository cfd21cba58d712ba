"""All rows of the table, a file for each family."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.row import Row
from benchmarks.rows.classical_mds import CLASSICAL_MDS
from benchmarks.rows.importing import IMPORTING
from benchmarks.rows.isomap import ISOMAP
from benchmarks.rows.kernel_pca import KERNEL_PCA
from benchmarks.rows.laplacian_eigenmaps import LAPLACIAN_EIGENMAPS
from benchmarks.rows.locally_linear_embedding import LOCALLY_LINEAR_EMBEDDING
from benchmarks.rows.neighbors import NEIGHBORS
from benchmarks.rows.pca import PRINCIPAL_COMPONENTS

ROWS: tuple[Row, ...] = (
    *ISOMAP,
    *LOCALLY_LINEAR_EMBEDDING,
    *LAPLACIAN_EIGENMAPS,
    *KERNEL_PCA,
    *CLASSICAL_MDS,
    *PRINCIPAL_COMPONENTS,
    *NEIGHBORS,
    *IMPORTING,
)


def find_row(name: str) -> Row:
    """Give the row of this name."""
    return next(row for row in ROWS if row.name == name)


def choose_rows(names: Sequence[str]) -> list[Row]:
    """Choose the rows whose names begin with any of the given texts; all for none.

    Raises
    ------
    ValueError
        If no name begins with a text.
    """
    for text in names:
        if not any(row.name.startswith(text) for row in ROWS):
            known = ", ".join(row.name for row in ROWS)
            raise ValueError(f"No row's name begins with {text!r}. The rows are: {known}.")
    return [row for row in ROWS if not names or row.name.startswith(tuple(names))]
