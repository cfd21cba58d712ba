"""What several relations leave open of a map is fixed by a rule."""

from __future__ import annotations

import numpy as np
import pytest

from sidelight.latent.relational.axes import settled


@pytest.mark.parametrize("bits", [-1e-12, 0.0, 1e-12])
def test_of_dimensions_that_a_relation_makes_as_much_of_the_first_is_its_own(bits):
    Z = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]]) * [1.0, 1.0 + bits]
    points, scales = settled(Z, np.ones((3, 2)), data_first=True)
    np.testing.assert_allclose(points, Z, atol=1e-11)
    np.testing.assert_allclose(scales, 1.0)
