"""Is the file there, and is it what its name says?"""

from __future__ import annotations

import sys
from difflib import get_close_matches
from pathlib import Path

# The first bytes of files that people give by mistake, and what such a file is.
_SIGNATURES: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG\r\n\x1a\n", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF8", "a GIF picture"),
    (b"%PDF", "a PDF document"),
    (b"\x1f\x8b", "compressed with gzip"),
    (b"\x93NUMPY", "a NumPy array (.npy)"),
    (b"PAR1", "a Parquet file"),
    (b"PK\x03\x04", "a zip file (.npz, .xlsx or a sidelight model)"),
    (b"\x89HDF", "an HDF5 file"),
    (b"\xd0\xcf\x11\xe0", "an old Excel workbook"),
    (b"SQLite format 3", "an SQLite database"),
    (b"\xff\xfe", "text in UTF-16"),
    (b"\xfe\xff", "text in UTF-16"),
    (b"\x80\x02", "a Python pickle"),
    (b"\x80\x03", "a Python pickle"),
    (b"\x80\x04", "a Python pickle"),
    (b"\x80\x05", "a Python pickle"),
)

# The endings of what may come through a pipe, where nothing has a name.
_ENDINGS = {
    "a NumPy array (.npy)": ".npy",
    "a zip file (.npz, .xlsx or a sidelight model)": ".npz",
    "a Parquet file": ".parquet",
    "text": ".csv",
}


def require_file(path: str | Path) -> Path:
    """Find a file, or say which ones have a similar name."""
    found = Path(path).expanduser()
    if found.is_file():
        return found
    if found.is_dir():
        if not any(found.iterdir()):
            raise IsADirectoryError(f"{found} is an empty folder. Give a table.")
        raise IsADirectoryError(f"{found} is a folder. Give the name of a file in it.")
    if not found.parent.is_dir():
        raise FileNotFoundError(f"There is no folder {found.parent}, so no file {found}.")
    names = sorted(other.name for other in found.parent.iterdir() if other.is_file())
    near = get_close_matches(found.name, names, n=3, cutoff=0.75)
    similar = f" Did you mean {' or '.join(near)}?" if near else ""
    raise FileNotFoundError(f"There is no file {found}.{similar}")


def received(path: Path, folder: Path) -> Path:
    """Put what comes through a pipe (``-`` is the standard input) into a file of a folder.

    A table is looked at more than once, and a pipe gives each byte once.  A regular file, or one
    that is not there, is returned as it is.
    """
    standard = str(path) in ("-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0")
    # a regular file may stand behind these, and its name is not to be seen
    opened = str(path.parent) in ("/dev/fd", "/proc/self/fd") and path.exists()
    if not (standard or opened) and (not path.exists() or path.is_file() or path.is_dir()):
        return path
    content = sys.stdin.buffer.read() if standard else path.read_bytes()
    name = "standard input" if standard else path.name if path.suffix else "pipe"
    if path.suffix.lower() not in _ENDINGS.values():
        name += _ENDINGS.get(what_it_is(content[:4096]), ".csv")
    file = folder / name
    file.write_bytes(content)
    return file


def what_it_is(start: bytes) -> str:
    """Recognise a file by its first bytes.

    Examples
    --------
    >>> what_it_is(b"PAR1\x15\x04"), what_it_is(b"a,b")
    ('a Parquet file', 'text')
    """
    for signature, words in _SIGNATURES:
        if start.startswith(signature):
            return words
    return "binary data" if b"\0" in start else "text"


def refuse_unless(path: Path, expected: str, words: str) -> None:
    """Refuse a file that is not what its name says."""
    with path.open("rb") as file:
        start = file.read(4096)
    if not start:
        raise ValueError(f"{path.name} is empty: there is nothing in it.")
    found = what_it_is(start)
    if found != expected:
        raise ValueError(
            f"{path.name} is not {words}, whatever its name says: it is {found}. {_remedy(found)}"
        )


def _remedy(found: str) -> str:
    if "UTF-16" in found:
        return "Save it as UTF-8."
    if "gzip" in found:
        return "Unpack it first."
    if "zip" in found or "Excel" in found:
        return "Save a spreadsheet as CSV; give an .npz or a model its own ending."
    if "NumPy" in found or "Parquet" in found:
        return "Give the file its own ending: .npy or .parquet."
    if "pickle" in found:
        return (
            "Pickles can run code when opened and are never read. Save the array with numpy.save."
        )
    return "Give a table: csv, tsv, npy, npz or parquet."
