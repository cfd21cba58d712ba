"""A learned auto-encoder as a value, and what learning begins with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np
import torch

from sidelight.core import FloatArray, row_blocks
from sidelight.gated.autoencoding.passes import decoded, encoded, guessed, mean_of
from sidelight.gated.premapping import Weights, first_layers
from sidelight.gated.rows import NOT_SAVED, PROCESSOR, Scale
from sidelight.gated.training import Part
from sidelight.gated.units import Tensor, Units


@dataclass(frozen=True)
class Network:
    """What was learned.

    Parameters
    ----------
    units : Units
        Of the outputs.
    weights : dict of str to ndarray
        By name, as :mod:`sidelight.gated.autoencoding.passes` has them, in single precision.
    input_scale, output_scale : Scale
        How rows are read.
    code : {"linear", "tanh"}
        What a code is.
    input_units : Units, optional
        What inputs may be; none where outputs stand alone, and in files of earlier versions.
    device : torch.device
        Where it computes, which is no part of what was learned and of no model file.
    """

    units: Units
    weights: dict[str, FloatArray]
    input_scale: Scale
    output_scale: Scale
    code: str
    input_units: Units | None = None
    device: torch.device = field(default=PROCESSOR, metadata=NOT_SAVED)

    def at(self, device: torch.device) -> Network:
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
    def n_codes(self) -> int:
        """Units of a code."""
        inner = sum(name.startswith("down shift") for name in self.weights)
        return len(self.weights[f"down shift {inner - 1}" if inner else "h"])

    @property
    def guesses(self) -> bool:
        """Whether it has learned to guess outputs from inputs."""
        return "xg" in self.weights

    def tensors(self) -> dict[str, Tensor]:
        """The weights, for torch."""
        return {name: torch.as_tensor(w, device=self.device) for name, w in self.weights.items()}

    def inputs(self, X: FloatArray) -> Tensor:
        """Inputs as they are seen."""
        return self.input_scale(X, self.device)

    def outputs(self, Y: FloatArray) -> Tensor:
        """Outputs as they are seen."""
        return self.output_scale(Y, self.device)

    def rates(self) -> dict[str, float]:
        """The share of a step that each weight goes: over the lengths of what it is multiplied by.

        Units inside are taken to be of size one.
        """
        y, layers = self.output_scale.length, [n for n in self.weights if n.startswith("map ")]
        x = np.sqrt(self.weights[layers[-1]].shape[1]) if layers else self.input_scale.length
        h = np.sqrt(len(self.weights["h"]))
        lengths = {"xyh": x * y, "yh": y, "xh": x, "xhy": x * h, "hy": h, "xy": x, "xg": x}
        lengths |= {n: np.sqrt(len(w)) for n, w in self.weights.items() if _is_inner(n)}
        if layers:
            lengths["map 0"] = self.input_scale.length
        return {name: 1.0 / float(lengths.get(name, 1.0)) for name in self.weights}

    @property
    def bytes_of_a_row(self) -> float:
        """What a row takes on the way in or out: its units, and the smallest table that gates."""
        I, J, H = self.weights["xyh"].shape if "xyh" in self.weights else (0, 0, 0)
        units = 4 * self.n_outputs + 2 * self.n_inputs + sum(w.shape[-1] for w in self._inner())
        return float(4 * (2 * min(I * J, I * H, J * H) + units))

    def in_parts(self, X: FloatArray, Y: FloatArray) -> list[Part]:
        """Pairs as they are seen, in blocks."""
        return [
            ((self.inputs(X[rows]), self.outputs(Y[rows])), rows.stop - rows.start)
            for rows in row_blocks(len(Y), self.bytes_of_a_row)
        ]

    def encode(self, X: FloatArray, Y: FloatArray) -> Tensor:
        """Codes."""
        weights = self.tensors()
        with torch.no_grad():
            return torch.cat(
                [
                    encoded(weights, self.inputs(X[r]), self.outputs(Y[r]), self.code)
                    for r in row_blocks(len(Y), self.bytes_of_a_row)
                ]
            )

    def decode(self, Z: Tensor, X: FloatArray) -> FloatArray:
        """What codes say."""
        return self._means(lambda w, r: decoded(w, self.inputs(X[r]), Z[r].to(self.device)), len(Z))

    def guess(self, X: FloatArray) -> FloatArray:
        """What inputs say by themselves."""
        return self._means(lambda w, r: guessed(w, self.inputs(X[r])), len(X))

    def _means(self, told: Callable[[Weights, slice], Tensor], n_rows: int) -> FloatArray:
        """The outputs of what is told of them, a block of rows at a time."""
        found, weights = np.empty((n_rows, self.n_outputs)), self.tensors()
        with torch.no_grad():
            for rows in row_blocks(n_rows, self.bytes_of_a_row):
                found[rows] = self.output_scale.back(mean_of(self.units, told(weights, rows)))
        return found

    def _inner(self) -> list[FloatArray]:
        return [w for name, w in self.weights.items() if name in ("yh", "hy") or _is_inner(name)]


def _is_inner(name: str) -> bool:
    return name.startswith(("down", "up", "map")) and "shift" not in name


def first_network(
    X: FloatArray,
    Y: FloatArray,
    units: Units,
    sizes: tuple[int, ...],
    rng: np.random.Generator,
    *,
    input_units: Units | None,
    gates: bool,
    guesses: bool,
    code: str,
    layers: tuple[int, ...] = (),
) -> Network:
    """What learning begins with: random weights that keep the size of what goes through.

    ``sizes`` are the units of the encoder's layers, the code last; ``layers`` those of the
    premapping.
    """
    inputs, outputs = Scale.of_inputs(X, input_units), Scale.of_outputs(Y, units)
    bias = units.start(outputs.mean_seen(Y), len(Y))
    made = first_layers((X.shape[1], *layers), rng) if X.shape[1] else {}
    I, J, H = (X.shape[1], *layers)[-1], len(bias), sizes[0]
    x, y = (np.sqrt(I) if layers else inputs.length), outputs.length

    def normal(*shape: int, over: float) -> FloatArray:
        return np.asarray(rng.standard_normal(shape) / over)

    made["yh"], made["h"] = normal(J, H, over=y), np.zeros(H)
    made["hy"], made["y"] = normal(H, J, over=np.sqrt(H * J)), bias
    if gates and X.shape[1]:
        made["xyh"], made["xh"] = normal(I, J, H, over=x * y), np.zeros((I, H))
        made["xhy"] = normal(I, H, J, over=x * np.sqrt(H * J))
        made["xy"] = np.zeros((I, J))
    for n, (here, there) in enumerate(pairwise(sizes)):
        made[f"down {n}"] = normal(here, there, over=np.sqrt(here))
        made[f"up {n}"] = normal(there, here, over=np.sqrt(there))
        made[f"down shift {n}"], made[f"up shift {n}"] = np.zeros(there), np.zeros(here)
    if guesses and X.shape[1]:
        made["xg"], made["g"] = normal(I, J, over=x * np.sqrt(J)), bias
    weights = {name: w.astype(np.float32) for name, w in made.items()}
    return Network(units, weights, inputs, outputs, code, input_units)
