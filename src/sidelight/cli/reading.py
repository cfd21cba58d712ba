"""Reading the data of a command, with its notes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from sidelight.cli import console
from sidelight.cli.fitting import shown
from sidelight.core import counted, is_sparse, listed
from sidelight.io import holds_pictures, open_rows
from sidelight.io.coding import are_classes, read_coded, settled
from sidelight.io.table import POLICIES, Table, require_table
from sidelight.registry import entry_for

# Names that people give to the column that holds the answer.
_ANSWERS = ("label", "labels", "class", "target", "species", "category", "cluster")
# From this many columns with numbered names on (pixel_0_0, pixel_0_1 …) a stranger is noticed.
_MANY_NUMBERED = 16
_FEW_OTHERS = 3

#: What a command that makes maps offers about missing numbers.
MAP_REMEDY = (
    "Choose what to do: --missing drop-rows, drop-columns or mean, or --missing keep for a method "
    "that needs no filling in (ppca)."
)
#: What every command offers about texts without a word.
TEXT_REMEDY = "Leave these rows out with --missing drop-rows."


def missing_policy(given: str | None, method: str = "auto") -> str:
    """What is done about missing numbers: as was said, else nothing that the method need not."""
    if given is not None:
        if given not in POLICIES:
            raise ValueError(f"--missing takes one of {', '.join(POLICIES)}. Got {given!r}.")
        return given
    takes = method != "auto" and getattr(entry_for(method).load(), "_takes_missing", False)
    return "keep" if takes else "error"


def read_rows(
    path: Path,
    *,
    ignore: Sequence[str] = (),
    aside: Sequence[str] = (),
    quiet: bool = False,
    **how: Any,
) -> tuple[Table, tuple[int, ...] | None]:
    """Read a table, or a folder of pictures with the shape that they have."""
    ignored = [name for name in ignore if name not in aside]
    with shown("pictures" if holds_pictures(path) else "data", quiet=quiet):
        table, shape = open_rows(path, ignore=ignored, aside=aside, **{"remedy": MAP_REMEDY, **how})
    offers = []
    if table.image_shape is None and not is_sparse(table.X):
        offers = _offered({name: v for name, v in table.labels.items() if name not in aside})
        offers += _seen_in(table)
    console.notes([*table.notes, *offers], quiet=quiet)
    console.warnings(table.warnings)
    return table, shape


def read_as_asked(
    path: Path, columns: str | None, text: str | None, *, graph: bool, **how: Any
) -> tuple[Table, tuple[int, ...] | None, Any]:
    """Read numbers or pictures, or other columns where they are asked for; shape, and coding."""
    if columns is None and text is None:
        return *read_rows(path, graph=graph, **how), None
    table, coder = read_other_columns(path, columns, text, **how)
    return table, None, coder


def _offered(set_aside: Mapping[str, npt.NDArray[Any]]) -> list[str]:
    """What else could be done with columns that nobody asked to set aside."""
    words = (values.tolist() for values in set_aside.values() if values.dtype.kind not in "fi")
    different = ((len(each), set(each)) for each in words)
    if any(len(found) > 1 and are_classes(found, n) for n, found in different):
        return ["To compare rows by columns of words, too: --columns mixed."]
    return []


def _seen_in(table: Table) -> list[str]:
    """What the owner of a table may not have meant."""
    notes = [
        f"The column {name!r} is used as data. If it is the answer, leave it out with --ignore."
        for name in table.column_names
        if name.lower() in _ANSWERS
    ]
    notes += _strangers(table.column_names)
    n_missing = int(np.isnan(table.X).sum())
    if n_missing:
        notes.append(f"{counted(n_missing, 'missing value')}, kept as such.")
    return notes


def read_other_columns(
    path: Path,
    columns: str | None,
    text: str | None,
    *,
    ignore: Sequence[str] = (),
    aside: Sequence[str] = (),
    missing: str = "error",
    header: bool | None = None,
    name_column: str | None = None,
    quiet: bool = False,
    option: str = "--columns",
) -> tuple[Table, Any]:
    """Read a table of mixed columns (--columns mixed) or of texts (--text), and how it is coded."""
    if text is not None and columns is not None:
        raise ValueError(
            f"--text compares rows by one column of texts, and {option} by all columns. Give one "
            f"of the two."
        )
    if text is None and columns != "mixed":
        raise ValueError(f"{option} takes mixed. Got {columns!r}.")
    ignored = [name for name in ignore if name not in (*aside, text)]
    beside = list(dict.fromkeys(aside))
    with shown("data", quiet=quiet):
        table, coder = read_coded(
            require_table(path), text=text, ignore=ignored, aside=beside, header=header
        )
        table = settled(
            table,
            coder,
            missing,
            remedy=MAP_REMEDY,
            of_texts=TEXT_REMEDY,
            name_column=name_column,
        )
    console.notes(table.notes, quiet=quiet)
    return table, coder


def written_size(table: Table) -> str:
    """Write how large a table is."""
    rows, columns = table.X.shape
    return f"{counted(rows, 'row')} × {counted(columns, 'column')}"


def _strangers(names: Sequence[str]) -> list[str]:
    """Notice an angle among the pixels: a few columns beside many with numbered names."""
    stems = {name: re.sub(r"[\d_ ]*\d$", "", name) for name in names}
    stem, count = Counter(stems.values()).most_common(1)[0]
    others = [name for name in names if stems[name] != stem and name.lower() not in _ANSWERS]
    if count < _MANY_NUMBERED or not 0 < len(others) <= _FEW_OTHERS:
        return []
    are, it = ("are", "they are") if len(others) > 1 else ("is", "it is")
    return [
        f"{listed(others, 'column').capitalize()} {are} used as data, beside {count} columns named "
        f"{stem!r} and a number. If {it} something else, leave it out with --ignore, or say what "
        f"it is: --color-by, --condition-column."
    ]
