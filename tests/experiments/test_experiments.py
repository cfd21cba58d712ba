"""Every experiment runs, and the figures that the texts print come out to the printed digit."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]

# name: the files of real data it needs, and the words its table must have
EXPERIMENTS = {
    "action_paths": ((), ("ARE as printed", "noisy frames")),
    "action_planning": ((), ("goals reached",)),
    "blessing_of_dimensionality": ((), ("power of p",)),
    "corresponding_images": (("isomap_faces", "six"), ("ends of one relation",)),
    "digits_denoising": ((), ("PCA", "kernel, fixed point")),
    "distance_distribution": (("oil_flow", "stick_run1", "spellman_yeast"), ("stick man",)),
    "european_roads": (("europe_roads",), ("Procrustes residual",)),
    "faces_maps": (("isomap_faces",), ("Isomap, k = 6",)),
    "gaussian_process_maps": (("oil_flow",), ("inducing",)),
    "glasses_on_faces": (("olivetti_faces",), ("seen with glasses",)),
    "information_maps": (("oil_flow", "cmu35_walk"), ("S-shaped sheet", "turns")),
    "informed_cells": (("pbmc68k_reduced",), ("Isomap",)),
    "informed_faces": (("olivetti_faces",), ("five pairs",)),
    "known_factor_removed": (
        ("pbmc68k_reduced", "isomap_faces"),
        ("angle known", "R² of size"),
    ),
    "different_supports": ((), ("hand known", "size known")),
    "landmark_quality": ((), ("mean ratio",)),
    "likelihood_of_maps": (
        ("stick_run1", "robot_wireless", "oil_flow"),
        ("GP-LVM score", "acyclic LLE"),
    ),
    "missing_values": (("oil_flow", "spellman_yeast"), ("yeast", "GP-LVM")),
    "latent_maps": ((), ("UKR", "Sammon")),
    "motion_maps": (("stick_run1", "cmu35_walk"), ("turns",)),
    "noisy_s_denoising": ((), ("spectral", "along the path")),
    "oil_flow_maps": (("oil_flow",), ("1-NN errors",)),
    "oil_flow_unfolding": (("oil_flow",), ("peak MB",)),
    "pair_metric_safety": (("olivetti_faces", "pbmc68k_reduced"), ("worst mean",)),
    "relational_faces": (("isomap_faces",), ("a dimension each", "up–down")),
    "rotated_six": (("six",), ("printed",)),
    "swiss_roll_maps": ((), ("Isomap",)),
    "unfolded_roll": ((), ("worst",)),
    "unfolded_rotations": (("six", "mnist_t10k"), ("spread of radii",)),
}


def experiment(name: str) -> ModuleType:
    """Import an experiment as ``python -m experiments.name`` does from the project's folder."""
    if str(ROOT) not in sys.path:
        sys.path.insert(0, str(ROOT))
    (script,) = (ROOT / "experiments").glob(f"*/{name}.py")
    return importlib.import_module(f"experiments.{script.parent.name}.{name}")


