"""What models of pairs have in common: inputs and outputs, or outputs that stand alone."""

from __future__ import annotations

from collections.abc import Callable
from types import MethodType
from typing import Any, ClassVar, TypeVar, cast

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from sidelight.core import FloatArray, OneOf, Whole, check_parameters
from sidelight.gated.rows import (
    admitted_values,
    device_of,
    read_outputs,
    read_table,
    refuse_idle_parameters,
    refuse_idle_patience,
    without_labels,
)
from sidelight.gated.units import Units, units_of
from sidelight.side import meeting_side

_KINDS = ("binary", "gaussian", "multinomial", "poisson")
#: The parameters that say what inputs and outputs are.
UNITS: dict[str, Any] = {
    "output": (OneOf(_KINDS),),
    "input": (OneOf(("same", *_KINDS)),),
    "n_states": (Whole(2), OneOf((None,))),
}


class _NoInputsError(ValueError, AttributeError):
    """Asked of pairs, of a model of rows that stand alone; to ``hasattr`` it is not there."""


class _OfPairs:
    """A method that a model has not where it was fitted to rows that stand alone."""

    def __init__(self, method: Callable[..., Any]) -> None:
        self._method = method
        self.__doc__ = method.__doc__

    def __get__(self, model: PairModel | None, owner: type | None = None) -> Any:
        if model is None:
            return self._method
        learned = vars(model).get(model._kept)
        if learned is not None and not learned.n_inputs:
            raise _NoInputsError(model._no_inputs())
        return MethodType(self._method, model)


_Method = TypeVar("_Method", bound=Callable[..., Any])


def of_pairs(method: _Method) -> _Method:
    """Take a method from models that were fitted to rows that stand alone."""
    return cast(_Method, _OfPairs(method))


@meeting_side
class PairModel(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """An estimator of ``fit(X, Y)``, or of ``fit(X)`` where rows stand alone.

    What it has learned is the value in the attribute ``_kept``, with ``n_inputs``, ``n_outputs``,
    ``units`` and ``input_units``: parameters that were set since say nothing of it.
    """

    _parameters: ClassVar[Any]
    _kept: ClassVar[str]
    output: str
    input: str
    device: str
    n_states: int | None

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        meeting_side(cls)

    def fit_transform(self, X: Any, y: Any = None) -> FloatArray:
        """Learn rows that stand alone, and encode them.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Rows.
        y : ignored
            What a pipeline hands on to its last step.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            As ``fit(X).transform(X)`` gives them.
        """
        return cast(FloatArray, cast(Any, self).fit(X).transform(X))

    @property
    def _name(self) -> str:
        return type(self).__name__

    @property
    def _learned(self) -> Any:
        """What it has learned, where it computes."""
        check_is_fitted(self, self._kept)
        return getattr(self, self._kept).at(device_of(self))

    @property
    def _kind_of_input(self) -> str:
        return self.output if self.input == "same" else self.input

    def _read(
        self, X: Any, Y: Any, *, new: bool, judged: bool = False
    ) -> tuple[FloatArray, FloatArray]:
        """Inputs and outputs, checked; no columns of inputs where there are none.

        ``judged`` where there are others to judge what they teach.
        """
        check_parameters(self, self._parameters)
        Y = without_labels(Y)
        refuse_idle_parameters(self, alone=Y is None)
        refuse_idle_patience(self, judged=judged)
        if not new:
            return (np.empty((len(X), 0)), self._alone(X)) if Y is None else self._pairs(X, Y)
        if Y is None:
            y = read_table(self, X, reset=True)
            y = admitted_values(y, self._units(y), who=self._name, name="X", parameter="output")
            return np.empty((len(y), 0)), y
        x = read_table(self, X, reset=True)
        x = self._admitted_inputs(x, self._units_of_inputs(x))
        return x, read_outputs(Y, self._units, who=self._name, n_rows=len(x))

    def _judges(self, validation: Any) -> tuple[FloatArray, FloatArray]:
        """The pairs, or rows that stand alone, that are given to judge."""
        pair = validation if isinstance(validation, tuple) else (validation, None)
        if len(pair) != 2 or (pair[1] is None) == bool(self._learned.n_inputs):
            asked = "a tuple (X, Y)" if self._learned.n_inputs else "rows, without Y"
            raise ValueError(
                f"The 'validation' argument of {self._name}.fit must be {asked}, as what is "
                f"learned from."
            )
        if pair[1] is not None:
            return self._pairs(*pair)
        y = self._alone(pair[0])
        return np.empty((len(y), 0)), y

    def _units(self, rows: FloatArray, kind: str | None = None) -> Units:
        """What outputs are, by the parameters: for a fit, not for what was fitted."""
        return units_of(
            self.output if kind is None else kind,
            nu=getattr(self, "nu", 1.0),
            n_states=self.n_states or rows.shape[1],
        )

    def _units_of_inputs(self, rows: FloatArray) -> Units:
        return self._units(rows, self._kind_of_input)

    def _pairs(self, X: Any, Y: Any) -> tuple[FloatArray, FloatArray]:
        x = self._inputs(X)
        return x, self._outputs(Y, n_rows=len(x))

    def _inputs(self, X: Any) -> FloatArray:
        """New inputs."""
        if not self._learned.n_inputs:
            raise ValueError(self._no_inputs())
        x, units = read_table(self, X, reset=False), self._learned.input_units
        self._learned.input_scale.refuse_far(x, who=self._name, name="X")
        # files of earlier versions have it as a parameter alone
        return self._admitted_inputs(x, self._units_of_inputs(x) if units is None else units)

    def _no_inputs(self) -> str:
        return (
            f"This {self._name} was fitted to rows that stand alone, so that there are no inputs. "
            f"Fit it to pairs, fit(X, Y); Y of one dimension is taken for labels, and one output "
            f"of each row is a column, Y[:, None]."
        )

    def _admitted_inputs(self, x: FloatArray, units: Units) -> FloatArray:
        return admitted_values(x, units, who=self._name, name="X", parameter="input")

    def _outputs(self, Y: Any, *, n_rows: int | None = None) -> FloatArray:
        """New outputs."""
        who, learned = self._name, self._learned
        units, columns = (lambda y: learned.units), learned.n_outputs
        y = read_outputs(Y, units, who=who, n_rows=n_rows, n_columns=columns)
        learned.output_scale.refuse_far(y, who=who, name="Y")
        return y

    def _alone(self, X: Any) -> FloatArray:
        """New rows, where they stand alone."""
        if self._learned.n_inputs:
            raise ValueError(
                f"This {self._name} was fitted to pairs, so that outputs have inputs. Give both X "
                f"and Y."
            )
        y = read_table(self, X, reset=False)
        units = self._learned.units
        self._learned.output_scale.refuse_far(y, who=self._name, name="X")
        return admitted_values(y, units, who=self._name, name="X", parameter="output")
