"""Where the real data sets lie."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

VARIABLE = "SIDELIGHT_DATA"


def folder() -> Path | None:
    """Find the folder of real data sets.

    Returns
    -------
    Path or None
        The folder named by the environment variable ``SIDELIGHT_DATA``, or None if the variable
        is not set or names no folder.

    Examples
    --------
    >>> import os
    >>> from sidelight.datasets import folder
    >>> before = os.environ.pop("SIDELIGHT_DATA", None)
    >>> folder() is None
    True
    >>> if before is not None: os.environ["SIDELIGHT_DATA"] = before
    """
    named = os.environ.get(VARIABLE, "")
    if not named:
        return None
    path = Path(named).expanduser()
    return path if path.is_dir() else None


def why_missing(name: str, where: Path | None = None) -> str | None:
    """Say why a real data set cannot be loaded."""
    file = f"{name}.npz"
    if where is None:
        named = os.environ.get(VARIABLE, "")
        if not named:
            return (
                f"The environment variable {VARIABLE} is not set, so that the file {file} cannot "
                f"be found. Set {VARIABLE} to the folder that holds it, or give folder=…"
            )
        where = Path(named).expanduser()
        source = f"{VARIABLE} names"
    else:
        source = "folder= names"
    if not where.is_dir():
        return (
            f"{source} {str(where)!r}, which is not a folder. The file {file} is looked for in it."
        )
    if not (where / file).is_file():
        return (
            f"The file {file} is not in {str(where)!r}, the folder that {source.split()[0]} "
            "names. Put it there, or name another folder."
        )
    return None


def read_arrays(name: str, where: str | Path | None = None) -> dict[str, npt.NDArray[Any]]:
    """Read the arrays of a real data set."""
    given = None if where is None else Path(where).expanduser()
    reason = why_missing(name, given)
    if reason is not None:
        raise FileNotFoundError(f"The data set {name!r} could not be loaded. {reason}")
    path = (given or folder() or Path()) / f"{name}.npz"
    with np.load(path, allow_pickle=False) as archive:
        return {key: archive[key] for key in archive.files}
