"""``sidelight embed``: a table in; a map, a picture and a model out."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sidelight.cli import console
from sidelight.cli.options import (
    DATA,
    KNOWN,
    METHOD,
    WRITE,
    ColorBy,
    Components,
    File,
    Header,
    Ignore,
    Metric,
    Missing,
    Neighbors,
    Precomputed,
    Quiet,
    Standardize,
    number_or_auto,
    split_names,
)

if TYPE_CHECKING:
    from sidelight.core.arrays import FloatArray
    from sidelight.io.table.reading import Table


def embed(
    file: File,
    method: Annotated[
        str,
        typer.Option(
            "--method",
            "-m",
            help="One of 'sidelight methods'.  auto is Isomap, with landmarks beyond 4,000 rows; "
            "for a table of distances classical scaling (mds).",
            rich_help_panel=METHOD,
        ),
    ] = "auto",
    components: Components = "2",
    neighbors: Neighbors = None,
    landmarks: Annotated[
        int | None,
        typer.Option(
            help="How many landmarks, for large tables.",
            rich_help_panel=METHOD,
            show_default=False,
        ),
    ] = None,
    metric: Metric = None,
    param: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE",
            help="Any other parameter of the method; repeat it for more.",
            rich_help_panel=METHOD,
            show_default=False,
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            help="For methods that draw at random.", rich_help_panel=METHOD, show_default=False
        ),
    ] = None,
    ignore: Ignore = None,
    color_by: ColorBy = None,
    standardize: Standardize = False,
    missing: Missing = None,
    header: Header = None,
    precomputed: Precomputed = False,
    thumbnails: Annotated[
        str | None,
        typer.Option(
            metavar="HxW",
            help="The rows are images of this height and width: draw them in the picture.",
            rich_help_panel=DATA,
            show_default=False,
        ),
    ] = None,
    similar: Annotated[
        Path | None,
        typer.Option(
            metavar="PAIRS",
            help="A table of two columns: pairs of rows that belong together.",
            rich_help_panel=KNOWN,
            show_default=False,
        ),
    ] = None,
    dissimilar: Annotated[
        Path | None,
        typer.Option(
            metavar="PAIRS",
            help="The same, for pairs that do not.",
            rich_help_panel=KNOWN,
            show_default=False,
        ),
    ] = None,
    distances: Annotated[
        Path | None,
        typer.Option(
            metavar="TABLE",
            help="A table of three columns: two rows and how far apart they are.",
            rich_help_panel=KNOWN,
            show_default=False,
        ),
    ] = None,
    anchors: Annotated[
        Path | None,
        typer.Option(
            metavar="TABLE",
            help="A table of a row and its position in the map, a column for each dimension.",
            rich_help_panel=KNOWN,
            show_default=False,
        ),
    ] = None,
    label_column: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Rows with the same label belong together, others do not; empty is not known.  "
            "The column is not used as data.",
            rich_help_panel=KNOWN,
            show_default=False,
        ),
    ] = None,
    action_column: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="The action that led from each row to the next; empty in the last row of a walk.  "
            "The column is not used as data.",
            rich_help_panel=KNOWN,
            show_default=False,
        ),
    ] = None,
    episode_column: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="With --action-column: the walk of each row, where there are several.",
            rich_help_panel=KNOWN,
            show_default=False,
        ),
    ] = None,
    condition_column: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="A factor that is known, names or numbers: it is left out of the map.  The column "
            "is not used as data.",
            rich_help_panel=KNOWN,
            show_default=False,
        ),
    ] = None,
    condition_period: Annotated[
        float | None,
        typer.Option(
            metavar="NUMBER",
            help="With --condition-column: where its numbers come round again, as 360 for degrees.",
            rich_help_panel=KNOWN,
            show_default=False,
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="The map as a table: csv, tsv, parquet, npy or npz.",
            rich_help_panel=WRITE,
            show_default=False,
        ),
    ] = None,
    picture: Annotated[
        Path | None,
        typer.Option(
            help="The map as a picture: png, svg, pdf …", rich_help_panel=WRITE, show_default=False
        ),
    ] = None,
    model: Annotated[
        Path | None,
        typer.Option(
            help="The fitted model, for 'transform' and 'decode': name.sidelight.",
            rich_help_panel=WRITE,
            show_default=False,
        ),
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Make a map of a table.

    Prints how good the map is; writes it with --output, --picture and --model.
    """
    import numpy as np

    from sidelight.cli.estimators import (
        build_estimator,
        find_method,
        written_parameters,
    )
    from sidelight.cli.fitting import shown
    from sidelight.cli.pictures import check_picture, parse_image_shape
    from sidelight.cli.preparation import Preparation
    from sidelight.cli.reading import read_data, written_size
    from sidelight.embedding import choose_method
    from sidelight.io.model.files import save
    from sidelight.io.table.graphs import holds_graph, read_graph
    from sidelight.io.table.knowledge import read_knowledge
    from sidelight.io.table.writing import table_writer, write_table

    if output is not None:
        table_writer(output)
    if picture is not None:
        check_picture(picture)
    takes_missing = method != "auto" and find_method(method).load()._takes_missing
    told = (color_by, label_column, action_column, episode_column, condition_column)
    aside = [name for name in told if name is not None]
    graph = precomputed and holds_graph(file)
    if graph:
        table, n_missing = read_graph(file).set_aside(aside), 0
    else:
        table = read_data(
            file,
            ignore=split_names(ignore),
            aside=aside,
            missing=missing or ("keep" if takes_missing else "error"),
            header=header,
            quiet=quiet,
        )
        n_missing = int(np.isnan(table.X).sum())
    if n_missing:
        console.notes(
            [f"{n_missing:,} missing values, which {method} takes as they are."], quiet=quiet
        )
    image_shape = parse_image_shape(thumbnails, table.X.shape[1]) if thumbnails else None
    known = read_knowledge(
        table,
        similar=similar,
        dissimilar=dissimilar,
        distances=distances,
        anchors=anchors,
        label_column=label_column,
        action_column=action_column,
        episode_column=episode_column,
        condition_column=condition_column,
        condition_period=condition_period,
    )
    kinds = sorted({type(value).__name__ for value in known})
    if method == "auto":
        choice = choose_method(table.X.shape[0], kinds=kinds, distances=precomputed, graph=graph)
        entry, decided, why = choice.entry, choice.parameters, choice.why
    else:
        entry, decided, why = find_method(method), {}, ""
    estimator = build_estimator(
        entry,
        decided=decided,
        options={
            "components": number_or_auto(components),
            "neighbors": neighbors,
            "landmarks": landmarks,
            "metric": metric,
        },
        assignments=param or (),
        precomputed=precomputed,
        seed=seed,
    )
    if seed is not None and "random_state" not in estimator.get_params():
        console.notes(
            [f"{entry.name} draws nothing at random: --seed changes nothing."], quiet=quiet
        )
    if not quiet:
        reason = f" ({why})" if why else ""
        facts = [("data", f"{table.name}, {written_size(table)}")]
        facts.append(("method", f"{entry.name}, {entry.summary}{reason}"))
        facts.append(("", written_parameters(estimator)))
        if known:
            facts.append(("known", ", ".join(repr(value) for value in known)))
        console.facts(facts)
    preparation = Preparation.of(table, standardize=standardize and not graph)
    X = table.X if graph else preparation.apply(table)
    start = time.perf_counter()
    with shown(entry.name, quiet=quiet):
        Z = estimator.fit_transform(X, side=known)
    if not quiet:
        n_found = f"{Z.shape[1]} dimension{'s' * (Z.shape[1] != 1)}"
        found = f", {n_found}" if components == "auto" else ""
        console.facts([("fitted", f"in {time.perf_counter() - start:.2f} s{found}")])
        _judge(X, Z, table, color_by, estimator)

    written = []
    if output is not None:
        from sidelight.cli.maps import map_columns

        write_table(output, map_columns(Z, list(estimator.get_feature_names_out()), table))
        written.append(("map", f"{output}"))
    if picture is not None:
        _draw(picture, Z, table, color_by, image_shape, entry.name)
        written.append(("picture", f"{picture}"))
    if model is not None:
        save(estimator, model, extras=preparation.to_extras())
        written.append(("model", f"{model}"))
    if quiet:
        return
    if written:
        console.facts(written)
    else:
        console.notes(["Nothing was written. Give --output map.csv, --picture map.png or --model."])


