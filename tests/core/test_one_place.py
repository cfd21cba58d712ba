"""Mechanisms that are written once: who else begins one is told where it is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import sidelight

PACKAGE = Path(sidelight.__file__).parent


#: What conditioning does in its own way stands there until it is built anew.
ELSEWHERE = "latent/conditioning/"


@pytest.mark.parametrize(
    ("words", "homes"),
    [
        (r"^\s*raise KeyboardInterrupt", []),  # only users interrupt
        (r"^\s*except KeyboardInterrupt", ["cli/application.py"]),  # core.interruption holds them
        (r"^\s*(from|import) numba\b", ["core/compiler.py"]),
        (r"\bThreadPoolExecutor\(", ["core/threads.py"]),
        (r"\bthreadpoolctl\b", ["core/threads.py"]),
        (r"\bcheck_random_state\(self\.", []),  # core.parameters.random_generator
        # the best of several: solvers.choosing
        (r"\[int\(np\.argmin\((errors|losses|scores|\[)", []),
        (r"\bbest = \(np\.inf", []),
        (r"np\.where\(\(\w+\[0\] <= ", []),
        # exp(−d²/h): similarity.gaussian
        (r"np\.exp\(-?\(?\(?(squared|squares|self\.squares|D\b|apart)", ["similarity/gaussian.py"]),
        (r"np\.exp\(-0\.5 \*", []),
        (r"np\.ones\(\(len\(\w+\), 1\)", ["similarity/gaussian.py"]),  # a Gaussian by a product
        # items left out of a kernel regression: mapping.leave_one_out; of a ridge: solvers.ridge
        (r"predicted - \w+(\[rows\])?\) \*\* 2", []),
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
    assert {path for path in found if not path.startswith(ELSEWHERE)} == set(homes)


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