def test_every_experiment_is_listed_here() -> None:
    files = {path.stem for path in (ROOT / "experiments").glob("*/[!_]*.py")}
    assert files == set(EXPERIMENTS)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.real_data(*files)] if files else [])
        for name, (files, _) in EXPERIMENTS.items()
    ],
)
def test_experiment_prints_its_table_and_draws_its_figures(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    module = experiment(name)
    assert module.__doc__ is not None
    assert "Measured" in module.__doc__

    module.main(tmp_path, quick=True)

    printed = capsys.readouterr().out
    assert all(word in printed for word in EXPERIMENTS[name][1])
    assert "nan" not in printed
    figures = sorted(tmp_path.glob("*.png"))
    assert figures
    assert all(figure.stat().st_size > 10_000 for figure in figures)


@pytest.mark.real_data("oil_flow", "stick_run1", "spellman_yeast")
@pytest.mark.parametrize(
    ("name", "printed"), [("oil_flow", "1.98"), ("stick_run1", "1.09"), ("spellman_yeast", "0.694")]
)
def test_variance_of_squared_distances_is_the_one_on_the_slides(name: str, printed: str) -> None:
    from sidelight.datasets import load

    measured = experiment("distance_distribution").variance_of_squared_distances(load(name).X)
    assert f"{measured:.3g}" == printed


@pytest.mark.real_data("six")
def test_errors_of_rotated_sixes_are_those_on_the_slides() -> None:
    six = experiment("rotated_six")
    Y = six.sixes_of_the_slides(six.padded_six())
    selected = [f"{six.error_of_pixels(Y, q):.3f}" for q in six.SELECTED]
    assert selected == ["0.215", "0.214", "0.203", "0.109"]
    errors = six.errors_of_components_as_printed(Y)
    extracted = [f"{errors[q]:.2e}" for q in six.EXTRACTED]
    assert extracted == ["3.30e-05", "1.52e-05", "3.85e-06", "0.00e+00"]


@pytest.mark.real_data("six")
def test_printed_errors_of_components_are_too_small_by_the_number_of_pixels() -> None:
    from sidelight import PCA

    six = experiment("rotated_six")
    Y = six.sixes_of_the_slides(six.padded_six())
    components = PCA(None).fit_transform(Y)
    printed = six.errors_of_components_as_printed(Y)
    for q in (2, 10, 100):
        ratio = six.error_of_components(Y, components, q) / printed[q]
        assert ratio == pytest.approx(Y.shape[1] - 1, rel=1e-3)


@pytest.mark.real_data("oil_flow")
def test_pca_makes_162_errors_on_oil_and_the_graph_joins_at_46_neighbours() -> None:
    from sidelight import PCA
    from sidelight.datasets import load
    from sidelight.neighbors import component_labels, neighborhood_graph
    from sidelight.quality import neighbor_label_accuracy

    X, labels = load("oil_flow")
    assert neighbor_label_accuracy(PCA(2).fit_transform(X), labels).n_errors == 162
    pieces = [component_labels(neighborhood_graph(X, n_neighbors=k)).max() + 1 for k in (45, 46)]
    assert pieces == [2, 1]


@pytest.mark.real_data("europe_roads")
def test_road_distances_have_22_negative_eigenvalues() -> None:
    from sidelight import ClassicalMDS
    from sidelight.datasets import load

    model = ClassicalMDS(2, metric="precomputed").fit(load("europe_roads").X)
    spectrum = np.linalg.eigvalsh(model.kernel())
    assert (spectrum < -1e-9 * spectrum.max()).sum() == 22
    assert len(model.negative_eigenvalues_) == 22


def test_plane_keeps_distances_from_its_middle() -> None:
    plane = experiment("european_roads").plane_of(
        np.array([50.0, 40.0, 60.0]), np.array([10.0, 10.0, 10.0])
    )
    # ten degrees of latitude along a meridian, in km
    expected = np.radians(10) * 6371
    np.testing.assert_allclose(plane, [[0, 0], [0, -expected], [0, expected]], atol=1e-9)


def test_turning_counts_rounds_and_direction() -> None:
    angle = np.linspace(0, 5 * np.pi, 200)
    turns, onward = experiment("motion_maps").turning(
        np.column_stack([np.cos(angle), np.sin(angle)])
    )
    assert turns == pytest.approx(2.5, abs=0.01)
    assert onward == 1.0


def test_roundness_tells_a_circle_from_an_ellipse_and_from_a_shuffled_one() -> None:
    angle = 2 * np.pi * np.arange(60) / 60
    circle = np.column_stack([np.cos(-angle + 1), np.sin(-angle + 1)])
    roundness = experiment("unfolded_rotations").roundness
    assert roundness(circle) == pytest.approx((0.0, 1.0, 0.0), abs=1e-9)
    spread, onward, error = roundness(circle * [1.0, 0.8])
    assert spread == pytest.approx(0.08, abs=0.01)
    assert onward == 1.0
    assert 2 < error < 6
    swapped = circle.copy()
    swapped[[10, 11]] = circle[[11, 10]]
    assert roundness(swapped)[1] == pytest.approx(59 / 60)


def test_edges_between_turns_of_the_roll_are_counted() -> None:
    from types import SimpleNamespace

    from sidelight.datasets import Dataset

    sheet = Dataset(
        X=np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]),
        truth=np.array([[0.0, 0.0], [1.0, 0.0], [4.0, 0.0]]),
    )
    model = SimpleNamespace(edges_=np.array([[0, 1], [0, 2], [1, 2]]))
    # 0–2 is four times as long on the sheet, 1–2 only 3 / √2 times
    assert experiment("unfolded_roll").crossings(model, sheet) == 1