def _judge(
    X: FloatArray, Z: FloatArray, table: Table, color_by: str | None, estimator: Any
) -> None:
    import numpy as np

    from sidelight.cli.fitting import shown
    from sidelight.cli.pictures import as_classes
    from sidelight.cli.reports import show_report
    from sidelight.core.arrays import is_sparse
    from sidelight.embedding import distances_along
    from sidelight.quality import quality_report

    if is_sparse(X):  # a graph: the map is judged by the distances along it
        if estimator.components_.any():
            console.notes(["The quality is not measured: the graph is in pieces."])
            return
        X = distances_along(X)
    reason = ""
    if not np.isfinite(X).all():
        reason = "distances to rows with missing values are not known"
    elif estimator.get_params().get("kernel") == "precomputed":
        reason = "the table holds a kernel, not distances"
    elif len(X) < 4:
        reason = "that takes at least four rows"
    if reason:
        console.notes([f"The quality is not measured: {reason}."])
        return
    labels = None if color_by is None else as_classes(table.labels[color_by])
    metric = getattr(estimator, "metric", "euclidean")
    for learned in getattr(estimator, "side_metrics_", []):
        X = learned.transform(X)
    with shown("quality"):
        report = quality_report(X, Z, labels=labels, metric=metric)
    show_report(report)


def _draw(
    picture: Path,
    Z: FloatArray,
    table: Table,
    color_by: str | None,
    image_shape: tuple[int, int] | None,
    method: str,
) -> None:
    from sidelight import plot
    from sidelight.cli.fitting import shown
    from sidelight.cli.pictures import colouring

    with shown("picture"):
        flat = Z if Z.shape[1] <= 3 and image_shape is None else Z[:, :2]
        if flat.shape[1] < Z.shape[1]:
            console.notes([f"The picture shows two of {Z.shape[1]} dimensions."])
        images = None if image_shape is None else table.X
        ax = plot.scatter(
            flat,
            images=images,
            image_shape=image_shape,
            title=f"{Path(table.name).stem}, {method}",
            **colouring(table, color_by),
        )
        plot.save(ax, picture)
