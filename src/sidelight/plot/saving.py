"""Figures into files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sidelight.io import replacing


def save(figure_or_ax: Any, path: str | Path, *, dpi: int = 200) -> Path:
    """Write a figure to a file, cut to what is drawn.

    In vector formats text stays text, and more than 5,000 points are one picture of pixels.

    Parameters
    ----------
    figure_or_ax : Figure or Axes
        What the functions of :mod:`sidelight.plot` return.
    path : str or Path
        The file; its ending says the format (png, pdf, svg …).  Its folder is made if needed.
    dpi : int
        Dots per inch, for formats made of pixels.

    Returns
    -------
    Path
        The file written.

    Raises
    ------
    ValueError
        If the ending is not a format of matplotlib.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sidelight.plot import save, scatter
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(scatter([[0.0, 1.0], [1.0, 0.0]]), Path(folder) / "map.png").name
    'map.png'
    """
    target = Path(path)
    # axes have a figure, and may lie on a part of one; a figure is its own root
    figure = getattr(figure_or_ax, "figure", figure_or_ax).get_figure(root=True)
    known = figure.canvas.get_supported_filetypes()
    if target.suffix.lower().removeprefix(".") not in known:
        raise ValueError(
            f"The 'path' parameter of save must end in one of {', '.join(sorted(known))}. "
            f"Got {target.name!r} instead."
        )
    from matplotlib import rc_context

    # letters stay letters: they can be searched for, and changed
    with rc_context({"svg.fonttype": "none", "pdf.fonttype": 42}), replacing(target) as file:
        figure.savefig(
            file,
            format=target.suffix.lower().removeprefix("."),
            dpi=dpi,
            bbox_inches="tight",
            pad_inches=0.08,
            facecolor="white",
        )
    return target
