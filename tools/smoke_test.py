"""What must work where sidelight alone is installed, without any extra: run by the release check.

Nothing is imported but sidelight and what it needs.  With a page of the book, that page is followed
instead, where the extra that it asks for is installed: its Python and its commands, in their order.
"""

from __future__ import annotations

import argparse
import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
import warnings
from contextlib import chdir, redirect_stdout
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import scipy.sparse as sp

import sidelight
from sidelight.side import Anchors, Condition, Pairs

METHODS = (
    "PCA",
    "ProbabilisticPCA",
    "KernelPCA",
    "ClassicalMDS",
    "Isomap",
    "LocallyLinearEmbedding",
    "LaplacianEigenmaps",
    "SemidefiniteEmbedding",
    "MaximumEntropyUnfolding",
    "AcyclicLocallyLinearEmbedding",
    "SammonMapping",
    "StochasticNeighborEmbedding",
    "NeighborEmbedding",
    "UnsupervisedKernelRegression",
    "GPLVM",
)


def check_methods(X: np.ndarray) -> None:
    """Fit, place, save and load: a file gives the same map again."""
    with tempfile.TemporaryDirectory() as folder:
        for name in METHODS:
            model = getattr(sidelight, name)(2).fit(X)
            assert model.embedding_.shape == (len(X), 2), name
            assert np.isfinite(model.embedding_).all(), name
            path = Path(folder) / f"{name}.sidelight"
            sidelight.save(model, path)
            again = sidelight.load(path)
            np.testing.assert_array_equal(again.embedding_, model.embedding_, err_msg=name)
            if hasattr(model, "transform"):
                np.testing.assert_array_equal(again.transform(X[:5]), model.transform(X[:5]))


def check_side_information(X: np.ndarray, kind: np.ndarray) -> None:
    """Pairs, conditions and anchors are heard."""
    for side in (Pairs.from_labels(kind), Condition(kind)):
        (heard,) = sidelight.Isomap(2).fit(X, side=side).side_report_
        assert heard.kind == type(side).__name__
    places = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    pinned = sidelight.SammonMapping(2).fit(X, side=Anchors([0, 30, 59], places))
    np.testing.assert_allclose(pinned.embedding_[[0, 30, 59]], places, atol=1e-9)


def check_the_door(X: np.ndarray) -> None:
    """``embed`` judges its map, and is shown without a picture where none can be drawn."""
    result = sidelight.embed(X)
    assert result.quality().trustworthiness > 0.8
    assert len(repr(result).splitlines()) == 3
    assert "trustworthiness" in result._repr_html_()
    counts = sp.csr_array(np.random.default_rng(1).poisson(0.3, (50, 40)))
    assert sidelight.embed(counts, metric="cosine").points.shape == (50, 2)
    ring = sp.csr_array(sp.diags([1.0, 1.0], [1, 49], shape=(50, 50)))
    assert sidelight.Isomap(2, metric="precomputed").fit(ring).embedding_.shape == (50, 2)


def check_missing_extras() -> None:
    """What needs an extra says which."""
    if find_spec("typer") is None:
        done = subprocess.run(
            [sys.executable, "-m", "sidelight", "--help"], capture_output=True, text=True
        )
        assert done.returncode == 1, done
        assert 'pip install "sidelight[cli]"' in done.stderr, done.stderr
        assert "Traceback" not in done.stderr
    if find_spec("matplotlib") is None:
        said = ""
        try:
            sidelight.plot.scatter([[0.0, 1.0], [1.0, 0.0]])
        except ImportError as error:
            said = str(error)
        assert "sidelight[plot]" in said, said


def check_frames() -> None:
    """A frame keeps the names of its rows and the columns that are no numbers."""
    import pandas as pd

    rng = np.random.default_rng(2)
    towns = [f"town {i}" for i in range(30)]
    land = np.array(["a", "b"])[np.arange(30) % 2]
    frame = pd.DataFrame(rng.normal(size=(30, 4)), index=towns, columns=list("abcd"))
    found = sidelight.embed(frame.assign(land=land), method="pca").to_frame()
    assert list(found.index) == towns
    assert list(found["land"]) == list(land)
    assert len(sidelight.embed(frame, columns="mixed", method="mds").points) == 30


def check_files() -> None:
    """The command line makes a map, a picture and a model of a file, and places new rows."""
    rng = np.random.default_rng(3)
    lines = [",".join(f"{value:.6f}" for value in row) for row in rng.normal(size=(40, 3))]
    Path("small.csv").write_text("\n".join(["x,y,z", *lines]))
    outputs = {"--output": "small.parquet", "--picture": "small.png", "--model": "small.sidelight"}
    command_line(
        "embed", "small.csv", "--method", "pca", *(w for pair in outputs.items() for w in pair)
    )
    command_line("transform", "small.sidelight", "small.csv", "-o", "placed.csv")
    for file in (*outputs.values(), "placed.csv"):
        assert Path(file).stat().st_size > 0, file


def command_line(*arguments: str) -> None:
    """Run the command as it is installed."""
    done = subprocess.run(
        [sys.executable, "-m", "sidelight", *arguments], capture_output=True, text=True
    )
    assert done.returncode == 0, f"sidelight {shlex.join(arguments)}\n{done.stdout}\n{done.stderr}"


def steps_of(page: str) -> list[tuple[str, str]]:
    """The Python and the commands of a page, in their order: ("python", code), ("sidelight", …)."""
    found = []
    for language, block in re.findall(r"^```(python|)\n(.*?)^```", page, re.DOTALL | re.MULTILINE):
        if language:
            found.append((language, block))
            continue
        lines = (line.partition("sidelight ") for line in block.splitlines())
        found += [(name.strip(), rest) for before, name, rest in lines if name and not before]
    return found


def follow(page: str) -> None:
    """Do what a page says."""
    os.environ["MPLBACKEND"] = "agg"
    names: dict[str, object] = {}
    for what, step in steps_of(page):
        if what == "sidelight":
            command_line(*shlex.split(step))
            continue
        with redirect_stdout(io.StringIO()):
            exec(step, names)


def check_alone() -> None:
    """What the library does without any extra."""
    assert version("sidelight") == sidelight.__version__
    home = Path(sidelight.__file__).parent
    assert (home / "py.typed").exists()
    assert (home / "plot" / "page.html").exists()
    rng = np.random.default_rng(0)
    kind = np.repeat([0, 1, 2], 20)
    X = 4 * rng.normal(size=(3, 6))[kind] + rng.normal(size=(60, 6))
    check_methods(X)
    check_side_information(X, kind)
    check_the_door(X)
    check_missing_extras()


def main() -> None:
    """Do all of it, and say with what."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("page", nargs="?", type=Path, help="a page of the book to follow")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    needed = ["numpy", "scipy", "scikit-learn", "numba"]
    if options.page is None:
        check_alone()
    else:
        page = options.page.read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder, chdir(folder):
            check_frames()
            check_files()
            follow(page)
        needed = ["matplotlib", "narwhals", "pandas", "pyarrow", "rich", "typer"]
    told = ", ".join(f"{name} {version(name)}" for name in needed)
    print(f"sidelight {sidelight.__version__} on Python {sys.version.split()[0]}: {told}")


if __name__ == "__main__":
    main()
