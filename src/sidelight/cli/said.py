"""What the user of a command says about rows: its options, read as side information."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sidelight.cli.options import split_names
from sidelight.cli.parameters import known_factors, typed_invariance
from sidelight.io.table import Table, read_knowledge


@dataclass(frozen=True)
class Said:
    """The options of a command that speak of rows, as they were typed.

    Lists of columns and of transformations may be written with commas.
    """

    similar: Path | None = None
    dissimilar: Path | None = None
    distances: Path | None = None
    anchors: Path | None = None
    name_column: str | None = None
    label_column: str | None = None
    relation_column: Sequence[str] | None = None
    attribute_column: Sequence[str] | None = None
    action_column: str | None = None
    episode_column: str | None = None
    sequence_column: str | None = None
    condition_column: Sequence[str] | None = None
    condition_period: Sequence[str] | None = None
    invariant_to: Sequence[str] | None = None

    @property
    def files(self) -> list[Path | None]:
        """The files that are read beside the data."""
        return [self.similar, self.dissimilar, self.distances, self.anchors]

    @property
    def factors(self) -> tuple[tuple[str, float | None], ...]:
        """The columns of known factors, each with its period."""
        return known_factors(self.condition_column, self.condition_period)

    @property
    def columns(self) -> list[str]:
        """The columns that say something of rows, and are no data.

        Examples
        --------
        >>> Said(label_column="kind", condition_column=["batch,hour"]).columns
        ['kind', 'batch', 'hour']
        """
        single = (self.name_column, self.label_column)
        many = (*split_names(self.relation_column), *split_names(self.attribute_column))
        in_order = (self.action_column, self.episode_column, self.sequence_column)
        named = (*single, *many, *in_order, *(name for name, _ in self.factors))
        return [name for name in named if name is not None]

    def read(self, table: Table, images: tuple[int, ...] | None, *, standardize: bool) -> list[Any]:
        """What is known of the rows of a table, of pictures of a shape."""
        known = read_knowledge(
            table,
            similar=self.similar,
            dissimilar=self.dissimilar,
            distances=self.distances,
            anchors=self.anchors,
            name_column=self.name_column,
            label_column=self.label_column,
            relation_columns=split_names(self.relation_column),
            attribute_columns=split_names(self.attribute_column),
            action_column=self.action_column,
            episode_column=self.episode_column,
            sequence_column=self.sequence_column,
            factors=self.factors,
        )
        forgiven = split_names(self.invariant_to)
        if forgiven:
            known.append(typed_invariance(forgiven, images, standardize=standardize))
        return known
