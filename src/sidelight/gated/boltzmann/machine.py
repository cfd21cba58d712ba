"""A learned machine as a value: units, scales and weights, which is all that a model file holds."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import torch

from sidelight.core import FloatArray, require_memory
from sidelight.gated.boltzmann.energy import Folded, fold
from sidelight.gated.premapping import first_layers
from sidelight.gated.rows import NOT_SAVED, PROCESSOR, Scale
from sidelight.gated.units import Tensor, Units

#: Couplings begin as small as this, so that no mapping unit is decided before data is seen; the
#: product of three factors is as small.
_SMALL, _SMALL_FACTOR = 0.01, 0.2
#: The input of outputs that stand alone.
NOTHING: FloatArray = np.empty((1, 0))


@dataclass(frozen=True)
class Machine:
    """What was learned.

    Parameters
    ----------
    units : Units
        Of the outputs.
    weights : dict of str to ndarray
        By name, as :mod:`sidelight.gated.boltzmann.energy` has them, in single precision.
    input_scale, output_scale : Scale
        How rows are read.
    input_units : Units, optional
        What inputs may be; none where outputs stand alone, and in files of earlier versions.
    device : torch.device
        Where it computes, which is no part of what was learned and of no model file.
    """

    units: Units
    weights: dict[str, FloatArray]
    input_scale: Scale
    output_scale: Scale
    input_units: Units | None = None
    device: torch.device = field(default=PROCESSOR, metadata=NOT_SAVED)

    def at(self, device: torch.device) -> Machine:
        """The same, where it computes."""
        return replace(self, device=device)

    @property
    def exact(self) -> Machine:
        """The same where there is double precision, which devices of the kind mps do not have."""
        return self.at(PROCESSOR) if self.device.type == "mps" else self

    @property
    def n_inputs(self) -> int:
        """Columns of an input; none where outputs stand alone."""
        return len(self.input_scale.centre)

    @property
    def n_outputs(self) -> int:
        """Columns of an output."""
        return len(self.output_scale.centre)

    @property
    def n_mappings(self) -> int:
        """Mapping units."""
        return len(self.weights["z"])

    @property
    def bytes_of_an_input(self) -> float:
        """What the machine of an input takes while it is made."""
        J, K = self.n_outputs, self.n_mappings
        couplings = self.weights["xf"].shape[1] if "xf" in self.weights else 2 * J * K
        return 4.0 * (couplings + 4 * J + 3 * K)

    def refuse_features(self, *, who: str) -> None:
        """Refuse to say where inputs go, where there are none, or a network is between."""
        if not self.n_inputs:
            raise ValueError(
                f"{who} says where inputs go, and this one was fitted to rows that stand alone. "
                f"Fit it to pairs, fit(X, Y)."
            )
        if "map 1" in self.weights:
            raise ValueError(
                f"{who} needs weights of the inputs themselves, and those of this one are of "
                f"features that a network makes of them. Fit without a premapping, or with a "
                f"linear one, premapping=n."
            )

    def require_room(self, n_rows: int, *, who: str) -> None:
        """Refuse to learn from batches of so many rows where they are too large."""
        n_factors = self.weights["xf"].shape[1] if "xf" in self.weights else None
        sizes = (len(self.weights["xy"]), self.n_outputs, self.n_mappings)
        require_room(sizes, n_rows if self.n_inputs else 1, n_factors, who=who)

    def rates(self) -> dict[str, float]:
        """The share of a step that each weight goes: over the lengths of what it is multiplied by.

        So a step changes what a unit is told by as much, however many inputs and outputs there are
        and however rarely they are on.
        """
        x, f = self.input_scale.length, self.output_scale.length / getattr(self.units, "nu", 1.0)
        lengths = {"yz": f, "yf": f, "map 0": x}
        if "map 0" in self.weights:
            x /= _excess(self.input_scale, self.input_units)
        lengths |= {"xyz": x * f, "xy": x, "xz": x, "xf": x}
        return {name: 1.0 / lengths.get(name, 1.0) for name in self.weights}

    def tensors(self) -> dict[str, Tensor]:
        """The weights, for torch."""
        return {name: torch.as_tensor(w, device=self.device) for name, w in self.weights.items()}

    def inputs(self, X: FloatArray) -> Tensor:
        """Inputs as they are seen."""
        return self.input_scale(X, self.device)

    def outputs(self, Y: FloatArray) -> Tensor:
        """Outputs as they are seen."""
        return self.output_scale(Y, self.device)

    def folded(self, X: FloatArray, *, double: bool = False) -> Folded:
        """The machine of every input."""
        with torch.no_grad():
            if double:
                weights = {name: w.double() for name, w in self.there.items()}
                return fold(weights, self.units, self.inputs(X).double())
            return fold(self.there, self.units, self.inputs(X))

    @cached_property
    def there(self) -> dict[str, Tensor]:
        """The weights, brought to the device once for all blocks of rows."""
        return self.tensors()


def first_machine(
    X: FloatArray,
    Y: FloatArray,
    units: Units,
    n_mappings: int,
    rng: np.random.Generator,
    *,
    input_units: Units | None,
    n_factors: int | None = None,
    layers: tuple[int, ...] = (),
    scales: tuple[Scale, Scale] | None = None,
) -> Machine:
    """What learning begins with: small random couplings, the bias of outputs that stand alone.

    ``scales`` of inputs and outputs where they are not those of these rows.
    """
    if scales is None:
        scales = Scale.of_inputs(X, input_units), Scale.of_outputs(Y, units)
    inputs, outputs = scales
    bias = units.start(outputs.mean_seen(Y), len(Y))
    made = first_layers((X.shape[1], *layers), rng)
    I, J, K = (X.shape[1], *layers)[-1], len(bias), n_mappings
    if n_factors is None:
        made["xyz"] = _SMALL * rng.standard_normal((I, J, K))
    else:
        for name, rows in (("xf", I), ("yf", J), ("zf", K)):
            made[name] = _SMALL_FACTOR * rng.standard_normal((rows, n_factors))
    made["xy"], made["xz"] = np.zeros((I, J)), np.zeros((I, K))
    made["yz"] = _SMALL * rng.standard_normal((J, K))
    made["y"], made["z"] = bias, np.zeros(K)
    x, f = _excess(inputs, input_units), _excess(outputs, units)
    if layers:  # whatever comes to them, features are of size one
        made["map 0"] /= x
        x = 1.0
    too_large = {"xyz": x * f, "yz": f, "xf": x, "yf": f}
    for name in too_large.keys() & made.keys():
        made[name] /= too_large[name]
    weights = {name: w.astype(np.float32) for name, w in made.items()}
    return Machine(units, weights, inputs, outputs, input_units)


def _excess(scale: Scale, units: Units | None) -> float:
    """How many times as long rows of counts are as rows of ones; others are of such a size."""
    if units is None or units.kind != "poisson":
        return 1.0
    return max(1.0, scale.length / math.sqrt(len(scale.centre)))


def require_room(
    sizes: tuple[int, int, int], n_rows: int, n_factors: int | None, *, who: str
) -> None:
    """Refuse weights, and filters of so many rows of a batch, that are too large.

    Weights stand in memory as they began, as they are and as they were best, with a gradient, and
    with the two moments of the latter.
    """
    I, J, K = sizes
    full = 4.0 * J * K * (8.0 * I + 3.0 * n_rows)
    factored = 4.0 * n_factors * (8.0 * (I + J + K) + 3.0 * n_rows) if n_factors else 0.0
    require_memory(
        factored if n_factors else full,
        what=f"learning {I} × {J} × {K} three-way weights",
        who=who,
        instead="Give n_factors or a premapping, or smaller batches.",
    )
