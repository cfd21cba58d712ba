"""The manners of conditional auto-encoders: fit, codes, reconstructions, predictions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, Self, cast

import numpy as np

from sidelight.core import (
    RANDOM_STATE,
    FloatArray,
    OneOf,
    Real,
    Whole,
    fitting_afresh,
    random_generator,
    refuse_without_effect,
    require_memory,
)
from sidelight.gated.autoencoding.network import Network, first_network
from sidelight.gated.autoencoding.objective import Reconstruction
from sidelight.gated.optimiser import Moments
from sidelight.gated.pair_model import UNITS, PairModel
from sidelight.gated.premapping import LAYERS, layers_of
from sidelight.gated.rows import DEVICE, check_whole, generator_of, in_double, read_mappings
from sidelight.gated.training import LEARNING, Objective, kept_rows, learn, rows_in_turn

#: The parameters that all of them have.
PARAMETERS: dict[str, Any] = {
    "n_components": (Whole(1),),
    "layers": (Whole(1), LAYERS, OneOf((None,))),
    "code": (OneOf(("linear", "tanh")),),
    **UNITS,
    "premapping": (Whole(1), LAYERS, OneOf((None,))),
    "noise": (Real(0),),
    **LEARNING,
    **DEVICE,
    "random_state": (RANDOM_STATE,),
}


class ConditionalAutoencoder(PairModel):
    """An auto-encoder of outputs, made by inputs; of rows that stand alone, a plain one."""

    _parameters: ClassVar[Any] = PARAMETERS
    _kept: ClassVar[str] = "_network"
    #: Whether inputs gate the connections, not only the biases.
    _gates: ClassVar[bool]
    n_components: int
    layers: int | tuple[int, ...] | None
    code: str
    premapping: int | tuple[int, ...] | None
    noise: float
    batch_size: int
    max_iter: int
    random_state: Any
    _network: Network
    _moments: Moments

    @fitting_afresh
    def fit(self, X: Any, Y: Any = None, *, validation: Any = None) -> Self:
        """Learn the manifold of the rows of Y, given those of X.

        Parameters
        ----------
        X : array of shape (n_pairs, n_features)
            Inputs; without Y the rows that a plain auto-encoder learns.
        Y : array of shape (n_pairs, n_outputs), optional
            Outputs, row by row.  Labels, words or whole numbers in one dimension, are none.
        validation : tuple (X, Y) or array, optional
            Pairs, or rows that stand alone, that judge in place of ``validation_fraction``.

        Returns
        -------
        ConditionalAutoencoder
            The fitted estimator.
        """
        x, y = self._read(X, Y, new=True, judged=validation is not None)
        alone = not x.shape[1]
        if alone:
            refuse_without_effect(self, self._of_pairs(), "on rows that stand alone: give X and Y")
        if self.output != "gaussian" and self.noise > 1:
            raise ValueError(
                f"The 'noise' parameter of {self._name} must be a share, at most 1, with output="
                f"{self.output!r}. Got {self.noise!r} instead."
            )
        rng = random_generator(self.random_state)
        self._network, self._moments = self._first(x, y, rng), Moments()
        self.n_outputs_, network = y.shape[1], self._learned
        order = rng.spawn(1)[0]
        learning, judging = kept_rows(self, len(y), order)
        pairs = network.inputs(x[learning]), network.outputs(y[learning])
        judges = (x[judging], y[judging]) if validation is None else self._judges(validation)
        kept = network.in_parts(*judges)
        rows = rows_in_turn(len(pairs[1]), self.batch_size, self.max_iter, order, network.device)
        batches = (tuple(part[some] for part in pairs) for some in rows)
        lowered = Reconstruction(
            network.units,
            self.code,
            self.noise,
            self._from_guess and not alone,
            generator_of(rng, network.device),
        )
        weights = learn(
            self,
            network,
            Objective("reconstruction", lowered.loss, lowered.error),
            batches,
            self._moments,
            total=self.max_iter,
            kept=kept,
        )
        self._network = replace(self._network, weights=weights)
        return self

    def infer(self, X: Any, Y: Any) -> FloatArray:
        """Encode outputs, given their inputs.

        Parameters
        ----------
        X : array of shape (n_pairs, n_features)
            Inputs.
        Y : array of shape (n_pairs, n_outputs)
            Outputs.

        Returns
        -------
        ndarray of shape (n_pairs, n_components)
            Codes.
        """
        return np.asarray(in_double(self._learned.encode(*self._pairs(X, Y))))

    def apply(self, Z: Any, X: Any) -> FloatArray:
        """Decode codes, given inputs.

        Parameters
        ----------
        Z : array of shape (n_samples, n_components)
            Codes, or one row for all inputs.
        X : array of shape (n_samples, n_features)
            Inputs.

        Returns
        -------
        ndarray of shape (n_samples, n_outputs)
            Outputs.
        """
        x, network = self._inputs(X), self._learned
        z = read_mappings(Z, network.n_codes, len(x), who=self._name)
        return cast(FloatArray, network.decode(z, x))

    def reconstruct(self, X: Any, Y: Any, *, n_steps: int = 1) -> FloatArray:
        """Project outputs onto the manifold that their inputs make.

        Parameters
        ----------
        X : array of shape (n_pairs, n_features)
            Inputs.
        Y : array of shape (n_pairs, n_outputs)
            Outputs.
        n_steps : int
            How often they go through the network, one after the other.

        Returns
        -------
        ndarray of shape (n_pairs, n_outputs)
            Outputs on the manifold.
        """
        return self._projected(*self._pairs(X, Y), n_steps)

    def transform(self, X: Any) -> FloatArray:
        """Encode rows that stand alone.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            Codes.
        """
        y = self._alone(X)
        return np.asarray(in_double(self._learned.encode(np.empty((len(y), 0)), y)))

    def inverse_transform(self, Z: Any) -> FloatArray:
        """Decode codes of rows that stand alone.

        Parameters
        ----------
        Z : array of shape (n_samples, n_components)
            Codes.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            Rows.
        """
        network = self._learned
        if network.n_inputs:
            raise ValueError(
                f"This {self._name} was fitted to pairs, so that codes lead to outputs by way of "
                f"inputs. Call apply(Z, X)."
            )
        z = read_mappings(Z, network.n_codes, None, who=self._name)
        return cast(FloatArray, network.decode(z, np.empty((len(z), 0))))

    @property
    def _n_features_out(self) -> int:
        return self._network.n_codes

    def _projected(self, x: FloatArray, y: FloatArray, n_steps: int) -> FloatArray:
        """What goes through the network so often."""
        check_whole(n_steps, 1, who=self._name, name="n_steps")
        network = self._learned
        for _ in range(n_steps):
            y = network.decode(network.encode(x, y), x)
        return y

    @property
    def _from_guess(self) -> bool:
        """Whether codes are those of a guess, and not of outputs, while it learns."""
        return False

    def _of_pairs(self) -> list[str]:
        """Parameters that say something of inputs."""
        return []

    def _first(self, x: FloatArray, y: FloatArray, rng: np.random.Generator) -> Network:
        layers, sizes = layers_of(self.premapping), (*layers_of(self.layers), self.n_components)
        I, J, H = (x.shape[1], *layers)[-1], y.shape[1], sizes[0]
        gated = self._gates and x.shape[1]
        between = self.batch_size * min(I * J, I * H, J * H) if gated else 0
        require_memory(
            64.0 * J * H * (I if gated else 1) + 16.0 * between,
            what=f"learning {I} × {J} × {H} weights" if gated else f"learning {J} × {H} weights",
            who=self._name,
            instead="Give a premapping, fewer units or smaller batches.",
        )
        return first_network(
            x,
            y,
            self._units(y),
            sizes,
            rng,
            input_units=self._units_of_inputs(x) if x.shape[1] else None,
            gates=self._gates,
            guesses=self._from_guess,
            code=self.code,
            layers=layers,
        )
