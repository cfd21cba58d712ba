"""Every experiment runs, what is claimed of it holds, and the texts' figures come out."""

from __future__ import annotations

import ast
import importlib
import json
import re
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from experiments import pages
from experiments.places import Place, places_of
from experiments.record import (
    RESULTS,
    Claim,
    Record,
    Said,
    Table,
    claim_in_words,
    judged,
    read,
    record,
    write,
)
from experiments.texts import MISSING, TEXTS
from experiments.verdict import FAILS, IN_PART, NOT_RUN, NOTHING, filled, verdict

ROOT = Path(__file__).parents[2]

#: Experiments and the files of real data that they need.
EXPERIMENTS: dict[str, tuple[str, ...]] = {
    "affine_digits": ("mnist_t10k", "olivetti_faces"),
    "action_paths": (),
    "action_planning": (),
    "anchors_behind": (),
    "backward_mapping": ("oil_flow",),
    "blessing_of_dimensionality": (),
    "classes_as_relation": (),
    "corresponding_images": ("isomap_faces", "six"),
    "default_maps": (
        "mnist_t10k",
        "oil_flow",
        "olivetti_faces",
        "isomap_faces",
        "spellman_yeast",
        "robot_wireless",
        "cmu35_walk",
        "stick_run1",
        "pbmc68k_reduced",
    ),
    "denoised_sine": (),
    "different_supports": (),
    "digits_denoising": (),
    "dimensions_left_out": (),
    "distance_distribution": ("oil_flow", "stick_run1", "spellman_yeast"),
    "dose_of_digits": (),
    "drawn_rows": ("oil_flow",),
    "european_roads": ("europe_roads",),
    "faces_maps": ("isomap_faces",),
    "factors_of_cells": ("pbmc68k_reduced",),
    "factors_of_faces": ("isomap_faces",),
    "gaussian_egg": ("oil_flow", "stick_run1", "spellman_yeast"),
    "gaussian_process_maps": ("oil_flow",),
    "glasses_on_faces": ("olivetti_faces",),
    "image_analogy": (),
    "hybrid_swiss_roll": (),
    "information_maps": ("oil_flow", "cmu35_walk"),
    "informed_cells": ("pbmc68k_reduced",),
    "informed_faces": ("olivetti_faces",),
    "known_factor_removed": (),
    "labels_of_few_rows": ("pbmc68k_reduced", "olivetti_faces"),
    "labels_to_classifiers": (),
    "landmark_quality": (),
    "latent_maps": (),
    "learned_affine_digits": ("mnist_t10k",),
    "likelihood_of_maps": ("stick_run1", "robot_wireless", "oil_flow"),
    "microarray_maps": ("spellman_yeast",),
    "missing_values": ("oil_flow", "spellman_yeast"),
    "motifs_of_sequences": (),
    "motion_maps": ("stick_run1", "cmu35_walk"),
    "batches_of_cells": ("pbmc68k_reduced",),
    "factor_removal": ("pbmc68k_reduced",),
    "labels_told": ("mnist_t10k", "pbmc68k_reduced"),
    "moved_faces": ("olivetti_faces", "isomap_faces"),
    "neighbours_across_objects": (),
    "neighbours_of_lle": ("stick_run1",),
    "noisy_s_denoising": (),
    "oblique_relations": (),
    "oil_flow_maps": ("oil_flow",),
    "oil_flow_unfolding": ("oil_flow",),
    "pair_metric_safety": ("olivetti_faces", "pbmc68k_reduced"),
    "reconstructed_faces": ("olivetti_faces",),
    "relational_faces": ("isomap_faces",),
    "rotated_six": ("six",),
    "rows_in_order": (),
    "shifted_digits": ("mnist_t10k",),
    "shifted_images": (),
    "super_resolution": (),
    "swiss_roll_maps": (),
    "transformation_fields": (),
    "turned_images": (),
    "two_views": ("isomap_faces",),
    "unfolded_roll": (),
    "unfolding_walk": ("cmu35_walk",),
    "unfolded_rotations": ("six", "mnist_t10k"),
}
#: Those that the texts have nothing like.
OUR_OWN = {
    "batches_of_cells",
    "anchors_behind",
    "labels_of_few_rows",
    "labels_to_classifiers",
    "default_maps",
    "dose_of_digits",
    "factor_removal",
    "factors_of_cells",
    "labels_told",
}


