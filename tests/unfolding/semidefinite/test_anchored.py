"""Sensors found from distances and a few positions: anchors as constraints of the kernel."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist

from sidelight import SemidefiniteEmbedding
from sidelight.side import Anchors, Distances
from sidelight.unfolding.semidefinite.anchored import _pairs


def sensors(seed, n=50, reach=0.35, n_anchors=8):
    """Sensors in a square, the distances of those in reach, and some whose positions are known."""
    rng = np.random.default_rng(seed)
    places = rng.random((n, 2))
    D = cdist(places, places)
    graph = sp.csr_array(np.where((reach > D) & (D > 0), D, 0.0))
    return places, D, graph, rng.choice(n, n_anchors, replace=False)


def off(model, places, anchors):
    others = np.setdiff1d(np.arange(len(places)), anchors)
    return float(np.sqrt(np.mean(np.sum((model.embedding_ - places)[others] ** 2, axis=1))))


def test_sensors_are_found_and_the_kernel_is_certified():
    errors, behind_alone = [], []
    for seed in range(6):
        places, _, graph, named = sensors(seed)
        model = SemidefiniteEmbedding(2, metric="precomputed").fit(
            graph, side=Anchors(named, places[named])
        )
        errors.append(off(model, places, named))
        assert model.gap_ <= model.tol
        np.testing.assert_allclose(model.embedding_[named], places[named], atol=1e-8)
        assert [(said.kind, said.place) for said in model.side_report_] == [
            ("Anchors", "inside"),
            ("Anchors", "behind"),
        ]
        brought = Anchors(named, places[named], exact=False)
        turned = SemidefiniteEmbedding(2, metric="precomputed")
        behind_alone.append(off(turned.fit(graph, side=brought), places, named))
    # now and then a sensor has two places that agree with all that is known
    assert np.median(errors) < 1e-3
    assert np.mean(errors) < 0.5 * np.mean(behind_alone)


def test_distances_that_are_said_besides_are_kept_too():
    places, D, graph, named = sensors(5)
    far = np.argwhere((D > 0.8) & (D < 0.9))[:3]
    known = [Anchors(named, places[named]), Distances(far, D[far[:, 0], far[:, 1]])]
    model = SemidefiniteEmbedding(2, metric="precomputed").fit(graph, side=known)
    kernel = model.kernel()
    i, j = np.vstack([far, [[named[0], named[1]]]]).T
    squared = kernel[i, i] - 2 * kernel[i, j] + kernel[j, j]
    np.testing.assert_allclose(np.sqrt(squared), D[i, j], rtol=1e-3)


@pytest.mark.parametrize("unit", [100.0, 0.01])
def test_anchors_in_another_unit_do_not_constrain(unit):
    places, _, graph, named = sensors(1)
    model = SemidefiniteEmbedding(2, metric="precomputed").fit(
        graph, side=Anchors(named, unit * places[named])
    )
    assert [(said.kind, said.place) for said in model.side_report_] == [("Anchors", "behind")]


def test_features_have_a_unit_of_their_own():
    places, _, _, named = sensors(2)
    model = SemidefiniteEmbedding(2).fit(places, side=Anchors(named, places[named]))
    assert [said.place for said in model.side_report_] == ["behind"]


def test_many_anchors_are_held_by_a_few():
    positions = np.random.default_rng(0).random((50, 2))
    left, right = _pairs(positions)
    hubs = np.unique(left)
    assert len(hubs) == 4
    # every anchor has its distance to each of the four, which say where it is
    assert len(left) == 4 * 50 - 4 - 6
    assert len({tuple(sorted(pair)) for pair in zip(left, right, strict=True)}) == len(left)
    assert len(_pairs(positions[:10])[0]) == 45
