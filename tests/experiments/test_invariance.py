"""What is kept of maps that forgive moves is what they are today."""

from __future__ import annotations

import importlib
import warnings

import numpy as np
import pytest

from experiments.record import RESULTS, read

#: Of the draws that are kept.
N_DRAWS = 6


@pytest.mark.real_data("mnist_t10k")
@pytest.mark.parametrize("how", ["a shift", "a smoother shift", "a pixel's step"])
def test_kept_figures_of_shifted_digits_are_those_of_today(how: str) -> None:
    """Those that were kept first were of smoother images than the default makes."""
    module = importlib.import_module("experiments.invariance.shifted_digits")
    kept, name = read(RESULTS / "shifted_digits.json"), f"reconstruction by {how} (30, 0.62)"
    seeds = kept.table("ten").seeds[:N_DRAWS]
    found = []
    for seed in seeds:
        moved = module.moved_digits(range(10), seed)
        Z = module.METHODS["ten"][name](moved, 2)
        found.append((module.digit_of_nearest(Z, moved.digit), module.order_of_shifts(Z, moved)))
    for column, figures in zip(("digit, 2", "order, 2"), np.transpose(found), strict=True):
        was = kept.draws("ten", name, column)[:N_DRAWS]
        assert figures.mean() == pytest.approx(was.mean(), abs=0.03), column


@pytest.mark.real_data("isomap_faces")
@pytest.mark.parametrize("how", ["rotations", "smoother rotations"])
def test_kept_figures_of_two_views_are_those_of_today(how: str) -> None:
    module = importlib.import_module("experiments.invariance.two_views")
    kept, name = read(RESULTS / "two_views.json"), f"TC-LEM(3, 0.15), {how}"
    was = kept.draws("views", name, "view, 2")
    seeds, found = kept.table("views").seeds, []
    for seed in seeds:
        X, view, turn = module.turned_views(seed)
        method, side = module._methods(2)[name]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of graphs that are joined
            Z = method.fit_transform(X, side=side)
        found.append(module._measured(Z, view, turn)[0])
    assert np.mean(found) == pytest.approx(was.mean(), abs=0.03)
