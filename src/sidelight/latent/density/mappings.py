"""What every map with a joint density of data and latent points can do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from sidelight.core import FloatArray, Whole, of_moderate_size, row_blocks
from sidelight.estimator import (
    Embedder,
    Told,
    behind_front,
    deviations_behind_front,
    mean_score,
    sample_rows,
    score_rows,
)
from sidelight.latent.density.gap_filling import fill_gaps
from sidelight.latent.density.joint import JointDensity
from sidelight.latent.density.kernels import squared_distances
from sidelight.latent.density.known_factor import KnownFactor, KnownFactors
from sidelight.latent.density.table import items_of_table
from sidelight.side import condition_by_number

#: Sums of squares of larger numbers may overflow, and those of the inverse vanish.
_LARGEST_SQUARED = 1e140


@dataclass(frozen=True)
class ByDensity:
    """Rows that were fitted where they are, new ones at E[z | y], or E[z | y, x].

    Parameters
    ----------
    density : JointDensity
        Of data and latent points.
    factor : KnownFactor or KnownFactors, optional
        What was left out of the map.
    number, of : int, optional
        Which of how many conditions it is, where the others were taken out in front.
    """

    density: JointDensity
    factor: KnownFactor | KnownFactors | None = None
    number: int | None = None
    of: int = 1

    def __call__(self, X: Any) -> FloatArray:
        """Place rows, each by itself."""
        return in_blocks(self._place, np.asarray(X, dtype=np.float64), len(self.density.points))

    def _place(self, rows: FloatArray) -> FloatArray:
        known = self.density.recognise(rows)[:, None]
        expected = self.density.expected_points(rows)[0]
        return np.where(known >= 0, self.density.points[known[:, 0]], expected)

    def beside(self, X: FloatArray, coordinates: FloatArray) -> FloatArray:
        """Place rows of known condition at E[z | y, x] = Σ_a k_a V_a z_a / Σ_b k_b V_b.

        k_a = k(y, y_a), and V_a is how like the row's own condition x that of item a is.
        """
        factor, p = self.factor, X.shape[1]
        assert factor is not None
        own = factor.coordinates

        def place(rows: FloatArray) -> FloatArray:
            Y, x = rows[:, :p], rows[:, p:]
            same = np.all(np.abs(x[:, None] - own) < 1e-9, axis=2)
            known = self.density.recognise(Y, same)[:, None]
            expected = self.density.expected_points(Y, factor.similarity(x))[0]
            return np.where(known >= 0, self.density.points[known[:, 0]], expected)

        rows = np.column_stack([X, coordinates])
        return in_blocks(place, rows, len(own) * (1 + own.shape[1]))


class DensityEmbedder(Embedder):
    """Both mappings, their uncertainty and the density over the map."""

    @property
    def _density(self) -> JointDensity:
        place = self._map.place
        assert isinstance(place, ByDensity)
        return place.density

    sample, score_samples, score = sample_rows, score_rows, mean_score

    def _density_of_rows(self, method: str) -> JointDensity:
        self._refuse_table(method)
        return self._density

    def transform(self, X: Any, *, condition: Any = None) -> FloatArray:
        """Place new rows in the map; each row's place depends on that row alone.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            New rows.
        condition : Condition, list of them, or values, optional
            The values of the factor that was left out of the map, for these rows (a list of those
            of each, if there were several): a row is placed at E[z | y, x], among items that are
            alike in the factor as far as the way back has it.  Without, at E[z | y], among all.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            Their places.
        """
        if condition is None:
            return super().transform(X)
        condition = condition_by_number(condition, X, who=self._name)
        condition, others = self._parted(condition, "transform")
        rows = np.asarray(self._new_rows(X, others), dtype=np.float64)
        factor, place = self._known_factor("transform"), self._map.place
        assert isinstance(place, ByDensity)
        value = factor.coordinates_of(condition, len(rows), who=f"{self._name}.transform")
        return self._bring(place.beside(rows, value))

    def _parted(self, condition: Any, method: str) -> tuple[Any, Any]:
        """Known values of new rows: of what was left out inside, and of what is taken out."""
        check_is_fitted(self)
        place = self._map.place
        assert isinstance(place, ByDensity)
        if place.number is None:
            return condition, None
        if not isinstance(condition, (list, tuple)) or len(condition) != place.of:
            got = len(condition) if isinstance(condition, (list, tuple)) else "one"
            raise ValueError(
                f"The 'condition' argument of {self._name}.{method} must be a list with the values "
                f"of each of {place.of} factors, in the order of the fit. Got {got}."
            )
        others = [value for i, value in enumerate(condition) if i != place.number]
        return condition[place.number], others

    def _taken_out(self, condition: Any) -> Any:
        inside, others = self._parted(condition, "transform")
        return inside if others is None else others

    def _rows_to_score(self, X: Any, condition: Any) -> FloatArray:
        known = condition is not None
        return self._check_with_gaps(X, self._taken_out(condition) if known else None)

    @property
    def _given(self) -> bool:
        """Whether X is a table of similarities."""
        return bool(self.get_params(deep=False).get("kernel") == "precomputed")

    @property
    def _has_features(self) -> bool:
        return not self._density.data_kernel.by_table

    def _in_front(self, X: Any, condition: Any = None) -> Any:
        if self._has_features:
            return super()._in_front(X, condition)
        return items_of_table(np.asarray(X, dtype=np.float64), who=self._name, new=True)

    def _refuse_table(self, method: str) -> None:
        """Refuse what leads to items, where only their similarities are known."""
        check_is_fitted(self)
        if not self._has_features:
            raise ValueError(
                f"{self._name}.{method} needs the features of items, and with "
                f"kernel='precomputed' their similarities alone are known."
            )

    def _told_of(self, X: Any, side: Any) -> Told:
        """What a fit is told; a metric in front needs numbers, and a Condition acts inside."""
        if self._given:
            return self._told_of_table(X, side)
        X, known = self._check_input(X, side)
        _check_spread(of_moderate_size(X, who=self._name, limit=_LARGEST_SQUARED), self._name)
        told = self._tell(np.asarray(X, dtype=np.float64), known, inside=("Condition",))
        if told.front and self.get_params(deep=False).get("kernel") == "discrete":
            raise ValueError(
                f"{self._name} with kernel='discrete' compares codes, and no metric is learned of "
                f"them. Use kernel='gaussian', or leave {', '.join(told.learned)} out."
            )
        return replace(told, points=np.asarray(told.points))

    def _told_of_table(self, X: Any, side: Any) -> Told:
        X, known = self._check_input(X, side, pairwise="kernel='precomputed'")
        idle = [kind for kind in known if kind != "Anchors"]
        if idle:
            raise ValueError(
                f"{self._name} with kernel='precomputed' knows similarities alone, and has no "
                f"place for {' and '.join(idle)}. Leave it out, or give features."
            )
        items = items_of_table(np.asarray(X, dtype=np.float64), who=self._name)
        return replace(self._tell(None, known), points=items)

    def posterior(self, X: Any) -> tuple[FloatArray, FloatArray]:
        """Compute E[z | y] and the standard deviation of z given y, for rows known or new.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Rows; NaN where an entry is missing: z is then given the others.

        Returns
        -------
        mean : ndarray of shape (n_samples, n_components)
            E[z | y].
        std : ndarray of shape (n_samples, n_components)
            The root of the conditional variance of each coordinate.
        """
        mean, std = self._expected_points(self._check_with_gaps(X))
        J = self._stretch(mean)
        return self._bring(mean), np.sqrt(np.einsum("nij,nj->ni", J**2, std**2))

    def _expected_points(self, X: FloatArray) -> tuple[FloatArray, FloatArray]:
        """E[z | y] and the deviations, in the method's own map."""
        return _both(lambda rows: np.stack(self._density.expected_points(rows), axis=1), X, self)

    def inverse_transform(self, Z: Any, *, return_std: bool = False, condition: Any = None) -> Any:
        """Go back from the map to data, x = E[y | z], or E[y | z, condition].

        Parameters
        ----------
        Z : array of shape (n_samples, n_components)
            Places in the map.
        return_std : bool
            Whether to give the uncertainty, too.
        condition : object, optional
            The value of the factor that was left out of the map: one for all rows, or one each.

        Returns
        -------
        mean : ndarray of shape (n_samples, n_features)
            What lies there.
        std : ndarray of shape (n_samples, n_features)
            With ``return_std``: the root of the conditional variance of each entry.
        """
        self._refuse_table("inverse_transform")
        condition = condition_by_number(condition, Z, who=self._name)
        mean, std = self._expected_items(np.asarray(self._check_map(Z), np.float64), condition)
        mean = behind_front(mean, self._front, who=self._name)
        return (mean, deviations_behind_front(std, self._front)) if return_std else mean

    def _expected_items(
        self, Z: FloatArray, condition: Any = None
    ) -> tuple[FloatArray, FloatArray]:
        """E[y | z] and the deviations, at places of the method's own map."""
        value = None
        if condition is not None:
            factor = self._known_factor("inverse_transform")
            value = factor.coordinates_of(condition, len(Z), who=f"{self._name}.inverse_transform")
        q = Z.shape[1]

        def expect(rows: FloatArray) -> FloatArray:
            alike = None if value is None else factor.similarity(rows[:, q:])
            return np.stack(self._density.expected_items(rows[:, :q], alike), axis=1)

        return _both(expect, Z if value is None else np.column_stack([Z, value]), self)

    def denoise(self, X: Any) -> FloatArray:
        """Project rows onto the manifold, E[y | E[z | y]].

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Rows, known or new.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            Where they would lie without noise.
        """
        self._refuse_table("denoise")
        Z = self._expected_points(self._check_with_gaps(X))[0]
        return np.asarray(behind_front(self._expected_items(Z)[0], self._front, who=self._name))

    def impute(self, X: Any, *, n_neighbors: int = 20) -> FloatArray:
        """Fill in missing entries by what is near the row in the map.

        A row is placed by its known entries (:meth:`posterior`; one that was fitted where it is),
        and its missing entries are regressed on the known ones among the items that are nearest
        there: to first order, where E[y | z] is a mean.  Columns of codes take the most likely.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Rows; NaN where an entry is missing.
        n_neighbors : int
            Items to regress on.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            The rows, complete.
        """
        self._refuse_table("impute")
        items = self._check_with_gaps(X)
        if not Whole(1).admits(n_neighbors):
            raise ValueError(
                f"The 'n_neighbors' argument of {self._name}.impute must be an int of at least 1. "
                f"Got {n_neighbors!r}."
            )
        density, place = self._density, ByDensity(self._density)
        k = min(n_neighbors, len(density.points))

        def fill(rows: FloatArray) -> FloatArray:
            Z = place(rows)
            if not hasattr(density.data_kernel, "n_features"):
                return np.where(np.isnan(rows), density.expected_items(Z)[0], rows)
            squared = squared_distances(Z, density.points)
            nearest = np.argsort(squared, axis=1, kind="stable")[:, :k]
            return fill_gaps(rows, density.items, nearest, np.take_along_axis(squared, nearest, 1))

        filled = in_blocks(fill, items, max(len(density.points), k * items.shape[1]))
        return np.asarray(behind_front(filled, self._front, who=self._name))

    def _check_with_gaps(self, X: Any, condition: Any = None) -> FloatArray:
        """Rows in which entries may be missing, where the kernel can do without them."""
        check_is_fitted(self)
        condition = condition_by_number(condition, X, who=self._name)
        rows = self._checked(X, reset=False, ensure_all_finite="allow-nan")
        rows = np.asarray(rows, dtype=np.float64)
        if np.isfinite(self._density.data_kernel.reach) and np.isnan(rows).any():
            raise ValueError(
                f"Input X contains NaN. {self._name} places rows by their known entries with "
                f"kernel='gaussian' or 'discrete' only: fill them in, or fit with another kernel."
            )
        return np.asarray(self._in_front(rows, condition))

    def render(
        self, X: Any, *, condition: Any, detail: float = 0.0, smoothing: float = 1.0
    ) -> FloatArray:
        """Show items as they would be at another value of the factor that was left out.

        An item y with value x is placed at z, and becomes E[y | z, condition] + detail ·
        (y − E[y | z, x]).  With ``detail=1`` the item keeps all that is its own, and gains what
        the change of the factor does to items near it in the map.  A new item has the value x of
        the most similar training item; a training item is left out of its own expectation.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Items.
        condition : object
            The value wanted: one for all items, or one each.
        detail : float
            The share of what the map does not show of an item that is kept.
        smoothing : float
            The bandwidth of the latent kernel: a larger one mixes more items.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            The items, changed.
        """
        condition = condition_by_number(condition, X, who=self._name)
        items = np.asarray(self._new_rows(X), dtype=np.float64)
        factor, q = self._known_factor("render"), self._n_features_out
        wanted = factor.coordinates_of(condition, len(items), who=f"{self._name}.render")
        assert self._map.place is not None
        Z, width = self._map.place(items), wanted.shape[1]

        def change(rows: FloatArray) -> FloatArray:
            places, values, own = rows[:, :q], rows[:, q : q + width], rows[:, q + width :]
            alike = factor.similarity(values)
            shown = self._density.expected_items(places, alike, smoothing=smoothing)[0]
            if not detail:
                return shown
            known = self._density.recognise(own)
            nearest = self._density.weights_of_items(own).argmax(axis=1)
            alike = factor.similarity(factor.coordinates[nearest])
            fitted = np.flatnonzero(known >= 0)
            alike[fitted, known[fitted]] = 0.0
            now = self._density.expected_items(places, alike, smoothing=smoothing)[0]
            return np.asarray(shown + detail * (own - now))

        shown = in_blocks(change, np.column_stack([Z, wanted, items]), len(self.embedding_))
        return np.asarray(behind_front(shown, self._front, who=self._name))

    def _known_factor(self, method: str) -> KnownFactor | KnownFactors:
        place = self._map.place
        assert isinstance(place, ByDensity)
        if place.factor is None:
            raise ValueError(
                f"{self._name}.{method} with a condition needs a map that was fitted with one: "
                f"fit(X, side=Condition(…))."
            )
        return place.factor

    def density(self, Z: Any) -> FloatArray:
        """Compute the density of places in the map, p̂(z) = (1/N) Σ_a k(z, z_a) / C.

        Parameters
        ----------
        Z : array of shape (n_samples, n_components)
            Places in the map.

        Returns
        -------
        ndarray of shape (n_samples,)
            Densities.
        """
        Z = np.asarray(self._check_map(Z), dtype=np.float64)
        column = in_blocks(lambda rows: self._density.density(rows)[:, None], Z, len(Z))
        return np.asarray(column[:, 0] / np.abs(np.linalg.det(self._stretch(Z))))


def in_blocks(
    function: Callable[[FloatArray], FloatArray], rows: FloatArray, n_training: int
) -> FloatArray:
    """Apply a function to a block of rows at a time: their table with training rows is small."""
    blocks = row_blocks(len(rows), 8.0 * n_training, budget=2e8)
    return np.vstack([function(rows[block]) for block in blocks])


def _check_spread(X: FloatArray, who: str) -> None:
    """Refuse rows that differ by so little that squared distances are lost."""
    with np.errstate(invalid="ignore"):  # infinities of columns without a value
        low, high = np.fmin.reduce(X, axis=0), np.fmax.reduce(X, axis=0)
        spread = float(np.nanmax(high - low, initial=0.0))
    if 0 < spread < 1 / _LARGEST_SQUARED:
        raise ValueError(
            f"{who} cannot use X: its rows differ by {spread:.3g} at most, and squared distances "
            f"are lost. Measure in other units: (X - X.mean(axis=0)) / {spread:.1g}."
        )


def _both(place: Any, rows: FloatArray, model: DensityEmbedder) -> tuple[FloatArray, FloatArray]:
    stacked = in_blocks(place, rows, len(model.embedding_))
    return np.asarray(stacked[:, 0]), np.asarray(stacked[:, 1])
