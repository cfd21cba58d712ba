"""The command line starts at once, and fails in words where it cannot start."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = ("numba", "sklearn", "matplotlib", "scipy", "pyarrow", "pandas")


def python(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False
    )


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys\n"
        "from sidelight.cli import main\n"
        "try:\n"
        "    main()\n"
        "except SystemExit as end:\n"
        "    assert not end.code, end.code\n"
        f"print('LOADED', sorted(set({HEAVY!r}) & set(sys.modules)))\n"
    )
    for arguments in (["--help"], ["embed", "--help"], ["methods"], ["--version"]):
        done = python(code, *arguments)
        assert done.stdout.rstrip().endswith("LOADED []"), (arguments, done.stdout, done.stderr)


def test_without_typer_the_extra_is_named() -> None:
    code = "import sys; sys.modules['typer'] = None\nfrom sidelight.cli import main\nmain()"
    done = python(code)
    assert done.returncode == 1
    assert "package 'typer'" in done.stderr
    assert 'pip install "sidelight[cli]"' in done.stderr
    assert "Traceback" not in done.stderr


def test_the_module_runs_as_the_command_does() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "sidelight", "methods"], capture_output=True, text=True, check=True
    )
    assert "LocallyLinearEmbedding" in done.stdout
    assert "\x1b[" not in done.stdout  # no colours in a pipe


def test_an_experiment_runs_from_any_folder(tmp_path: Path) -> None:
    """The scripts import each other; the folder they lie in is not where the user is."""
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "sidelight",
            "reproduce",
            "landmark_quality",
            "--quick",
            "-o",
            "out",
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert list((tmp_path / "out").glob("*.png"))


@pytest.mark.parametrize("method", ["pca", "ne"])
def test_a_picture_loads_only_what_draws_it(tmp_path: Path, method: str) -> None:
    """What is installed for other ends is not waited for."""
    table = tmp_path / "table.csv"
    table.write_text("\n".join(f"{i},{i * i % 17},{i % 5}" for i in range(40)))
    code = (
        "import sys\n"
        "from sidelight.cli import main\n"
        "try:\n"
        "    main()\n"
        "except SystemExit as end:\n"
        "    assert not end.code, end.code\n"
        "kept = ('torch', 'dask', 'polars', 'skimage', 'matplotlib.pyplot', 'umap', 'pandas',\n"
        "        'scipy.stats')\n"
        "print('LOADED', sorted(set(kept) & set(sys.modules)))\n"
    )
    how = (
        "--method",
        method,
        "-o",
        str(tmp_path / "map.csv"),
        "--picture",
        str(tmp_path / "p.png"),
    )
    done = python(code, "embed", str(table), *how)
    assert done.stdout.rstrip().endswith("LOADED []"), (done.stdout, done.stderr)


def test_what_was_left_out_is_there_for_whoever_asks() -> None:
    pytest.importorskip("pandas")
    code = (
        "import sys\n"
        "from sidelight.cli.loading import load_scikit_learn\n"
        "load_scikit_learn()\n"
        "assert not {'pandas', 'scipy.stats'} & set(sys.modules)\n"
        "import numpy as np, scipy, sklearn.decomposition, sklearn.feature_selection\n"
        "from sklearn.utils import fixes\n"
        "assert fixes._mode(np.array([1, 1, 2])).mode.tolist() == [1]\n"
        "assert fixes.pd.DataFrame is not None\n"
        "import pandas, scipy.stats\n"
        "frame = pandas.DataFrame({'a': [0.0, 1.0, 3.0], 'b': [1.0, 0.0, 2.0]})\n"
        "pca = sklearn.decomposition.PCA(1).set_output(transform='pandas')\n"
        "assert type(pca.fit_transform(frame)) is pandas.DataFrame\n"
        "assert pandas is sys.modules['pandas'] and scipy.stats.norm.cdf(0.0) == 0.5\n"
        "assert scipy.stats is sys.modules['scipy.stats']\n"
        "print('FINE')\n"
    )
    done = python(code)
    assert done.stdout.rstrip().endswith("FINE"), done.stderr


def test_what_was_left_out_says_its_version_without_being_loaded() -> None:
    """The scikit-learn that is promised least asks for it where it begins."""
    pandas = pytest.importorskip("pandas")
    code = (
        "import sys\n"
        "from sidelight.cli.loading import load_scikit_learn\n"
        "load_scikit_learn()\n"
        "from sklearn.utils import fixes\n"
        "print(fixes.pd.__version__, 'pandas' in sys.modules)\n"
    )
    assert python(code).stdout.split() == [pandas.__version__, "False"]


def test_a_map_alone_loads_nothing_that_draws(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "import numpy as np, sidelight\n"
        "print(sidelight.embed(np.random.default_rng(0).normal(size=(30, 4)), method='pca'))\n"
        "kept = ('matplotlib', 'torch', 'dask', 'typer', 'numba')\n"
        "print('LOADED', sorted(set(kept) & set(sys.modules)))\n"
    )
    done = python(code)
    assert done.stdout.rstrip().endswith("LOADED []"), (done.stdout, done.stderr)
