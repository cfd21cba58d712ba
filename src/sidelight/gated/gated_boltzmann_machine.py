"""The gated Boltzmann machine (latent-factor thesis sections 5.2 to 5.4)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import chain
from typing import Any, ClassVar, Self

import numpy as np

from sidelight.core import (
    RANDOM_STATE,
    FloatArray,
    IntArray,
    OneOf,
    Real,
    Whole,
    fitting_afresh,
    random_generator,
    refuse_without_effect,
    require_memory,
    unchanged_if_refused,
)
from sidelight.gated.boltzmann import (
    KINDS,
    NOTHING,
    RATES,
    Contrast,
    Machine,
    basis_flow_of,
    bytes_of_draws,
    distance_table,
    distances_of_pairs,
    divergence,
    draws_of,
    expected_of,
    filters_of,
    first_chains,
    first_machine,
    given_batches,
    hidden_of,
    judging_parts,
    log_densities_of,
    mappings_of,
    outputs_of,
    require_room,
    shuffled_batches,
    strongest_outputs,
)
from sidelight.gated.optimiser import Moments
from sidelight.gated.pair_model import UNITS, PairModel, of_pairs
from sidelight.gated.premapping import LAYERS, layers_of
from sidelight.gated.rows import (
    DEVICE,
    ReadBatches,
    array_of,
    check_whole,
    generator_of,
    is_stream,
    read_batch,
    read_mappings,
    read_row_pairs,
    without_labels,
)
from sidelight.gated.training import LEARNING, Pair, kept_rows, learn


class GatedBoltzmannMachine(PairModel):
    """Gated Boltzmann machine: what becomes of an input, in mapping units that tell how.

    Pairs of an input x and an output y are explained by binary mapping units z,

        p(y, z | x) = exp S(y, z; x) / Z(x),
        S = Σ W_ijk x_i y_j z_k + Σ W_ij x_i y_j + Σ W_ik x_i z_k + Σ W_jk y_j z_k + Σ b_j y_j
            + Σ c_k z_k

    (5.1), (5.7), learned by contrastive divergence (5.9).  Given a pair the mapping units are
    independent, σ(Σ_ij W_ijk x_i y_j + …): they say how x became y, whatever x is, and can be
    applied to another input (an analogy).  ``fit(X)`` alone, without inputs, is a restricted
    Boltzmann machine of the rows of X.

    Parameters
    ----------
    n_components : int
        Mapping units.
    output : {"binary", "gaussian", "multinomial", "poisson"}
        What outputs are: in [0, 1]; real, N(b + νWz, ν²) (5.12), at a common scale; one of
        ``n_states`` in every run of so many columns; counts.
    input : {"same", "binary", "gaussian", "multinomial", "poisson"}
        What inputs are.  They are conditioned on and need no distribution; their values are
        checked, they are centred, and real ones are brought to a common scale.
    n_factors : int, optional
        W_ijk = Σ_f X_if Y_jf Z_kf with so many factors; None is the full three-way array.
    premapping : int or tuple of int, optional
        Inputs are mapped first, φ(x) for x (5.18): linearly to so many features, or by layers of
        so many tanh units of which the last is linear, learned together with the rest.
    nu : float
        ν of Gaussian outputs, in units of their standard deviation.
    n_states : int, optional
        Columns of a multinomial unit; None is all of them.
    n_steps : int
        Steps of the chains of contrastive divergence.
    persistent : bool
        Whether chains go on from their last ends, instead of from the data: ``batch_size`` of them,
        which move at every step; those of inputs, one of each pair, when it is its turn.
    chain_ends : {"auto", "mean", "sample"}
        Whether chains end in the mean of the last outputs or in a draw: ``"auto"`` is the mean, but
        draws where chains are persistent.  Only draws lead to the gradient of the likelihood as
        ``n_steps`` grows.
    learning_rate : float or "auto"
        The length of a step, as a change of what a unit is told; in ``fit`` it shrinks to nothing
        in the second half.  ``"auto"`` is 0.1, and 0.02 where chains are persistent: those must
        keep up with the weights.
    momentum : float
        The share of the last direction that a step keeps.
    weight_decay : float
        The share of a weight that a step of length one takes away; a step takes ``learning_rate``
        times as much, and at most all of it.
    batch_size : int
        Pairs of a step of ``fit``; chains of rows that stand alone, where those are persistent.
    max_iter : int
        Steps of ``fit``.
    validation_fraction : float, optional
        The share of the pairs that ``fit`` keeps from learning: the best weights on them are
        taken, and learning ends where none are better for so many steps.
    n_iter_no_change : int
        Those steps.
    device : str
        Where it computes: ``"auto"`` is the graphics processor (cuda) where torch has one, else the
        processor; or a torch device by its name.  What is learned is kept in ordinary arrays, and
        a model file is read on any machine.
    random_state : int, Generator, RandomState or None
        For first weights, the order of pairs and the draws of chains.

    Attributes
    ----------
    n_iter_ : int
        Steps taken.
    history_ : ndarray of shape (n_looks,)
        Every 25 steps, Σ_j (y_j − ŷ_j)² of the batch, or of what is kept from learning, ŷ what
        comes of x by the mapping units inferred.
    n_features_in_ : int
        Columns of X.
    n_outputs_ : int
        Columns of Y; of X where it stands alone.

    Notes
    -----
    Early learning sits on a plateau of some hundred steps, where mapping units are still alike:
    ``history_`` hardly falls, and then does.  Steps are scaled by the running size of gradients
    (Adam), and inputs are centred, which gets past it: weights of rare coincidences x_i y_j move as
    fast as others, and what all inputs have in common does not drown what tells them apart.

    Learning draws, so that results agree between processors in what they say but not to the bit.

    References
    ----------
    R. Memisevic and G. Hinton (2007), "Unsupervised learning of image transformations".

    Examples
    --------
    Rows are turned by one place, to the left or to the right.

    >>> import numpy as np
    >>> from sidelight.gated import GatedBoltzmannMachine
    >>> rng = np.random.default_rng(0)
    >>> X = (rng.random((2000, 8)) < 0.3).astype(float)
    >>> left = rng.random(2000) < 0.5
    >>> Y = np.where(left[:, None], np.roll(X, -1, axis=1), np.roll(X, 1, axis=1))
    >>> model = GatedBoltzmannMachine(4, max_iter=1000).fit(X, Y)
    >>> z = model.infer([[0, 0, 1, 0, 1, 1, 0, 0]], [[0, 1, 0, 1, 1, 0, 0, 0]])
    >>> model.apply(z, [[1, 0, 0, 0, 0, 0, 1, 0]]).round().astype(int)
    array([[0, 0, 0, 0, 0, 1, 0, 1]])
    """

    _parameters: ClassVar[Any] = {
        "n_components": (Whole(1),),
        **UNITS,
        "n_factors": (Whole(1), OneOf((None,))),
        "premapping": (Whole(1), LAYERS, OneOf((None,))),
        "nu": (Real(0, open_below=True),),
        "n_steps": (Whole(1),),
        "persistent": (OneOf((True, False)),),
        "chain_ends": (OneOf(("auto", "mean", "sample")),),
        **DEVICE,
        "random_state": (RANDOM_STATE,),
        **LEARNING,
        "learning_rate": (*LEARNING["learning_rate"], OneOf(("auto",))),
    }

    _kept: ClassVar[str] = "_machine"
    _machine: Machine
    _moments: Moments
    _chains: FloatArray
    n_iter_: int

    def __init__(
        self,
        n_components: int = 20,
        *,
        output: str = "binary",
        input: str = "same",
        n_factors: int | None = None,
        premapping: int | tuple[int, ...] | None = None,
        nu: float = 1.0,
        n_states: int | None = None,
        n_steps: int = 1,
        persistent: bool = False,
        chain_ends: str = "auto",
        learning_rate: float | str = "auto",
        momentum: float = 0.9,
        weight_decay: float = 0.0,
        batch_size: int = 100,
        max_iter: int = 2000,
        validation_fraction: float | None = None,
        n_iter_no_change: int = 500,
        device: str = "auto",
        random_state: Any = 0,
    ) -> None:
        self.n_components = n_components
        self.output = output
        self.input = input
        self.n_factors = n_factors
        self.premapping = premapping
        self.nu = nu
        self.n_states = n_states
        self.n_steps = n_steps
        self.persistent = persistent
        self.chain_ends = chain_ends
        self.learning_rate = learning_rate
        self.momentum = momentum
        self.weight_decay = weight_decay
        self.batch_size = batch_size
        self.max_iter = max_iter
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.device = device
        self.random_state = random_state

    @fitting_afresh
    def fit(self, X: Any, Y: Any = None, *, validation: Any = None) -> Self:
        """Learn how rows of X become those of Y.

        Parameters
        ----------
        X : array of shape (n_pairs, n_features)
            Inputs; without Y the rows that a restricted Boltzmann machine learns.
        Y : array of shape (n_pairs, n_outputs), optional
            Outputs, row by row.  Labels, words or whole numbers in one dimension, are none.
        validation : tuple (X, Y) or array, optional
            Pairs, or rows that stand alone, that judge in place of ``validation_fraction``.

        Returns
        -------
        GatedBoltzmannMachine
            The fitted estimator.
        """
        x, y = self._read(X, Y, new=True, judged=validation is not None)
        rng = random_generator(self.random_state)
        self._machine, self._moments = self._first(x, y, rng, self.batch_size), Moments()
        order, total = rng.spawn(1)[0], self.max_iter
        learning, judging = kept_rows(self, len(y), order)
        judges = (x[judging], y[judging]) if validation is None else self._judges(validation)
        machine = self._learned
        kept = judging_parts(machine, *judges)
        x, y = x[learning], y[learning]
        chains = first_chains(machine, y, self.batch_size) if self.persistent else None
        batches = shuffled_batches(machine, x, y, self.batch_size, total, order)
        return self._learn(rng, batches, total=total, chains=chains, kept=kept)

    def partial_fit(self, X: Any, Y: Any = None) -> Self:
        """Go on learning, by one batch or by those of a stream.

        Parameters
        ----------
        X : array of shape (n_pairs, n_features), or iterable of pairs (X, Y)
            Inputs of a batch, or batches one after another (without inputs, arrays) from an
            iterator, a loader or a list.  Where one cannot be had or read, what was learned from
            those before is kept, and the error says which it is.
        Y : array of shape (n_pairs, n_outputs), optional
            Outputs of a batch.

        Returns
        -------
        GatedBoltzmannMachine
            The fitted estimator.
        """
        why = "in partial_fit, whose rows do not come again"
        refuse_without_effect(self, ["validation_fraction"], why)
        if not is_stream(X) and not (isinstance(X, list) and not X):
            with unchanged_if_refused(self):
                return self._go_on(self._read_next(X, Y), [])
        who = f"{self._name}.partial_fit"
        if Y is not None:
            raise ValueError(f"{who} got batches, which bring their Y, and Y beside. Leave Y out.")
        batches = ReadBatches(X, lambda one: self._read_next(*read_batch(one, who=who)), who=who)
        with unchanged_if_refused(self):
            first = next(batches, None)
            if batches.fault is not None:
                raise batches.fault
            if first is None:
                stream = "a list" if isinstance(X, list) else "an iterator"
                raise ValueError(
                    f"{who} got {stream} that gives no batch. Give at least one pair (X, Y); an "
                    f"iterator that was gone through once is empty."
                )
            self._go_on(first, batches)
        if batches.fault is not None:
            raise batches.fault
        return self

    def infer(self, X: Any, Y: Any) -> FloatArray:
        """Say how inputs became outputs.

        Parameters
        ----------
        X : array of shape (n_pairs, n_features)
            Inputs.
        Y : array of shape (n_pairs, n_outputs)
            Outputs.

        Returns
        -------
        ndarray of shape (n_pairs, n_components)
            p(z_k = 1 | x, y) (5.5).
        """
        return mappings_of(self._learned, *self._pairs(X, Y))

    def apply(self, Z: Any, X: Any) -> FloatArray:
        """Do to inputs what mapping units say.

        Parameters
        ----------
        Z : array of shape (n_samples, n_components)
            Mapping units, as ``infer`` gives them, or one row for all inputs.
        X : array of shape (n_samples, n_features)
            Inputs.

        Returns
        -------
        ndarray of shape (n_samples, n_outputs)
            E[y | x, z] (5.6), (5.12).
        """
        x = self._inputs(X)
        z = read_mappings(Z, self._machine.n_mappings, len(x), who=self._name)
        return outputs_of(self._learned, z, x)

    @of_pairs
    def predict(self, X: Any, *, random_state: Any = 0) -> FloatArray:
        """Predict outputs by their mean, whatever becomes of the inputs.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Inputs.
        random_state : int, Generator, RandomState or None
            Of the annealed importance sampling by which the mean is found where there are more
            than 18 mapping units (and, of binary ones, outputs); with fewer it is exact.

        Returns
        -------
        ndarray of shape (n_samples, n_outputs)
            E[y | x] = Σ_z p(z | x) E[y | x, z].
        """
        x, machine = self._inputs(X), self._learned
        draws = generator_of(random_generator(random_state), machine.exact.device)
        return expected_of(machine, x, draws)

    def transform(self, X: Any) -> FloatArray:
        """Infer the hidden units of rows, where they stand alone.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            p(z_k = 1 | y).
        """
        return hidden_of(self._learned, self._alone(X))

    def sample(
        self, X: Any = None, n_samples: int = 1, *, n_steps: int = 1000, random_state: Any = 0
    ) -> FloatArray:
        """Draw outputs: of each input, or, where rows stand alone, new rows.

        Parameters
        ----------
        X : array of shape (n_inputs, n_features), optional
            Inputs.
        n_samples : int
            Draws of each, chains of their own.
        n_steps : int
            Steps of a chain, which begins at outputs without mapping units.
        random_state : int, Generator, RandomState or None
            Of the draws.

        Returns
        -------
        ndarray of shape (n_inputs, n_samples, n_outputs) or (n_samples, n_outputs)
            Outputs.
        """
        for name, value in (("n_samples", n_samples), ("n_steps", n_steps)):
            check_whole(value, 1, who=f"{self._name}.sample", name=name)
        machine = self._learned
        x = NOTHING if X is None and not machine.n_inputs else self._inputs(X)
        require_memory(
            bytes_of_draws(machine, len(x), n_samples),
            what=f"{n_samples} draws of {machine.n_outputs} outputs for each of {len(x)} inputs",
            who=f"{self._name}.sample",
            instead="Draw fewer at a time, each time with another random_state.",
        )
        draws = generator_of(random_generator(random_state), machine.device)
        y = draws_of(machine, x, n_samples, n_steps, draws)
        return y if machine.n_inputs else y[0]

    def score_samples(self, X: Any, Y: Any = None, *, random_state: Any = 0) -> FloatArray:
        """Compute log p(y | x), or log p of rows that stand alone.

        Parameters
        ----------
        X : array of shape (n_pairs, n_features)
            Inputs, or the rows themselves.
        Y : array of shape (n_pairs, n_outputs), optional
            Outputs.
        random_state : int, Generator, RandomState or None
            Of the annealed importance sampling by which Z(x) is found where there are more than
            18 mapping units (and, of binary ones, outputs), or 22 where rows stand alone; with
            fewer it is exact.

        Returns
        -------
        ndarray of shape (n_pairs,)
            Log probabilities; densities of Gaussian outputs.
        """
        machine, Y = self._learned, without_labels(Y)
        x, y = (NOTHING, self._alone(X)) if Y is None else self._pairs(X, Y)
        draws = generator_of(random_generator(random_state), machine.exact.device)
        return log_densities_of(machine, x, y, draws)

    def score(self, X: Any, y: Any = None) -> float:
        """Compute the mean log probability.

        Parameters
        ----------
        X : array of shape (n_pairs, n_features)
            Inputs, or rows that stand alone.
        y : array of shape (n_pairs, n_outputs), optional
            Outputs.

        Returns
        -------
        float
            The mean of ``score_samples``.
        """
        return float(self.score_samples(X, y).mean())

    def filters(self, X: Any) -> FloatArray:
        """The filters that an input makes of the weights.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Inputs.

        Returns
        -------
        ndarray of shape (n_samples, n_outputs, n_components)
            Ŵ_jk = Σ_i W_ijk x_i + W_jk (5.10), x centred.
        """
        x = self._inputs(X)
        J, K = self._machine.n_outputs, self._machine.n_mappings
        require_memory(
            8.0 * len(x) * J * K,
            what=f"{J} × {K} filters of each of {len(x)} inputs",
            who=f"{self._name}.filters",
            instead="Ask for those of fewer inputs at a time.",
        )
        return filters_of(x, self._learned)

    def flow(self, X: Any, Y: Any) -> IntArray:
        """The output that every input goes to: its strongest connection (§5.2.4).

        Parameters
        ----------
        X : array of shape (n_pairs, n_features)
            Inputs.
        Y : array of shape (n_pairs, n_outputs)
            Outputs.

        Returns
        -------
        ndarray of shape (n_pairs, n_features)
            argmax_j Σ_k W_ijk z_k + W_ij, z inferred from the pair.
        """
        self._learned.refuse_features(who=f"{self._name}.flow")
        return strongest_outputs(self.infer(X, Y), self._learned)

    def basis_flow(self) -> FloatArray:
        """What each mapping unit does by itself: its connections from inputs to outputs (§5.4.1).

        Returns
        -------
        ndarray of shape (n_components, n_features, n_outputs)
            W_ijk, unit by unit, as :func:`sidelight.plot.basis_flow_fields` draws them.
        """
        self._learned.refuse_features(who=f"{self._name}.basis_flow")
        I, J, K = self._machine.n_inputs, self._machine.n_outputs, self._machine.n_mappings
        require_memory(
            12.0 * I * J * K,
            what=f"{K} tables of {I} × {J} connections",
            who=f"{self._name}.basis_flow",
            instead="Look at the filters of single inputs, filters(X).",
        )
        return basis_flow_of(self._learned)

    def distances(
        self,
        X: Any,
        Y: Any = None,
        *,
        kind: str = "mean",
        symmetric: bool = False,
        pairs: Any = None,
    ) -> FloatArray:
        """How far outputs are from what can be made of inputs: the invariant metric (§5.4.2).

        Parameters
        ----------
        X : array of shape (n, n_features)
            Inputs.
        Y : array of shape (m, n_outputs), optional
            Outputs; X itself by default.
        kind : {"mean", "likeliest"}
            Whether mapping units and outputs are inferred by their means or their likeliest states.
        symmetric : bool
            Whether to take the mean of both ways.
        pairs : tuple of two int arrays of shape (n_pairs,), optional
            Row numbers of X and of Y: the distances of these pairs alone.

        Returns
        -------
        ndarray of shape (n, m), or (n_pairs,)
            ‖y − ŷ‖, ŷ what comes of x by the mapping units inferred from x and y.
        """
        if kind not in KINDS:
            raise ValueError(
                f"The 'kind' argument of {self._name}.distances must be 'mean' or 'likeliest'. "
                f"Got {kind!r} instead."
            )
        x, y = self._inputs(X), self._outputs(X if Y is None else Y)
        one_set, machine = Y is None or Y is X, self._learned

        def both_ways() -> tuple[FloatArray, FloatArray]:
            return (x, y) if one_set else (self._inputs(Y), self._outputs(X))

        if pairs is not None:
            i, j = read_row_pairs(pairs, len(x), len(y), who=f"{self._name}.distances")
            d = distances_of_pairs(machine, x, y, (i, j), kind)
            if symmetric:
                d = (d + distances_of_pairs(machine, *both_ways(), (j, i), kind)) / 2
            return d
        require_memory(
            16.0 * len(x) * len(y),
            what=f"the {len(x)} × {len(y)} table of distances",
            who=f"{self._name}.distances",
            instead="Ask for fewer rows at a time.",
        )
        D = distance_table(machine, x, y, kind)
        if symmetric:
            back = D if one_set else distance_table(machine, *both_ways(), kind)
            D = (D + back.T) / 2
        return D

    @property
    def _n_features_out(self) -> int:
        return self._machine.n_mappings

    def _first(
        self, x: FloatArray, y: FloatArray, rng: np.random.Generator, n_rows: int
    ) -> Machine:
        """The machine that learning begins with, by batches of so many rows."""
        layers = layers_of(self.premapping)
        sizes = (layers[-1] if layers else x.shape[1], y.shape[1], self.n_components)
        require_room(sizes, n_rows if x.shape[1] else 1, self.n_factors, who=self._name)
        self.n_outputs_ = y.shape[1]
        return first_machine(
            x,
            y,
            self._units(y),
            self.n_components,
            rng,
            input_units=self._units_of_inputs(x) if x.shape[1] else None,
            n_factors=self.n_factors,
            layers=layers,
        )

    def _read_next(self, X: Any, Y: Any) -> tuple[FloatArray, FloatArray]:
        x, y = self._read(X, Y, new=not hasattr(self, "_machine"))
        if x.shape[1]:
            why = "in partial_fit of pairs, of which each has a chain and does not come again"
            refuse_without_effect(self, ["persistent"], why)
        if hasattr(self, "_machine"):
            self._machine.require_room(len(y), who=self._name)
        return x, y

    def _go_on(self, first: Pair, more: Iterable[Pair]) -> Self:
        """Learn from the batch that was read, and then from more."""
        rng = random_generator(self.random_state)
        if not hasattr(self, "_machine"):
            self._machine, self._moments = self._first(*first, rng, len(first[1])), Moments()
        else:  # later batches have draws of their own, and what is refused changes nothing
            rng = np.random.default_rng([int(rng.integers(2**32)), self.n_iter_])
            self._moments = self._moments.copied()
        machine, last = self._learned, getattr(self, "_chains", None)
        chains = first_chains(machine, first[1], self.batch_size, last) if self.persistent else None
        batches = given_batches(machine, chain([first], more))
        return self._learn(rng, batches, chains=chains)

    def _learn(
        self, rng: np.random.Generator, batches: Any, *, chains: Any = None, **more: Any
    ) -> Self:
        ends_in_mean = {"mean": True, "sample": False}.get(self.chain_ends, not self.persistent)
        machine = self._learned
        draws = generator_of(rng, machine.device)
        contrast = Contrast(machine.units, self.n_steps, draws, ends_in_mean)
        objective = divergence(contrast, chains, of_rows=machine.n_inputs > 0)
        rate = RATES.chosen(self.learning_rate, persistent=chains is not None)
        weights = learn(self, machine, objective, batches, self._moments, rate=rate, **more)
        self._machine = replace(self._machine, weights=weights)
        if chains is not None and not machine.n_inputs:
            self._chains = array_of(chains)
        return self
