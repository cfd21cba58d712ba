"""The biased auto-encoder (latent-factor thesis section 6.2.1)."""

from __future__ import annotations

from typing import Any, ClassVar, cast

from sidelight.core import FloatArray
from sidelight.gated.autoencoding import ConditionalAutoencoder
from sidelight.gated.pair_model import of_pairs


class BiasedAutoencoder(ConditionalAutoencoder):
    """Biased auto-encoder: a prediction, cleaned up by the manifold of outputs.

    A predictor guesses the output from the input, and an auto-encoder whose weights do not depend
    on the input brings the guess to where outputs are,

        ŷ = decoder(encoder(g(x))),    g_j = Σ_i W_ij φ_i(x) + b_j

    (§6.2.1), all of it learned by gradients of −log p(y | ŷ): one function of the input.
    ``fit(X)`` alone, without inputs, is a plain auto-encoder of the rows of X; with ``noise``, a
    denoising one.

    Parameters
    ----------
    n_components : int
        Units of a code.
    layers : int or tuple of int, optional
        Units of tanh layers between outputs and code, mirrored on the way back.
    code : {"linear", "tanh"}
        What a code is.
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
    Three outputs of one hidden number, of which five noisy inputs speak.

    >>> import numpy as np
    >>> from sidelight.gated import BiasedAutoencoder
    >>> rng = np.random.default_rng(0)
    >>> t = rng.standard_normal((1000, 1))
    >>> X = t + 0.1 * rng.standard_normal((1000, 5))
    >>> Y = t * [[1.0, -1.0, 2.0]]
    >>> model = BiasedAutoencoder(1, max_iter=1000).fit(X, Y)
    >>> model.predict([[1.0, 1.0, 1.0, 1.0, 1.0]]).round(1)
    array([[ 1., -1.,  2.]])
    """

    _gates: ClassVar[bool] = False

    def __init__(
        self,
        n_components: int = 20,
        *,
        layers: int | tuple[int, ...] | None = None,
        code: str = "linear",
        output: str = "gaussian",
        input: str = "same",
        n_states: int | None = None,
        premapping: int | tuple[int, ...] | None = None,
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

    def guess(self, X: Any) -> FloatArray:
        """The prediction before it is cleaned up.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Inputs.

        Returns
        -------
        ndarray of shape (n_samples, n_outputs)
            Outputs.
        """
        return cast(FloatArray, self._learned.guess(self._inputs(X)))

    @of_pairs
    def predict(self, X: Any) -> FloatArray:
        """Predict outputs.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Inputs.

        Returns
        -------
        ndarray of shape (n_samples, n_outputs)
            Outputs.
        """
        x, network = self._inputs(X), self._learned
        return cast(FloatArray, network.decode(network.encode(x, network.guess(x)), x))

    @property
    def _from_guess(self) -> bool:
        return True
