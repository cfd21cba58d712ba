"""A folder of pictures as a table: one row a file, its pixels from 0 to 1."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sidelight.core import FloatArray, MissingExtraError, require_memory
from sidelight.io.table import Table, pixel_names

#: What pictures end in.
PICTURES = (".png", ".jpg", ".jpeg")
_GREY = ("1", "L", "LA", "I;16")


def pictures_in(folder: str | Path) -> list[Path]:
    """The pictures of a folder, by name."""
    found = Path(folder).expanduser()
    files = (file for file in found.iterdir() if not file.name.startswith("."))
    return sorted(file for file in files if file.suffix.lower() in PICTURES)


def read_images(folder: str | Path) -> tuple[Table, tuple[int, ...]]:
    """Read the PNG and JPEG files of a folder: rows of pixels, and the shape of the images.

    All must have one size.  If all are grey, so are the rows, (height, width); else they have
    three channels, (height, width, 3).  ``labels["file"]`` names the file of each row.
    """
    files = pictures_in(folder)
    if not files:
        raise ValueError(
            f"There are no pictures in the folder {folder}: none of its files ends in "
            f"{', '.join(PICTURES)}."
        )
    with _opened(files[0]) as first:
        size, grey = first.size, True  # (width, height)
    for file in files:
        with _opened(file) as picture:
            grey = grey and picture.mode in _GREY
            if picture.size != size:
                raise ValueError(
                    f"All pictures of {folder} must have one size. {files[0].name} has "
                    f"{_written(size)} pixels, and {file.name} {_written(picture.size)}. Bring "
                    f"them to one size first."
                )
    shape = (size[1], size[0]) if grey else (size[1], size[0], 3)
    n, p = len(files), int(np.prod(shape))
    require_memory(
        8.0 * n * p,
        what=f"{n:,} pictures of {_written(size)} pixels",
        who="read_images",
        instead="Make the pictures smaller first.",
    )
    X = np.empty((n, p))
    for row, file in enumerate(files):
        X[row] = _pixels(file, grey).reshape(-1)
    names = np.array([file.name for file in files], dtype=object)
    called = Path(folder).name
    table = Table(
        X, pixel_names(shape), {"file": names}, np.arange(n), name=called, image_shape=shape
    )
    return table, shape


def read_pictures(files: Sequence[str | Path]) -> list[FloatArray]:
    """Read pictures of any size, pixels from 0 to 1: (height, width) if all of them are grey."""
    paths = [Path(file).expanduser() for file in files]
    grey = True
    for path in paths:
        with _opened(path) as picture:
            grey = grey and picture.mode in _GREY
    return [_pixels(path, grey) for path in paths]


def is_transparent(file: str | Path) -> bool:
    """Whether what is behind a picture shows through any of its pixels."""
    with _opened(Path(file).expanduser()) as picture:
        if not picture.mode.lower().endswith("a") and "transparency" not in picture.info:
            return False
        try:
            return bool(picture.convert("RGBA").getextrema()[3][0] < 255)
        except (OSError, ValueError) as error:
            raise _unreadable(Path(file), error) from error


def write_picture(file: str | Path, pixels: FloatArray) -> None:
    """Write a picture, (height, width) or (height, width, 3); what is beyond 0 to 1 is cut off."""
    from PIL import Image

    bytes_ = np.uint8(np.round(255.0 * np.clip(pixels, 0.0, 1.0)))
    Image.fromarray(bytes_).save(Path(file).expanduser())


def _pixels(file: Path, grey: bool) -> FloatArray:
    with _opened(file) as picture:
        try:
            if picture.mode == "I;16" and grey:
                return np.asarray(picture, dtype=np.float64) / 65535.0
            return np.asarray(picture.convert("L" if grey else "RGB"), dtype=np.float64) / 255.0
        except (OSError, ValueError) as error:
            raise _unreadable(file, error) from error


def _unreadable(file: Path, error: Exception) -> ValueError:
    return ValueError(f"{file.name} cannot be read as a picture: {error}.")


def _opened(file: Path) -> Any:
    try:
        from PIL import Image
    except ImportError:
        raise MissingExtraError("pillow", "images", "Reading pictures") from None
    try:
        return Image.open(file)
    except (OSError, ValueError, Image.DecompressionBombError) as error:
        raise _unreadable(file, error) from error


def _written(size: tuple[int, int]) -> str:
    """Height × width, as everywhere."""
    return f"{size[1]} × {size[0]}"
