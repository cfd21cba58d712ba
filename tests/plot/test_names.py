"""Names at points: each where its point is, none over another."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from matplotlib.text import Text

from sidelight.plot import scatter

_RNG = np.random.default_rng(3)


def _boxes(ax):
    ax.figure.canvas.draw()
    renderer = ax.figure.canvas.get_renderer()
    return {name.get_text(): Text.get_window_extent(name, renderer) for name in ax.texts}


@pytest.mark.parametrize("spread", [1.0, 0.05])
def test_no_name_covers_another_or_a_point(spread):
    Z = np.vstack([_RNG.normal(size=(25, 2)), spread * _RNG.normal(size=(25, 2)) + 3])
    ax = scatter(Z, names=[f"a name of row {i}" for i in range(50)])
    boxes = list(_boxes(ax).values())
    assert len(boxes) >= 20
    for number, box in enumerate(boxes):
        assert not any(box.overlaps(other) for other in boxes[number + 1 :])
    places = ax.transData.transform(Z)
    for box in boxes:
        inside = (places > [box.x0, box.y0]) & (places < [box.x1, box.y1])
        assert not inside.all(axis=1).any()


def test_each_name_stands_by_its_own_point():
    Z = np.array([[0.0, 0.0], [10.0, 0.0], [0.0, 10.0], [10.0, 10.0]])
    ax = scatter(Z, names=["a", "b", None, "d"])
    boxes = _boxes(ax)
    assert sorted(boxes) == ["a", "b", "d"]
    places = dict(zip("abcd", ax.transData.transform(Z), strict=True))
    for name, box in boxes.items():
        middle = np.array([box.x0 + box.x1, box.y0 + box.y1]) / 2
        nearest = min(places, key=lambda other: np.linalg.norm(places[other] - middle))
        assert nearest == name


def test_a_crowd_is_led_to_by_lines_or_left_without_names():
    ax = scatter(1e-3 * _RNG.normal(size=(40, 2)) + 1, names=[f"name {i}" for i in range(40)])
    free = scatter(_RNG.normal(size=(3, 2)), names=["a", "b", "c"])
    assert any(text.arrow_patch is not None for text in ax.texts)
    assert all(text.arrow_patch is None for text in free.texts)


def test_names_stay_by_their_points_in_a_figure_of_another_size():
    names = [f"a rather long name of row {i}" for i in range(12)]
    ax = scatter(_RNG.normal(size=(12, 2)), names=names)
    gaps = []
    for inches in ((7, 7), (11, 5)):
        ax.figure.set_size_inches(inches)
        boxes = _boxes(ax)
        points = ax.transData.transform([text.xy for text in ax.texts])
        gaps.append(
            [
                np.linalg.norm(point - np.clip(point, box.p0, box.p1))
                for point, box in zip(points, boxes.values(), strict=True)
            ]
        )
    np.testing.assert_allclose(*gaps, atol=1.0)


def test_names_that_do_not_fit_the_map():
    with pytest.raises(ValueError, match=r"'names' parameter of scatter .* per point, 5\. Got 2"):
        scatter(np.eye(5)[:, :2], names=["a", "b"])
    with pytest.raises(ValueError, match="needs a map of two dimensions. Got 3"):
        scatter(np.eye(5)[:, :3], names=list("abcde"))


def test_of_very_many_points_some_are_named():
    ax = scatter(_RNG.normal(size=(20_000, 2)), names=[f"row {i}" for i in range(20_000)])
    assert 5 <= len(ax.texts) <= 300
