"""Data sets by name, and real files in a folder."""

from __future__ import annotations

import hashlib
import subprocess
import sys

import numpy as np
import pytest

from sidelight.datasets import available, folder, load
from sidelight.datasets.files import VARIABLE
from sidelight.datasets.real import ARRANGEMENTS


def test_every_name_is_listed_with_its_kind(monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    listed = available()
    kinds = {
        kind: {n for n, entry in listed.items() if entry.kind == kind}
        for kind in ("generated", "bundled", "real")
    }
    assert kinds["generated"] == {"swiss_roll", "s_curve", "noisy_s", "image_walk"}
    assert kinds["bundled"] == {"digits", "shifted_digits", "rotated_digits"}
    assert kinds["real"] == set(ARRANGEMENTS)
    assert all(entry.present == (entry.kind != "real") for entry in listed.values())


@pytest.mark.parametrize("name", [n for n, entry in available().items() if entry.kind != "real"])
def test_whatever_needs_no_file_loads_by_name(name):
    loaded = load(name)
    assert loaded.name == name
    assert loaded.description == available()[name].description


def test_options_reach_the_generator():
    assert len(load("swiss_roll", n_samples=12, random_state=0).X) == 12


def test_a_real_set_is_read_from_the_folder_given(tmp_path, monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    km = np.array([[0, 3], [3, 0]], dtype=np.int16)
    np.savez(tmp_path / "eurodist.npz", km=km, city=np.array(["Here", "There"]))
    roads = load("eurodist", folder=tmp_path)
    assert roads.metric == "precomputed"
    np.testing.assert_array_equal(roads.X, km)
    np.testing.assert_array_equal(roads.extras["distances"], km)
    assert available(folder=tmp_path)["eurodist"].present
    assert not available(folder=tmp_path)["six"].present
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    assert folder() == tmp_path
    assert load("eurodist").extras["city"].tolist() == ["Here", "There"]


def test_pickled_objects_are_refused(tmp_path):
    np.savez(tmp_path / "eurodist.npz", km=np.array([{}], dtype=object), city=np.array(["a"]))
    with pytest.raises(ValueError, match="allow_pickle=False"):
        load("eurodist", folder=tmp_path)


def test_what_is_missing_is_named(tmp_path, monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    assert folder() is None
    with pytest.raises(FileNotFoundError, match=r"SIDELIGHT_DATA is not set.*six\.npz.*Set SIDE"):
        load("six")
    monkeypatch.setenv(VARIABLE, str(tmp_path / "nowhere"))
    assert folder() is None
    with pytest.raises(FileNotFoundError, match=r"nowhere', which is not a folder.*six\.npz"):
        load("six")
    with pytest.raises(FileNotFoundError, match=r"six\.npz is not in"):
        load("six", folder=tmp_path)


def test_unknown_names_and_options_are_refused(tmp_path):
    with pytest.raises(ValueError, match=r"no data set 'sixes'.*six"):
        load("sixes")
    with pytest.raises(TypeError, match=r"'six' takes no options. Got n_samples"):
        load("six", folder=tmp_path, n_samples=3)


def test_importing_the_data_sets_loads_no_plotting_and_no_pictures():
    code = (
        "import sys, sidelight.datasets; "
        "print([m for m in ('matplotlib', 'skimage', 'PIL', 'numba') if m in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


@pytest.mark.real_data
def test_the_files_are_those_of_the_list_of_hashes():
    lines = (folder() / "SHA256SUMS").read_text().splitlines()
    sums = {name: digest for digest, name in (line.split() for line in lines)}
    for name in ARRANGEMENTS:
        content = (folder() / f"{name}.npz").read_bytes()
        assert hashlib.sha256(content).hexdigest() == sums[f"{name}.npz"], name


_SHAPES = {
    "oil_flow": (1000, 12),
    "isomap_faces": (698, 1024),
    "olivetti_faces": (400, 4096),
    "mnist_t10k": (10_000, 784),
    "cmu35_walk": (358, 59),
    "stick_run1": (55, 102),
    "robot_wireless": (215, 30),
    "spellman_yeast": (77, 6178),
    "europe_roads": (48, 48),
    "eurodist": (21, 21),
    "six": (360, 64 * 57),
    "pbmc68k_reduced": (700, 765),
}


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.real_data(n)) for n in ARRANGEMENTS]
)
def test_a_real_set_has_consistent_parts(name):
    loaded = load(name)
    assert loaded.X.shape == _SHAPES[name]
    assert loaded.X.dtype == float
    assert np.isfinite(loaded.X).all() == (name != "spellman_yeast")
    if loaded.image_shape is not None:
        assert (loaded.X.min() >= 0) & (loaded.X.max() <= 1)
        assert np.prod(loaded.image_shape) == loaded.X.shape[1]
    if loaded.truth is not None:
        assert loaded.truth.shape == (len(loaded.X), len(loaded.truth_names))
    if loaded.labels is not None:
        assert loaded.labels.shape == (len(loaded.X),)
    if loaded.feature_names is not None:
        assert len(loaded.feature_names) == loaded.X.shape[1]


@pytest.mark.real_data("oil_flow", "olivetti_faces", "pbmc68k_reduced", "cmu35_walk")
def test_known_counts_of_real_sets():
    assert np.bincount(load("oil_flow").labels).tolist() == [343, 316, 341]
    assert int(load("olivetti_faces").extras["glasses"].sum()) == 119
    assert len(np.unique(load("pbmc68k_reduced").labels)) == 10
    assert load("cmu35_walk").feature_names[0] == "root_3"


@pytest.mark.real_data("isomap_faces")
def test_the_large_faces_are_the_small_ones_thresholded():
    faces = load("isomap_faces")
    large = faces.extras["images64_binary"].reshape(-1, 32, 2, 32, 2).mean(axis=(2, 4))
    each = [
        np.corrcoef(a.ravel(), b)[0, 1] for a, b in zip(large, faces.X, strict=True) if a.std() > 0
    ]
    assert len(each) > 690
    assert np.median(each) > 0.8


@pytest.mark.real_data("europe_roads")
def test_road_distances_are_complete_symmetric_and_named():
    roads = load("europe_roads")
    np.testing.assert_array_equal(roads.X, roads.X.T)
    assert (np.diag(roads.X) == 0).all()
    assert "København" in roads.extras["city"].tolist()
    assert not any("\\" in name for name in roads.extras["all_city"])
    # squared and centred, the table has the 22 negative eigenvalues of a map with detours
    J = np.eye(48) - 1 / 48
    values = np.linalg.eigvalsh(-0.5 * J @ roads.X**2 @ J)
    assert int((values < -1e-6 * values.max()).sum()) == 22


@pytest.mark.real_data("six")
def test_the_first_six_is_the_six():
    six = load("six")
    np.testing.assert_array_equal(six.images[0], six.extras["image"])
    assert six.truth[90, 0] == 90.0
