"""From matches to a map: when a refined map takes the place of a spectral one."""

from __future__ import annotations

import numpy as np
import pytest

from sidelight.latent.conditioning.map import _alike, _best_end, _Start, error_among_rivals
from sidelight.latent.conditioning.matches import match_items
from sidelight.latent.density import KnownFactor
from sidelight.latent.information import Path
from sidelight.latent.information.conditional import ConditionalMap
from sidelight.side import Condition


@pytest.mark.parametrize(
    ("share", "careful", "moved"),
    [(0.97, True, False), (0.9, True, True), (0.97, False, True), (1.03, False, False)],
)
def test_a_map_of_few_dimensions_is_moved_where_it_predicts_clearly_better(share, careful, moved):
    """A map that chases noise predicts a little better, too."""
    rng = np.random.default_rng(0)
    Y = rng.normal(size=(40, 5))
    factor = KnownFactor.of(Condition(np.repeat(["a", "b"], 20)), who="test")
    matching = match_items(Y, factor, temperatures=(0.2,))[0]
    path = Path(np.full(1, np.nan), np.ones(1))
    end = ConditionalMap(rng.normal(size=(40, 2)), lambda Z: 0.0, path, np.zeros(1), 7, False)
    end_points = _alike(end.points, matching)
    error = error_among_rivals(end_points, Y, matching.rivals)
    start = _Start(rng.normal(size=(40, 2)), error / share)
    found = _best_end(start, [end], matching, Y, careful=careful)
    np.testing.assert_array_equal(found.points, end_points if moved else start.points)
    assert len(found.history) == (1 if moved else 0)
