"""The gated auto-encoder (latent-factor thesis section 6.2.1)."""

from __future__ import annotations

from typing import Any, ClassVar

from sidelight.core import FloatArray, OneOf
from sidelight.gated.autoencoding import PARAMETERS, ConditionalAutoencoder
from sidelight.gated.pair_model import of_pairs


class GatedAutoencoder(ConditionalAutoencoder):
    """Gated auto-encoder: the manifold of outputs, its connections made by the inputs.

    Codes and reconstructions of an output y are those of a network whose weights are functions of
    the input x,

        z_k = Σ_ij A_ijk x_i y_j + …,    ŷ_j = Σ_ik W_ijk x_i z_k + …

    (6.3), (6.4), with all biases, learned by gradients of −log p(y | ŷ).  Codes say how x becomes
    y, and can be applied to another input.  ``fit(X)`` alone, without inputs, is a plain
    auto-encoder of the rows of X; with ``noise``, a denoising one.

    Parameters
    ----------
    n_components : int
        Units of a code.
    layers : int or tuple of int, optional
        Units of tanh layers between outputs and code, mirrored on the way back.
    code : {"linear", "tanh"}
        What a code is.  Linear ones of several units can hold the output itself, and then say
        nothing of how it came about.
    output : {"gaussian", "binary", "multinomial", "poisson"}
        What outputs are, and so what is lowered, −log p(y | ŷ): squared error of real outputs, at a
        common scale; else cross-entropy, of outputs in [0, 1], of one of ``n_states`` in every run
        of so many columns, of counts.
    input : {"same", "gaussian", "binary", "multinomial", "poisson"}
        What inputs are: their values are checked, they are centred, and real ones are brought to a
        common scale.
    n_states : int, optional
        Columns of a multinomial unit; None is all of them.
    premapping : int or tuple of int, optional
        Inputs are mapped first, φ(x) for x: linearly to so many features, or by layers of so many
        tanh units of which the last is linear, learned together with the rest.
    encodes : {"output", "guess"}
        What is encoded while learning: the output itself, so that codes say how it came about, or
        a linear guess of it from the input, learned together with the rest, so that the model is
        one function of the input.
    noise : float
        Denoising: what is encoded while learning has so much noise, in standard deviations of real
        outputs; of others the share that is set to zero.
    learning_rate : float
        The length of a step, as a change of what a unit is told; it shrinks to nothing in the
        second half.
    momentum : float
        The share of the last direction that a step keeps.
    weight_decay : float
        The share of a weight that a step of length one takes away; a step takes ``learning_rate``
        times as much, and at most all of it.
    batch_size : int
        Pairs of a step.
    max_iter : int
        Steps.
    validation_fraction : float, optional
        The share of the pairs that is kept from learning: the best weights on them are taken, and
        learning ends where none are better for so many steps.
    n_iter_no_change : int
        Those steps.
    device : str
        Where it computes: ``"auto"`` is the graphics processor (cuda) where torch has one, else the
        processor; or a torch device by its name.  What is learned is kept in ordinary arrays, and
        a model file is read on any machine.
    random_state : int, Generator, RandomState or None
        For first weights, the order of pairs and the noise.

    Attributes
    ----------
    n_iter_ : int
        Steps taken.
    history_ : ndarray of shape (n_looks,)
        Every 25 steps, −log p(y | ŷ) of the batch, or of what is kept from learning.
    n_features_in_ : int
        Columns of X.
    n_outputs_ : int
        Columns of Y; of X where it stands alone.

    References
    ----------
    R. Memisevic (2008), "Non-linear latent factor models for revealing structure in
    high-dimensional data", section 6.2.1.

    Examples
    --------
    Rows are turned by one place, to the left or to the right.

    >>> import numpy as np
    >>> from sidelight.gated import GatedAutoencoder
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((1000, 6))
    >>> left = rng.random(1000) < 0.5
    >>> Y = np.where(left[:, None], np.roll(X, -1, axis=1), np.roll(X, 1, axis=1))
    >>> model = GatedAutoencoder(1, max_iter=1000).fit(X, Y)
    >>> z = model.infer(X[:1], np.roll(X[:1], -1, axis=1))
    >>> model.apply(z, [[2, 0, 0, 0, 0, -1]]).round().astype(int)
    array([[ 0,  0,  0,  0, -1,  2]])
    """

    _parameters: ClassVar[Any] = {**PARAMETERS, "encodes": (OneOf(("output", "guess")),)}
    _gates: ClassVar[bool] = True

    def __init__(
        self,
        n_components: int = 20,
        *,
        layers: int | tuple[int, ...] | None = None,
        code: str = "tanh",
        output: str = "gaussian",
        input: str = "same",
        n_states: int | None = None,
        premapping: int | tuple[int, ...] | None = None,
        encodes: str = "output",
        noise: float = 0.0,
        learning_rate: float = 0.1,
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
        self.layers = layers
        self.code = code
        self.output = output
        self.input = input
        self.n_states = n_states
        self.premapping = premapping
        self.encodes = encodes
        self.noise = noise
        self.learning_rate = learning_rate
        self.momentum = momentum
        self.weight_decay = weight_decay
        self.batch_size = batch_size
        self.max_iter = max_iter
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.device = device
        self.random_state = random_state

    @of_pairs
    def predict(self, X: Any, guess: Any = None, *, n_steps: int = 1) -> FloatArray:
        """Predict outputs: a guess, projected onto the manifold that the input makes.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Inputs.
        guess : array of shape (n_samples, n_outputs), optional
            Outputs to begin with; by default those that the model has learned to guess, or, where
            codes are those of outputs, the inputs themselves.
        n_steps : int
            How often it goes through the network.

        Returns
        -------
        ndarray of shape (n_samples, n_outputs)
            Outputs.
        """
        x, network = self._inputs(X), self._learned
        if guess is None and network.guesses:
            return self._projected(x, network.guess(x), n_steps)  # a mean, whatever outputs are
        if guess is None and network.n_outputs != x.shape[1]:
            raise ValueError(
                f"{self._name}.predict projects a guess of {network.n_outputs} columns, and "
                f"inputs have {x.shape[1]}. Give guess=, or fit with encodes='guess'."
            )
        y = self._outputs(x if guess is None else guess, n_rows=len(x))
        return self._projected(x, y, n_steps)

    @property
    def _from_guess(self) -> bool:
        return self.encodes == "guess"

    def _of_pairs(self) -> list[str]:
        return ["encodes"]
