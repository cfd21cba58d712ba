"""From a place in a text to the experiment that repeats it."""

from __future__ import annotations

import importlib

import pytest
from typer.testing import CliRunner

import sidelight
from experiments.places import find_places, places_of, speaks_of
from experiments.texts import NUMBERS, TEXTS, UNMEASURED
from sidelight.cli.application import application

#: What the texts' own lists of contents, figures and tables name: from A to B of a chapter.
CONTENTS = {
    "tutorial": {
        "section": "1.1 1.1.1 1.2 1.2.1 1.3 1.4 1.5 1.6 1.7 1.8",
        "figure": "1.1-8",
        "table": "1.1-3",
    },
    "informed": {
        "section": "1.1 1.1.1 1.2 1.2.1 1.3-9 2.1-8 2.4.1 3.1-6 3.2.1-2 3.3.1 3.5.1 4.1-4 4.2.1-3 "
        "4.3.1-3",
        "figure": "1.1-8 2.1-14 3.1-16 4.1-9 A.1-19",
        "table": "1.1-3 4.1-2",
        "chapter": "5",
    },
    "tangent": {"section": "1 2 3 4 4.1 5 6 7.1 7.1.1 7.2 7.3 7.4", "figure": "1 2 3 4 5 6 7 8 9"},
    "latent": {
        "section": "1.1-3 2.1-6 2.2.1-3 2.3.1-2 2.6.1-3 3.1-3 3.1.1-5 3.2.1-2 4.1-4 4.2.1 4.3.1-2 "
        "5.1-5 5.1.1-2 5.2.1-5 5.3.1-2 5.4.1-3 6.1-4 6.1.1 6.2.1-3 6.3.1-2 7.1-2",
        "figure": "2.1-5 3.1-10 4.1-4 5.1-13 6.1-6",
    },
}
SLIDES = """
Mixtures of Gaussians; Thinking in High Dimensions; The Gaussian Egg; What is the density of
probability mass?; Where is the Mass?; Looking at Gaussian Samples; Central Limit Theorem and
Non-Gaussian Case; Sanity Check; Oil Data; Stick Man Data; Microarray Data; Grid Corpus Vowels;
Where does practice depart from our theory?; 1000-D Gaussian; Motivation for Non-Linear
Dimensionality Reduction; Simple Model of Digit; MATLAB Demo; Pure Rotation is too Simple; Data
Representation; Interpoint Distances for Rotated Sixes; Multidimensional Scaling; Feature
Selection; Feature Selection: Motivation; Reconstruction from Latent Space; Feature Extraction;
Which Rotation?; Rotation Reconstruction from Latent Space; Principal Component Analysis;
Principal Coordinates Analysis; Equivalent Eigenvalue Problems; Centering and Squared Distances;
The Covariance Interpretation; Distance to Similarity; Standard Transformation; Road Distances
with Classical MDS; Beware Negative Eigenvalues; European Cities Distance Matrices; Other Distance
Similarity Measures; Nonlinear Dimensionality Reduction; Exponentiated Quadratic Basis Functions;
Matrix Notation; Expected Square Distance; Basis Functions; Expected Squared Distances; Number and
Location of Basis; Problems for Data from Outside Basis; Extending the Basis; An Infinite Basis;
Infinite Basis Functions; Random Functions with Infinite Basis; Similarity and Distance Matrices;
Kernel PCA on Rotated Sixes; A Class of Similarities for Vector Data; Implied Distance Matrix;
Spectral Dimensionality Reduction in Machine Learning; Classical Multidimensional Scaling
Perspective; Isomap Neighborhood; Data Neighborhood; Isomap Algorithm; MDS on Shortest Path;
Laplacian Eigenmaps I; Parameterization in Laplacian Eigenmaps; Laplacian Eigenmaps: Summary;
Locally Linear Embedding I; Determining the Embedding in LLE; Locally Linear Embedding: Summary;
on Stick Man; on Oil Data; on Microarray Data; on Grid Vowels; Maximum Variance Unfolding; MVU on
Stick Man; MVU on Oil Data; Maximum Entropy Unfolding; Moving to the Laplacian; Gaussian Random
Field; Data Feature Independence; Blessing of Dimensionality; Inverse Covariance; Conditional
Independence; Mattress Model; Spring Energy; Physical Analogy; Energy Minimization; Where Do the
Spring Constants Come From?; Relationship to Laplacian Eigenmaps; Smallest Eigenvalues of
Laplacian; Point One; Second Point; Conditionals; LLE Approximates MEU; LLE and PCA; Acyclic
Locally Linear Embedding; Isomap and MEU; Simple Experiments; Laplacian Eigenmaps and LLE; Isomap
and MVU; Motion Capture: Model Scores; Robot Navigation Example; Robot Navigation: Model Scores;
Linear Latent Variable Model; Computation of the Marginal Likelihood; Dual Probabilistic PCA;
Equivalence of Formulations; Non-Linear Latent Variable Model; Stages of Spectral Dimensionality
Reduction; Our Perspective; Advantages of Existing Approaches; Summary: Spectral Approaches
"""


def numbers(listed: str) -> list[str]:
    """The numbers of ``"2.1-3 A.1"``."""
    found = []
    for each in listed.split():
        first, _, last = each.partition("-")
        head, dot, start = first.rpartition(".")
        ends = range(int(start), int(last or start) + 1)
        found += [f"{head}{dot}{number}" for number in ends]
    return found


