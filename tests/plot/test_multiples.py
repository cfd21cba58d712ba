"""Several maps side by side, and figures into files."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.transforms import Bbox

pytest.importorskip("matplotlib")

from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from sidelight.plot import comparison, save, scatter

_Z = np.random.default_rng(0).normal(size=(50, 2))
_LABELS = np.arange(50) % 3


def test_maps_share_one_legend_with_the_colours_of_the_points():
    figure = comparison({"a": _Z, "b": -_Z, "c": _Z[:, ::-1]}, labels=_LABELS)
    assert all(ax.get_legend() is None for ax in figure.axes)
    (legend,) = figure.legends
    key = {h.get_label(): to_hex(h.get_color()) for h in legend.legend_handles}
    for ax, Z in zip(figure.axes, (_Z, -_Z, _Z[:, ::-1]), strict=True):
        (drawn,) = ax.collections
        for place, colour in zip(drawn.get_offsets(), drawn.get_facecolors(), strict=True):
            point = int(np.flatnonzero((place == Z).all(axis=1))[0])
            assert to_hex(colour) == key[str(_LABELS[point])]


def test_maps_share_one_colour_bar_over_the_values():
    figure = comparison({"a": _Z, "b": -_Z}, color=_Z[:, 0])
    assert len(figure.axes) == 3
    assert figure.axes[-1].get_ylim() == pytest.approx((_Z[:, 0].min(), _Z[:, 0].max()))


def test_names_and_scores_are_the_titles():
    figure = comparison({"a": _Z, "b": -_Z}, scores={"a": 0.51234, "b": "0.4 ± 0.1"})
    assert [ax.get_title(loc="left") for ax in figure.axes] == ["a", "b"]
    assert [ax.get_title(loc="right") for ax in figure.axes] == ["0.512", "0.4 ± 0.1"]


def test_long_names_do_not_run_into_their_scores():
    names = ["PCA", "StochasticNeighborEmbedding", "AcyclicLocallyLinearEmbedding"]
    figure = comparison(
        dict.fromkeys(names, _Z), scores=dict.fromkeys(names, "R_NX 0.423"), title="a table"
    )
    figure.canvas.draw()
    for ax in figure.axes:
        left = Bbox([_corner(figure, ax._left_title, 0), _corner(figure, ax._left_title, 1)])
        assert not left.overlaps(ax._right_title.get_window_extent())


def _corner(figure, title, which):
    """A corner of what is written in the first line of a title."""
    text = title.get_text()
    title.set_text(text.rstrip("\n"))
    box = title.get_window_extent()
    title.set_text(text)
    lines = text.count("\n")
    return box.get_points()[which] + [0, lines * box.height]


def test_nothing_drawn_overlaps_the_legend():
    figure = comparison({str(i): _Z for i in range(5)}, labels=np.array(list("abcde") * 10))
    figure.canvas.draw()
    legend = figure.legends[0].get_window_extent()
    assert not any(legend.overlaps(ax.get_window_extent()) for ax in figure.axes)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"maps": {}}, "at least one map"),
        ({"maps": {"a": _Z, "b": _Z[1:]}}, r"same points.*'a': 50, 'b': 49"),
        ({"maps": {"a": _Z}, "scores": {"z": 1.0}}, r"'scores' .* not there: \['z'\]"),
        ({"maps": {"a": _Z}, "labels": [1, 2]}, r"'labels' parameter of comparison .*\(50,\)"),
        ({"maps": {"a": np.ones((5, 9))}}, r"maps\['a'\].* Got \(5, 9\)"),
    ],
)
def test_maps_that_do_not_belong_together_are_refused(arguments, said):
    with pytest.raises(ValueError, match=said):
        comparison(**arguments)


@pytest.mark.parametrize("make", [lambda: scatter(_Z), lambda: comparison({"a": _Z})])
def test_axes_and_figures_are_saved_as_what_the_ending_says(make, tmp_path):
    drawn = make()
    starts = {"png": b"\x89PNG", "pdf": b"%PDF", "svg": b"<?xml"}
    for ending, start in starts.items():
        written = save(drawn, tmp_path / "new folder" / f"map.{ending}")
        assert written.read_bytes().startswith(start)


def test_more_dots_per_inch_are_more_pixels(tmp_path):
    from matplotlib.image import imread

    ax = scatter(_Z)
    low, high = (imread(save(ax, tmp_path / f"{d}.png", dpi=d)).shape[0] for d in (50, 100))
    assert high == pytest.approx(2 * low, abs=3)


def test_axes_on_a_part_of_a_figure_save_the_whole(tmp_path):
    part, _ = Figure().subfigures(1, 2)
    assert save(scatter(_Z, ax=part.add_subplot()), tmp_path / "part.png").stat().st_size > 1000


def test_unknown_endings_are_refused(tmp_path):
    with pytest.raises(ValueError, match=r"'path' parameter of save .*png.* Got 'map.doc'"):
        save(scatter(_Z), tmp_path / "map.doc")


def test_a_vector_file_holds_many_points_as_pixels_and_text_as_text(tmp_path):
    Z = np.random.default_rng(0).normal(size=(20_000, 2))
    many = save(scatter(Z, labels=np.arange(20_000) % 3, title="many"), tmp_path / "many.svg")
    few = save(scatter(Z[:50], title="few"), tmp_path / "few.svg")
    text = many.read_text()
    assert "<image" in text
    assert ">many</text>" in text
    assert text.count("<use") < 100  # ticks, not points
    assert many.stat().st_size < 1_000_000  # 20,000 marks would take twice as much
    assert "<image" not in few.read_text()
