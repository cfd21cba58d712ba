"""Every fit begins as the first, and a refused one leaves the estimator as it was."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

from sidelight.core.errors import NotEnoughMemoryError
from sidelight.core.memory import missed_memory
from sidelight.core.threads import blas_threads_that_pay


@contextmanager
def unchanged_if_refused(model: Any) -> Iterator[None]:
    """Bring back what a model was, if the block raises."""
    before = dict(vars(model))
    try:
        yield
    except BaseException:
        vars(model).clear()
        vars(model).update(before)
        raise


def fitting_afresh(fit: Callable[..., Any]) -> Callable[..., Any]:
    """Forget what an earlier fit learned, and bring it back if this one is refused.

    What is kept of an earlier fit is what ``warm_start`` goes on from.  Memory that runs out
    although nothing had predicted it is refused here, in the words of a prediction.
    """

    @wraps(fit)
    def afresh(self: Any, *given: Any, **named: Any) -> Any:
        if "_fitting" in vars(self):  # the fit of a base class, called by that of a subclass
            return fit(self, *given, **named)
        try:
            with unchanged_if_refused(self):
                _forget(self)
                self._fitting = True
                with blas_threads_that_pay(given[0] if given else named.get("X")):
                    fitted = fit(self, *given, **named)
        except MemoryError as error:
            if isinstance(error, NotEnoughMemoryError):
                raise
            what, who = _described(given, named), type(self).__name__
            raise missed_memory(error, what=what, who=who) from error
        del self._fitting
        return fitted

    return afresh


def _forget(model: Any) -> None:
    """Drop what an earlier fit learned."""
    parameters = set(model.get_params(deep=False))
    for name in [name for name in vars(model) if name not in parameters and is_learned(name)]:
        delattr(model, name)


def _described(given: tuple[Any, ...], named: dict[str, Any]) -> str:
    """The data of a fit in words."""
    shape = getattr(given[0] if given else named.get("X"), "shape", None)
    return "X" if shape is None else f"X of shape {tuple(shape)}"


#: What scikit-learn keeps on an estimator, and what a warm start goes on from.
_NOT_LEARNED = ("__", "_skl", "_metadata", "_parent_callback", "_unfinished", "_fitting")


def is_learned(name: str) -> bool:
    """Tell whether an attribute is what a fit learned, by its name."""
    if name.startswith(_NOT_LEARNED):
        return False
    return name.startswith("_") or name.endswith("_")