@pytest.mark.parametrize(
    ("where", "number", "is_there"),
    [
        ("figure 1.1", "1.1", True),
        ("figure 1.1", "1.10", False),
        ("figures 3.9, 3.10, A.9, A.10", "3.10", True),
        ("figures 3.9, 3.10, A.9, A.10", "A.9", True),
        ("figures 2.3 to 2.9", "2.5", True),
        ("figures 2.3 to 2.9", "section 2.5", False),
        ("figure 2.3; section 2.5", "section 2.5", True),
        ("figure 2.3; section 2.5", "figure 2.5", False),
        ("figures 2.3 to 2.9", "2.10", False),
        ("figures 2.3 to 2.12", "2.10", True),
        ("equations 2.24 to 2.27", "equation 2.26", True),
        ("equations 2.24 to 2.27", "eq. (2.26)", True),
        ("equations 2.24 to 2.27", "(2.26)", True),
        ("equations 2.24 to 2.27", "Fig. 2.26", False),
        ("figures 3.9, 3.10, A.9, A.10", "Fig. 3.9", True),
        ("figures 3.9, 3.10, A.9, A.10", "figs A.9", True),
        ("table 4.2, ARE, (a)", "Tab. 4.2", True),
        ("sections 3.5, 3.5.1", "§3.5.1", True),
        ("sections 3.5, 3.5.1", "sec. 3.5.1 ", True),
        ("section 3.1, bandwidth", "3.1", True),
        ("The Gaussian Egg, Where is the Mass?", "egg", True),
        ("Kernels", "egg", False),
    ],
)
def test_a_place_speaks_of_what_it_is_lists_or_spans(where, number, is_there):
    assert speaks_of(where, number) == is_there


def test_every_text_has_a_number_and_places():
    assert set(NUMBERS.values()) == set(TEXTS)
    for number, name in NUMBERS.items():
        assert find_places(number) == find_places(name)
        assert find_places(number)


@pytest.mark.parametrize("text", CONTENTS)
def test_every_section_figure_and_table_has_its_place(places, text):
    wanted = [f"{kind} {one}" for kind, listed in CONTENTS[text].items() for one in numbers(listed)]
    assert [w for w in wanted if not any(speaks_of(where, w) for where in places[text])] == []


def test_every_slide_has_its_place(places):
    titles = [" ".join(title.split()) for title in SLIDES.split(";")]
    missing = [t for t in titles if not any(speaks_of(where, t) for where in places["slides"])]
    assert missing == []


@pytest.fixture(scope="module")
def places():
    return {text: [place.where for place in places_of(text)] for text in TEXTS}


def test_what_methods_are_said_to_be_here_is_here():
    for none in (none for each in UNMEASURED.values() for none in each):
        for name in none.here:
            *modules, last = name.split(".")
            home = importlib.import_module(".".join([sidelight.__name__, *modules]))
            assert last in dir(home), none


def test_a_figure_is_found_with_its_experiment():
    (found,) = find_places("000", "2.6")
    assert found.experiment == "shifted_digits"
    assert "TC-LEM" in found.ours


def test_what_one_experiment_shows_is_found_at_each_of_its_places():
    for place in ("section 2.2.2", "section 3.1.3"):
        assert "drawn_rows" in {found.experiment for found in find_places("001", place)}


def test_a_chapter_is_all_that_lies_in_it():
    """Nothing has the number of a chapter, and so it was said not to be there."""
    found = {place.where for place in find_places("000", "chapter 4")}
    assert {"section 4.1", "table 4.1", "figure 4.1"} < found
    assert all("4." in where for where in found)
    assert found == {place.where for place in find_places("000", "4")}
    seventh = [place.where for place in find_places("002", "section 7")]
    assert seventh
    assert all("section" in where and "7." in where for where in seventh)
    assert [place.where for place in find_places("002", "figure 7")] == [
        "figures 6 to 9; section 7.4"
    ]
    assert find_places("000", "chapter 9") == find_places("000", "figure 4.17") == []


def test_from_the_command_line():
    def run(*arguments):
        return CliRunner().invoke(application, ["reproduce", *arguments])

    done = run("--text", "000", "--figure", "2.6")
    assert done.exit_code == 0
    assert "sidelight reproduce shifted_digits" in done.stderr
    assert "There is no text '7'. There are: 000" in run("--text", "7").stderr
    assert "no place '99.9'" in run("--text", "000", "--figure", "99.9").stderr
    assert "give --text too" in run("--figure", "2.5").stderr
    for idle in (["gaussian_egg", "--text", "003"], ["--text", "003", "--record"], ["--quick"]):
        refused = run(*idle)  # what would not have been done was not said
        assert refused.exit_code == 2
        assert "give the NAME of an experiment to run it" in refused.stderr


def test_a_number_in_the_title_of_a_slide_is_no_figure():
    assert find_places("003", "3") == []
    assert any("1000-D Gaussian" in place.where for place in find_places("003", "1000-D"))
    assert [place.where for place in find_places("003", "Gaussian Egg, 3")] == [
        place.where for place in find_places("003") if "Egg, 3 dimensions" in place.where
    ]
