"""Side information from files: pairs, distances and anchors by row, the rest by column.

Rows are numbered as in the ``row`` column of a map, from 1, in the order of the data file; or they
are named, by a column of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence as Several
from pathlib import Path
from typing import Any

import numpy as np

from sidelight.core import FloatArray, IntArray, counted
from sidelight.io.table.columns import lacks_word
from sidelight.io.table.names import POSITION, read_named_rows
from sidelight.io.table.reading import Table, read_table
from sidelight.side import (
    Actions,
    Anchors,
    Attributes,
    Condition,
    Distances,
    Pairs,
    Relation,
    Sequence,
    is_moment,
)

#: All pairs of a label column are too many to be of use: this many of each kind are drawn, or as
#: many as join all rows of each class, and tell every two classes apart if these are not too many.
LABEL_PAIRS, CLASS_PAIRS = 5000, 200_000


def read_knowledge(
    table: Table,
    *,
    similar: Path | None = None,
    dissimilar: Path | None = None,
    distances: Path | None = None,
    anchors: Path | None = None,
    name_column: str | None = None,
    label_column: str | None = None,
    relation_columns: Several[str] = (),
    attribute_columns: Several[str] = (),
    action_column: str | None = None,
    episode_column: str | None = None,
    sequence_column: str | None = None,
    factors: Several[tuple[str, float | None]] = (),
) -> list[Any]:
    """Read what is known about the rows of a table."""
    known: list[Any] = []

    def rows_in(path: Path, n_rows: int, values: str = "") -> tuple[IntArray, FloatArray]:
        if name_column is None:
            return _read_rows(path, table, n_rows, values)
        return read_named_rows(path, table, name_column, n_rows, values)

    if similar is not None:
        known.append(Pairs(similar=rows_in(similar, 2)[0]))
    if dissimilar is not None:
        known.append(Pairs(dissimilar=rows_in(dissimilar, 2)[0]))
    if label_column is not None:
        known.append(_pairs_of_column(table, label_column))
    if attribute_columns:
        known.append(Attributes([_pairs_of_column(table, name) for name in attribute_columns]))
    known.extend(_relation_of_column(table, name) for name in relation_columns)
    if distances is not None:
        pairs, values = rows_in(distances, 2, "a distance")
        known.append(Distances(pairs, values[:, 0]))
    if anchors is not None:
        rows, positions = rows_in(anchors, 1, POSITION)
        known.append(Anchors(rows[:, 0], positions))
    if action_column is not None:
        known.append(_actions_of_columns(table, action_column, episode_column))
    elif episode_column is not None and sequence_column is None:
        raise ValueError(
            f"The column {episode_column!r} of episodes says nothing without a column of actions "
            f"or of an order. Give --action-column or --sequence-column too."
        )
    if sequence_column is not None:
        known.append(_sequence_of_columns(table, sequence_column, episode_column))
    known.extend(condition_of_column(table, column, period) for column, period in factors)
    return known


def _read_rows(
    path: Path, table: Table, n_rows: int, values: str = ""
) -> tuple[IntArray, FloatArray]:
    """Rows that a file names in its first columns, and the numbers in the others."""
    found = read_table(path, remedy="Fill them in, or leave these rows out.")
    n_columns = n_rows + (values != "")
    n_found = found.X.shape[1] + len(found.labels)
    enough = n_found >= n_columns if values == POSITION else n_found == n_columns
    if not enough or found.labels:
        wanted = (
            f"{'a row number' if n_rows == 1 else 'two row numbers'}{values and ' and '}{values}"
        )
        least = "at least " if values == POSITION else ""
        texts = [f"{name!r} is text, such as {str(v[0])!r}" for name, v in found.labels.items()]
        got = counted(n_found, "column") + (f", of which {'; '.join(texts)}" if texts else "")
        raise ValueError(
            f"{path.name} must have {least}{counted(n_columns, 'column')} of numbers: {wanted}, "
            f"rows counted from 1. Got {got}."
        )
    numbers = found.X[:, :n_rows]
    if np.any(numbers != np.round(numbers)):
        line = int(np.flatnonzero(np.any(numbers != np.round(numbers), axis=1))[0])
        raise ValueError(
            f"{path.name} must name rows by whole numbers, counted from 1. Got "
            f"{numbers[line].tolist()} in its row {line + 1}."
        )
    place = {int(row): index for index, row in enumerate(table.rows)}
    wanted_rows = numbers.astype(np.intp) - 1
    absent = [row for row in wanted_rows.ravel() if int(row) not in place]
    if absent:
        last = int(table.rows.max()) + 1
        raise ValueError(
            f"{path.name} names row {int(absent[0]) + 1}, which {table.name} does not have (rows "
            f"are counted from 1 to {last}; rows dropped for missing values are not there)."
        )
    rows = np.array([[place[int(row)] for row in line] for line in wanted_rows], dtype=np.intp)
    return rows, found.X[:, n_rows:]


def _names_of_column(table: Table, column: str) -> Any:
    """What a column says of each row, in words; empty where it says nothing."""
    labels = table.labels[column]
    words = [str(label).strip() for label in labels]
    gone = np.isnan(labels) if labels.dtype.kind == "f" else list(map(lacks_word, words))
    return np.where(gone, "", np.array(words, dtype=object))


def _relation_of_column(table: Table, column: str) -> Relation:
    """How alike the rows are of which a column says something."""
    values, names = table.labels[column], _names_of_column(table, column)
    rows = np.flatnonzero(names != "")
    if len(set(names[rows])) < 2:
        raise ValueError(
            f"The column {column!r} of {table.name} says nothing of who is alike: it holds "
            f"{counted(len(set(names[rows])), 'value')} in {counted(len(rows), 'row')}. Give a "
            f"column in which rows differ, empty where it is not known."
        )
    said = values[rows].astype(np.float64) if values.dtype.kind in "fiu" else names[rows].tolist()
    return Relation.from_values(said, index=rows)


def _pairs_of_column(table: Table, column: str) -> Pairs:
    values = _names_of_column(table, column)
    counts = Counter(value for value in values if value != "")
    if len(counts) < 2 and max(counts.values(), default=0) < 2:
        raise ValueError(
            f"The column {column!r} of {table.name} says nothing: no two rows have a label. Give a "
            f"column with repeated labels, empty where they are not known."
        )
    spanning = sum(counts.values()) + min(len(counts) * (len(counts) - 1) // 2, CLASS_PAIRS)
    return Pairs.from_labels(values, unknown="", max_pairs=max(LABEL_PAIRS, spanning))


def condition_of_column(table: Table, column: str, period: float | None) -> Condition:
    """The values of a known factor, one per row."""
    values = table.labels[column]
    is_float = values.dtype.kind == "f"
    empty = np.isnan(values) if is_float else [lacks_word(str(value)) for value in values]
    if np.any(empty):
        row = int(table.rows[np.flatnonzero(empty)[0]]) + 1
        raise ValueError(
            f"The column {column!r} of {table.name} must hold the condition of every row. It is "
            f"empty in row {row}. Fill it in, or leave these rows out."
        )
    if values.dtype.kind in "fiu":
        return Condition(values.astype(np.float64), period=period)
    return Condition([str(value) for value in values], period=period)


def _sequence_of_columns(table: Table, column: str, episode_column: str | None) -> Sequence:
    """Rows in the order of a column of numbers, dates or times, within the episodes of another."""
    order = table.labels[column]
    if order.dtype.kind not in "fiumM":
        found = [str(value).strip() for value in order]
        strange = [value for value in found if not is_moment(value)]
        if strange:
            row = int(table.rows[found.index(strange[0])]) + 1
            raise ValueError(
                f"The column {column!r} of {table.name} must hold numbers, dates or times "
                f"(2026-01-31, 2026-01-31 12:30), by which rows are in order. Got {strange[0]!r} "
                f"in row {row}."
            )
        order = np.array(found)
    episodes = None if episode_column is None else table.labels[episode_column]
    return Sequence(episodes, order)


def _actions_of_columns(table: Table, column: str, episode_column: str | None) -> Actions:
    actions = _names_of_column(table, column)
    episodes = None if episode_column is None else table.labels[episode_column]
    last = np.ones(len(actions), dtype=bool)
    last[:-1] = False if episodes is None else episodes[1:] != episodes[:-1]
    missing = np.flatnonzero((actions == "") & ~last)
    if len(missing):
        raise ValueError(
            f"The column {column!r} of {table.name} is empty in row "
            f"{int(table.rows[missing[0]]) + 1}, which is not the last of its walk. Fill it in, or "
            f"say where walks end with --episode-column."
        )
    return Actions([str(action) for action in actions[~last]], episodes=episodes)
