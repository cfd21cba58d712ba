"""Models in files: plain arrays and JSON, no pickle, readable by later versions.

A model file is a zip file with ``model.json`` (format, version, class, parameters and what was
learned, as a tree) and ``arrays/*.npy``.  Opening one never runs code that came with it: only
estimators of the registry and values with a tag are built, and only out of data.

Every estimator is saved the same way: its parameters and its map.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sidelight.io.finding import require_file, what_it_is
from sidelight.io.model.archive import Archive, write_archive
from sidelight.io.model.decoding import Decoder
from sidelight.io.model.encoding import Encoder, is_estimator
from sidelight.io.model.versions import FORMAT, FORMAT_VERSION, brought_up_to_date
from sidelight.registry import SAVED


@dataclass(frozen=True)
class ModelFile:
    """What a model file holds.

    Parameters
    ----------
    model : estimator
        The model.
    extras : dict
        What was saved beside it.
    version : str
        The version of sidelight that wrote it.
    """

    model: Any
    extras: dict[str, Any] = field(default_factory=dict)
    version: str = ""


def save(model: Any, path: str | Path, *, extras: Mapping[str, Any] | None = None) -> Path:
    """Save an estimator, fitted or not, to a file.

    The loaded model gives the same results to the bit.  An existing file is replaced, and only
    when the new one is complete.

    Parameters
    ----------
    model : estimator
        Any estimator of sidelight.
    path : str or Path
        The file; ``.sidelight`` is the usual ending.
    extras : dict, optional
        Plain values and arrays to keep beside the model, for :func:`read_model`.

    Returns
    -------
    Path
        The file written.

    Raises
    ------
    TypeError
        If the model is not sidelight's, or holds a function (a metric of the user's).

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> import sidelight
    >>> X = np.array([[0.0, 0.0], [3.0, 4.0], [9.0, 12.0]])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = sidelight.save(sidelight.PCA(1).fit(X), Path(folder) / "line.sidelight")
    ...     sidelight.load(file).transform([[14.0, 12.0]]).round(6)
    array([[11.333333]])
    """
    import sidelight

    if not is_estimator(model):
        names = ", ".join(entry.name for entry in SAVED)
        raise TypeError(
            f"The 'model' argument of save must be an estimator of sidelight ({names}). Got a "
            f"{type(model).__module__}.{type(model).__name__}."
        )
    encoder = Encoder()
    header = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "sidelight_version": sidelight.__version__,
        "model": encoder.node(model, "the model"),
        "extras": encoder.node(dict(extras or {}), "the 'extras' argument of save"),
    }
    target = Path(path).expanduser()
    write_archive(target, header, encoder.arrays)
    return target


def load(path: str | Path) -> Any:
    """Load a model that :func:`save` wrote.

    Parameters
    ----------
    path : str or Path
        The file.

    Returns
    -------
    estimator
        The model.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If it is not a model file, is damaged, or needs a later version of sidelight.
    """
    return read_model(path).model


def read_model(path: str | Path) -> ModelFile:
    """Load a model together with what was saved beside it."""
    found = require_file(path)
    _refuse_other_files(found)
    with Archive(found) as archive:
        header = brought_up_to_date(archive.header, found.name)
        decoder = Decoder(archive)
        try:
            model = decoder.value(header.get("model"))
            extras = decoder.value(header.get("extras"))
        except RecursionError as error:
            raise ValueError(f"{found.name} is damaged: it is nested too deeply.") from error
    if not is_estimator(model) or not isinstance(extras, dict):
        raise ValueError(f"{found.name} is damaged: it holds no model.")
    return ModelFile(model, extras, str(header.get("sidelight_version")))


def _refuse_other_files(path: Path) -> None:
    with path.open("rb") as file:
        start = file.read(64)
    if start.startswith(b"PK"):
        return
    found = "empty" if not start else what_it_is(start)
    advice = " Pickles can run code when opened and are never read." if "pickle" in found else ""
    raise ValueError(
        f"{path.name} is not a model of sidelight: it is {found}.{advice} Give a file that "
        "sidelight.save wrote."
    )
