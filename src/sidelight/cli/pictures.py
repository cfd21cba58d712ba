"""Pictures of maps: what colours the points, what stands in them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from sidelight.io.table import Table

# Up to this many different whole numbers are classes, not values.
_MOST_CLASSES = 20


def check_picture(path: Path) -> None:
    """Refuse a picture that could not be written, before any work is done."""
    from sidelight.plot import require_matplotlib

    require_matplotlib("--picture")
    from matplotlib.figure import Figure

    known = Figure().canvas.get_supported_filetypes()
    if path.suffix.lower().removeprefix(".") not in known:
        raise ValueError(
            f"A picture cannot be written to {path.name}: its ending must be one of "
            f"{', '.join(sorted(known))}."
        )


def parse_image_shape(text: str, n_columns: int) -> tuple[int, int]:
    """Read the shape of images, and check that the rows hold such images."""
    match = re.fullmatch(r"(\d+)[x×](\d+)", text.strip().lower())
    if match is None:
        raise ValueError(f"--thumbnails takes HEIGHTxWIDTH, such as 8x8. Got {text!r}.")
    height, width = int(match[1]), int(match[2])
    if height * width != n_columns:
        raise ValueError(
            f"--thumbnails {text} needs {height * width} columns of pixels, and the table has "
            f"{n_columns} columns of numbers. Leave others out with --ignore or --color-by."
        )
    return height, width


def colouring(table: Table, column: str | None) -> dict[str, Any]:
    """Tell classes from values."""
    if column is None:
        return {}
    values = table.labels[column]
    classes = as_classes(values)
    if classes is not None:
        return {"labels": classes, "key_title": column}
    return {"color": values, "key_title": column}


def as_classes(values: npt.NDArray[Any]) -> npt.NDArray[Any] | None:
    """Read a column as classes, if that is what it is."""
    if values.dtype.kind != "f":
        return values
    whole = np.isfinite(values).all() and bool(np.all(values == np.round(values)))
    if whole and len(np.unique(values)) <= _MOST_CLASSES:
        return values.astype(np.int64)
    return None
