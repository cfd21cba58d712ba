"""The container of a model: a zip file of one JSON text and plain arrays.

Entries are stored, not compressed, so that nothing read from a file can be larger than the file
itself, and every array can be opened by any program that reads zip and npy.
"""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from sidelight.io.atomic import replacing

HEADER = "model.json"
#: Kinds of arrays that are numbers, truth values, text or dates: no objects, no records.
PLAIN_KINDS = "biufcSUMm"
_LARGEST_HEADER = 256 * 1024**2


def array_name(number: int) -> str:
    """Name the entry of an array."""
    return f"arrays/{number}.npy"


def write_archive(path: Path, header: dict[str, Any], arrays: Sequence[npt.NDArray[Any]]) -> None:
    """Write a header and its arrays; an existing file is replaced only when all went well."""
    with replacing(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        # a fixed date: the same model gives the same file
        text = json.dumps(header, ensure_ascii=False, allow_nan=False, indent=1)
        archive.writestr(zipfile.ZipInfo(HEADER), text)
        for number, array in enumerate(arrays):
            entry = zipfile.ZipInfo(array_name(number))
            with archive.open(entry, "w", force_zip64=True) as target:
                np.lib.format.write_array(target, array, allow_pickle=False)


class Archive:
    """A model file open for reading, every entry checked before it is used.

    Parameters
    ----------
    path : Path
        The file.
    """

    def __init__(self, path: Path) -> None:
        self.name = path.name
        self._file: IO[bytes] = path.open("rb")
        try:
            self._zip = zipfile.ZipFile(self._file)
            self._check_entries(path.stat().st_size)
            self.header = self._read_header()
        except (zipfile.BadZipFile, NotImplementedError, RecursionError, EOFError) as error:
            self._file.close()
            raise ValueError(f"{self.name} is not a whole model file: {error}.") from error
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, *_: object) -> None:
        self._zip.close()
        self._file.close()

    def array(self, number: int) -> npt.NDArray[Any]:
        """Read one array."""
        name = array_name(number)
        try:
            size = self._zip.getinfo(name).file_size
            with self._zip.open(name) as entry:
                self._check_array(entry, size)
            with self._zip.open(name) as entry:
                array: npt.NDArray[Any] = np.lib.format.read_array(entry, allow_pickle=False)
        except KeyError:
            raise ValueError(f"{self.name} is damaged: it has no {name}.") from None
        except (zipfile.BadZipFile, ValueError, EOFError, SyntaxError, MemoryError) as error:
            raise ValueError(f"{self.name} is damaged: {name} cannot be read ({error}).") from error
        return array

    def _check_array(self, entry: IO[bytes], size: int) -> None:
        """Compare the size that an array states with the bytes that are there."""
        version = np.lib.format.read_magic(entry)
        if version == (1, 0):
            shape, _, dtype = np.lib.format.read_array_header_1_0(entry)
        elif version == (2, 0):
            shape, _, dtype = np.lib.format.read_array_header_2_0(entry)
        else:
            raise ValueError(f"npy version {version}")
        if dtype.kind not in PLAIN_KINDS:
            raise ValueError(f"an array of {dtype}, where only plain values are allowed")
        count = 1
        for length in shape:
            count *= int(length)
        if count * dtype.itemsize != size - entry.tell():
            raise ValueError(f"shape {shape} does not fit its {size} bytes")

    def _check_entries(self, file_size: int) -> None:
        names = [entry.filename for entry in self._zip.infolist()]
        if HEADER not in names:
            raise ValueError(
                f"{self.name} is a zip file, but not a model of sidelight: it has no {HEADER}."
            )
        for entry in self._zip.infolist():
            if entry.filename != HEADER and not re.fullmatch(
                r"arrays/\d{1,9}\.npy", entry.filename, re.ASCII
            ):
                raise ValueError(
                    f"{self.name} is not a model of sidelight: it holds {entry.filename!r}."
                )
            if entry.compress_type != zipfile.ZIP_STORED or entry.flag_bits & 0x1:
                raise ValueError(
                    f"{self.name} is not as sidelight wrote it: {entry.filename} is compressed or "
                    "encrypted, where models are stored plainly."
                )
        if len(set(names)) < len(names):
            raise ValueError(f"{self.name} is damaged: an entry is there twice.")
        if sum(entry.file_size for entry in self._zip.infolist()) > file_size:
            raise ValueError(f"{self.name} is damaged: its entries are larger than the file.")
        if self._zip.getinfo(HEADER).file_size > _LARGEST_HEADER:
            raise ValueError(f"{self.name} is damaged: its {HEADER} is too large.")

    def _read_header(self) -> dict[str, Any]:
        try:
            header = json.loads(self._zip.read(HEADER).decode("utf-8"))
        except ValueError as error:
            raise ValueError(f"{self.name} is damaged: {HEADER} is not JSON ({error}).") from error
        if not isinstance(header, dict):
            raise ValueError(f"{self.name} is damaged: {HEADER} does not hold an object.")
        return header
