"""Draw forty maps that are hard to draw, on sheets to be looked at: ``output/cases``.

A case is a name and what is given to ``sidelight.plot.scatter``; ``--only`` draws some of them,
``--book`` the sheet that the book shows.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

Case = dict[str, Any]
PER_SHEET = (4, 3)
#: The cases on the sheet of the book, and where that is.
SHOWN = (
    *("50 classes, direct", "long names of classes", "words of all scripts"),
    *("one point at a million", "200 towns", "names, classes", "pairs and anchors"),
    *("pieces side by side", "angles", "missing values", "values with a heavy tail"),
    "pictures in colour",
)
BOOK = Path(__file__).resolve().parent.parent / "docs" / "screenshots" / "hard_maps.png"


def blobs(n: int, k: int, *, spread: float = 1.0, seed: int = 0) -> tuple[Any, Any]:
    """Points about k centres, and the number of the centre of each."""
    rng = np.random.default_rng(seed)
    which = rng.integers(k, size=n)
    return 6 * np.sqrt(k) * rng.random((k, 2))[which] + spread * rng.normal(size=(n, 2)), which


def labelled(n: int, k: int, name: Callable[[int], str] = "class {}".format, **more: Any) -> Case:
    """Points about k centres with the names of these."""
    Z, which = blobs(n, k)
    return {"Z": Z, "labels": np.array([name(int(i)) for i in which]), **more}


def towns(n: int) -> Case:
    """Towns with names of all lengths, some near each other."""
    rng = np.random.default_rng(3)
    ends = ("ford", "ham", " upon the Water", "bury", "", " St Mary", "ton")
    stems = ("Ash", "Elm", "Oak", "Birch", "Wil", "Ald", "Hazel", "Row", "Thorn", "Yew")
    names = [stems[i % 10] + ends[i % 7] + ("" if i < 70 else f" {i // 70}") for i in range(n)]
    return {"Z": rng.normal(size=(n, 2)) * [100.0, 70.0], "names": names}


def pictures(n: int, height: int, width: int, *channels: int) -> Any:
    """Bright spots that wander with the number of the picture."""
    t = np.linspace(0, 1, n)[:, None, None]
    y, x = np.mgrid[:height, :width]
    grey = np.exp(
        -((x - width * t) ** 2 + (y - height * (1 - t)) ** 2) / (0.05 * height * width + 1)
    )
    return grey if not channels else np.stack([grey, 1 - grey, np.broadcast_to(t, grey.shape)], 3)


def cases() -> Iterator[tuple[str, Callable[[], Case]]]:
    """Every case, made when it is drawn."""
    rng = np.random.default_rng(0)
    plane = rng.normal(size=(300, 2))
    dates = np.datetime64("2020-01-01") + np.arange(300)
    yield "one point", lambda: {"Z": [[3.0, 4.0]], "names": ["here"]}
    yield "two points", lambda: {"Z": [[0, 0], [1e-3, 5e-4]], "labels": ["a", "b"]}
    yield "all points in one place", lambda: {"Z": np.full((50, 2), 7.0), "color": np.arange(50)}
    yield "a line in the plane", lambda: {"Z": np.linspace([0, 0], [1, 0], 80)}
    yield "a wide map, two classes", lambda: {**labelled(400, 2), "Z": plane_of(400, 30, 1)}
    yield "a wide map, 20 classes", lambda: {**labelled(600, 20), "Z": plane_of(600, 12, 1)}
    yield "a tall map, 20 classes", lambda: {**labelled(600, 20), "Z": plane_of(600, 1, 12)}
    yield "a tall map, 50 classes", lambda: {**labelled(600, 50), "Z": plane_of(600, 1, 4)}
    yield "50 classes", lambda: labelled(2000, 50, title="Fifty classes", key_title="class")
    yield "50 classes, direct", lambda: labelled(2000, 50, legend="direct")
    yield "ten classes, direct", lambda: labelled(800, 10, legend="direct")
    yield (
        "long names of classes",
        lambda: labelled(
            500, 8, lambda i: f"the {i}th class, whose name goes on for a good while", key_title="k"
        ),
    )
    yield (
        "words of all scripts",
        lambda: labelled(
            300,
            8,
            lambda i: ("naïve", "Ω ≥ ∑", "中文", "привет", "😀 face", "a$b_c^d", "<b>&", "")[i],
        ),
    )
    yield (
        "long title and names of axes",
        lambda: {
            "Z": plane,
            "title": "A title that says rather more of the map than a title should " * 2,
            "axis_names": ("the first of the coordinates, in metres", "the second, in metres too"),
        },
    )
    yield "a hundred thousand points", lambda: labelled(100_000, 7)
    yield "a million points", lambda: labelled(1_000_000, 7)
    yield (
        "a million values",
        lambda: {"Z": (Z := blobs(1_000_000, 5)[0]), "color": Z[:, 0], "key_title": "x"},
    )
    yield "a million, one far away", lambda: {"Z": np.vstack([blobs(10**6, 5)[0], [[1e6, 1e6]]])}
    yield "one point at a million", lambda: {"Z": np.vstack([plane, [[1e6, 1e6]]])}
    yield "20 towns", lambda: towns(20)
    yield "200 towns", lambda: towns(200)
    yield (
        "very long names at points",
        lambda: {
            "Z": plane[:12],
            "names": [f"number {i}: a name as long as a sentence may get" for i in range(12)],
        },
    )
    yield "names, classes", lambda: {**towns(40), "labels": np.arange(40) % 3, "key_title": "k"}
    yield "pairs and anchors", with_side
    yield "pieces side by side", in_pieces
    yield (
        "how well points are placed",
        lambda: {"Z": plane, "color": np.clip(rng.beta(8, 2, 300), 0, 1), "key_title": "kept"},
    )
    yield (
        "angles",
        lambda: {
            "Z": (t := np.linspace(0, 720, 400)[:, None] * [1, 0])[:, :1] * 0
            + np.column_stack([np.cos(np.radians(t[:, 0])), np.sin(np.radians(t[:, 0]))])
            * (1 + t[:, :1] / 720),
            "color": t[:, 0],
            "period": 360.0,
            "key_title": "angle in degrees",
        },
    )
    yield (
        "missing labels",
        lambda: {"Z": plane, "labels": np.array(["a", "b", None] * 100, dtype=object)},
    )
    yield (
        "missing values",
        lambda: {
            "Z": plane,
            "color": np.where(np.arange(300) % 3, plane[:, 0], np.nan),
            "key_title": "x, where it is known",
        },
    )
    yield "nothing known", lambda: {"Z": plane, "color": np.full(300, np.nan)}
    yield (
        "values with a heavy tail",
        lambda: {"Z": plane, "color": np.exp(4 * plane[:, 0]), "key_title": "income"},
    )
    yield "tiny values", lambda: {"Z": 1e-7 * plane, "color": 1e-9 * plane[:, 0]}
    yield "equal values, negative zero", lambda: {"Z": plane, "color": np.full(300, -0.0)}
    yield "dates", lambda: {"Z": plane, "color": dates, "key_title": "day"}
    yield "yes and no", lambda: {"Z": plane, "color": plane[:, 0] > 0, "key_title": "x > 0"}
    yield "on a line, four classes", lambda: {"Z": plane[:, :1], "labels": np.arange(300) % 4}
    yield "on a line, values", lambda: {"Z": plane[:, 0], "color": plane[:, 1], "key_title": "y"}
    yield (
        "in space",
        lambda: {
            "Z": np.random.default_rng(1).normal(size=(500, 3)),
            "labels": np.arange(500) % 12,
            "key_title": "class",
            "axis_names": ("first", "second", "third"),
        },
    )
    yield (
        "pictures, wide",
        lambda: {"Z": plane, "images": pictures(300, 8, 24), "color": np.arange(300)},
    )
    yield "pictures in colour", lambda: {"Z": plane, "images": pictures(300, 16, 16, 3)}
    yield (
        "few large pictures, classes",
        lambda: {**labelled(9, 3), "images": pictures(9, 64, 48)},
    )


def plane_of(n: int, width: float, height: float) -> Any:
    """Points spread over a rectangle."""
    return np.random.default_rng(5).random((n, 2)) * [width, height]


def with_side() -> Case:
    """A map with what was said about its rows."""
    from sidelight.side import Anchors, Pairs

    Z, which = blobs(120, 4, seed=2)
    said = Pairs(similar=[np.flatnonzero(which == i % 4)[i : i + 2] for i in range(12)])
    apart = Pairs(dissimilar=[(i, i + 60) for i in range(0, 60, 4)])
    goals = Anchors([0, 40, 80], Z[[0, 40, 80]] + [[0, 0], [1.5, 1.0], [0, 0]])
    return {"Z": Z, "labels": which, "side": [said, apart, goals], "key_title": "group"}


def in_pieces() -> Case:
    """Isomap of a table that falls apart in nineteen."""
    import warnings

    from sidelight import Isomap

    rng = np.random.default_rng(4)
    sizes = [200, 90, 60, 40, 40, 30, 20, *[12] * 12]
    rows = [
        rng.normal(size=(n, 3)) * np.sqrt(n) * rng.random(3) + 1e4 * rng.normal(size=3)
        for n in sizes
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = Isomap(2, n_neighbors=6, on_disconnected="separate").fit(np.vstack(rows))
    return {"Z": model.embedding_, "labels": [f"piece {p}" for p in model.pieces_]}


def draw(case: Case, path: Path) -> float:
    """Draw one case, and give the share of the figure that its axes have."""
    from sidelight.plot import save, scatter

    case = dict(case)
    ax = scatter(case.pop("Z"), **case)
    ax.figure.draw_without_rendering()
    place = ax.get_position()
    save(ax, path, dpi=100)
    return float(place.width * place.height)


def sheets(pictures: list[tuple[str, Path]], folder: Path) -> Iterator[Path]:
    """Pictures by the dozen on one page, each under its name."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.image import imread

    columns, rows = PER_SHEET
    for number in range(0, len(pictures), columns * rows):
        figure = Figure(figsize=(6.4 * columns, 5.4 * rows), dpi=75, layout="constrained")
        FigureCanvasAgg(figure)
        for place, (name, path) in enumerate(pictures[number : number + columns * rows]):
            ax = figure.add_subplot(rows, columns, place + 1)
            ax.imshow(imread(path))
            ax.set_title(name, fontsize=13, color="#b00")
            ax.tick_params(left=False, bottom=False, labelleft=False, labelbottom=False)
        path = folder / f"sheet_{number // (columns * rows) + 1}.png"
        figure.savefig(path)
        yield path


def write_small(sheet: Path, path: Path) -> None:
    """A sheet for the book: smaller, and in few colours."""
    from PIL import Image

    picture = Image.open(sheet).convert("RGB")
    picture = picture.resize((picture.width * 3 // 4, picture.height * 3 // 4))
    picture.quantize(256, method=Image.Quantize.FASTOCTREE).save(path, optimize=True)


def main() -> None:
    """Draw the cases, and say how much of each figure is its axes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("output/cases"))
    parser.add_argument("--only", default="", help="draw cases whose name contains this")
    parser.add_argument("--book", action="store_true", help="write the sheet of the book")
    parser.add_argument("--format", default="png", help="png, svg or pdf")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    drawn = []
    for number, (name, make) in enumerate(cases(), 1):
        if options.only in name and (not options.book or name in SHOWN):
            path = options.out / f"{number:02d} {name}.{options.format}"
            share = draw(make(), path)
            print(f"{number:2d}  {name:34s} axes {share:4.0%}  {path.stat().st_size / 1e3:7.0f} kB")
            drawn.append((name, path))
    if options.format == "png":
        for sheet in sheets(drawn, options.out):
            print(sheet)
            if options.book:
                write_small(sheet, BOOK)


if __name__ == "__main__":
    main()
