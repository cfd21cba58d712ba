"""Neighbourhood graphs from files: sparse arrays that SciPy wrote."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from sidelight.io.finding import require_file
from sidelight.io.table.reading import Table

_MEMBERS = {"format.npy", "shape.npy", "data.npy"}


def holds_graph(path: str | Path) -> bool:
    """Tell whether a file is a sparse array as ``scipy.sparse.save_npz`` writes it."""
    found = Path(path)
    if found.suffix.lower() != ".npz" or not zipfile.is_zipfile(found):
        return False
    with zipfile.ZipFile(found) as archive:
        return set(archive.namelist()) >= _MEMBERS


def read_graph(path: str | Path) -> Table:
    """Read a sparse array of distances.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np, scipy.sparse as sp
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "path.npz"
    ...     sp.save_npz(file, sp.csr_array(np.diag([1.0, 2.0], 1)))
    ...     holds_graph(file), read_graph(file).X.nnz
    (True, 2)
    """
    found = require_file(path)
    try:
        graph: Any = sp.csr_array(sp.load_npz(found))
    except (ValueError, KeyError, zipfile.BadZipFile, EOFError) as error:
        raise ValueError(f"{found.name} cannot be read as a sparse array: {error}") from error
    if graph.ndim != 2 or not graph.shape[0]:
        raise ValueError(f"{found.name} holds no rows: its shape is {graph.shape}.")
    return Table(graph, (), rows=np.arange(graph.shape[0]), name=found.name)
