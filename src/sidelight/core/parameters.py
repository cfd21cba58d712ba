"""What a constructor parameter may be, and the error that says what came instead."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from inspect import signature
from typing import Any, Protocol, TypeAlias

import numpy as np


class Expected(Protocol):
    """A description of the values that a parameter may take."""

    def admits(self, value: Any) -> bool:
        """Tell whether a value fits."""
        ...

    def __str__(self) -> str: ...


@dataclass(frozen=True)
class Whole:
    """An integer of at least ``low``.

    Parameters
    ----------
    low : int
        The smallest value allowed.
    """

    low: int = 1

    def admits(self, value: Any) -> bool:
        """Tell whether ``value`` is such an integer (a bool is not)."""
        integer = isinstance(value, numbers.Integral) and not isinstance(value, (bool, np.bool_))
        return integer and int(value) >= self.low

    def __str__(self) -> str:
        return f"an int in the range [{self.low}, inf)"


@dataclass(frozen=True)
class Real:
    """A finite real number of at least (or above) ``low``.

    Parameters
    ----------
    low : float
        The lower end.
    open_below : bool
        Whether ``low`` itself is excluded.
    """

    low: float = 0.0
    open_below: bool = False

    def admits(self, value: Any) -> bool:
        """Tell whether ``value`` is such a number."""
        if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Real):
            return False
        number = float(value)
        return np.isfinite(number) and (
            number > self.low if self.open_below else number >= self.low
        )

    def __str__(self) -> str:
        return f"a float in the range {'(' if self.open_below else '['}{self.low:g}, inf)"


@dataclass(frozen=True)
class OneOf:
    """One of a few values.

    Parameters
    ----------
    values : tuple
        Those allowed.
    """

    values: tuple[Any, ...]

    def admits(self, value: Any) -> bool:
        """Tell whether ``value`` is one of them."""
        return any(type(value) is type(known) and value == known for known in self.values)

    def __str__(self) -> str:
        return " or ".join(repr(value) for value in self.values)


@dataclass(frozen=True)
class Matching:
    """Anything that a test accepts.

    Parameters
    ----------
    test : callable
        Returns whether a value fits.
    words : str
        What fits, in words.
    """

    test: Callable[[Any], bool]
    words: str

    def admits(self, value: Any) -> bool:
        """Apply the test."""
        return self.test(value)

    def __str__(self) -> str:
        return self.words


FUNCTION = Matching(callable, "a callable")
#: Dimensions of a map.
COMPONENTS: tuple[Expected, ...] = (Whole(1), OneOf(("auto",)))
#: The same, of methods that can be judged by rows left out.
COMPONENTS_JUDGED: tuple[Expected, ...] = (Whole(1), OneOf(("auto", "cv")))
#: What is said where other methods are asked for it.
_NOT_JUDGED = (
    " Rows left out tell the dimensions of PCA, ProbabilisticPCA and GPLVM, under which they are "
    "more or less likely; of others model_selection.choose(estimator, 'n_components', X) asks them "
    "whether neighbours stay near."
)
SHARE = Matching(lambda value: Real(0).admits(value) and value < 1, "a float in [0, 1)")
#: What a ``random_state`` may be.
RandomSource: TypeAlias = int | np.random.Generator | np.random.RandomState | None
RANDOM_STATE = Matching(
    lambda value: (
        value is None
        or Whole(0).admits(value)
        or isinstance(value, (np.random.RandomState, np.random.Generator))
    ),
    "an int in the range [0, inf), a Generator, a RandomState or None",
)


def random_generator(random_state: Any) -> np.random.Generator:
    """Make the generator that a ``random_state`` stands for.

    Examples
    --------
    >>> int(random_generator(0).integers(100)) == int(random_generator(0).integers(100))
    True
    """
    _check_random_state(random_state)
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31))
    return np.random.default_rng(random_state)


def random_numbers(random_state: Any) -> np.random.RandomState:
    """Make the RandomState that a ``random_state`` stands for, where draws of an int are kept.

    A RandomState is the caller's own and goes on; None is numpy's global one.
    """
    from sklearn.utils import check_random_state

    _check_random_state(random_state)
    if isinstance(random_state, np.random.Generator):
        random_state = int(random_state.integers(2**32))
    made: np.random.RandomState = check_random_state(random_state)
    return made


def _check_random_state(random_state: Any) -> None:
    if not RANDOM_STATE.admits(random_state):
        raise ValueError(f"'random_state' must be {RANDOM_STATE}. Got {random_state!r} instead.")


def check_parameters(estimator: Any, expected: Mapping[str, tuple[Expected, ...]]) -> None:
    """Compare an estimator's parameters with what they may be."""
    values = estimator.get_params(deep=False)
    for name, descriptions in expected.items():
        if not any(description.admits(values[name]) for description in descriptions):
            wanted = " or ".join(str(description) for description in descriptions)
            judged = isinstance(values[name], str) and values[name] == "cv"
            raise ValueError(
                f"The {name!r} parameter of {type(estimator).__name__} must be {wanted}. "
                f"Got {values[name]!r} instead.{_NOT_JUDGED * (judged and name == 'n_components')}"
            )


def refuse_without_effect(estimator: Any, names: Iterable[str], when: str) -> None:
    """Refuse parameters that were set and would do nothing.

    Examples
    --------
    >>> from sidelight import LaplacianEigenmaps
    >>> refuse_without_effect(LaplacianEigenmaps(width=2.0), ["width"], "with weights='binary'")
    Traceback (most recent call last):
    ValueError: The 'width' parameter of LaplacianEigenmaps has no effect with weights='binary'. \
Got 2.0. Leave it at its default, None.
    """
    defaults = signature(type(estimator).__init__).parameters
    for name in names:
        value, default = estimator.get_params(deep=False)[name], defaults[name].default
        if value is not default and not (np.isscalar(value) and value == default):
            raise ValueError(
                f"The {name!r} parameter of {type(estimator).__name__} has no effect {when}. Got "
                f"{value!r}. Leave it at its default, {default!r}."
            )
