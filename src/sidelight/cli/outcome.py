"""What a command leaves behind: the map first, then model, picture and page, last a judgement."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sidelight.cli import console

if TYPE_CHECKING:
    from sidelight.cli.preparation import Preparation
    from sidelight.embedding import Embedding
    from sidelight.io.table import Table


def check_outputs(
    inputs: Iterable[Path | None],
    *,
    tables: Iterable[Path | None] = (),
    pictures: Iterable[Path | None] = (),
    pages: Iterable[Path | None] = (),
    others: Iterable[Path | None] = (),
) -> None:
    """Refuse what could not be written, or would be written over an input, before any work."""
    from sidelight.cli.pictures import check_page, check_picture
    from sidelight.io import require_writable
    from sidelight.io.table import table_writer

    given = {path.expanduser().resolve(): path for path in inputs if path is not None}
    taken: dict[Path, Path] = {}
    checks: list[tuple[Iterable[Path | None], Any]] = [
        (tables, table_writer),
        (pictures, check_picture),
        (pages, check_page),
        (others, lambda path: None),
    ]
    for paths, check in checks:
        for path in paths:
            if path is None:
                continue
            check(path)
            require_writable(path.expanduser())
            place = path.expanduser().resolve()
            if place in given:
                raise ValueError(
                    f"{path} is read by this command and would be written over. Give the output "
                    f"another name."
                )
            if place in taken:
                raise ValueError(f"{path} is given for two outputs. Give each a name of its own.")
            taken[place] = path


def write_outcome(
    result: Embedding,
    table: Table,
    preparation: Preparation,
    *,
    output: Path | None = None,
    point_quality: bool = False,
    picture: Path | None = None,
    page: Path | None = None,
    model: Path | None = None,
    color_by: str | None = None,
    name_column: str | None = None,
    image_shape: tuple[int, ...] | None = None,
    quiet: bool = False,
) -> None:
    """Write the map, the model, the picture and the page, and say so as soon as each is there."""
    from sidelight.cli.maps import map_columns
    from sidelight.io.model import save
    from sidelight.io.table import write_table

    def say(what: str, path: Path) -> None:
        if not quiet:
            console.facts([(what, f"{path}")])

    if output is not None:
        names = list(result.model.get_feature_names_out())
        write_table(output, map_columns(result.points, names, table))
        if point_quality:
            placed = _each_point(result, quiet=quiet)
            write_table(output, map_columns(result.points, names, table, beside=placed))
        say("map", output)
    if model is not None:
        save(result.model, model, extras=preparation.to_extras())
        say("model", model)
    if picture is not None:
        _draw(picture, result, table, color_by, name_column, image_shape)
        say("picture", picture)
    if page is not None:
        _write_page(page, result, table, color_by, name_column, image_shape)
        say("page", page)


def _each_point(result: Embedding, *, quiet: bool) -> dict[str, Any]:
    """How well each row is placed, by column, or a warning why that cannot be said."""
    from sidelight.cli.fitting import shown

    try:
        with shown("quality of each row", quiet=quiet):
            found = result.point_quality()
    except (ValueError, MemoryError) as error:
        console.warnings([f"--point-quality: {error}"])
        return {}
    return {"kept": found.kept, "displaced": found.displaced}


def judge(result: Embedding, table: Table, color_by: str | None) -> None:
    """Say how good a map is, or why that cannot be said: the map is there all the same.

    Of what was said about rows, how much holds.
    """
    from sidelight.cli.fitting import shown
    from sidelight.cli.pictures import labels_of
    from sidelight.cli.reports import show_agreement, show_report

    labels = labels_of(table, color_by)
    try:
        with shown("quality"):
            report = result.quality(labels=labels)
    except (ValueError, MemoryError) as error:
        console.notes([str(error)])
    else:
        show_report(report)
    try:
        show_agreement(result.agreement())
    except ValueError as error:
        console.notes([str(error)])


def _draw(
    picture: Path,
    result: Embedding,
    table: Table,
    color_by: str | None,
    name_column: str | None,
    image_shape: tuple[int, ...] | None,
) -> None:
    from sidelight import plot
    from sidelight.cli.fitting import shown
    from sidelight.cli.pictures import colouring

    Z, method = result.points, type(result.model).__name__
    with shown("picture"):
        flat = Z if Z.shape[1] <= 3 and image_shape is None else Z[:, :2]
        if flat.shape[1] < Z.shape[1]:
            console.notes([f"The picture shows two of {Z.shape[1]} dimensions."])
        ax = plot.scatter(
            flat,
            images=None if image_shape is None else table.X,
            image_shape=image_shape,
            names=_called(table, name_column) if name_column and flat.shape[1] == 2 else None,
            side=result._drawn_side,
            title=f"{Path(table.name).stem}, {method}",
            **colouring(table, color_by),
        )
        plot.save(ax, picture)


def _write_page(
    page: Path,
    result: Embedding,
    table: Table,
    color_by: str | None,
    name_column: str | None,
    image_shape: tuple[int, ...] | None,
) -> None:
    from sidelight import plot
    from sidelight.cli.fitting import shown
    from sidelight.cli.pictures import colouring

    if name_column is None and table.image_shape is not None and "file" in table.labels:
        name_column = "file"
    with shown("page"):
        plot.write_page(
            page,
            result.points,
            names=_called(table, name_column),
            columns={name: v for name, v in table.labels.items() if name != name_column},
            images=None if image_shape is None else table.X,
            image_shape=image_shape,
            side=result._drawn_side,
            title=Path(table.name).stem,
            subtitle=result.reason,
            **colouring(table, color_by),
        )


def _called(table: Table, name_column: str | None) -> list[str | None]:
    """What rows are called in a picture: as in files and messages, nothing where a name lacks."""
    from sidelight.io.table import names_of_rows

    names = names_of_rows(table, name_column)
    return [f"row {name}" if name_column is None else name or None for name in names]
