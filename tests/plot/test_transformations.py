"""Flow fields, filters and analogies: what is drawn is what was given."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from sidelight.plot import analogies, basis_flow_fields, filters, flow_field


def test_arrows_go_where_the_flow_goes():
    to = np.roll(np.arange(12).reshape(3, 4), -1, axis=1).ravel()  # to the right, the last back
    ax = flow_field(to, (3, 4))
    (arrows,) = [c for c in ax.collections if hasattr(c, "U")]
    row, column = np.divmod(np.arange(12), 4)
    np.testing.assert_array_equal(arrows.U, to % 4 - column)
    np.testing.assert_array_equal(arrows.V, to // 4 - row)
    np.testing.assert_array_equal(arrows.XY, np.column_stack([column, row]))
    assert ax.yaxis_inverted()


def test_faint_arrows_are_weak():
    ax = flow_field([1, 0], (1, 2), strength=[0.2, 1.0])
    (arrows,) = [c for c in ax.collections if hasattr(c, "U")]
    assert list(arrows.get_alpha()) == [0.2, 1.0]


def test_lines_are_the_strongest_positive_connections():
    """On 2 × 3 pixels, 0 goes one down, 4 one to the right; what stays or is negative is not."""
    W = np.zeros((2, 6, 6))
    W[0, 0, 3], W[0, 4, 5], W[0, 1, 1], W[0, 2, 0] = 1.0, 0.5, 9.0, -9.0
    figure = basis_flow_fields(W, (2, 3), title="two units")
    assert len(figure.axes) == 2
    lines, _ = figure.axes[0].collections
    np.testing.assert_array_equal(lines.get_segments(), [[[0, 0], [0, 1]], [[1, 1], [2, 1]]])
    np.testing.assert_allclose(lines.get_linewidths(), [2.0, 1.0])
    assert figure.axes[1].collections[0].get_segments() == []
    few = basis_flow_fields(W, (2, 3), n_lines=1).axes[0].collections[0]
    assert len(few.get_segments()) == 1


def test_filters_are_pictures_with_zero_in_the_middle():
    W = np.random.default_rng(0).standard_normal((6, 5))
    figure = filters(W, (2, 3), n_columns=3, title="filters")
    assert len(figure.axes) == 5
    for k, ax in enumerate(figure.axes):
        (image,) = ax.images
        np.testing.assert_array_equal(image.get_array(), W[:, k].reshape(2, 3))
        low, high = image.get_clim()
        assert low == -high == -np.abs(W[:, k]).max()


@pytest.mark.parametrize("shape", [(2, 3), (1, 2, 3)])
def test_analogies_are_rows_of_pictures_on_one_scale(shape):
    X = np.random.default_rng(0).random((2, 6))
    figure = analogies({"input": X, "output": 1 - X}, shape, title="again")
    titles = [ax.get_title() for ax in figure.axes]
    assert titles == ["input", "output", "", ""]
    if len(shape) == 2:
        np.testing.assert_array_equal(figure.axes[3].images[0].get_array(), 1 - X[1].reshape(shape))
        assert len({ax.images[0].get_clim() for ax in figure.axes}) == 1


@pytest.mark.parametrize(
    ("draw", "match"),
    [
        (lambda: flow_field([0, 1], (2, 2)), "'flow' parameter of flow_field"),
        (lambda: flow_field([0, 9], (1, 2)), "'flow' parameter of flow_field"),
        (lambda: flow_field([0, 1], (1, 2), strength=[1.0]), "'strength' parameter"),
        (lambda: filters(np.eye(4), (2, 3)), "'weights' parameter of filters"),
        (lambda: basis_flow_fields(np.eye(4), (2, 2)), "'connections' parameter of basis_flow"),
        (lambda: analogies({}, (2, 2)), "'pictures' parameter of analogies"),
        (lambda: analogies({"a": np.eye(3)}, (2, 2)), "'pictures' parameter of analogies"),
    ],
)
def test_what_cannot_be_is_named(draw, match):
    with pytest.raises(ValueError, match=match):
        draw()
