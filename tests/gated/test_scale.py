"""Rows as a model sees them: what is too short to have a length, and too far to have a number."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch", reason="the gated models stand on torch")

from sidelight.gated.rows.scale import Scale


@pytest.mark.parametrize(
    ("length", "taken"), [(1e-4, 1.0), (9e-4, 1.0), (2e-3, 2e-3), (30.0, 30.0)]
)
def test_rows_that_hold_nothing_are_of_length_one(length, taken):
    rows = length * np.eye(4)
    assert Scale.of(rows, centred=False, scaled=False).length == pytest.approx(taken)


@pytest.mark.parametrize(("away", "refused"), [(5e9, False), (5e10, True), (1e15, True)])
def test_entries_whose_products_have_no_number_are_refused(away, refused):
    scale = Scale.of(np.random.default_rng(0).standard_normal((50, 3)), centred=True, scaled=True)
    far = scale.centre + away * scale.size * np.eye(3)
    if refused:
        with pytest.raises(ValueError, match="GatedAutoencoder cannot use X: .* times as far"):
            scale.refuse_far(far, who="GatedAutoencoder", name="X")
    else:
        scale.refuse_far(far, who="GatedAutoencoder", name="X")
