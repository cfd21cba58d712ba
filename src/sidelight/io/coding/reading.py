"""Tables of which columns that are no numbers are data, too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from sidelight.core import listed
from sidelight.io.coding.mixed import MixedColumns
from sidelight.io.coding.texts import TextColumn
from sidelight.io.table import Table, check_known, read_columns, said_of_row_numbers

Coder = MixedColumns | TextColumn


def read_coded(
    path: Path,
    *,
    text: str | None = None,
    ignore: Sequence[str] = (),
    aside: Sequence[str] = (),
    header: bool | None = None,
) -> tuple[Table, Coder]:
    """Read a table of mixed columns, or one of texts, and how it became numbers.

    What is missing is still there: :func:`settled` deals with it.
    """
    found, notes = _columns(path, header, [*ignore, *aside])
    check_known([*ignore, *aside], list(found), path.name)
    found = {name: values for name, values in found.items() if name not in ignore}
    coder, note = learn_coder(found, path.name, text=text, aside=aside)
    return _coded(found, coder, path.name, (*notes, note)), coder


def learn_coder(
    columns: Mapping[str, npt.NDArray[Any]],
    who: str,
    *,
    text: str | None = None,
    aside: Sequence[str] = (),
) -> tuple[Coder, str]:
    """Learn how columns become numbers, those set aside left out, and say what is done."""
    data = {name: values for name, values in columns.items() if name not in aside or name == text}
    if text is None:
        return MixedColumns.learn(data, who)
    check_known([text], list(columns), who)
    coder, note = TextColumn.learn(data, text, who)
    others = [name for name in data if name != text]
    return coder, f"{note} Set aside {listed(others, 'column')}." if others else note


def settled(
    table: Table,
    coder: Coder,
    missing: str,
    *,
    remedy: str,
    of_texts: str,
    name_column: str | None = None,
) -> Table:
    """Deal with missing numbers, and with texts that have no word; what errors advise of each."""
    if isinstance(coder, MixedColumns):
        return table.settled(missing, remedy, name_column, coder.column_of_each)
    names = None if name_column is None else table.labels[name_column]
    rows, note = coder.told(table.X, missing, table.name, of_texts, names)
    return table.within(rows).with_notes([note]) if note else table


def read_for(coder: Coder, path: Path, *, header: bool | None = None) -> Table:
    """Read new rows as a model's own were coded; what is missing is still there."""
    found, notes = _columns(path, header)
    return _coded(found, coder, path.name, tuple(notes))


def coder_of(extras: Mapping[str, Any]) -> Coder | None:
    """The coder that a model file keeps, if any."""
    if extras.get("mixed") is not None:
        return MixedColumns.from_plain(extras["mixed"])
    return None if extras.get("text") is None else TextColumn.from_plain(extras["text"])


def _columns(
    path: Path, header: bool | None, beside: Sequence[str] = ()
) -> tuple[dict[str, npt.NDArray[Any]], list[str]]:
    """The columns of a file but those that name rows, unless they are kept ``beside``."""
    columns = read_columns(path, header=header)
    found = dict(zip(columns.names, columns.values, strict=True))
    notes = list(columns.notes)
    first = columns.values[0]
    said = said_of_row_numbers(first, columns) if first.dtype.kind in "fi" else ""
    if said and "column 1" not in beside:
        del found["column 1"]
        notes.append(said)
    for name in set(columns.index) - set(beside):
        del found[name]
        notes.append(f"Left out {listed([name], 'column')}: the index of the frame, no data.")
    return found, notes


def _coded(
    found: Mapping[str, npt.NDArray[Any]], coder: Coder, who: str, notes: tuple[str, ...]
) -> Table:
    X = coder.code(found, who)
    # words stay beside the map, as those of any table do
    used = [name for name in coder.columns if found[name].dtype.kind in "fi"]
    labels = {name: values for name, values in found.items() if name not in used}
    return Table(X, coder.names, labels, np.arange(X.shape[0]), notes, who)
