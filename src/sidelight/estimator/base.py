"""What every estimator of the library shares: scikit-learn's manners and the place for `side`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin, clone
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from sidelight.core import (
    Expected,
    FloatArray,
    as_dense,
    check_parameters,
    counted,
    explain_table,
    fitting_afresh,
    is_sparse,
    of_moderate_size,
    owned,
    read_rows,
    rows_in,
    unmasked,
)
from sidelight.estimator.behind import Brought, bring, refuse_torn_copies
from sidelight.estimator.dimensions import (
    LeftOut,
    asks_rows_left_out,
    dimensions_left_out,
    intrinsic_dimensions,
)
from sidelight.estimator.listening import (
    NOTHING,
    Checked,
    Heard,
    Told,
    hear_checked,
    in_front,
    learn_in_front,
    metrics_among,
)
from sidelight.estimator.map import Map, SmoothBack
from sidelight.estimator.points import is_precomputed
from sidelight.estimator.resuming import Unfinished
from sidelight.estimator.territory import plain_map
from sidelight.neighbors import as_features
from sidelight.registry import entry_of, understood_by
from sidelight.side import condition_by_number, gather_side, meeting_side, of_images


class Embedder(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """The common part of all estimators that make a map."""

    _parameters: ClassVar[Mapping[str, tuple[Expected, ...]]] = {}
    #: Kinds of side information of which there may be several.
    _hears_several: ClassVar[tuple[str, ...]] = ("Relation", "Condition")
    #: Whether its own maps, which cost little, judge what pairs do to them from in front.
    _judges_front: ClassVar[bool] = False
    #: How rows left out judge a number of dimensions; None where they cannot.
    _left_out: ClassVar[LeftOut | None] = None
    _takes_sparse: ClassVar[bool] = True
    _takes_missing: ClassVar[bool] = False
    #: Whether a model file holds what ``kernel()`` needs, or leaves rows out for its sake.
    _kernel_is_written: ClassVar[bool] = True

    embedding_: FloatArray
    n_components_: int
    n_features_in_: int
    n_components: Any

    cv_scores_: FloatArray | None
    side_report_: tuple[Heard, ...]

    _map: Map
    _front: tuple[Any, ...]
    #: The way from the method's own map to where it is wanted; None where it stays.
    _behind: Brought | None = None
    _unfinished: Unfinished

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        meeting_side(cls)
        if "fit" in vars(cls):
            cls.fit = fitting_afresh(cls.fit)  # type: ignore[method-assign]

    def fit(self, X: Any, y: Any = None, *, side: Any = None) -> Self:
        """Fit the map.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features), or images
            The data, or the table of distances or kernel values where the estimator was told so.
            Columns of a frame that are no numbers are set aside, with a warning; images
            (n_samples, height, width) or with channels behind become rows of pixels, of the shape
            ``image_shape_``.
        y : object
            Ignored.
        side : side information or list of it, optional
            What is known about the rows of X.

        Returns
        -------
        Self
            The fitted estimator.
        """
        raise NotImplementedError

    def fit_transform(self, X: Any, y: Any = None, *, side: Any = None, **more: Any) -> FloatArray:
        """Fit the map and return it.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            As in ``fit``.
        y : object
            Ignored.
        side : side information or list of it, optional
            As in ``fit``.
        **more : object
            Further arguments of ``fit``.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            ``embedding_``.
        """
        return self.fit(X, y, side=side, **more).embedding_.copy()

    def transform(self, X: Any, *, condition: Any = None) -> FloatArray:
        """Place new rows in the map; each row's place depends on that row alone.

        Parameters
        ----------
        X : array or sparse array of shape (n_samples, n_features)
            New rows; of a map from a precomputed table the block (n_samples, n_training), sparse
            after a fit to a sparse graph.
        condition : Condition or list of them, optional
            The values of a known factor for these rows, where one was taken out in front.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            Their places.
        """
        rows = self._new_rows(X, condition)
        assert self._map.place is not None
        return self._bring(self._map.place(rows))

    def inverse_transform(self, Z: Any) -> FloatArray:
        """Go back from the map to data, by a kernel smoother over the training items.

        Parameters
        ----------
        Z : array of shape (n_samples, n_components)
            Positions in the map.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            What would lie there.
        """
        Z = self._check_map(Z)
        if self._map.back is None:
            raise ValueError(
                f"{self._name} was fitted on a precomputed table, so it has no items to go back "
                f"to. Give them when fitting: fit(X, items=…)."
            )
        try:
            return self._map.back(Z)
        except ValueError as error:  # of a metric in front that is singular
            raise ValueError(f"{self._name} has no way back from Z. {error}") from error

    def _hear(
        self,
        X: Any,
        side: Any,
        items: Any = None,
        *,
        inside: tuple[str, ...] = (),
        already: Mapping[str, Any] = NOTHING,
    ) -> Told:
        """Check the parameters, X and what is known, and read X as the points that it says.

        What acts in front of the method is learned here; kinds that act ``inside`` it are not, nor
        those that were ``already`` learned from of the same rows.
        """
        return hear_checked(self, self._check(X, side, items), inside=inside, already=already)

    def _check(self, X: Any, side: Any, items: Any = None) -> Checked:
        """X, what is known about it and the items behind it, each gone through once."""
        metric = self.get_params(deep=False).get("metric", "euclidean")
        table = is_precomputed(metric)
        X, known = self._check_input(X, side, pairwise='metric="precomputed"' * table)
        X = as_features(of_moderate_size(X, who=self._name), table=table, who=self._name)
        items = self._check_items(items, X.shape[0]) if table else X
        return Checked(X, known, metric, items)

    def _tell(
        self,
        X: Any,
        known: dict[str, Any],
        *,
        metric: Any = "euclidean",
        items: Any = None,
        inside: tuple[str, ...] = (),
        already: Mapping[str, Any] = NOTHING,
    ) -> Told:
        """Learn what acts in front, and set apart what acts behind; the method hears the rest."""
        wanted = known.get("Anchors")
        if wanted is not None and (not wanted.exact or self._places_behind("Anchors", known)):
            known = {kind: value for kind, value in known.items() if kind != "Anchors"}
        else:
            wanted = None
        if wanted is not None and wanted.exact and X is not None:
            refuse_torn_copies(X, wanted, table=is_precomputed(metric), who=self._name)
        outside = {kind: value for kind, value in known.items() if kind not in inside}
        embed = partial(plain_map, self) if self._judges_front else None
        X, learned = learn_in_front(
            X, outside, metric, who=self._name, embed=embed, already=already
        )
        if self._left_out is not None:  # of rows as the method will see them
            self.n_components_, self.cv_scores_ = dimensions_left_out(self, X, known)
        return Told(X, known, learned, items, wanted=wanted)

    def _adopt(self, told: Told, found: Map, left: Unfinished | None = None) -> Self:
        """Keep a map, with what it takes to place new rows as they come and to go back.

        A fit that is not finished also keeps where it was left.
        """
        if found.back is None and told.items is not None:
            found = replace(found, back=SmoothBack(found.points, told.items))
        self._front, self.side_metrics_ = told.front, metrics_among(told.front)
        self.side_report_ = told.heard()
        if told.brought is not None:
            self._behind = told.brought
        elif told.wanted is not None:
            self._behind, change = bring(found.points, told.wanted, who=self._name)
            self.side_report_ += (Heard("Anchors", "behind", change),)
        self._wear(found)
        if left is not None:
            self._unfinished = left
        return self

    def _wear(self, found: Map) -> None:
        """Show a map: its points, where they are wanted, as the embedding, its facts as attributes.

        Facts are of the method's own map.
        """
        self._map = found
        if found.points is not None:
            placed = self._bring(found.points)
            # what is done to it must not move the points that new rows are placed by
            self.embedding_ = placed.copy() if placed is found.points else placed
        for name, value in found.facts.items():
            setattr(self, name, value)

    def _in_front(self, X: Any, condition: Any = None) -> Any:
        """Checked rows as the method sees them: behind what acts in front."""
        return in_front(X, self._front, condition, who=self._name)

    def _taken_out(self, condition: Any) -> Any:
        """Of what is known of new rows, what acts in front."""
        return condition

    def _bring(self, Z: FloatArray) -> FloatArray:
        """Places of the method's own map, where they are wanted."""
        return Z if self._behind is None else self._behind(Z)

    def _stretch(self, Z: FloatArray) -> FloatArray:
        """The derivative at places of the method's own map of where they are wanted, (n, d, d)."""
        if self._behind is None:
            return np.broadcast_to(np.eye(Z.shape[1]), (len(Z), Z.shape[1], Z.shape[1]))
        return self._behind.jacobian(Z)

    def _kernel(self) -> FloatArray:
        self._require_kernel()
        assert self._map.kernel is not None
        return self._map.kernel()

    def _require_kernel(self) -> None:
        check_is_fitted(self)
        if self._map.kernel is None and not self._kernel_is_written:
            raise ValueError(
                f"{self._name}.kernel() needs the training rows, and a model loaded from a file "
                f"does not have them. Fit it with fit(X)."
            )
        if self._map.kernel is None:
            raise ValueError(
                f"{self._name} embedded the pieces of a graph one by one, so there is no one "
                f"kernel of all rows. Use on_disconnected='connect'."
            )

    @property
    def _understands(self) -> tuple[str, ...]:
        return understood_by(type(self))

    def _places_behind(self, kind: str, known: dict[str, Any]) -> bool:
        """Whether a kind acts behind the method, beside all that is known."""
        entry = entry_of(type(self))
        return entry is not None and entry.place_of(kind) == "behind"

    @property
    def _side_checks(self) -> dict[str, Any]:
        """What the checks of side information are told besides: ``strict``, ``n_components`` …"""
        return {"n_components": self.n_components_ or None}

    @property
    def _n_features_out(self) -> int:
        return int(self.embedding_.shape[1])

    def _check_input(
        self, X: Any, side: Any, *, pairwise: str = "", min_samples: int = 2
    ) -> tuple[Any, dict[str, Any]]:
        """Check the parameters, X and what is known about it; nothing is changed or copied."""
        check_parameters(self, self._parameters)
        given, X = X, self._checked(X, reset=True, ensure_min_samples=min_samples)
        X = owned(X, given) if self._keeps(X) else X
        if pairwise and X.shape[0] != X.shape[1]:
            raise ValueError(
                f"With {pairwise}, {self._name} expects X to be square, n_samples × n_samples. "
                f"Got an array of shape {X.shape}. For feature vectors leave {pairwise} out."
            )
        # what rows left out ask for is known behind what acts in front
        self.n_components_ = 0 if asks_rows_left_out(self) else self._dimensions_for(X)
        known = gather_side(
            of_images(side, getattr(self, "image_shape_", None)),
            understands=self._understands,
            several=self._hears_several,
            n_samples=X.shape[0],
            who=self._name,
            X=given,
            n_features=None if pairwise else X.shape[1],
            **self._side_checks,
        )
        self._forget({"n_features_in_", "feature_names_in_", "image_shape_", "n_components_"})
        return X, known

    def _of_dimensions(self, n_components: int) -> Any:
        """The model that judges a number of dimensions."""
        return clone(self).set_params(n_components=n_components)

    def _keeps(self, X: Any) -> bool:
        """Whether a fit to X keeps its rows, so that they must be its own."""
        return True

    def _dimensions_for(self, X: Any) -> int:
        """The dimensions of the map: as many as were asked for, or as the data have."""
        chosen = isinstance(self.n_components, str)
        return self._choose_components(X) if chosen else int(self.n_components)

    def _choose_components(self, X: Any) -> int:
        metric = getattr(self, "metric", "euclidean")
        X = X if X is None else of_moderate_size(X, who=self._name)
        return intrinsic_dimensions(X, metric, holes=self._takes_missing, who=self._name)

    def _forget(self, but: set[str]) -> None:
        """Drop what an earlier fit learned."""
        for name in [n for n in vars(self) if n.endswith("_") and n not in but]:
            delattr(self, name)

    def _check_new(self, X: Any) -> Any:
        check_is_fitted(self)
        X = self._checked(X, reset=False)
        if is_sparse(X) and not X.has_sorted_indices:
            X = X.sorted_indices()  # and the caller's stay as they are
        return X

    def _new_rows(self, X: Any, condition: Any = None) -> Any:
        """New rows as the method sees them: checked, and behind what acts in front.

        The values of a known factor go to the rows that their labels name.
        """
        condition = condition_by_number(condition, X, who=self._name)
        return self._in_front(self._check_new(X), condition)

    def _rows_to_score(self, X: Any, condition: Any) -> FloatArray:
        """Rows that a density is asked about, behind what acts in front."""
        return np.asarray(as_dense(self._new_rows(X, condition)), np.float64)

    def _check_map(self, Z: Any) -> FloatArray:
        """Places that the user names, in the method's own map."""
        check_is_fitted(self)
        Z = self._checked_table(Z, "Z", columns="n_components")
        if Z.shape[1] != self._n_features_out:
            raise ValueError(
                f"Z has {counted(Z.shape[1], 'column')}, but the map of {self._name} has "
                f"{counted(self._n_features_out, 'component')}."
            )
        return np.asarray(Z) if self._behind is None else self._behind.undo(Z, who=self._name)

    def _checked(self, X: Any, **options: Any) -> Any:
        options.setdefault("ensure_all_finite", "allow-nan" if self._takes_missing else True)
        try:
            X = read_rows(self, X, reset=options["reset"])
            return validate_data(
                self,
                X,
                dtype=[np.float64, np.float32],
                accept_sparse="csr" if self._takes_sparse else False,
                **options,
            )
        except (TypeError, ValueError) as error:
            raise explain_table(error, X, who=self._name) from error

    def _checked_table(
        self, table: Any, name: str, *, columns: str = "n_features", **options: Any
    ) -> Any:
        """Check a table other than X."""
        try:
            return check_array(
                unmasked(table),
                dtype=[np.float64, np.float32],
                input_name=name,
                estimator=self._name,
                **options,
            )
        except (TypeError, ValueError) as error:
            raise explain_table(error, table, who=self._name, name=name, columns=columns) from error

    def _check_items(self, items: Any, n_samples: int) -> Any:
        """The items behind a precomputed table, where the user gave them."""
        if items is None:
            return None
        items, _ = rows_in(items, who=self._name, name="items")
        items = self._checked_table(items, "items", accept_sparse="csr")
        if items.shape[0] != n_samples:
            raise ValueError(
                f"The 'items' argument of {self._name}.fit must have one row per row of X, "
                f"{n_samples}. Got {counted(items.shape[0], 'row')}."
            )
        return items

    @property
    def _name(self) -> str:
        return type(self).__name__

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self._takes_sparse
        tags.input_tags.three_d_array = True
        tags.input_tags.allow_nan = self._takes_missing
        ways = (self.get_params(deep=False).get(name) for name in ("metric", "kernel"))
        tags.input_tags.pairwise = any(map(is_precomputed, ways))
        tags.transformer_tags.preserves_dtype = []
        return tags