def script_of(name: str) -> Path:
    (script,) = (ROOT / "experiments").glob(f"*/{name}.py")
    return script


def experiment(name: str) -> ModuleType:
    return importlib.import_module(f"experiments.{script_of(name).parent.name}.{name}")


def test_every_experiment_is_listed_here() -> None:
    assert {path.stem for path in (ROOT / "experiments").glob("*/[!_]*.py")} == set(EXPERIMENTS)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.real_data(*files)] if files else [])
        for name, files in EXPERIMENTS.items()
    ],
)
def test_the_quick_form_keeps_every_claim_and_writes_its_figures(name: str, tmp_path: Path) -> None:
    if script_of(name).parent.name == "gated":
        pytest.importorskip("torch", reason="the gated models stand on torch")
    module = experiment(name)
    found = record(module, module.main(tmp_path, quick=True), quick=True)
    assert found.claims, "nothing is claimed of the quick form: nothing is tested"
    assert unexplained(found.claims) == []
    again = read(found.write(tmp_path))
    assert again.as_json() == found.as_json()
    assert all(table.rows for table in again.tables)
    figures = sorted(tmp_path.glob("*.png"))
    assert figures
    assert all(figure.stat().st_size > 10_000 for figure in figures)


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_docstrings_quote_no_measured_figure(name: str) -> None:
    text = ast.get_docstring(ast.parse(script_of(name).read_text(encoding="utf-8"))) or ""
    assert "Measured (" not in text
    # a share or an error, but for the noise that is put in
    assert not re.search(r"\b0\.\d{2,}(?! \(grey)", text)


@pytest.mark.parametrize("name", sorted(set(EXPERIMENTS) - OUR_OWN))
def test_every_experiment_names_its_place_in_the_texts(name: str) -> None:
    assert experiment(name).TEXT


@pytest.mark.parametrize("name", sorted(path.stem for path in RESULTS.glob("*.json")))
def test_a_kept_result_is_that_of_the_full_form_and_its_claims_hold(name: str) -> None:
    module, found = experiment(name), read(RESULTS / f"{name}.json")
    assert not found.quick
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", found.date)
    # judged again by what the experiment claims today
    today = [judged(claim, found) for claim in module.CLAIMS]
    assert unexplained(today) == []
    stale = [claim for claim in module.CLAIMS if claim.because and judged(claim, found)["holds"]]
    assert not stale, "these hold: take away why they do not"
    assert found.claims == today, "Run: make generated"
    for said in getattr(module, "TEXT", []):
        assert "{" not in filled(said.ours, found)
        end = verdict(said, module.CLAIMS, found)
        assert "{" not in end
        assert (", because" in end) == (end.startswith(FAILS) or end.startswith(IN_PART)), said
        assert bool(said.because) == (", because" in end), said


def unexplained(claims: list[dict[str, object]]) -> list[object]:
    """What does not hold and has no reason."""
    return [claim["says"] for claim in claims if not claim["holds"] and "because" not in claim]


def test_the_pages_are_those_of_the_kept_results() -> None:
    for name, text in pages.pages().items():
        kept = (ROOT / "docs" / name).read_text(encoding="utf-8")
        assert kept == text, f"docs/{name} is out of date. Run: make docs"


def test_what_is_missing_is_said_to_be_and_nothing_that_is_there() -> None:
    page = pages.texts_page()
    assert page.count("| not yet |") == sum(map(len, MISSING.values()))
    said = {
        (one.text, one.place)
        for name in EXPERIMENTS
        for one in getattr(experiment(name), "TEXT", [])
    }
    missing = {(text, place) for text, places in MISSING.items() for place in places}
    assert not said & missing


def test_figures_of_an_older_version_are_said_to_be() -> None:
    import sidelight

    old = Record("x", [], "0.0.1", "2020-01-01", quick=True, note="The method has changed.")
    assert pages._when(old).endswith("The method has changed.")
    assert "figures of an older version" in pages._when(old)
    assert "quick form" in pages._when(old)
    new = Record("x", [], sidelight.__version__, "2020-01-01", quick=False)
    assert "older" not in pages._when(new)


