"""A learned machine as a value: units, scales and weights, which is all that a model file holds."""

from __future__ import annotations

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
    device : torch.device
        Where it computes, which is no part of what was learned and of no model file.
    """

    units: Units
    weights: dict[str, FloatArray]
    input_scale: Scale
    output_scale: Scale
    device: torch.device = field(default=PROCESSOR, metadata=NOT_SAVED)

    def at(self, device: torch.device) -> Machine:
        """The same, where it computes."""
        return replace(self, device=device)

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

    def rates(self) -> dict[str, float]:
        """The share of a step that each weight goes: over the lengths of what it is multiplied by.

        So a step changes what a unit is told by as much, however many inputs and outputs there are
        and however rarely they are on.
        """
        x, f = self.input_scale.length, self.output_scale.length / getattr(self.units, "nu", 1.0)
        lengths = {"xyz": x * f, "xy": x, "xz": x, "yz": f, "xf": x, "yf": f, "map 0": x}
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

    def folded(self, X: FloatArray) -> Folded:
        """The machine of every input."""
        with torch.no_grad():
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
    real: bool,
    n_factors: int | None = None,
    layers: tuple[int, ...] = (),
) -> Machine:
    """What learning begins with: small random couplings, the bias of outputs that stand alone."""
    real_outputs = units.kind == "gaussian"
    inputs = Scale.of(X, centred=True, scaled=real)
    outputs = Scale.of(Y, centred=real_outputs, scaled=real_outputs)
    bias = units.start(outputs(Y).numpy())
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
    return Machine(units, {name: w.astype(np.float32) for name, w in made.items()}, inputs, outputs)


def require_room(
    sizes: tuple[int, int, int], batch_size: int, n_factors: int | None, *, who: str
) -> None:
    """Refuse weights, with gradient, moments and best copy, and filters of a batch, too large."""
    I, J, K = sizes
    full = 4.0 * J * K * (5.0 * I + 3.0 * batch_size)
    require_memory(
        full if n_factors is None else 20.0 * n_factors * (I + J + K),
        what=f"learning {I} × {J} × {K} three-way weights",
        who=who,
        instead="Give n_factors or a premapping, or smaller batches.",
    )
