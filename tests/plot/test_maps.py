"""A map as a picture: colours, keys, thumbnails, histograms."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

mpl = pytest.importorskip("matplotlib")

from matplotlib.colors import to_hex, to_rgb  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402

from sidelight.plot import scatter  # noqa: E402
from sidelight.plot.style import MISSING, PALETTE, periodic_map, value_map  # noqa: E402

_Z = np.random.default_rng(0).normal(size=(400, 2))


def _drawn(ax):
    """Every point drawn: its place and its colour."""
    places = np.concatenate([np.asarray(c.get_offsets()) for c in ax.collections])
    colours = np.concatenate([c.get_facecolors()[:, :3] for c in ax.collections])
    return places, colours


def _colour_at(ax, Z):
    places, colours = _drawn(ax)
    order = [int(np.flatnonzero((places == z).all(axis=1))[0]) for z in Z]
    return colours[order]


def _key(ax):
    legend = ax.get_legend()
    names = [text.get_text() for text in legend.get_texts()]
    return dict(zip(names, (to_hex(h.get_color()) for h in legend.legend_handles), strict=True))


@pytest.mark.parametrize("n_labels", [3, 12])
def test_the_legend_has_the_colours_of_the_points(n_labels):
    labels = np.array([f"class {i:02d}" for i in np.arange(400) % n_labels])
    ax = scatter(_Z, labels=labels)
    key = _key(ax)
    assert list(key) == sorted(set(labels))
    for z, colour, label in zip(_Z, _colour_at(ax, _Z), labels, strict=True):
        assert to_hex(colour) == key[label], z


def test_labels_beyond_ten_differ_in_shape():
    ax = scatter(_Z, labels=np.arange(400) % 12)
    shapes = {h.get_label(): h.get_marker() for h in ax.get_legend().legend_handles}
    assert shapes["0"] == shapes["9"] != shapes["10"] == shapes["11"]
    assert len(ax.collections) == 2


def test_beyond_fifty_labels_the_rare_ones_are_taken_together():
    labels = np.concatenate([np.repeat(np.arange(49), 7), np.arange(100, 157)])
    key = _key(scatter(_Z, labels=labels))
    assert list(key) == [str(i) for i in range(49)] + ["57 other labels"]


def test_fifty_labels_differ_in_colour_or_shape():
    ax = scatter(_Z, labels=np.arange(400) % 50)
    looks = {(h.get_color(), h.get_marker()) for h in ax.get_legend().legend_handles}
    assert len(looks) == 50


def test_labels_stand_in_the_order_of_the_numbers_in_them():
    key = _key(scatter(_Z[:4], labels=["class 10", "class 9", "b", ""]))
    assert list(key) == ["(empty)", "b", "class 9", "class 10"]


@pytest.mark.parametrize("spread", [1.0, 1e-3, 1e6])
def test_the_colour_bar_spans_the_values_and_points_follow_the_map(spread):
    values = spread * np.random.default_rng(1).uniform(-3, 5, 400)
    ax = scatter(_Z, color=values)
    (bar,) = [other for other in ax.figure.axes if other is not ax]
    assert bar.get_ylim() == pytest.approx((values.min(), values.max()), rel=1e-12)
    share = (values - values.min()) / np.ptp(values)
    np.testing.assert_allclose(_colour_at(ax, _Z), value_map()(share)[:, :3])


def test_missing_values_are_grey_and_named():
    values = np.arange(400.0)
    values[::5] = np.nan
    ax = scatter(_Z, color=values)
    colours = _colour_at(ax, _Z)
    np.testing.assert_allclose(colours[::5], np.tile(to_rgb(MISSING), (80, 1)))
    assert _key(ax) == {"missing": MISSING}
    (bar,) = [other for other in ax.figure.axes if other is not ax]
    assert bar.get_ylim() == (1.0, 399.0)


def test_equal_values_and_labels_that_are_missing_are_drawn():
    ax = scatter(_Z[:4], color=[2.0, 2.0, 2.0, 2.0])
    assert len({to_hex(c) for c in _colour_at(ax, _Z[:4])}) == 1
    key = _key(scatter(_Z[:4], labels=["a", None, "b", "a"]))
    assert list(key) == ["a", "b", "missing"]


def test_a_heavy_tail_does_not_make_all_points_one_colour():
    rng = np.random.default_rng(0)
    positive, any_sign = np.exp(4 * rng.normal(size=400)), rng.standard_t(1, size=400)
    ax = scatter(_Z, color=positive)
    share = np.log(positive / positive.min()) / np.log(positive.max() / positive.min())
    np.testing.assert_allclose(_colour_at(ax, _Z), value_map()(share)[:, :3])
    ax = scatter(_Z, color=any_sign)
    low, high = np.percentile(any_sign, [1, 99])
    share = np.clip((any_sign - low) / (high - low), 0, 1)
    np.testing.assert_allclose(_colour_at(ax, _Z), value_map()(share)[:, :3])


@pytest.mark.parametrize("kind", ["datetime64", "date"])
def test_dates_are_written_as_dates_beside_the_bar(kind):
    days = np.datetime64("2020-01-01") + np.arange(400)
    days[7] = np.datetime64("NaT")
    ax = scatter(_Z, color=days if kind == "datetime64" else days.astype(object))
    (bar,) = [other for other in ax.figure.axes if other is not ax]
    ax.figure.canvas.draw()
    written = [text.get_text() for text in bar.get_yticklabels()]
    assert all(text.startswith(("2019-", "2020-", "2021-")) for text in written)
    assert bar.get_ylim() == (18262, 18262 + 399)
    assert list(_key(ax)) == ["missing"]


def test_words_given_as_colour_are_labels():
    assert list(_key(scatter(_Z[:3], color=["x", "y", "x"]))) == ["x", "y"]
    assert list(_key(scatter(_Z[:3], color=[True, False, True]))) == ["False", "True"]


def _thumbnail_boxes(ax):
    ax.figure.canvas.draw()
    return np.array([image.get_window_extent().extents for image in ax.images])


def _overlapping(boxes):
    return [
        (i, j)
        for i in range(len(boxes))
        for j in range(i)
        if (boxes[i, :2] < boxes[j, 2:]).all() and (boxes[j, :2] < boxes[i, 2:]).all()
    ]


@pytest.mark.parametrize("shape", [(8, 8), (4, 12)])
@pytest.mark.parametrize("n_points", [5, 400, 5000])
def test_thumbnails_do_not_overlap_and_stay_on_the_axes(n_points, shape):
    random = np.random.default_rng(2)
    Z = random.normal(size=(n_points, 2)) * [3, 1]
    images = random.uniform(size=(n_points, shape[0] * shape[1]))
    ax = scatter(Z, images=images, image_shape=shape, labels=np.arange(n_points) % 4)
    boxes = _thumbnail_boxes(ax)
    assert len(boxes) >= min(n_points, 5) - 2
    assert _overlapping(boxes) == []
    page = ax.get_window_extent().extents
    assert (boxes[:, :2] >= page[:2] - 1).all()
    assert (boxes[:, 2:] <= page[2:] + 1).all()
    # in the shape of the image, also on the page (matplotlib keeps equal scales to half a percent)
    width, height = (boxes[:, 2:] - boxes[:, :2]).T
    np.testing.assert_allclose(width / height, shape[1] / shape[0], rtol=5e-3)


def test_resizing_the_figure_does_not_make_thumbnails_overlap():
    ax = scatter(_Z, images=np.ones((400, 8, 8)))
    ax.figure.set_size_inches(3, 7)
    assert _overlapping(_thumbnail_boxes(ax)) == []


def test_thumbnails_show_their_points_image_in_their_points_colour():
    images = np.arange(400)[:, None, None] * np.ones((1, 4, 4))
    ax = scatter(_Z, images=images, labels=np.arange(400) % 5, max_thumbnails=20)
    assert 10 <= len(ax.images) <= 20
    for image, frame in zip(ax.images, ax.patches, strict=True):
        point = int(image.get_array()[0, 0])
        left, right, low, high = image.get_extent()
        np.testing.assert_allclose([(left + right) / 2, (low + high) / 2], _Z[point])
        assert to_hex(frame.get_edgecolor()) == PALETTE[point % 5]


def test_thumbnails_are_the_same_every_time():
    chosen = [[i.get_gid() for i in scatter(_Z, images=np.ones((400, 4, 4))).images] for _ in "ab"]
    assert chosen[0] == chosen[1]


@pytest.mark.parametrize("shape", [(30, 1), (1, 1), (1, 30)], ids=["wide", "square", "tall"])
@pytest.mark.parametrize("n_labels", [2, 20, 50])
def test_axes_are_as_large_whatever_the_legend(n_labels, shape):
    def inches(**options):
        ax = scatter(_Z * shape, **options)
        ax.figure.canvas.draw()
        box = ax.get_position()
        return ax, np.array(ax.figure.get_size_inches()) * [box.width, box.height]

    alone = inches()[1]
    ax, beside = inches(labels=[f"a label of number {i % n_labels}" for i in range(400)])
    np.testing.assert_allclose(beside[0], alone[0], atol=0.25)
    assert beside[1] >= alone[1] - 0.1
    legend = ax.get_legend().get_window_extent()
    page = ax.figure.bbox
    assert legend.x1 <= page.x1 + 1
    assert legend.y0 >= page.y0 - 1
    assert legend.x0 >= ax.get_window_extent().x1


def test_points_very_far_from_all_others_are_counted_not_shown():
    far = np.vstack([_Z, [[1e6, -1e6]]])
    ax = scatter(far, labels=np.arange(401) % 3)
    assert np.ptp(ax.get_xlim()) < 20
    assert [text.get_text() for text in ax.texts] == ["1 point is very far from here"]
    assert len(_drawn(ax)[0]) == 400
    # a twentieth of the points is a part of the map
    many = scatter(np.vstack([_Z, 1e6 + _Z[:20]]))
    assert np.ptp(many.get_xlim()) > 1e6
    assert not many.texts


def test_labels_in_the_map_do_not_cover_one_another():
    rng = np.random.default_rng(1)
    labels = rng.integers(30, size=900)
    ax = scatter(
        8 * rng.normal(size=(30, 2))[labels] + rng.normal(size=(900, 2)),
        labels=labels,
        legend="direct",
    )
    ax.figure.canvas.draw()
    boxes = np.array([t.get_bbox_patch().get_window_extent().extents for t in ax.texts])
    assert len(boxes) == 30
    assert _overlapping(boxes) == []


def test_a_long_title_is_broken_into_lines():
    ax = scatter(_Z, title="a title of words " * 12)
    ax.figure.canvas.draw()
    assert ax._left_title.get_window_extent().x1 <= ax.figure.bbox.x1


def test_dollars_in_the_data_are_no_formulas():
    ax = scatter(_Z[:3], labels=["$a$", "b", "c"], names=["$\\nonsense{$", "x", "y"])
    ax.figure.canvas.draw()
    assert "$a$" in _key(ax)


def test_pairs_and_anchors_are_drawn_where_they_are():
    from sidelight.side import Anchors, Pairs

    side = [Pairs(similar=[(0, 1)], dissimilar=[(2, 3), (4, 5)]), Anchors([6], [[9.0, 9.0]])]
    ax = scatter(_Z, side=side, labels=np.arange(400) % 2)
    assert [t.get_text() for t in ax.get_legend().get_texts()][2:] == [
        "similar pair",
        "dissimilar pair",
        "anchor",
    ]
    lines = [c.get_segments() for c in ax.collections if hasattr(c, "get_segments")]
    np.testing.assert_allclose(lines[0], _Z[[[0, 1]]])
    np.testing.assert_allclose(lines[1], _Z[[[2, 3], [4, 5]]])
    np.testing.assert_allclose(lines[2], [[_Z[6], [9.0, 9.0]]])
    assert ax.get_xlim()[1] > 9
    with pytest.raises(ValueError, match="'side' parameter of scatter needs .* two dimensions"):
        scatter(np.eye(3), side=side[0])


def test_rows_that_are_named_by_label_are_drawn_where_they_are():
    """Lines joined whoever stood first in the order of the labels."""
    pd = pytest.importorskip("pandas")
    from sidelight.side import Pairs

    labels = [f"row {i}" for i in range(400)]
    known = Pairs(similar=[("row 300", "row 7")])
    for Z, more in ((pd.DataFrame(_Z, index=labels), {}), (_Z, {"names": labels})):
        ax = scatter(Z, side=known, **more)
        lines = [c.get_segments() for c in ax.collections if hasattr(c, "get_segments")]
        np.testing.assert_allclose(np.sort(lines[0], axis=1), np.sort(_Z[[[7, 300]]], axis=1))
    with pytest.raises(ValueError, match="given to scatter names rows by label.*X has no labels"):
        scatter(_Z, side=known)


def test_maps_have_equal_scales():
    ax = scatter(_Z * [5, 1])
    ax.figure.canvas.draw()
    one = ax.transData.transform([[0, 0], [1, 1]])
    assert np.diff(one[:, 0]) == pytest.approx(np.diff(one[:, 1]), rel=5e-3)


def test_one_dimension_is_a_histogram_of_all_points():
    values = np.random.default_rng(3).normal(size=500)
    ax = scatter(values)
    heights = [bar.get_height() for bar in ax.patches]
    edges = [bar.get_x() for bar in ax.patches] + [values.max()]
    np.testing.assert_array_equal(heights, np.histogram(values, bins=edges)[0])
    assert sum(heights) == 500
    np.testing.assert_allclose(np.sort(_drawn(ax)[0][:, 0]), np.sort(values))


def test_a_histogram_is_stacked_by_label():
    values, labels = np.repeat([0.0, 1.0, 1.0], 50), np.repeat(["a", "b", "c"], 50)
    ax = scatter(values, labels=labels)
    of = {}
    for bar in ax.patches:
        of.setdefault(to_hex(bar.get_facecolor()), 0)
        of[to_hex(bar.get_facecolor())] += bar.get_height()
    assert of == {PALETTE[0]: 50, PALETTE[1]: 50, PALETTE[2]: 50}
    assert max(bar.get_y() + bar.get_height() for bar in ax.patches) == 100


def test_three_dimensions_hold_every_point():
    Z = np.random.default_rng(4).normal(size=(30, 3))
    ax = scatter(Z, axis_names=("a", "b", "c"))
    drawn = np.array(ax.collections[0]._offsets3d).T
    np.testing.assert_allclose(np.sort(drawn, axis=0), np.sort(Z, axis=0))
    assert ax.get_zlabel() == "c"


def test_more_points_are_smaller_and_paler():
    few, many = (
        scatter(np.random.default_rng(0).normal(size=(n, 2))).collections[0] for n in (10, 20_000)
    )
    assert few.get_sizes()[0] > 10 * many.get_sizes()[0]
    assert few.get_alpha() > many.get_alpha() >= 0.3


def test_given_axes_are_drawn_on_and_pyplot_is_left_alone():
    import matplotlib.pyplot as plt

    before = plt.get_fignums()
    ax = Figure().add_subplot()
    assert scatter(_Z, ax=ax) is ax
    assert plt.get_fignums() == before


def test_where_pyplot_is_imported_a_new_figure_is_its_own():
    import matplotlib.pyplot as plt

    drawn = scatter(_Z).figure
    assert plt.gcf() is drawn
    plt.close(drawn)


def test_without_pyplot_a_new_figure_is_free_of_it():
    program = (
        "import sys\n"
        "from sidelight.plot import scatter\n"
        "scatter([[0.0, 1.0], [1.0, 0.0]])\n"
        "assert 'matplotlib.pyplot' not in sys.modules\n"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_direct_labels_are_written_at_their_class():
    labels = np.where(_Z[:, 0] > 0, "right", "left")
    ax = scatter(_Z, labels=labels, legend="direct")
    assert ax.get_legend() is None
    where = {text.get_text(): text.xy[0] for text in ax.texts}
    assert where["right"] > 0 > where["left"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"color": np.ones(399)}, r"'color' parameter of scatter .*\(400,\).*\(399,\)"),
        ({"labels": ["a"]}, r"'labels' parameter of scatter .*\(400,\).*\(1,\)"),
        ({"color": np.ones(400), "labels": np.ones(400)}, r"either 'color' .* or 'labels'"),
        ({"color": "no such colour"}, r"'color' parameter .* Got 'no such colour'"),
        ({"images": np.ones((3, 2, 2))}, r"'images' parameter of scatter .* 400 .* Got 3"),
        ({"images": np.ones((400, 6))}, r"flattened images of 6 pixels.*'image_shape'"),
        (
            {"images": np.ones((400, 6)), "image_shape": (2, 2)},
            r"'image_shape' parameter .* 6 pixels.* Got \(2, 2\)",
        ),
        ({"legend": "left"}, r"'legend' parameter of scatter .* Got 'left'"),
        ({"axis_names": ("x",)}, r"'axis_names' parameter .* 2 of them. Got 1"),
    ],
)
def test_what_does_not_fit_the_map_is_refused(arguments, said):
    with pytest.raises(ValueError, match=said):
        scatter(_Z, **arguments)


def test_maps_that_cannot_be_drawn_are_refused():
    with pytest.raises(ValueError, match=r"'Z' parameter of scatter .* Got \(5, 4\)"):
        scatter(np.ones((5, 4)))
    with pytest.raises(ValueError, match="no point with finite"):
        scatter(np.full((5, 2), np.nan))
    with pytest.raises(ValueError, match=r"two dimensions\. Got 3"):
        scatter(np.ones((5, 3)), images=np.ones((5, 2, 2)))
    with pytest.raises(ValueError, match=r"'ax' parameter .* which has 3"):
        scatter(np.ones((5, 3)), ax=Figure().add_subplot())


def test_long_numbers_name_their_power_of_ten_beside_axes_and_bar():
    ax = scatter(4e6 * _Z / np.abs(_Z).max(), color=3e-7 * np.arange(400.0) / 399)
    ax.figure.draw_without_rendering()
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("× $10^{6}$",) * 2
    bar = ax.figure.axes[1]
    assert bar.get_ylabel() == "× $10^{-7}$"
    for axis in (ax.xaxis, ax.yaxis, bar.yaxis):
        assert axis.get_offset_text().get_text() == ""
    shown = [float(tick.get_text().replace("−", "-")) for tick in ax.get_xticklabels()]
    np.testing.assert_allclose(shown, ax.get_xticks() / 1e6, rtol=1e-5)


def test_angles_have_colours_that_come_round():
    angles = np.array([0.0, 90.0, 180.0, 359.0, 450.0, -90.0, 270.0, np.nan])
    Z = _Z[:8]
    ax = scatter(Z, color=angles, period=360, key_title="angle")
    shown = _colour_at(ax, Z)
    np.testing.assert_allclose(shown[1], shown[4])  # a turn later
    np.testing.assert_allclose(shown[5], shown[6])
    assert np.abs(shown[0] - shown[3]).max() < 0.03  # both ends meet
    assert np.abs(shown[0] - shown[2]).max() > 0.3
    np.testing.assert_allclose(shown[7], to_rgb(MISSING))
    bar = ax.figure.axes[-1]
    assert [round(t) for t in bar.get_yticks()] == [0, 90, 180, 270, 360]


def test_colours_that_come_round_are_even_and_dark_enough_for_a_white_page():
    colours = periodic_map()(np.arange(256))[:, :3]
    steps = np.linalg.norm(np.diff(np.vstack([colours, colours[:1]]), axis=0), axis=1)
    assert steps.max() < 6 * np.median(steps)
    assert (colours @ [0.2126, 0.7152, 0.0722]).max() < 0.75


@pytest.mark.parametrize("options", [{"period": 0.0}, {"period": 360, "color": "red"}])
def test_a_period_needs_values(options):
    with pytest.raises(ValueError, match="'period' parameter of scatter must be a number above"):
        scatter(_Z, **{"color": np.arange(400.0), **options})


def test_long_names_of_classes_stay_apart_in_the_legend():
    numbers = np.arange(len(_Z)) % 5
    end = "a very long class name that goes on until it comes to its number {}"
    middle = "the beginning of it, then {}, then what is the end of all of them"
    for names in ([text.format(i) for i in range(5)] for text in (end, middle)):
        written = [*_key(scatter(_Z, labels=np.array(names)[numbers]))]
        assert len(set(written)) == 5
        assert all(len(name) <= 31 and str(i) in name for i, name in enumerate(written))
    alike = ["x" * 40 + str(i) + "y" * 400 + str(j) + "y" * 40 for i in (0, 1) for j in (0, 1)]
    written = [*_key(scatter(_Z, labels=np.array(alike)[numbers % 4]))]
    assert len(set(written)) == 4


def test_fractions_given_as_labels_have_no_legend_of_long_numbers():
    ax = scatter(_Z, labels=np.sqrt(np.arange(len(_Z)) + 2.0))
    assert ax.get_legend() is None
    assert len(ax.figure.axes) == 2  # the map and the bar
    few = np.array([0.1, 0.1 + 0.2, 0.5])[np.arange(len(_Z)) % 3]
    assert [*_key(scatter(_Z, labels=few))] == ["0.1", "0.3", "0.5"]


@pytest.mark.parametrize("names", [True, "who", 3])
def test_names_that_are_no_list_are_refused_in_words(names):
    with pytest.raises(ValueError, match="'names' parameter of scatter must have one entry per"):
        scatter(_Z, names=names)
