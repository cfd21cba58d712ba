"""Files that are either written whole or not at all."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

# What a file is called while it is being written: hidden, and never the same name twice.
_UNFINISHED = re.compile(r"\..+\.[0-9a-f]{16}\.unfinished")
# A file this young may be one that its writer has not yet locked.
_YOUNG_SECONDS = 60.0


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """Open a file beside ``path`` that takes its place when the block ends well.

    Whoever reads ``path`` sees the old file or the new one, never half of one, also where several
    write at once: the last to finish is kept.  A link stays a link, and what it points to is
    replaced; a pipe or a device is written to as it is.  The folder is made where it is missing,
    and what writers that were killed left in it is removed.
    """
    target = require_writable(path)
    if target.exists() and not target.is_file():
        with target.open("wb") as file:
            yield file
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    _remove_abandoned(target.parent)
    unfinished = target.with_name(f".{target.name}.{secrets.token_hex(8)}.unfinished")
    try:
        with unfinished.open("xb") as file:
            with suppress(OSError):  # where there are no locks nothing is ever taken for abandoned
                _lock(file)
            yield file
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileNotFoundError):
            shutil.copymode(target, unfinished)
        unfinished.replace(target)
    finally:
        unfinished.unlink(missing_ok=True)


def require_writable(path: Path) -> Path:
    """Where a file would be written, links followed; an error in words if it cannot be there."""
    target = _followed(path)
    if target.is_dir():
        raise IsADirectoryError(f"{path} is a folder. Give the name of a file in it.")
    if target.exists() and not os.access(target, os.W_OK):
        raise PermissionError(f"{path} is protected from being written. Give another name.")
    folder = next(parent for parent in target.parents if parent.exists())
    if not folder.is_dir():
        raise NotADirectoryError(f"{path} cannot be written: {folder} is a file, not a folder.")
    if not target.exists() and not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError(f"{path} cannot be written: nothing may be put into {folder}.")
    return target


def _followed(path: Path) -> Path:
    """Where a link leads to in the end."""
    try:
        return path.resolve()
    except (OSError, RuntimeError):
        raise OSError(f"{path} is a link that leads to itself. Give the name of a file.") from None


def _remove_abandoned(folder: Path) -> None:
    """Remove unfinished files whose writer is no more: nobody holds the lock that it held."""
    with suppress(OSError):
        left = [entry for entry in os.scandir(folder) if _UNFINISHED.fullmatch(entry.name)]
        for entry in left:
            with suppress(OSError):
                if time.time() - entry.stat().st_mtime < _YOUNG_SECONDS:
                    continue
                with Path(entry).open("rb+") as file:
                    _lock(file)
                    Path(entry).unlink()


def _lock(file: IO[bytes]) -> None:
    """Take the lock of a file, which its holder's end releases; OSError if another has it."""
    try:
        import fcntl
    except ImportError:  # not on Windows, where a file that is open cannot be removed anyhow
        return
    fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
