"""What is asked of a map of several relations: by which method, with which weights and penalty."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sidelight.core import FloatArray, random_generator
from sidelight.latent.descending import Adjacent, classical_start
from sidelight.latent.neighbors import NeighborChoices
from sidelight.latent.relational.bandwidth import relational_bandwidth
from sidelight.latent.relational.bases import BASES, PENALTY, Base
from sidelight.latent.relational.objective import Related, RelationalObjective
from sidelight.latent.relational.relations import Alike
from sidelight.latent.relational.starts import informed_start, random_start, written_out


@dataclass(frozen=True)
class Asked:
    """The objective of multiple relational embedding, its starts and its placing of new rows.

    Parameters
    ----------
    base : str
        The name of the method that maps each relation.
    d : int
        Dimensions of the map.
    full : bool
        Whether transformations are matrices, and not diagonals.
    penalty : float or "auto"
        ρ.
    data_weight : float
        λ of the similarity of X.
    weights : sequence of float, optional
        λ of each relation; all one by default.
    who : str
        The estimator, for messages.
    """

    base: str
    d: int
    full: bool
    penalty: float | str
    data_weight: float
    weights: Sequence[float] | None
    who: str

    @property
    def method(self) -> Base:
        """What maps each relation."""
        return BASES[self.base]

    def count_variables(self, alike: Alike) -> int:
        """How many numbers points and transformations are."""
        return RelationalObjective.count_variables(alike.n, self.d, alike.n_kinds, full=self.full)

    def with_choices(
        self,
        alike: Alike,
        bandwidth: float | str,
        perplexity: float | None,
        searched: float | None,
    ) -> tuple[Alike, float | None]:
        """Whom rows pick by the similarity of X, and a bandwidth that had to be searched for."""
        D, width = alike.D, bandwidth
        if D is None:
            return alike, None
        if width == "auto" and perplexity is None and self.base == "neighbors":
            width = searched = searched or relational_bandwidth(
                D, alike.relations, self.d, penalty=self._penalty_of(2), who=self.who
            )
        choices = NeighborChoices.of(D, width, perplexity, who=self.who)
        return replace(alike, choices=choices), searched

    def objective(self, alike: Alike, adjacent: Adjacent) -> RelationalObjective:
        """E of the points and transformations."""
        return RelationalObjective(
            self._related(alike),
            alike.n,
            self.d,
            penalty=self._penalty_of(alike.n_kinds),
            full=self.full,
            always_penalised=self.method.always_penalised,
            beside=adjacent,
        )

    def starts(
        self,
        objective: RelationalObjective,
        alike: Alike,
        n_restarts: int,
        random_state: Any,
    ) -> list[FloatArray]:
        """Where the descent begins: what data and relations say, and places drawn at random."""
        n, d, full = objective.n, objective.d, objective.full
        D, choices = alike.D, alike.choices
        unit = 1.0 if D is None or choices is None else self.method.unit(D, choices)
        if D is not None and not objective.scaled:  # the data alone: stochastic neighbour embedding
            return [(classical_start(D, d, who=self.who) / unit).ravel()]
        rng = random_generator(random_state)
        starts = [
            objective.pack(*random_start(n, d, len(objective.relations), rng, full=full))
            for _ in range(n_restarts + (D is None))
        ]
        if D is not None:
            Z, R = informed_start(D, objective.relations, d, unit=unit, who=self.who)
            starts.insert(0, objective.pack(Z, written_out(R) if full else R))
        return starts

    def placing(self, alike: Alike, Z: FloatArray, R: FloatArray) -> Any:
        """How new rows are placed by the similarity of X, where there is one."""
        if alike.D is None or alike.choices is None:
            return None
        return self.method.placing(alike.choices, alike.D, Z, R[0])

    def bandwidth_of(self, alike: Alike) -> Any:
        """The bandwidth of the similarity of X, where it has one."""
        if alike.choices is None or "bandwidth" in self.method.idle:
            return None
        return alike.choices.bandwidth

    def _penalty_of(self, n_relations: int) -> float:
        if isinstance(self.penalty, str):
            return self.method.penalty if n_relations > 1 else PENALTY
        return float(self.penalty)

    def _related(self, alike: Alike) -> list[Related]:
        """The relations that were given, after that of the data where there are any."""
        base, given, n = self.method, alike.relations, alike.n
        related = [
            Related(r.rows(n), base.of_relation(r.similarity), weight)
            for r, weight in zip(given, self._weights_of(given), strict=True)
        ]
        if alike.D is None or alike.choices is None:
            return related
        of_data = base.of_data(alike.D, alike.choices)
        return [Related(np.arange(n), of_data, float(self.data_weight)), *related]

    def _weights_of(self, given: tuple[Any, ...]) -> list[float]:
        if self.weights is None:
            return [1.0] * len(given)
        if len(self.weights) != len(given):
            raise ValueError(
                f"The 'weights' parameter of {self.who} must hold one weight for each Relation, "
                f"{len(given)}. Got {len(self.weights)}."
            )
        return [float(weight) for weight in self.weights]
