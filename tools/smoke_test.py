"""What must work where sidelight alone is installed, without any extra: run by the release check.

Nothing is imported but sidelight and what it needs.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import warnings
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


def main() -> None:
    """Do all of it, and say with what."""
    warnings.simplefilter("ignore")
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
    needed = ("numpy", "scipy", "scikit-learn", "numba")
    told = ", ".join(f"{name} {version(name)}" for name in needed)
    print(f"sidelight {sidelight.__version__} on Python {sys.version.split()[0]}: {told}")


if __name__ == "__main__":
    main()
