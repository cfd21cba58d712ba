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
        (r"^\s*(from|import) numba\b", ["core/compiler/loading.py"]),
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
    "latent/density/kernels.py": "of one step between classes",
    "mapping/warp.py": "of distances, not squared",
    "similarity/sequences/alignments.py": "of log similarities",
    "latent/conditioning/matches.py": "of mean logarithms",
    "latent/conditioning/partial_matches.py": "of scores: a transport",
    "latent/conditioning/sinkhorn.py": "of scores: a transport",
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
    "unfolding/acyclic/orders.py": "the row at an end, of coordinates that are rounded first",
    "estimator/points/distances.py": "the shortest distance out of a set",
    "estimator/points/features.py": "the shortest distance out of a set",
    "estimator/points/graph.py": "the shortest edge out of a set",
    "solvers/paths/_waves.py": "the widest side",
    "transforms/own.py": "the member that smooths the most",
    **dict.fromkeys(
        (
            "core/sampling.py",
            "solvers/eigen/rules.py",
            "solvers/choosing.py",
            "metric/distance_selection.py",
            "io/coding/texts.py",
        ),
        "the first that is true",
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
KEYS = {"cli/reports.py", "latent/relational/axes.py"}
#: Who spaces numbers from the first row to the last: core.evenly_spaced, and where as many are
#: wanted as were asked for, or those that are left out.
SPACED = {
    "core/sampling.py",
    "embedding/sample.py",
    "latent/gplvm/back_constraint.py",
    "latent/gplvm/objective.py",
}


#: Who keeps the better of two in a loop by a bare comparison, and why the last bit may choose:
#: of answers that differ, solvers.choosing chooses.
KEPT = {
    "estimator/behind.py": "by a hundredth, so that the wider of two that are as good stays",
    "neighbors/given_distances.py": "which entry a message names",
    **dict.fromkeys(
        (
            "gated/optimiser.py",
            "metric/learning/distance_cone.py",
            "solvers/semidefinite/dense.py",
            "solvers/semidefinite/low_rank/newton_step.py",
            "solvers/semidefinite/low_rank/path_following.py",
        ),
        "steps of one descent: the optimum is the same",
    ),
    **dict.fromkeys(
        (
            "core/memory.py",
            "gated/training.py",
            "io/table/text/delimited.py",
            "io/table/text/separators.py",
            "mapping/packing.py",
            "solvers/eigen/block_lanczos.py",
            "solvers/eigen/davidson.py",
            "solvers/eigen/filtered.py",
            "unfolding/actions/constraints.py",
        ),
        "whole numbers",
    ),
    "solvers/semidefinite/door.py": "whether to try the next solver",
}
#: Who solves eigenproblems beside solvers.eigen, and for what: the axes of a map are found there,
#: where vectors that share an eigenvalue have a rule.
EIGENPROBLEMS = {
    **dict.fromkeys(
        (
            "estimator/behind.py",
            "quality/dimension.py",
            "solvers/semidefinite/dual_bound.py",
            "transforms/distances/formulas.py",
            "unfolding/actions/translations.py",
        ),
        "eigenvalues alone",
    ),
    **dict.fromkeys(
        (
            "gaussian_process/marginal.py",
            "gaussian_process/placing.py",
            "gaussian_process/prediction.py",
            "latent/conditioning/rotation_by_number.py",
            "latent/relational/axes.py",
            "latent/sammon_mapping.py",
            "metric/learning/distance_cone.py",
            "metric/learning/leave_out.py",
            "metric/learning/row_metric.py",
            "metric/learning/safe_pairs.py",
            "metric/multi_attribute.py",
            "quality/gaussian_process.py",
            "similarity/barycentre.py",
            "solvers/ridge.py",
            "spectral/hybrid/steps.py",
            "spectral/isomap.py",
            "transforms/distances/frames.py",
            "unfolding/actions/noisy_places.py",
        ),
        "a function of the matrix, f(A) = V f(Λ) Vᵀ: any basis of a shared value will do",
    ),
    **dict.fromkeys(
        ("metric/learning/choice_of_space.py", "solvers/semidefinite/dense.py"),
        "a factor of the matrix, which is turned or multiplied out later",
    ),
    "solvers/semidefinite/low_rank/start.py": "the first points of a descent",
    "solvers/semidefinite/dense_step.py": "how far a step may go",
    "solvers/paths/_waves.py": "an order in memory",
}
#: Who decomposes by singular values beside solvers.eigen, and for what: a map is turned to its axes
#: there (settled_axes), where axes of one length have a rule.
SINGULAR = {
    "solvers/agreement.py": "whitened codes, of which any basis will do",
    **dict.fromkeys(
        ("estimator/behind.py", "unfolding/actions/translations.py"), "sizes, or what has none"
    ),
    **dict.fromkeys(
        ("quality/alignment.py", "unfolding/actions/moving/rigid_motions.py"),
        "the rotation nearest to a matrix, U Vᵀ: any basis of a shared value will do",
    ),
    **dict.fromkeys(
        (
            "latent/conditioning/map.py",
            "latent/conditioning/matched_axes.py",
            "latent/relational/axes.py",
            "mapping/preimage.py",
            "metric/learning/distance_ridge.py",
        ),
        "a space that is projected on or solved in: any basis of it will do",
    ),
    **dict.fromkeys(
        (
            "latent/conditioning/chains.py",
            "latent/conditioning/partial_matches.py",
            "solvers/noise_shrinkage.py",
        ),
        "distances on the leading axes, or a matrix of lower rank: no turn changes them",
    ),
    "latent/relational/placing.py": "coordinates that are taken back",
    "solvers/expectation_maximisation.py": "the first loadings of a climb",
}


def test_a_gaussian_is_taken_from_its_home():
    assert _who(lambda call: _name(call) == "np.exp") == set(EXPONENTIALS)


def test_the_best_of_several_is_chosen_in_one_place():
    ends = {"argmin", "argmax", "nanargmin", "nanargmax"}

    def of_all(call):
        return _name(call).split(".")[-1] in ends and "axis" not in _keywords(call)

    assert _who(of_all) == set(EXTREMES)
    assert _who(lambda call: _name(call) in ("min", "max") and "key" in _keywords(call)) == KEYS


def test_the_better_of_two_is_kept_in_one_place():
    found = {place for place, tree in _trees().items() if _kept_by_hand(tree)}
    compiled = {place for place in found if place.endswith("compiled.py")}  # ties by index
    assert found - compiled == set(KEPT)


@pytest.mark.parametrize(
    ("lines", "by_hand"),
    [
        ("if off < least: least = off", True),
        ("if best is None or score > best[0]: best = (score, x)", True),
        ("if errors[-1] <= min(errors): best = x", True),
        ("if improves(off, least): least = off", False),
        ("if off < least: print(off)", False),
    ],
)
def test_what_is_kept_by_hand_is_seen(lines, by_hand):
    assert _kept_by_hand(ast.parse(f"for x in tried:\n {lines}")) == by_hand


def test_eigenproblems_are_solved_in_one_room():
    solvers = {"eigh", "eigvalsh", "eigsh", "eigs", "eig", "eigvals", "lobpcg", "eigh_tridiagonal"}
    found = _who(lambda call: _name(call).split(".")[-1] in solvers)
    home = {place for place in found if place.startswith("solvers/eigen/")}
    assert home
    assert found - home == set(EIGENPROBLEMS)


def test_maps_are_turned_to_their_axes_in_one_room():
    found = _who(lambda call: _name(call).split(".")[-1] in {"svd", "svds", "randomized_svd"})
    home = {place for place in found if place.startswith("solvers/eigen/")}
    assert home
    assert found - home == set(SINGULAR)


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
        and _looks_for_the_farthest({_name(call).split(".")[-1] for call in _calls(loop)})
    }
    assert found == {"core/sampling.py"}


def _looks_for_the_farthest(called):
    return "minimum" in called and bool({"argmax", "first_farthest"} & called)


def _kept_by_hand(tree):
    """Whether a loop compares sizes and then binds what it compared, or what it calls the best."""
    sizes = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
    for choice in (
        node
        for loop in ast.walk(tree)
        if isinstance(loop, ast.For | ast.While)
        for node in ast.walk(loop)
        if isinstance(node, ast.If)
    ):
        compared = [
            node
            for node in ast.walk(choice.test)
            if isinstance(node, ast.Compare) and any(isinstance(op, sizes) for op in node.ops)
        ]
        bound = {
            name.id
            for part in choice.body
            for node in ast.walk(part)
            if isinstance(node, ast.Assign)
            for target in node.targets
            for name in ast.walk(target)
            if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)
        }
        named = {
            name.id for node in compared for name in ast.walk(node) if isinstance(name, ast.Name)
        }
        if compared and (bound & named or any(name.startswith("best") for name in bound)):
            return True
    return False


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
