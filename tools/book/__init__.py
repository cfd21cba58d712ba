"""What the book's pages take from elsewhere when it is built, so that nothing is typed twice.

Roles and directives of Sphinx:

* ``{measured}`EXPERIMENT: key/row/column``` is one figure of ``experiments/results``,
  ``{measured-table}`` a table of them, ``{not-held}`` the claims that the figures refute;
* ``{facts}`` is what the registry, the examples and the experiments know of an estimator,
  ``{estimators}`` lists all of them, ``{reaches}`` how many rows each is fitted to;
* ``{commands}`` is the command line with its options.

An example of the gallery that takes too long is a warning.
"""

from __future__ import annotations

from typing import Any

from tools.book.commands import Commands
from tools.book.docstrings import as_written
from tools.book.formulas import block_formula, formula
from tools.book.measured import Measured, MeasuredTable, NotHeld
from tools.book.methods import Estimators, Facts, Reaches
from tools.book.reference import write_reference
from tools.book.waiting import stopwatch as stopwatch
from tools.book.waiting import warn_of_slow_examples

DIRECTIVES = {
    "measured-table": MeasuredTable,
    "not-held": NotHeld,
    "facts": Facts,
    "estimators": Estimators,
    "reaches": Reaches,
    "commands": Commands,
}


def crisp_figures(gallery: dict[str, Any], example: str) -> None:
    """Cut figures of the gallery to what is drawn on them."""
    import matplotlib as mpl

    mpl.rcParams.update({"savefig.bbox": "tight", "savefig.dpi": 130})


def setup(app: Any) -> dict[str, Any]:
    """Tell Sphinx."""
    app.add_role("measured", Measured())
    for name, directive in DIRECTIVES.items():
        app.add_directive(name, directive)
    app.add_html_math_renderer("mathml", (formula, None), (block_formula, None))
    app.connect("autodoc-process-docstring", as_written, priority=900)
    app.connect("build-finished", warn_of_slow_examples)
    app.connect("config-inited", lambda app, _: write_reference(app.srcdir / "api"))
    return {"parallel_read_safe": True}
