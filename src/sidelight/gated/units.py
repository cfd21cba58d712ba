"""What an output unit may be: the exponential families of (5.13), each with its four formulas.

Outputs y meet the mapping units through a statistic f(y); a is what comes back from them, b(x) the
bias that the input makes.  The part of the score that holds y is h(y, b) + a · f(y).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, TypeAlias

import numpy as np
import torch

from sidelight.core import FloatArray

Tensor: TypeAlias = torch.Tensor
#: Counts expected of a Poisson unit are kept below this power of e: one bad step would be infinite.
_LARGEST_RATE = 15.0
#: Shares that are out of [0, 1] by no more than this are so by rounding, as a scaler's are.
_ROUNDING = 1e-6


class Units(Protocol):
    """The conditional distribution of outputs, given what comes back from the mapping units."""

    @property
    def kind(self) -> str:
        """The word for it."""
        ...

    def statistic(self, y: Tensor) -> Tensor:
        """f(y), which the mapping units see."""
        ...

    def base(self, y: Tensor, b: Tensor) -> Tensor:
        """h(y, b), summed over outputs: what y scores by itself."""
        ...

    def mean(self, a: Tensor, b: Tensor) -> Tensor:
        """E[y | a, b]."""
        ...

    def sample(self, a: Tensor, b: Tensor, generator: torch.Generator) -> Tensor:
        """Draw y given a and b."""
        ...

    def sample_alike(self, a: Tensor, b: Tensor, generator: torch.Generator) -> Tensor:
        """The same, with the same random numbers for every input, whoever comes with it."""
        ...

    def log_sum(self, a: Tensor, b: Tensor) -> Tensor:
        """log Σ_y exp(h(y, b) + a · f(y)), summed over outputs."""
        ...

    def most_likely(self, a: Tensor, b: Tensor) -> Tensor:
        """The y of largest probability."""
        ...

    def start(self, mean: FloatArray, n_rows: int) -> FloatArray:
        """The bias that gives so many outputs their mean without any mapping unit."""
        ...

    def fault(self, Y: FloatArray) -> str:
        """What is wrong with values that such units cannot take; empty where nothing is."""
        ...

    def admitted(self, Y: FloatArray) -> FloatArray:
        """Values without fault, those that rounding put out of range put back."""
        ...


@dataclass(frozen=True)
class Binary:
    """On or off: h = b · y, p(y_j = 1) = σ(a_j + b_j) (5.6).  Shares in [0, 1] are admitted."""

    kind: ClassVar[str] = "binary"

    def statistic(self, y: Tensor) -> Tensor:
        """The state itself."""
        return y

    def base(self, y: Tensor, b: Tensor) -> Tensor:
        """Σ_j b_j y_j."""
        return (b * y).sum(-1)

    def mean(self, a: Tensor, b: Tensor) -> Tensor:
        """σ(a + b)."""
        return torch.sigmoid(a + b)

    def sample(self, a: Tensor, b: Tensor, generator: torch.Generator) -> Tensor:
        """Each by itself."""
        return torch.bernoulli(torch.sigmoid(a + b), generator=generator)

    def sample_alike(self, a: Tensor, b: Tensor, generator: torch.Generator) -> Tensor:
        """On where one number for all inputs is below the probability."""
        return on_alike(torch.sigmoid(a + b), generator)

    def log_sum(self, a: Tensor, b: Tensor) -> Tensor:
        """Σ_j log(1 + e^{a_j + b_j})."""
        return torch.nn.functional.softplus(a + b).sum(-1)

    def most_likely(self, a: Tensor, b: Tensor) -> Tensor:
        """On where it is likelier than not."""
        return (a + b > 0).to(a.dtype)

    def start(self, mean: FloatArray, n_rows: int) -> FloatArray:
        """The log odds, with one more of each kind."""
        on = (n_rows * mean + 1.0) / (n_rows + 2.0)
        return np.asarray(np.log(on / (1.0 - on)))

    def fault(self, Y: FloatArray) -> str:
        """Anything outside of [0, 1]."""
        return "" if _are_shares(Y) else "values between 0 and 1"

    def admitted(self, Y: FloatArray) -> FloatArray:
        """Within [0, 1]."""
        return _clipped(Y)


@dataclass(frozen=True)
class Gaussian:
    """Real: h = −‖y − b‖²/2ν², f = y/ν, so that y ~ N(b + νa, ν²) (5.11), (5.12).

    Parameters
    ----------
    nu : float
        ν, the standard deviation of an output once the mapping units are known.
    """

    nu: float = 1.0
    kind: ClassVar[str] = "gaussian"

    def statistic(self, y: Tensor) -> Tensor:
        """y/ν."""
        return y / self.nu

    def base(self, y: Tensor, b: Tensor) -> Tensor:
        """−‖y − b‖²/2ν²."""
        return -((y - b) ** 2).sum(-1) / (2 * self.nu**2)

    def mean(self, a: Tensor, b: Tensor) -> Tensor:
        """b + νa."""
        return b + self.nu * a

    def sample(self, a: Tensor, b: Tensor, generator: torch.Generator) -> Tensor:
        """The mean with noise of ν."""
        mean = self.mean(a, b)
        noise = torch.randn(mean.shape, dtype=mean.dtype, device=mean.device, generator=generator)
        return mean + self.nu * noise

    def sample_alike(self, a: Tensor, b: Tensor, generator: torch.Generator) -> Tensor:
        """The mean with one noise for all inputs."""
        mean = self.mean(a, b)
        noise = torch.randn(
            mean.shape[1:], dtype=mean.dtype, device=mean.device, generator=generator
        )
        return mean + self.nu * noise

    def log_sum(self, a: Tensor, b: Tensor) -> Tensor:
        """Σ_j a_j b_j/ν + a_j²/2 + ½ log 2πν²."""
        each = a * b / self.nu + a**2 / 2
        return each.sum(-1) + each.shape[-1] * 0.5 * math.log(2 * math.pi * self.nu**2)

    def most_likely(self, a: Tensor, b: Tensor) -> Tensor:
        """The mean."""
        return self.mean(a, b)

    def start(self, mean: FloatArray, n_rows: int) -> FloatArray:
        """The mean."""
        return mean

    def fault(self, Y: FloatArray) -> str:
        """Any number will do."""
        return ""

    def admitted(self, Y: FloatArray) -> FloatArray:
        """As they are."""
        return Y


@dataclass(frozen=True)
class Multinomial:
    """One of several states: each run of ``n_states`` columns is a unit, one of them on.

    Parameters
    ----------
    n_states : int
        Columns of a unit.
    """

    n_states: int
    kind: ClassVar[str] = "multinomial"

    def statistic(self, y: Tensor) -> Tensor:
        """The columns themselves."""
        return y

    def base(self, y: Tensor, b: Tensor) -> Tensor:
        """Σ_j b_j y_j."""
        return (b * y).sum(-1)

    def mean(self, a: Tensor, b: Tensor) -> Tensor:
        """e^{a + b} over its sum in each unit."""
        return torch.softmax(self._by_unit(a + b), -1).flatten(-2)

    def sample(self, a: Tensor, b: Tensor, generator: torch.Generator) -> Tensor:
        """One state of each unit."""
        shares = torch.softmax(self._by_unit(a + b), -1)
        rows = shares.reshape(-1, self.n_states)
        state = torch.multinomial(rows, 1, generator=generator)
        return torch.zeros_like(rows).scatter_(1, state, 1.0).reshape(shares.shape).flatten(-2)

    def sample_alike(self, a: Tensor, b: Tensor, generator: torch.Generator) -> Tensor:
        """The state in whose share of [0, 1] one number for all inputs falls."""
        shares = torch.softmax(self._by_unit(a + b), -1)
        ends = shares.cumsum(-1)[..., :-1]
        state = (_uniform(ends[..., :1], generator) >= ends).sum(-1, keepdim=True)
        return torch.zeros_like(shares).scatter_(-1, state, 1.0).flatten(-2)

    def log_sum(self, a: Tensor, b: Tensor) -> Tensor:
        """Σ over units of log Σ_j e^{a_j + b_j}."""
        return torch.logsumexp(self._by_unit(a + b), -1).sum(-1)

    def most_likely(self, a: Tensor, b: Tensor) -> Tensor:
        """The likeliest state of each unit."""
        each = self._by_unit(a + b)
        state = each.argmax(-1, keepdim=True)
        return torch.zeros_like(each).scatter_(-1, state, 1.0).flatten(-2)

    def start(self, mean: FloatArray, n_rows: int) -> FloatArray:
        """The log of the shares, with one more of each state."""
        return np.asarray(np.log((n_rows * mean + 1.0) / (n_rows + self.n_states)))

    def fault(self, Y: FloatArray) -> str:
        """Anything but shares of states that sum to one."""
        if Y.shape[1] % self.n_states:
            return f"columns in runs of {self.n_states}, the states of a unit"
        sums = Y.reshape(len(Y), -1, self.n_states).sum(axis=2)
        fine = _are_shares(Y) and np.allclose(sums, 1.0, atol=1e-6)
        return "" if fine else f"every run of {self.n_states} columns to be shares that sum to one"

    def admitted(self, Y: FloatArray) -> FloatArray:
        """Within [0, 1]."""
        return _clipped(Y)

    def _by_unit(self, t: Tensor) -> Tensor:
        return t.unflatten(-1, (-1, self.n_states))


@dataclass(frozen=True)
class Poisson:
    """Counts: h = b · y − Σ log y!, so that y_j is Poisson with mean e^{a_j + b_j}."""

    kind: ClassVar[str] = "poisson"

    def statistic(self, y: Tensor) -> Tensor:
        """The count itself."""
        return y

    def base(self, y: Tensor, b: Tensor) -> Tensor:
        """Σ_j b_j y_j − log y_j!."""
        return (b * y - torch.lgamma(y + 1)).sum(-1)

    def mean(self, a: Tensor, b: Tensor) -> Tensor:
        """e^{a + b}."""
        return torch.exp((a + b).clamp(max=_LARGEST_RATE))

    def sample(self, a: Tensor, b: Tensor, generator: torch.Generator) -> Tensor:
        """Each by itself."""
        return torch.poisson(self.mean(a, b), generator=generator)

    def sample_alike(self, a: Tensor, b: Tensor, generator: torch.Generator) -> Tensor:
        """Each input by itself, from one seed: how many numbers a draw takes hangs on its mean."""
        mean, place = self.mean(a, b), generator.device
        seed = int(torch.randint(2**62, (1,), generator=generator, device=place))
        own = torch.Generator(device=place)
        return torch.stack([torch.poisson(each, generator=own.manual_seed(seed)) for each in mean])

    def log_sum(self, a: Tensor, b: Tensor) -> Tensor:
        """Σ_j e^{a_j + b_j}."""
        return self.mean(a, b).sum(-1)

    def most_likely(self, a: Tensor, b: Tensor) -> Tensor:
        """The largest whole number not above the mean."""
        return self.mean(a, b).floor()

    def start(self, mean: FloatArray, n_rows: int) -> FloatArray:
        """The log of the mean, with half a count more."""
        return np.asarray(np.log(mean + 0.5 / n_rows))

    def fault(self, Y: FloatArray) -> str:
        """Anything but whole numbers from zero on."""
        whole = Y.min() >= 0 and np.array_equal(Y, np.floor(Y))
        return "" if whole else "counts: whole numbers from zero on"

    def admitted(self, Y: FloatArray) -> FloatArray:
        """As they are."""
        return Y


def on_alike(probability: Tensor, generator: torch.Generator) -> Tensor:
    """Binary units, on with their probability, by the same random numbers for every input."""
    return (_uniform(probability, generator) < probability).to(probability.dtype)


def _uniform(like: Tensor, generator: torch.Generator) -> Tensor:
    """Numbers in [0, 1), one for all inputs, (outputs of each input, units)."""
    return torch.rand(like.shape[1:], dtype=like.dtype, device=like.device, generator=generator)


def _are_shares(Y: FloatArray) -> bool:
    return bool(Y.min() >= -_ROUNDING and Y.max() <= 1 + _ROUNDING)


def _clipped(Y: FloatArray) -> FloatArray:
    """Within [0, 1], and no copy of what is."""
    return Y if Y.min() >= 0 and Y.max() <= 1 else np.clip(Y, 0.0, 1.0)


def units_of(kind: str, *, nu: float, n_states: int) -> Units:
    """The units that a word stands for."""
    made: dict[str, Any] = {
        "binary": Binary(),
        "gaussian": Gaussian(float(nu)),
        "multinomial": Multinomial(int(n_states)),
        "poisson": Poisson(),
    }
    found: Units = made[kind]
    return found
