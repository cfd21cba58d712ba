"""The field of gated experts: one patch machine all over an image (thesis section 5.3.1)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
import torch
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted
from torch.nn import functional

from sidelight.core import (
    RANDOM_STATE,
    FloatArray,
    Matching,
    OneOf,
    Real,
    Whole,
    check_parameters,
    fitting_afresh,
    random_generator,
    refuse_without_effect,
    require_memory,
)
from sidelight.gated.boltzmann import (
    Contrast,
    Field,
    Machine,
    Sites,
    divergence,
    first_machine,
    fold_field,
)
from sidelight.gated.optimiser import Moments
from sidelight.gated.patches import are_several, as_given, read_signals
from sidelight.gated.rows import (
    DEVICE,
    Scale,
    admitted_values,
    check_whole,
    device_of,
    generator_of,
    in_double,
    refuse_idle_patience,
)
from sidelight.gated.training import LEARNING, learn
from sidelight.gated.units import Tensor, Units, units_of
from sidelight.side import meeting_side

_PATCH = Matching(
    lambda value: isinstance(value, tuple) and len(value) == 2 and all(map(Whole(1).admits, value)),
    "a tuple (height, width)",
)
#: A crop that is learned from is so many patches high and wide, and has a margin of pixels that
#: are held at the data; so many batches of them judge.
_CROP, _JUDGING = 3, 5
_KINDS = ("binary", "gaussian", "poisson")


@meeting_side
class GatedExpertField(BaseEstimator):
    """Field of gated experts: one gated Boltzmann machine at every site of an image.

    A patch machine is applied all over pairs of images, each site s with mapping units of its own,

        S(y, z; x) = Σ_s S(y^s, z^s; x^s)

    (5.16), learned by contrastive divergence on crops.  Outputs that several patches cover are told
    the sum of what each says.  Images may be of any size; ``predict`` does to an image what was
    learned (an image analogy).

    Parameters
    ----------
    n_components : int
        Mapping units of a site.
    patch_size : int or tuple (height, width)
        Pixels of a patch.
    output : {"gaussian", "binary", "poisson"}
        What pixels of outputs are.
    input : {"same", "gaussian", "binary", "poisson"}
        What pixels of inputs are.
    nu : float
        ν of Gaussian outputs, in units of their standard deviation.
    n_steps : int
        Steps of the chains of contrastive divergence.
    learning_rate : float
        The length of a step; it shrinks to nothing in the second half.
    momentum : float
        The share of the last direction that a step keeps.
    weight_decay : float
        The share of a weight that a step of length one takes away; a step takes ``learning_rate``
        times as much, and at most all of it.
    batch_size : int
        Crops of a step, three patches high and wide, with the pixels around them held as they are.
    max_iter : int
        Steps.
    n_iter_no_change : int
        With ``validation`` in ``fit``, steps without a new best after which learning ends.
    device : str
        Where it computes: ``"auto"`` is the graphics processor (cuda) where torch has one, else the
        processor; or a torch device by its name.  What is learned is kept in ordinary arrays, and
        a model file is read on any machine.
    random_state : int, Generator, RandomState or None
        For first weights, crops and the draws of chains.

    Attributes
    ----------
    n_iter_ : int
        Steps taken.
    history_ : ndarray of shape (n_looks,)
        Every 25 steps, Σ (y − ŷ)² of a crop, the mean of the batch or of crops that judge, ŷ what
        comes of x by the mapping units inferred.
    n_channels_ : tuple (int, int)
        Channels of inputs and of outputs.
    patch_size_ : tuple (int, int)
        Height and width of a patch.

    Notes
    -----
    Large images are gone over in tiles.  Their margins are as wide as the steps of ``predict``
    reach, so that tiles say what the whole image says, in memory that does not grow with the
    mapping units of all sites.

    References
    ----------
    R. Memisevic (2008), "Non-linear latent factor models for revealing structure in
    high-dimensional data", sections 5.3.1 and 5.4.3.

    Examples
    --------
    An image and its negative; then the same is done to another, of another size.

    >>> import numpy as np
    >>> from sidelight.gated import GatedExpertField
    >>> rng = np.random.default_rng(0)
    >>> image = rng.random((40, 40))
    >>> field = GatedExpertField(4, patch_size=3, max_iter=300).fit(image, 1 - image)
    >>> other = rng.random((20, 30))
    >>> bool(np.corrcoef(field.predict(other).ravel(), 1 - other.ravel())[0, 1] > 0.9)
    True
    """

    _parameters: ClassVar[Any] = {
        "n_components": (Whole(1),),
        "patch_size": (Whole(1), _PATCH),
        "output": (OneOf(_KINDS),),
        "input": (OneOf(("same", *_KINDS)),),
        "nu": (Real(0, open_below=True),),
        "n_steps": (Whole(1),),
        **{name: kinds for name, kinds in LEARNING.items() if name != "validation_fraction"},
        **DEVICE,
        "random_state": (RANDOM_STATE,),
    }
    _machine: Machine

    def __init__(
        self,
        n_components: int = 10,
        *,
        patch_size: int | tuple[int, int] = 5,
        output: str = "gaussian",
        input: str = "same",
        nu: float = 1.0,
        n_steps: int = 1,
        learning_rate: float = 0.02,
        momentum: float = 0.9,
        weight_decay: float = 0.0,
        batch_size: int = 10,
        max_iter: int = 1000,
        n_iter_no_change: int = 500,
        device: str = "auto",
        random_state: Any = 0,
    ) -> None:
        self.n_components = n_components
        self.patch_size = patch_size
        self.output = output
        self.input = input
        self.nu = nu
        self.n_steps = n_steps
        self.learning_rate = learning_rate
        self.momentum = momentum
        self.weight_decay = weight_decay
        self.batch_size = batch_size
        self.max_iter = max_iter
        self.n_iter_no_change = n_iter_no_change
        self.device = device
        self.random_state = random_state

    @fitting_afresh
    def fit(self, X: Any, Y: Any, *, validation: Any = None) -> Self:
        """Learn how images of X become those of Y.

        Parameters
        ----------
        X : array of shape (height, width) or (height, width, channels), or several
            Inputs.  Several are a list of such, or an array (n_images, height, width, channels);
            grey images in one array of three dimensions could as well be one image of many
            channels, and are refused: give list(X).
        Y : array or list of arrays
            Outputs, of the same heights and widths.
        validation : tuple (X, Y), optional
            Images that do not learn, and what became of them: the best weights on crops of them
            are taken, and learning ends where none are better for ``n_iter_no_change`` steps.

        Returns
        -------
        GatedExpertField
            The fitted estimator.
        """
        check_parameters(self, self._parameters)
        refuse_idle_patience(self, judged=validation is not None)
        if self.output != "gaussian":
            refuse_without_effect(self, ["nu"], f"with output={self.output!r}")
        self.patch_size_ = self._patch
        x, y = (
            self._images(given, name, self._units(name)) for given, name in ((X, "X"), (Y, "Y"))
        )
        self._refuse_other_places(x, y)
        rng = random_generator(self.random_state)
        self._machine, self.n_channels_ = self._first(x, y, rng), (x[0].shape[2], y[0].shape[2])
        machine = self._machine.at(device_of(self))
        judges = None if validation is None else self._judges(validation)
        places = [one.shape[:2] for one in x + ([] if judges is None else judges[0])]
        sizes = np.minimum(_CROP * np.array(self._patch), np.min(places, axis=0))
        (p, q), (height, width) = self._patch, map(int, sizes)
        sites = Sites((height + 2 * p - 2, width + 2 * q - 2), self._patch, cropped=True)
        contrast = Contrast(
            machine.units,
            self.n_steps,
            generator_of(rng, machine.device),
            to_mean=True,
            folding=partial(fold_field, sites=sites),
            free=sites.free(self.n_channels_[1]).to(machine.device),
        )
        order, of_judges = rng.spawn(2)
        crops, kept = self._crops(machine, x, y, sites, order, self.max_iter), None
        if judges is not None:
            parts = self._crops(machine, *judges, sites, of_judges, _JUDGING)
            kept = [(part, self.batch_size) for part in parts]
        objective, total = divergence(contrast), self.max_iter
        weights = learn(self, machine, objective, crops, Moments(), total=total, kept=kept)
        self._machine = replace(self._machine, weights=weights)
        return self

    def infer(self, X: Any, Y: Any) -> Any:
        """Say how inputs became outputs, site by site.

        Parameters
        ----------
        X : array or list of arrays
            Input images.
        Y : array or list of arrays
            Output images of the same sizes.

        Returns
        -------
        ndarray of shape (sites down, sites across, n_components), or a list of them
            p(z^s_k = 1 | x^s, y^s); there are patch − 1 more sites than pixels each way.
        """
        found = []
        for x, y in zip(*self._pairs(X, Y), strict=True):
            field, machine = self._field(x, with_mappings=True), self._machine
            seen = self._seen(x, machine.input_scale), self._seen(y, machine.output_scale)
            with torch.no_grad():
                z = field.mappings(*seen)
            found.append(in_double(z))
        return found if are_several(X, self._patch) else found[0]

    def apply(self, Z: Any, X: Any) -> Any:
        """Do to images what mapping units say.

        Parameters
        ----------
        Z : array of shape (sites down, sites across, n_components), or a list of them
            Mapping units of all sites.
        X : array or list of arrays
            Input images.

        Returns
        -------
        ndarray or list of ndarray
            E[y | x, z].
        """
        images = self._new(X, 0, "X")
        given = list(Z) if are_several(X, self._patch) else [Z]
        if len(given) != len(images):
            raise ValueError(
                f"{self._name} expects Z for each of the {len(images)} images. Got {len(given)}."
            )
        found = []
        for x, z in zip(images, given, strict=True):
            units = self._mappings(z, (x.shape[0], x.shape[1]))
            with torch.no_grad():
                field = self._field(x, with_mappings=True)
                y = field.outputs(units, self._seen(x, self._machine.input_scale))
            found.append(self._back(y))
        return as_given(found, X, self._patch)

    def predict(self, X: Any, *, n_steps: int = 10) -> Any:
        """Do to images what was learned: mapping units and outputs in turn, by their means.

        Parameters
        ----------
        X : array or list of arrays
            Input images, of any size.
        n_steps : int
            How often, beginning with outputs without mapping units.

        Returns
        -------
        ndarray or list of ndarray
            Output images.
        """
        check_whole(n_steps, 0, who=f"{self._name}.predict", name="n_steps")
        found = []
        for x in self._new(X, 0, "X"):
            with torch.no_grad():
                seen = self._seen(x, self._machine.input_scale)
                y = self._field(x).settled(seen, n_steps)
            found.append(self._back(y))
        return as_given(found, X, self._patch)

    @property
    def _name(self) -> str:
        return type(self).__name__

    @property
    def _patch(self) -> tuple[int, int]:
        # of the fit, which files of earlier versions have as a parameter alone
        size = getattr(self, "patch_size_", self.patch_size)
        return size if isinstance(size, tuple) else (int(size), int(size))

    def _units(self, name: str) -> Units:
        """What inputs (X) or outputs (Y) are, by the parameters."""
        kind = self.input if name == "X" and self.input != "same" else self.output
        return units_of(kind, nu=self.nu, n_states=1)

    def _images(
        self, images: Any, name: str, units: Units, known: int | None = None
    ) -> list[FloatArray]:
        """Images as they can be taken; with so many channels, where that is known."""
        found = read_signals(images, self._patch, who=self._name, name=name, channels_known=known)
        parameter = "input" if name == "X" and self.input != "same" else "output"
        return [
            admitted_values(one, units, who=self._name, name=name, parameter=parameter)
            for one in found
        ]

    def _new(self, images: Any, side: int, name: str) -> list[FloatArray]:
        check_is_fitted(self, "_machine")
        units = self._machine.units if name == "Y" else self._machine.input_units
        # of inputs, files of earlier versions have them as a parameter alone
        units = self._units(name) if units is None else units
        found = self._images(images, name, units, self.n_channels_[side])
        if found[0].shape[2] != self.n_channels_[side]:
            raise ValueError(
                f"{self._name} was fitted with {self.n_channels_[side]} channels of {name}. "
                f"Got {found[0].shape[2]}."
            )
        machine, pixels = self._machine, self._patch[0] * self._patch[1]
        scale = machine.output_scale if name == "Y" else machine.input_scale
        scale = replace(scale, centre=scale.centre[::pixels])
        for one in found:
            scale.refuse_far(one, who=self._name, name=name)
        return found

    def _pairs(self, X: Any, Y: Any) -> tuple[list[FloatArray], list[FloatArray]]:
        x, y = self._new(X, 0, "X"), self._new(Y, 1, "Y")
        self._refuse_other_places(x, y)
        return x, y

    def _mappings(self, z: Any, place: tuple[int, int]) -> Tensor:
        """Mapping units of all sites of an image so high and wide."""
        shape = (*Sites(place, self._patch).shape, self._machine.n_mappings)
        expected = f"{self._name} expects Z of shape {shape} for an image of {place}"
        try:
            units = np.asarray(z, dtype=np.float32)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{expected}, to hold numbers. {error}") from error
        if units.shape != shape:
            raise ValueError(f"{expected}. Got {units.shape}.")
        if not np.isfinite(units).all():
            raise ValueError(f"{self._name} expects Z to be finite. It contains NaN or infinity.")
        return torch.as_tensor(units)

    def _refuse_other_places(self, x: list[FloatArray], y: list[FloatArray]) -> None:
        """Refuse outputs that do not lie where their inputs do."""
        places, others = ([one.shape[:2] for one in side] for side in (x, y))
        if others != places:
            raise ValueError(
                f"{self._name} expects Y to have the heights and widths of X, {places}. "
                f"Got {others}."
            )

    def _judges(self, validation: Any) -> tuple[list[FloatArray], list[FloatArray]]:
        """The pairs that are given to judge."""
        if not (isinstance(validation, tuple) and len(validation) == 2):
            raise ValueError(
                f"The 'validation' argument of {self._name}.fit must be a tuple (X, Y), as what is "
                f"learned from."
            )
        return self._pairs(*validation)

    def _first(self, x: list[FloatArray], y: list[FloatArray], rng: np.random.Generator) -> Machine:
        """A patch machine; all pixels of a channel have one scale."""
        units, input_units = self._units("Y"), self._units("X")
        pixels = self._patch[0] * self._patch[1]
        inputs, rows = (
            np.concatenate([one.reshape(-1, one.shape[2]) for one in images]) for images in (x, y)
        )
        scales = (Scale.of_inputs(inputs, input_units), Scale.of_outputs(rows, units))
        ins, outs = (
            Scale(np.repeat(one.centre, pixels), one.size, float(one.length * np.sqrt(pixels)))
            for one in scales
        )
        given, wanted = (np.tile(one.centre, (2, 1)) for one in (ins, outs))
        told: dict[str, Any] = {"input_units": input_units, "scales": (ins, outs)}
        made = first_machine(given, wanted, units, self.n_components, rng, **told)
        mean = (rows.mean(axis=0) - outs.centre[::pixels]) / outs.size
        bias = units.start(mean, len(rows))
        # every pixel is told the sum of what its patches say
        made.weights["y"][:] = np.repeat(bias, pixels) / pixels
        return made

    def _crops(
        self,
        machine: Machine,
        x: list[FloatArray],
        y: list[FloatArray],
        sites: Sites,
        rng: np.random.Generator,
        n_batches: int,
    ) -> Iterator[tuple[Tensor, Tensor, None]]:
        """Pairs of crops at random places, with what is around them: nothing beyond an image."""
        (height, width), (p, q) = sites.place, self._patch
        scales = (machine.input_scale, machine.output_scale)
        seen = [
            [functional.pad(self._seen(one, scale), (q - 1, q - 1, p - 1, p - 1)) for one in side]
            for side, scale in zip((x, y), scales, strict=True)
        ]
        shares = np.array([one.shape[0] * one.shape[1] for one in x], dtype=np.float64)
        for _ in range(n_batches):
            pairs: tuple[list[Tensor], list[Tensor]] = ([], [])
            for image in rng.choice(len(x), self.batch_size, p=shares / shares.sum()):
                room = np.array(seen[0][image].shape[1:]) - sites.place
                top, left = (int(rng.integers(some + 1)) for some in room)
                there = slice(top, top + height), slice(left, left + width)
                for rows, side in zip(pairs, seen, strict=True):
                    rows.append(side[image][:, *there].reshape(1, -1))
            inputs, outputs = (torch.cat(rows).to(machine.device) for rows in pairs)
            yield inputs, outputs.unsqueeze(1), None

    def _seen(self, image: FloatArray, scale: Scale) -> Tensor:
        """An image as (channels, height, width), as the machine sees it."""
        centre = scale.centre[:: self._patch[0] * self._patch[1]]
        seen = np.moveaxis((image - centre) / scale.size, -1, 0)
        return torch.as_tensor(np.ascontiguousarray(seen), dtype=torch.float32)

    def _back(self, y: Tensor) -> FloatArray:
        scale = self._machine.output_scale
        centre = scale.centre[:: self._patch[0] * self._patch[1]]
        return np.asarray(np.moveaxis(in_double(y), 0, -1) * scale.size + centre)

    def _field(self, image: FloatArray, *, with_mappings: bool = False) -> Field:
        """The machine all over an image, if there is room for what it says."""
        field = Field(self._machine.at(device_of(self)), self._patch)
        height, width = image.shape[:2]
        what = "the mapping units" if with_mappings else "the outputs"
        require_memory(
            field.bytes_of((height, width), with_mappings=with_mappings),
            what=f"{what} of an image of {height} × {width} pixels, tile by tile",
            who=self._name,
            instead="Give parts of the image, or free memory.",
        )
        return field
