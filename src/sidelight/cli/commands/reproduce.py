"""``sidelight reproduce``: the experiments, run again.

An experiment is a script whose docstring's first line says what it shows, with a function
``main(output: Path, *, quick: bool = False)`` that gives back its figures as tables: they are
printed, and written with version and date to ``NAME.json``.
"""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from types import ModuleType
from typing import Annotated

import typer

from sidelight.cli import console

_PACKAGE = "experiments"
"""The name under which the scripts know each other."""


def reproduce(
    name: Annotated[str | None, typer.Argument(help="The experiment.", show_default=False)] = None,
    list_all: Annotated[bool, typer.Option("--list", help="List the experiments.")] = False,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The folder for its figures and numbers.")
    ] = Path("output"),
    quick: Annotated[bool, typer.Option("--quick", help="On less data, in less time.")] = False,
    text: Annotated[
        str | None,
        typer.Option(help="List what repeats a text: 000 to 004.", show_default=False),
    ] = None,
    figure: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBER",
            help="With --text: find one figure, table, section or equation.",
            show_default=False,
        ),
    ] = None,
    record: Annotated[
        bool,
        typer.Option("--record", help="Keep the figures with the project, in experiments/results."),
    ] = False,
) -> None:
    """Run an experiment again."""
    if record and quick:
        raise ValueError("--record keeps the figures of the full form: leave out --quick.")
    looks = text is not None or list_all
    if (looks and name is not None) or ((looks or name is None) and (quick or record)):
        raise ValueError(
            "--text and --list show what there is, and --quick and --record say how to run: give "
            "the NAME of an experiment to run it, or look first."
        )
    scripts = experiments()
    if figure is not None and text is None:
        raise ValueError("--figure says where in a text: give --text too, 000 to 004.")
    if text is not None:
        _show_places(scripts, text, figure)
        return
    if list_all or name is None:
        _show(scripts)
        return
    if name not in scripts:
        near = get_close_matches(name, scripts, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise ValueError(
            f"There is no experiment {name!r}.{hint} There are: {', '.join(scripts) or 'none'}."
        )
    run(scripts[name], output, quick=quick, record=record)


def experiments() -> dict[str, Path]:
    """Find the scripts: inside the installed package, else beside the sources."""
    import sidelight

    package = Path(sidelight.__file__).resolve().parent
    for folder in (package / "_experiments", package.parents[1] / "experiments"):
        found = {
            script.stem: script
            for script in sorted(folder.glob("*/*.py"), key=lambda script: script.stem)
            if not script.stem.startswith("_")
        }
        if found:
            return found
    return {}


def summary(script: Path) -> str:
    """Read the first line of a script's docstring, without running it."""
    text = ast.get_docstring(ast.parse(script.read_text(encoding="utf-8"))) or ""
    return text.partition("\n")[0]


def run(script: Path, output: Path, *, quick: bool, record: bool = False) -> None:
    """Run an experiment, print its figures and write them to the output folder."""
    from sidelight.cli.fitting import shown

    room = script.parent
    with _as_package(room.parent):
        module = importlib.import_module(f"{_PACKAGE}.{room.name}.{script.stem}")
        if not callable(getattr(module, "main", None)):
            raise ValueError(f"{script} has no function main(output, *, quick=False).")
        output.mkdir(parents=True, exist_ok=True)
        with shown(script.stem):
            tables = module.main(output, quick=quick)
        if tables is not None:
            records = importlib.import_module(f"{_PACKAGE}.record")
            found = records.record(module, tables, quick=quick)
            console.output().print(
                records.show(found), markup=False, highlight=False, soft_wrap=True
            )
            found.write(output)
            if record:
                found.write(records.RESULTS)
    console.facts([("done", f"{script.stem}, in {output}")])


@contextmanager
def _as_package(folder: Path) -> Iterator[None]:
    """Let the scripts of a folder import each other, wherever the folder lies."""

    def ours() -> list[str]:
        return [name for name in sys.modules if name.partition(".")[0] == _PACKAGE]

    before = {name: sys.modules.pop(name) for name in ours()}
    package = ModuleType(_PACKAGE)
    package.__path__ = [str(folder)]
    sys.modules[_PACKAGE] = package
    try:
        yield
    finally:
        for name in ours():
            del sys.modules[name]
        sys.modules.update(before)


def _show_places(scripts: dict[str, Path], text: str, figure: str | None) -> None:
    """What a text shows, its figure and ours, and the experiment to run."""
    from rich.table import Column
    from rich.text import Text

    if not scripts:
        console.notes(["There are no experiments here."])
        return
    with _as_package(next(iter(scripts.values())).parents[1]):
        found = importlib.import_module(f"{_PACKAGE}.places").find_places(text, figure)
    if not found:
        raise ValueError(
            f"The text {text} has no place {figure!r}. Leave out --figure to see all its places."
        )
    names = ("where", "what", "text", "ours", "verdict", "experiment")
    columns = [Column(name, no_wrap=name == "experiment") for name in names]
    rows = [
        [Text(cell) for cell in (p.where, says, p.printed, p.ours, p.verdict, p.experiment)]
        for p in found
        for says in (f"{p.says} (data: {p.data})" if p.data else p.says,)
    ]
    console.show_table(columns, rows)
    runnable = list(dict.fromkeys(place.experiment for place in found if place.experiment))
    if figure is not None and runnable:
        console.notes([f"Run it: sidelight reproduce {name}" for name in runnable])


def _show(scripts: dict[str, Path]) -> None:
    from rich.table import Column
    from rich.text import Text

    if not scripts:
        console.notes(["There are no experiments here."])
        return
    columns = [Column("experiment", no_wrap=True, style="bold"), Column("what it shows")]
    rows = [[Text(name), Text(summary(script))] for name, script in scripts.items()]
    console.show_table(columns, rows)