def test_a_row_of_the_texts_says_where_its_figure_is_of_an_older_version() -> None:
    import sidelight

    told = ("figure 1.1", "a map", "", "", "0.99", "holds", "faces_maps", "spectral")
    cells = {
        version: pages._cells(Place(*told, version=version))[4]
        for version in ("0.0.1", sidelight.__version__, "")
    }
    assert cells == {"0.0.1": "0.99 †", sidelight.__version__: "0.99", "": "0.99"}


def test_every_row_of_the_texts_that_an_experiment_repeats_has_a_figure() -> None:
    """Words such as "pictures" stood where the experiment had figures."""
    for text in TEXTS:
        for place in places_of(text):
            if place.experiment and place.ours not in ("see there", NOT_RUN):
                assert re.search(r"\d", place.ours), place


def test_a_figure_is_written_in_its_form_and_beside_the_text_s_own() -> None:
    table = Table("t", "Title", {"error": "{mean:.2f} ({max:.1f})", "n": "{:.0f}"}, [3, 4])
    table.add("ours", [0.25, 0.75], 3, text={"error": "0.4"})
    table.add("nothing", None, 2, control=True)
    assert table.cells() == [["ours", "0.50 (0.8) [0.4]", "3"], ["nothing (control)", "", "2"]]
    assert write(-0.0001, "{:.3f}") == "0.000"


def test_a_figure_that_is_no_number_is_refused() -> None:
    table = Table("t", "Title", {"error": "{:.2f}"})
    with pytest.raises(ValueError, match="A figure is nan"):
        table.add("ours", float("nan"))
    with pytest.raises(ValueError, match="Figures are"):
        table.add("ours", [1.0, np.inf])


def test_a_claim_is_judged_by_its_bounds() -> None:
    table = Table("t", "Title", {"error": "{:.2f}"}, [0, 1])
    table.add("ours", [0.2, 0.4])
    found = Record("x", [table], "0", "2020-01-01", quick=False)

    def of(r: Record) -> float:
        return r("t", "ours", "error")

    assert judged(Claim("small", of, most=0.31), found)["holds"]
    refused = judged(Claim("smaller", of, most=0.29, because="it is large"), found)
    assert not refused["holds"]
    assert claim_in_words(refused).endswith("DOES NOT HOLD, because it is large")
    assert "because" not in judged(Claim("small", of, most=0.31, because="it is large"), found)
    assert json.loads(json.dumps(found.as_json()))["tables"][0]["draws"] == 2


def test_the_verdict_of_a_place_follows_from_the_claims_it_names() -> None:
    table = Table("t", "Title", {"error": "{:.2f}"})
    table.add("ours", 0.3)
    found = Record("x", [table], "0", "2020-01-01", quick=False)
    claims = [
        Claim("the error is small", lambda r: r("t", "ours", "error"), most=0.4),
        Claim("it is tiny", lambda r: r("t", "ours", "error"), most=0.2),
    ]

    def end(*, upheld: tuple[str, ...] = (), refuted: tuple[str, ...] = ()) -> str:
        said = Said(
            "slides", "x", "x", upheld=upheld, refuted=refuted, because="it is {t/ours/error}"
        )
        return verdict(said, claims, found)

    assert end() == NOTHING
    assert end(upheld=("the error",)) == "holds"
    assert end(refuted=("it is tiny",)) == "holds"
    assert end(upheld=("the error", "it is")) == "holds in part, because it is 0.30"
    assert end(upheld=("it is",), refuted=("the error",)) == "does not hold, because it is 0.30"
    assert verdict(Said("slides", "x", "x", upheld=("the error",)), claims, None) == NOT_RUN
    with pytest.raises(KeyError, match="0 claims begin 'no such'"):
        end(upheld=("no such",))


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


def test_every_way_back_of_denoised_digits_is_its_own() -> None:
    """Parameters set after the fit do nothing any more: all four ways were the fixed point's."""
    module = experiment("digits_denoising")
    X = np.random.default_rng(0).random((70, 64))
    (found,) = module.denoise(X[:60], {"Gaussian": X[60:]}, (4,)).values()
    back = [found[way][4] for way in module.WAYS_BACK]
    for i, one in enumerate(back):
        for other in back[:i]:
            assert np.abs(one - other).max() > 1e-3
