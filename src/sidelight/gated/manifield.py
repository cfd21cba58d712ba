"""The manifield: one patch model all over a sequence or an image (thesis section 6.2.3)."""

from __future__ import annotations

import math
from inspect import signature
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from sidelight.core import (
    RANDOM_STATE,
    FloatArray,
    Matching,
    Whole,
    check_parameters,
    fitting_afresh,
    random_generator,
)
from sidelight.gated.biased_autoencoder import BiasedAutoencoder
from sidelight.gated.patches import as_given, cut, mean_of_patches, read_signals, sites_of
from sidelight.side import meeting_side

_PATCH = Matching(
    lambda value: isinstance(value, tuple) and len(value) == 2 and all(map(Whole(1).admits, value)),
    "a tuple (height, width)",
)
_MODEL = Matching(
    lambda value: (
        value is None
        or (not isinstance(value, type) and all(hasattr(value, n) for n in ("fit", "predict")))
    ),
    "None or an auto-encoder of sidelight.gated",
)


@meeting_side
class Manifield(BaseEstimator):
    """Manifield: a patch model at every site of a sequence or an image, overlaps averaged.

    A conditional auto-encoder learns how patches of the input become patches of the output; it is
    then applied at all sites s of an input of any length, and

        ŷ_t = mean of ŷ^s_t over the sites s whose patch covers t

    (§6.2.3).  Every site has a code of its own.  Without outputs, ``fit(X)``, it is a convolutional
    auto-encoder, and with ``noise`` in the patch model it cleans.

    Parameters
    ----------
    model : GatedAutoencoder or BiasedAutoencoder, optional
        The patch model, which is cloned; by default a biased auto-encoder.
    patch_size : int or tuple (height, width)
        Places of a patch: a number for sequences, two for images.
    max_patches : int
        Of more patches so many are drawn to learn from.
    random_state : int, Generator, RandomState or None
        For those draws; the patch model has its own.

    Attributes
    ----------
    model_ : estimator
        The patch model, fitted.
    n_channels_ : int
        Channels of an input.
    of_pairs_ : bool
        Whether there were outputs.
    patch_size_ : tuple of int
        Places of a patch along each axis.

    Notes
    -----
    Patches learn one by one: gradients do not go through the averages.  The patch model says where
    it computes (``device``).

    References
    ----------
    R. Memisevic (2008), "Non-linear latent factor models for revealing structure in
    high-dimensional data", section 6.2.3.

    Examples
    --------
    A sine in noise; sequences of any length can follow.

    >>> import numpy as np
    >>> from sidelight.gated import BiasedAutoencoder, Manifield
    >>> clean = np.sin(np.arange(400) / 4)
    >>> noise = 0.3 * np.random.default_rng(0).standard_normal(400)
    >>> field = Manifield(BiasedAutoencoder(2, max_iter=500), patch_size=9)
    >>> field = field.fit(clean[:200] + noise[:200], clean[:200])
    >>> left = field.predict(clean[200:] + noise[200:]) - clean[200:]
    >>> bool((left**2).mean() < 0.25 * (noise[200:]**2).mean())
    True
    """

    _parameters: ClassVar[Any] = {
        "model": (_MODEL,),
        "patch_size": (Whole(1), _PATCH),
        "max_patches": (Whole(1),),
        "random_state": (RANDOM_STATE,),
    }

    def __init__(
        self,
        model: Any = None,
        *,
        patch_size: int | tuple[int, int] = 7,
        max_patches: int = 100_000,
        random_state: Any = 0,
    ) -> None:
        self.model = model
        self.patch_size = patch_size
        self.max_patches = max_patches
        self.random_state = random_state

    @fitting_afresh
    def fit(self, X: Any, Y: Any = None, *, validation: Any = None) -> Self:
        """Learn from sequences or images.

        Parameters
        ----------
        X : array of shape (length,), (length, channels), (height, width) or (height, width, \
channels), or several
            Inputs; without Y what a convolutional auto-encoder learns.  Several are a list of such,
            or an array of one axis more, (n_images, height, width, channels).  Grey images
            in one array of three dimensions could as well be one image of many channels, and are
            refused: give list(X).
        Y : array or list of arrays, optional
            Outputs, of the same places; they may have other channels.
        validation : tuple (X, Y), or array or list of arrays, optional
            Others that do not learn: their patches judge, if the patch model can be judged.

        Returns
        -------
        Manifield
            The fitted estimator.
        """
        check_parameters(self, self._parameters)
        self.patch_size_ = self._patch
        learned, self.n_channels_ = self._learned_from(X, Y)
        patch_model = BiasedAutoencoder() if self.model is None else clone(self.model)
        if Y is None:
            self._refuse_without_way_back(patch_model)
        judges = {} if validation is None else self._judges(validation, patch_model, Y is not None)
        self.of_pairs_ = Y is not None
        self.model_ = patch_model.fit(*learned, **judges)
        return self

    def predict(self, X: Any) -> Any:
        """Apply the patch model at every site, and average.

        Parameters
        ----------
        X : array or list of arrays
            Inputs, as in ``fit``, of any length or size.

        Returns
        -------
        ndarray or list of ndarray
            Outputs of the same places, as inputs were given; without a last axis where there is
            one channel and the input has none.
        """
        check_is_fitted(self, "model_")
        known = self.n_channels_
        inputs = read_signals(X, self._patch, who=self._name, channels_known=known)
        if inputs[0].shape[-1] != self.n_channels_:
            raise ValueError(
                f"{self._name} was fitted with {self.n_channels_} channels. "
                f"Got {inputs[0].shape[-1]}."
            )
        return as_given([self._predicted(one) for one in inputs], X, self._patch)

    @property
    def _name(self) -> str:
        return type(self).__name__

    @property
    def _patch(self) -> tuple[int, ...]:
        # of the fit, which files of earlier versions have as a parameter alone
        size = getattr(self, "patch_size_", self.patch_size)
        return size if isinstance(size, tuple) else (int(size),)

    def _learned_from(self, X: Any, Y: Any) -> tuple[list[FloatArray], int]:
        """Patches of inputs, and of outputs where there are any; channels of an input."""
        x = read_signals(X, self._patch, who=self._name)
        y = None if Y is None else read_signals(Y, self._patch, who=self._name, name="Y")
        places = [one.shape[:-1] for one in x]
        if y is not None and [one.shape[:-1] for one in y] != places:
            raise ValueError(
                f"{self._name} expects Y to have the places of X, {places}. "
                f"Got {[one.shape[:-1] for one in y]}."
            )
        n_sites = [math.prod(sites_of(place, self._patch)) for place in places]
        chosen = self._chosen(sum(n_sites))
        sides = (x,) if y is None else (x, y)
        return [self._patches(side, n_sites, chosen) for side in sides], x[0].shape[-1]

    def _refuse_without_way_back(self, patch_model: Any) -> None:
        """Refuse to clean alone by a model that has no codes, or none that lead back."""
        missing = [n for n in ("transform", "inverse_transform") if not hasattr(patch_model, n)]
        if missing:
            raise ValueError(
                f"{self._name} without Y asks its patch model for codes and for the way back, and "
                f"{type(patch_model).__name__} has no {' and no '.join(missing)}. Give Y, or take "
                f"an auto-encoder."
            )

    def _judges(self, validation: Any, patch_model: Any, of_pairs: bool) -> dict[str, Any]:
        """Patches that judge, as the patch model takes them."""
        if "validation" not in signature(patch_model.fit).parameters:
            raise ValueError(
                f"The 'validation' argument of {self._name}.fit is for patch models that can be "
                f"judged while they learn, and {type(patch_model).__name__} cannot. Leave it out."
            )
        if of_pairs and not (isinstance(validation, tuple) and len(validation) == 2):
            raise ValueError(
                f"The 'validation' argument of {self._name}.fit must be a tuple (X, Y), as what is "
                f"learned from."
            )
        patches, _ = self._learned_from(*(validation if of_pairs else (validation, None)))
        return {"validation": tuple(patches) if of_pairs else patches[0]}

    def _chosen(self, n_sites: int) -> Any:
        """The sites that are learned from."""
        if n_sites <= self.max_patches:
            return np.arange(n_sites)
        rng = random_generator(self.random_state)
        return np.sort(rng.choice(n_sites, self.max_patches, replace=False))

    def _patches(self, signals: list[FloatArray], n_sites: list[int], chosen: Any) -> FloatArray:
        ends = np.cumsum(n_sites)
        return np.concatenate(
            [
                cut(one, self._patch, chosen[(chosen >= end - n) & (chosen < end)] - (end - n))
                for one, n, end in zip(signals, n_sites, ends, strict=True)
            ]
        )

    def _predicted(self, signal: FloatArray) -> FloatArray:
        def said(patches: FloatArray) -> FloatArray:
            if self.of_pairs_:
                return np.asarray(self.model_.predict(patches))
            return np.asarray(self.model_.inverse_transform(self.model_.transform(patches)))

        columns = signal.shape[-1] * math.prod(self._patch)
        return mean_of_patches(signal, self._patch, said, 40.0 * columns)
