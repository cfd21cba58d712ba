"""Kernel information embedding: latent points that tell as much as possible about the data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import clone

from sidelight.core import (
    COMPONENTS,
    FUNCTION,
    RANDOM_STATE,
    SHARE,
    FloatArray,
    IntArray,
    OneOf,
    Real,
    Whole,
    count_threads,
    evenly_spaced,
)
from sidelight.estimator import Map, in_front, pick_up
from sidelight.latent.density import (
    KERNELS,
    ByDensity,
    DensityEmbedder,
    JointDensity,
    bandwidth_of_placing,
    differing_columns,
    kernel_for,
)
from sidelight.latent.descending import (
    ADJACENT,
    NOTHING_ADJACENT,
    Adjacent,
    Held,
    adjacent_in,
    step_aside,
)
from sidelight.latent.information.axes import on_axes, on_own_axes, warn_if_collapsed
from sidelight.latent.information.conditional import (
    Factors,
    map_by_conditional_information,
)
from sidelight.latent.information.ends import (
    PathEnds,
    adjusted_map,
    ended_by_held_out,
    ends_of_path,
    with_rows_brought,
)
from sidelight.latent.information.followed import (
    Followed,
    Way,
    facts_of_end,
    facts_of_path,
    follow_best,
)
from sidelight.latent.information.held import pins_among, with_rows_held
from sidelight.latent.information.mutual_information_near import pairs_of
from sidelight.latent.information.path import (
    START_SPREAD,
    Information,
    Onset,
    Path,
    find_onset,
    first_penalty,
)
from sidelight.latent.information.penalties import PENALTIES, about_mean, penalty_for
from sidelight.latent.information.refusals import (
    refuse_beside_condition,
    refuse_beside_table,
    refuse_in_turns,
)
from sidelight.latent.information.start import INIT, first_points
from sidelight.solvers.descent import Continuation

#: With a kernel of finite support, the path to the last step is followed by this many rows.
_PATH_ROWS = 2000
#: λ of conditional information, where none is given.
ALPHA = 1e-3


class KernelInformationEmbedding(DensityEmbedder):
    """Kernel information embedding (KIE): the map with the most information about the data.

    With Gaussian kernels k around every item and every latent point, the mutual information of
    data and map is estimated by (latent-factor thesis, eq. 3.14)

        Î(Y; Z) = log N + (1/N) Σ_a log (P_a / (Q_a R_a)),
        P_a = Σ_b k(z_a, z_b) k(y_a, y_b),  Q_a = Σ_b k(z_a, z_b),  R_a = Σ_b k(y_a, y_b),

    and Z maximises Î(Y; Z) − (λ/N) Σ_a ω(z_a), with ω(z) = ‖z‖² to limit the map's power.  The
    optimum is reached by continuation: the bandwidth shrinks from the data's own scale and λ from
    where the points begin to unfold, both to their final values.  The joint density that results
    gives both mappings, E[z | y] and E[y | z], their uncertainty, and a density over the map.

    A ``Condition`` in ``side`` names a factor that is known: Z then maximises the estimate of the
    conditional information Î(Y; Z | X) (eq. 3.24), in which rows count as far as they are alike in
    the factor, by the ``kernel`` of the Condition; in several factors, by the product of their
    kernels.  Items are not matched across its values; that is
    :class:`~sidelight.ConditionalEmbedding`.  A factor that does not show in the data (its values
    agree no better among near rows than shuffled ones) is left out, with a warning; if none does,
    the map is the plain one.

    Anchors are kept exactly, in coordinates of their own: where the path has ended the anchored
    rows are moved to where they go, together as large as they are there, and held, while all others
    maximise the objective again, ω being of z − z̄.  Beside a Condition, with another ``penalty``
    than ``"l2"``, ``power``, ``bandwidth="learned"`` and the quartic kernel of more than 2,000 rows
    the finished map is brought there instead.

    Parameters
    ----------
    n_components : int or "auto"
        Dimensions of the map, ``n_components_``; ``"auto"`` is the intrinsic dimension of X.
    bandwidth : float, "auto", "leave_one_out" or "learned"
        The final h of k(y, y') = exp(−‖y − y'‖²/h).  ``"auto"`` is an eighth of the mean squared
        distance between items, and the whole of it for a curve; new rows are placed by a narrower
        kernel if rows left out are reconstructed better by it (see Notes).  ``"leave_one_out"``
        maximises the likelihood of each item given the others, which is right in few dimensions
        and far too small in many.  ``"learned"`` maximises that likelihood over h and Z together,
        each item left out of its own density (section 3.3), with the Gaussian kernel.
    kernel : {"gaussian", "quartic", "discrete", "precomputed"}
        ``"quartic"`` has finite support in both spaces, for many rows; ``"discrete"`` compares
        columns of codes.  With ``"precomputed"`` X is a table of similarities k(y, y') between 0
        and 1, such as :func:`~sidelight.similarity.sequence_kernel` of sequences of any length, of
        new rows the block (n_samples, n_training); the kernel is then k^{1/h}: ``bandwidth=1``
        takes the table as it is.
    penalty : {"l2", "l4"} or callable
        ω.  L4 aligns the map with its axes.  A callable takes Z and gives Σ_a ω(z_a) and its
        gradient.
    alpha : float or "auto"
        The final λ; ``"auto"`` is 0.001, and up to 0.1 for a curve with ``bandwidth="auto"``.
    power : float, optional
        r: tr(C_Z) = (1/N) Σ_a ‖z_a‖² ≤ r as a constraint in the place of a penalty (eq. 3.21);
        ``alpha_`` is then its multiplier.
    continuation : {"both", "penalty", "none"}
        What shrinks along the path; with ``"none"`` there is a single descent from ``init``.
    n_steps : int
        The length of the path.  This, ``continuation``, ``leave_one_out``, ``init``,
        ``validation_fraction`` and ``warm_start`` are refused with a ``Condition``.
    leave_one_out : bool
        Whether P_a, Q_a leave out b = a (section 3.3), a regulariser of its own.
    init : {"spectral", "pca", "random"}, array or estimator
        Where the path begins.  ``"spectral"`` takes the directions in which the points leave the
        origin first.  Where there is a path, any start is brought to a small scale.
    validation_fraction : float
        Hold out this share of the rows.  Three paths are tried (from a wide, a middling and the
        last bandwidth); the one that reconstructs the rows held out best is followed with all rows,
        as far as it did so.  ``fit(X, validation=…)`` takes rows of yours.
    max_iter : int
        Most iterations of the last step's descent.
    tol : float
        The last step stops when the objective changes by less than this, relatively.
    warm_start : bool
        Whether ``fit`` goes on where the last one, with the same X, was interrupted or came to
        ``max_iter``; with ``validation_fraction`` it starts afresh.
    n_jobs : int, optional
        Threads; None for all cores.  The result is the same to the bit.
    random_state : int, Generator, RandomState or None
        For random starts and for the rows that are held out.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The latent points, on their principal axes (in order of variance with ``penalty="l4"``, as
        they are with a callable); with anchors in their coordinates.
    bandwidth_ : float
        h in the end, of the map.
    alpha_ : float
        λ in the end.
    objective_ : float
        Î(Y; Z) − (λ/N) Σ ω(z_a), in nats.
    mutual_information_ : float
        Î(Y; Z); with a ``Condition`` Î(Y; Z | X).
    history_ : ndarray of shape (n_steps_taken,)
        The objective at the end of every step, each with its own h and λ, less the part that
        depends on h alone, log N − (1/N) Σ_a log R_a.  The last value is that of the finished map
        with a ``Condition``, and with anchors that of the map in which their rows are held.
    path_ : dict of ndarray
        ``"bandwidth"``, ``"alpha"`` and, with validation, ``"error"`` of every step taken.
    n_steps_ : int
        Steps to the map.
    n_iter_ : int
        Iterations in all.
    onset_ : float or None
        λ at which the points begin to unfold, with the bandwidth that the path begins with; None
        where a ``Condition`` was left out.

    Notes
    -----
    A row that was fitted is recognised and placed where it is in the map; every other row is
    placed at E[z | y], or among rows of like condition at E[z | y, x], where its own is given
    (:meth:`transform`).  :meth:`posterior` gives E[z | y] for any row, and :meth:`denoise` goes
    there and back.

    Points in two or more dimensions fly apart as λ shrinks, which tears a closed curve.  Where
    items follow one another along a curve (few leaves of their minimum spanning tree), "auto"
    therefore takes a kernel as wide as the data and stops at a large λ; new rows are then placed
    with the narrower kernel that predicts every latent point best from all others.

    The kernel that unfolds a map is wide, and E[z | y] under it lies too near to the middle.  With
    ``bandwidth="auto"`` (and a Gaussian kernel or a table) the kernel that places new rows is
    therefore chosen by rows left out, which go to the map and back: it is the widest, at most the
    map's own, whose squared error is within 5 % of the best.  At most 3,000 rows are used (1,000 of
    a table), and no further map is made.  ``bandwidth_`` is that of the map.

    On a line points cannot go around one another, and a row may be left behind, far from its
    nearest rows.  Such rows are moved to them in one more step, which is kept if the map then tells
    more, by half a nat at least.  A path that is judged by rows held out takes no such step.

    :meth:`score_samples` and :meth:`sample` are of p̂(y) = (1/N) Σ_a k(y, y_a) / C, with the h under
    which each item is likeliest given the others (eq. 3.20).  The bandwidth of the map is far
    wider: it says which items are alike.

    The penalty is subtracted, and the sum over items is optimised, not the mean.

    References
    ----------
    R. Memisevic (2008), "Non-linear latent factor models for revealing structure in
    high-dimensional data", PhD thesis, University of Toronto, chapter 3.
    R. Memisevic (2006), "Kernel information embeddings", ICML.

    Examples
    --------
    >>> import numpy as np
    >>> from sidelight import KernelInformationEmbedding
    >>> from sidelight.datasets import noisy_s
    >>> X, truth = noisy_s(150, random_state=0)
    >>> Z = KernelInformationEmbedding(1, bandwidth=0.2, alpha=0.005).fit_transform(X)
    >>> round(abs(float(np.corrcoef(Z[:, 0], truth[:, 0])[0, 1])), 1)
    1.0

    The power of the map may be bounded, in the place of a penalty, and the bandwidth learned along
    with the map.

    >>> bounded = KernelInformationEmbedding(1, bandwidth=0.3, power=2.0).fit(X[:80])
    >>> round(float(np.mean(bounded.embedding_**2)), 3)
    2.0
    >>> round(KernelInformationEmbedding(1, bandwidth="learned").fit(X[:80]).bandwidth_, 2)
    0.05
    """

    _parameters: ClassVar[Any] = {
        "n_components": COMPONENTS,
        "bandwidth": (Real(0, open_below=True), OneOf(("auto", "leave_one_out", "learned"))),
        "kernel": (OneOf(KERNELS),),
        "penalty": (OneOf(tuple(PENALTIES)), FUNCTION),
        "alpha": (Real(0), OneOf(("auto",))),
        "power": (OneOf((None,)), Real(0, open_below=True)),
        "continuation": (OneOf(("both", "penalty", "none")),),
        "n_steps": (Whole(1),),
        "leave_one_out": (OneOf((True, False)),),
        "init": INIT,
        "validation_fraction": (SHARE,),
        "max_iter": (Whole(1),),
        "tol": (Real(0, open_below=True),),
        "warm_start": (OneOf((True, False)),),
        "random_state": (RANDOM_STATE,),
    }
    _takes_sparse = False

    def __init__(
        self,
        n_components: int | str = 2,
        *,
        bandwidth: float | str = "auto",
        kernel: str = "gaussian",
        penalty: Any = "l2",
        alpha: float | str = "auto",
        power: float | None = None,
        continuation: str = "both",
        n_steps: int = 25,
        leave_one_out: bool = False,
        init: Any = "spectral",
        validation_fraction: float = 0.0,
        max_iter: int = 500,
        tol: float = 1e-13,
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: Any = 0,
    ) -> None:
        self.n_components = n_components
        self.bandwidth = bandwidth
        self.kernel = kernel
        self.penalty = penalty
        self.alpha = alpha
        self.power = power
        self.continuation = continuation
        self.n_steps = n_steps
        self.leave_one_out = leave_one_out
        self.init = init
        self.validation_fraction = validation_fraction
        self.max_iter = max_iter
        self.tol = tol
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, *, side: Any = None, validation: Any = None) -> Self:
        """Follow the path to the map.

        Parameters
        ----------
        X : array of shape (n_samples, n_features), or (n_samples, n_samples)
            The data; with ``kernel="precomputed"`` how alike they are.
        y : object
            Ignored.
        side : side information or list of it, optional
            Factors that are known and are left out of the map; what is learned as a metric, in
            front; a Sequence as a term that keeps adjacent rows near, where their order shows in
            the data (not beside a Condition); where some rows go, which are held there while the
            others move once more.
        validation : array of shape (n_validation, n_features), optional
            Rows that are not fitted: the step of the path that reconstructs them best is kept.

        Returns
        -------
        KernelInformationEmbedding
            The fitted estimator.
        """
        told = self._told_of(X, side)
        items, condition = told.points, told.known.get("Condition")
        columns = differing_columns(items, self.n_components_, who=self._name)
        if self._given:
            refuse_beside_table(self, validation)
            columns = np.arange(items.shape[1])
        if condition is not None:
            refuse_beside_condition(self, told.known, validation)
        told, beside = adjacent_in(told, items, ADJACENT.information * len(items), who=self._name)
        anchors = told.known.get("Anchors")
        pins = pins_among(items, anchors, self.n_components_, who=self._name)
        if self.kernel == "quartic" and len(items) > _PATH_ROWS:
            pins = None  # the path is that of some rows
        data = items if pins is None and validation is None else (items, anchors, validation)
        thread = pick_up(self, data, len(items) * self.n_components_)
        again = partial(self._follow, items, columns, None, beside=beside)
        held_out, left, is_held = None, None, False
        if validation is not None:
            held_out = in_front(self._checked(validation, reset=False), told.front, who=self._name)
        if condition is not None:
            factors = Factors.of(condition, items[:, columns], who=self._name)
            told = replace(told, of_each=factors.said("the map tells what it does not"))
            found = self._map_beside(items, columns, factors)
        elif self.bandwidth == "learned" or self.power is not None:
            refuse_in_turns(self, validation)
            found = adjusted_map(again, items[:, columns], self.power, who=self._name)
        elif held_out is None and self.validation_fraction > 0:
            followed = ended_by_held_out(self._follow, items, columns, beside, self)
            found, is_held, _ = with_rows_held(followed, pins, again)
        else:
            at, later = (thread.where, None) if pins is None else thread.where or (None, None)
            followed = self._follow(items, columns, held_out, beside=beside, left_off=at)
            followed = with_rows_brought(followed, items[:, columns], self, again)
            found, is_held, rest = with_rows_held(followed, pins, again, left_off=later)
            left = thread.left_at(rest)
        told = told.held(found.points, who=self._name) if is_held else told.not_held()
        warn_if_collapsed(found.points, found.facts["alpha_"], found.facts["onset_"], self._name)
        return self._adopt(told, found, left)

    def _places_behind(self, kind: str, known: dict[str, Any]) -> bool:
        tied = self.penalty != "l2" or self.power is not None or self.bandwidth == "learned"
        return tied or "Condition" in known or super()._places_behind(kind, known)

    @property
    def _leaves_one_out(self) -> bool:
        """Whether sums leave b = a out: without that a bandwidth that is learned would be none."""
        return bool(self.leave_one_out) or self.bandwidth == "learned"

    def _follow(
        self,
        items: FloatArray,
        columns: IntArray,
        held_out: FloatArray | None,
        *,
        beside: Adjacent = NOTHING_ADJACENT,
        path: Path | None = None,
        at: FloatArray | None = None,
        held: Held | None = None,
        left_off: tuple[int, int, FloatArray] | None = None,
    ) -> Followed:
        """Fit all rows, in the order of their values: the order of X must not show."""
        order = np.lexsort(items[:, columns].T[::-1])
        given, items = items, items[order]
        near, penalty = beside.renumbered(np.argsort(order)), penalty_for(self.penalty)
        if held is not None:
            held, penalty = held.renumbered(np.argsort(order)), about_mean(penalty)
        Y = items[:, columns]
        kernel, shape, who = kernel_for(self.kernel, Y), (len(Y), self.n_components_), self._name
        pairs = pairs_of(Y, kernel, n_threads=count_threads(self.n_jobs, who=who), who=who)
        ends = ends_of_path(
            self.bandwidth,
            Y,
            kernel,
            self.n_components_,
            shrinks=self.continuation == "both",
            judged=held_out is not None,
        )

        def density_of(Z: FloatArray, h: float) -> JointDensity:
            return JointDensity(items, Z, columns, kernel, ends.placing(Y, Z, kernel, h))

        def error_at(h: float, Z: FloatArray) -> float:
            return density_of(Z, h).reconstruction_error(np.asarray(held_out))

        ways: list[Callable[[], Way]]
        if path is not None:
            ways = [partial(self._way_along, path, Y, pairs, order, at)]
        elif self.kernel == "quartic" and len(Y) > _PATH_ROWS:
            ways = [partial(self._way_of_part, items, order, held_out)]
        else:
            ways = [
                partial(self._way_from, widest, Y, ends, pairs, order) for widest in ends.widest
            ]

        def follow(path: Path, start: FloatArray, first: int) -> Continuation:
            return path.follow(
                pairs,
                start.reshape(shape),
                penalty,
                leave_one_out=self._leaves_one_out,
                first=first,
                max_iter=self.max_iter,
                tol=self.tol,
                judge=None if held_out is None else error_at,
                who=who,
                beside=near,
                held=held,
                aside=step_aside(Y, self.n_components_),
            )

        number, way, first, found = follow_best(ways, follow, left_off)
        Z, h = found.x.reshape(shape), float(way.path.bandwidths[found.step])
        alpha = float(way.path.penalties[found.step])
        facts = facts_of_path(way, first, found) | facts_of_end(Z, pairs, h, alpha, penalty, near)
        seen = Z if held is None else Z - Z.mean(axis=0)
        places = on_axes(seen, self.penalty)[np.argsort(order)]
        density = replace(density_of(Z, h), items=given, points=places)
        unfinished = found.interrupted or (held_out is None and not found.converged)
        end = (number, found.step, found.x)
        made = Map(places, ByDensity(density), facts)
        return Followed(way.path, made, end, not unfinished, found.interrupted)

    def _way_along(
        self, path: Path, Y: FloatArray, pairs: Information, order: IntArray, at: FloatArray | None
    ) -> Way:
        """A path that is given, from points that are, or from where they begin to unfold."""
        onset = self._find_onset(pairs, float(path.bandwidths[0]), len(Y))
        start = self._start(Y, onset, order) if at is None else at[order]
        return Way(path, start, float(onset.penalties[0]))

    def _way_from(
        self, widest: float, Y: FloatArray, ends: PathEnds, pairs: Information, order: IntArray
    ) -> Way:
        """A path that begins with a bandwidth, where the points begin to unfold with it."""
        onset = self._find_onset(pairs, widest, len(Y))
        alpha = ends.final_penalty(self.alpha, onset)
        if self.continuation == "none":
            path = Path(np.array([ends.final]), np.array([alpha]))
        else:
            begin, end = (widest, first_penalty(onset, alpha)), (ends.final, alpha)
            path = Path.between(begin, end, self.n_steps, arrival=ends.arrival)
        return Way(path, self._start(Y, onset, order), float(onset.penalties[0]))

    def _find_onset(self, pairs: Information, bandwidth: float, n: int) -> Onset:
        K, d, alone = pairs.kernel(bandwidth), self.n_components_, self._leaves_one_out
        return find_onset(pairs, K, n, d, leave_one_out=alone, who=self._name)

    def _way_of_part(self, items: FloatArray, order: IntArray, held_out: FloatArray | None) -> Way:
        """Follow the path with some rows and a Gaussian, where a wide kernel would be dense."""
        part = evenly_spaced(len(items), _PATH_ROWS)
        init = self.init
        if not isinstance(init, str) and np.ndim(init) == 2:
            init = np.asarray(init)[order[part]]
        changed = {"validation_fraction": 0.0, "warm_start": False}
        model = clone(self).set_params(kernel="gaussian", init=init, **changed)
        model.fit(items[part], validation=held_out)
        last = Path(np.array([model.bandwidth_]), np.array([model.alpha_]))
        return Way(last, model.posterior(items)[0], model.onset_)

    def _start(self, Y: FloatArray, onset: Onset, order: IntArray) -> FloatArray:
        return first_points(
            self.init,
            Y,
            onset.directions,
            order=order,
            spread=None if self.continuation == "none" else START_SPREAD,
            random_state=self.random_state,
            who=self._name,
        )

    def _map_beside(self, items: FloatArray, columns: IntArray, factors: Factors) -> Map:
        """Maximise conditional information, beside all factors that show."""
        Y = items[:, columns]
        if not any(factors.shown):
            again = partial(self._follow, items, columns, None)
            plain = with_rows_brought(again(), Y, self, again).map
            assert isinstance(plain.place, ByDensity)
            return replace(plain, place=replace(plain.place, factor=factors.as_one()))
        penalty = penalty_for(self.penalty)
        alpha = ALPHA if self.alpha == "auto" else float(self.alpha)
        found = map_by_conditional_information(
            Y,
            factors.kernel(),
            self.n_components_,
            bandwidth=self.bandwidth,
            alpha=alpha,
            penalty=penalty,
            max_iter=self.max_iter,
            tol=self.tol,
            who=self._name,
        )
        Z = on_own_axes(found.points, found.compared, self.penalty)
        kernel = kernel_for(self.kernel, Y)
        h = bandwidth_of_placing(self.bandwidth, Y, Z, kernel)
        place = ByDensity(JointDensity(items, Z, columns, kernel, h), factors.beside(Y, Z))
        return Map(Z, place, found.facts(Z, h, alpha, penalty))
