"""Output units: the biases that learning begins with."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch", reason="the gated models stand on torch")

from sidelight.gated.units import Binary, Multinomial, Poisson


def test_columns_that_are_always_on_or_never_begin_with_one_more_of_each():
    Y = np.array([[0.0, 1.0, 1.0], [0.0, 1.0, 0.0], [0.0, 1.0, 0.0]])
    np.testing.assert_allclose(
        Binary().start(Y.mean(axis=0), len(Y)), np.log([1 / 4, 4 / 1, 2 / 3])
    )


def test_states_that_nothing_is_in_begin_with_one_more_of_each():
    Y = np.array([[1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    np.testing.assert_allclose(
        Multinomial(3).start(Y.mean(axis=0), len(Y)), np.log([3 / 6, 2 / 6, 1 / 6])
    )


def test_counts_of_nothing_begin_with_half_a_count_more():
    Y = np.array([[0.0, 3.0], [0.0, 4.0]])
    np.testing.assert_allclose(Poisson().start(Y.mean(axis=0), len(Y)), np.log([0.5 / 2, 7.5 / 2]))
