"""Eigenvalues as bars."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from matplotlib.colors import to_hex

from sidelight.plot import eigenvalues
from sidelight.plot.style import NEGATIVE

_VALUES = [1.0, -2.0, 6.0, 3.0, -0.5]


def _texts(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_bars_have_the_heights_of_the_values_in_falling_order():
    ax = eigenvalues(_VALUES, n_kept=2)
    bars = sorted(ax.patches, key=lambda bar: bar.get_x())
    assert [bar.get_height() for bar in bars] == [6.0, 3.0, 1.0, -0.5, -2.0]
    assert [bar.get_x() + bar.get_width() / 2 for bar in bars] == pytest.approx([1, 2, 3, 4, 5])


def test_negative_bars_alone_have_the_colour_of_negative_ones():
    for bar in eigenvalues(_VALUES, n_kept=2).patches:
        assert (to_hex(bar.get_facecolor()) == NEGATIVE) == (bar.get_height() < 0)


def test_the_legend_says_the_shares():
    assert _texts(eigenvalues(_VALUES, n_kept=2)) == [
        "2 kept: 90 % of the positive sum",
        "1 left out",
        "2 negative: 20 % of the absolute sum",
    ]


def test_rounding_below_zero_is_not_called_negative():
    assert _texts(eigenvalues([2.0, 1.0, -1e-17])) == ["3 positive"]


def test_long_spectra_are_areas_of_the_same_height():
    values = np.linspace(3, -1, 400)
    ax = eigenvalues(values, n_kept=10)
    outline = np.concatenate([path.vertices for c in ax.collections for path in c.get_paths()])
    assert (outline[:, 1].min(), outline[:, 1].max()) == (-1.0, 3.0)
    assert len(ax.collections) == 3


@pytest.mark.parametrize(("factor", "power"), [(1e7, 7), (3e-5, -4), (100.0, 0)])
def test_long_numbers_share_a_power_of_ten_that_the_label_names(factor, power):
    ax = eigenvalues(factor * np.array(_VALUES))
    ax.figure.draw_without_rendering()
    assert ax.yaxis.get_offset_text().get_text() == ""
    assert (f"10^{{{power}}}" in ax.get_ylabel()) == (power != 0)
    ticks = [tick for tick in ax.get_yticks() if ax.get_ylim()[0] <= tick <= ax.get_ylim()[1]]
    written = [
        float(text.get_text().replace("−", "-"))
        for text, tick in zip(ax.get_yticklabels(), ax.get_yticks(), strict=True)
        if tick in ticks
    ]
    np.testing.assert_allclose(written, np.array(ticks) / 10.0**power, atol=1e-12)


@pytest.mark.parametrize(
    ("values", "kept", "said"),
    [
        ([], 0, "'values' parameter of eigenvalues"),
        ([1.0, np.nan], 0, "'values' parameter of eigenvalues"),
        ([1.0, 2.0], 3, r"'n_kept' parameter of eigenvalues .*\[0, 2\]. Got 3"),
    ],
)
def test_impossible_spectra_are_refused(values, kept, said):
    with pytest.raises(ValueError, match=said):
        eigenvalues(values, n_kept=kept)
