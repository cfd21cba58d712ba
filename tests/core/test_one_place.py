"""Mechanisms that are written once: who else begins one is told where it is."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

import sidelight

PACKAGE = Path(sidelight.__file__).parent


@pytest.mark.parametrize(
    ("words", "homes"),
    [
        (r"^\s*raise KeyboardInterrupt", []),  # only users interrupt
        (r"^\s*except KeyboardInterrupt", ["cli/application.py"]),  # core.interruption holds them
        (r"^\s*(from|import) numba\b", ["core/compiler.py"]),
        (r"\bThreadPoolExecutor\(", ["core/threads.py"]),
        (r"\bthreadpoolctl\b", ["core/threads.py"]),
        (r"\bcheck_random_state\(self\.", []),  # core.parameters.random_generator
        # the best of several, kept by hand: solvers.choosing
        (r"\bbest = \(np\.inf", []),
        (r"np\.where\(\(\w+\[0\] <= ", []),
        (r"np\.ones\(\(len\(rows\), 1\)", ["similarity/gaussian.py"]),  # a Gaussian by a product
        # items left out of a kernel regression: mapping.leave_one_out; of a ridge: solvers.ridge
        (r"predicted - \w+(\[rows\])?\) \*\* 2", []),
        (r"- predicted\) \*\* 2", []),
        (r"vectors\*\*2\) @", ["solvers/ridge.py"]),
        (r"leverage", []),
        # the strength of noise: solvers.white_noise
        (r"np\.median\((singular|lengths)", ["solvers/white_noise.py"]),
        # the first points of a descent: latent.descending.starts
        (r"init\).fit_transform\(", ["latent/descending/starts.py"]),
        (r"must give places that differ", ["latent/descending/starts.py"]),
    ],
)
def test_a_mechanism_has_one_home(words, homes):
    found = {
        str(path.relative_to(PACKAGE))
        for path in PACKAGE.rglob("*.py")
        if re.search(words, _without_examples(path.read_text()), re.MULTILINE)
    }
    assert found == set(homes)


#: Who takes exponentials, and of what: exp(−d²/h) is of similarity.gaussian.
EXPONENTIALS = {
    "similarity/gaussian.py": "of squared distances",
    "similarity/kernels.py": "of squared distances, in place",
    "gaussian_process/covariance.py": "of squared distances, in place, and of logarithms",
    "latent/neighbors/mismatch.py": "of squared distances, in place",
    "latent/neighbors/placement.py": "of squared distances, whose shift the value takes back",
    "latent/information/ends/learned_bandwidth.py": "of distances under a logarithm",
    "latent/density/kernels.py": "of one step between classes",
    "mapping/warp.py": "of distances, not squared",
    "similarity/sequences/alignments.py": "of log similarities",
    "latent/conditioning/matches.py": "of mean logarithms",
    "latent/conditioning/partial_matches.py": "of scores: a transport",
    "latent/conditioning/unbalanced_transport.py": "of scores: a transport",
    "latent/conditioning/rotation_by_number.py": "of phases",
    "spectral/probabilistic_pca.py": "of a log density",
    **dict.fromkeys(
        (
            "datasets/walks.py",
            "latent/conditioning/matched_axes.py",
            "latent/density/bandwidth.py",
            "latent/density/joint.py",
            "latent/descending/pinned.py",
            "latent/gplvm/gplvm.py",
            "latent/gplvm/objective.py",
            "latent/gplvm/process.py",
            "latent/information/ends/power.py",
            "metric/factor/decisions.py",
            "quality/gaussian_process.py",
            "similarity/neighbor_choice.py",
            "solvers/expectation_maximisation.py",
            "unfolding/field_density.py",
        ),
        "of the logarithm of a size",
    ),
}
#: Who looks for the least or the most of all entries, and for which: of candidates the best, or
#: first to rounding, is of solvers.choosing.
EXTREMES = {
    "core/sampling.py": "the farthest row",
    "neighbors/landmarks.py": "the farthest row",
    "latent/density/known_factor.py": "the farthest row",
    "unfolding/semidefinite/anchored.py": "the farthest row",
    "unfolding/acyclic/orders.py": "the row at an end",
    "solvers/semidefinite/low_rank/start.py": "the farthest node",
    "estimator/points/distances.py": "the shortest distance out of a set",
    "estimator/points/features.py": "the shortest distance out of a set",
    "estimator/points/graph.py": "the shortest edge out of a set",
    "unfolding/actions/bounds.py": "the closest pair",
    "solvers/paths/_waves.py": "the widest side",
    "solvers/descent/continuation.py": "how long ago the best was",
    "transforms/own.py": "the member that smooths the most",
    **dict.fromkeys(
        ("solvers/eigen/eigenpairs.py", "metric/distance_selection.py"), "the first that is true"
    ),
    **dict.fromkeys(("gated/boltzmann/views.py", "gated/units.py"), "of every row"),
    **dict.fromkeys(
        (
            "datasets/walks.py",
            "embedding/hints.py",
            "io/table/missing.py",
            "neighbors/given_distances.py",
            "neighbors/given_graph.py",
            "quality/closer/points.py",
            "quality/inputs.py",
            "quality/labels.py",
            "quality/pairwise.py",
            "scale/blocks.py",
            "side/relation.py",
            "similarity/kernels.py",
            "solvers/semidefinite/low_rank/solver.py",
            "spectral/kernel_pca.py",
            "transforms/distances/frames.py",
            "unfolding/semidefinite/conflicts.py",
            "unfolding/semidefinite/side_constraints.py",
        ),
        "which one a message names",
    ),
}
#: Who compares by a key: ties are between names and whole numbers, or told.
KEYS = {"cli/reports.py", "latent/relational/axes.py", "model_selection/choosing.py"}
#: Who spaces numbers from the first row to the last: core.evenly_spaced, and where as many are
#: wanted as were asked for, or those that are left out.
SPACED = {
    "core/sampling.py",
    "embedding/sample.py",
    "latent/gplvm/back_constraint.py",
    "latent/gplvm/objective.py",
}


def test_a_gaussian_is_taken_from_its_home():
    assert _who(lambda call: _name(call) == "np.exp") == set(EXPONENTIALS)


def test_the_best_of_several_is_chosen_in_one_place():
    ends = {"argmin", "argmax", "nanargmin", "nanargmax"}

    def of_all(call):
        return _name(call).split(".")[-1] in ends and "axis" not in _keywords(call)

    assert _who(of_all) == set(EXTREMES)
    assert _who(lambda call: _name(call) in ("min", "max") and "key" in _keywords(call)) == KEYS


def test_rows_are_spaced_in_one_place():
    def to_the_last(call):
        end = call.args[1] if _name(call) == "np.linspace" and len(call.args) > 1 else None
        return isinstance(end, ast.BinOp) and isinstance(end.op, ast.Sub)

    assert _who(to_the_last) == SPACED


def test_the_farthest_are_looked_for_in_one_place():
    found = {
        place
        for place, tree in _trees().items()
        for loop in ast.walk(tree)
        if isinstance(loop, ast.For | ast.While)
        and {"argmax", "minimum"} <= {_name(call).split(".")[-1] for call in _calls(loop)}
    }
    assert found == {"core/sampling.py"}


@cache
def _trees():
    return {
        str(path.relative_to(PACKAGE)): ast.parse(path.read_text())
        for path in PACKAGE.rglob("*.py")
    }


def _calls(tree):
    return (node for node in ast.walk(tree) if isinstance(node, ast.Call))


def _name(call):
    """The dotted name of what is called; of a method, that of the method."""
    match call.func:
        case ast.Attribute(value=ast.Name(id=module), attr=name):
            return f"{module}.{name}"
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
    return ""


def _keywords(call):
    return {keyword.arg for keyword in call.keywords}


def _who(calls_it):
    return {place for place, tree in _trees().items() if any(map(calls_it, _calls(tree)))}


def test_points_are_drawn_where_descents_begin():
    drawn = {
        str(path.relative_to(PACKAGE))
        for path in (PACKAGE / "latent").rglob("*.py")
        if "standard_normal(" in _without_examples(path.read_text())
    }
    # and where rows are drawn from a density
    densities = {"latent/density/kernels.py", "latent/gplvm/process.py"}
    assert drawn == {"latent/descending/starts.py", *densities}


def _without_examples(text):
    return "\n".join(
        line for line in text.splitlines() if not line.strip().startswith((">>>", "..."))
    )
