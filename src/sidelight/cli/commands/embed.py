"""``sidelight embed``: a table in; a map, a picture and a model out."""

from __future__ import annotations

import time
from typing import Any

from sidelight.cli import console
from sidelight.cli.options import (
    ActionColumn,
    AlignTo,
    AttributeColumn,
    ColorBy,
    Columns,
    Components,
    ConditionColumn,
    ConditionPeriod,
    Data,
    Dissimilar,
    EpisodeColumn,
    Header,
    Ignore,
    ImageShape,
    InvariantTo,
    KnownAnchors,
    KnownDistances,
    LabelColumn,
    Landmarks,
    MapFile,
    Method,
    Metric,
    Missing,
    ModelFile,
    NameColumn,
    Neighbors,
    PageFile,
    Param,
    PerPoint,
    PictureFile,
    Precomputed,
    Quiet,
    RelationColumn,
    Sample,
    Seed,
    SequenceColumn,
    Similar,
    Standardize,
    Text,
    Thumbnails,
    number_or_auto,
    split_names,
)


def embed(
    file: Data,
    method: Method = "auto",
    components: Components = "2",
    neighbors: Neighbors = None,
    landmarks: Landmarks = None,
    sample: Sample = None,
    metric: Metric = None,
    param: Param = None,
    seed: Seed = None,
    ignore: Ignore = None,
    color_by: ColorBy = None,
    standardize: Standardize = False,
    columns: Columns = None,
    text: Text = None,
    missing: Missing = None,
    header: Header = None,
    precomputed: Precomputed = False,
    thumbnails: Thumbnails = None,
    similar: Similar = None,
    dissimilar: Dissimilar = None,
    distances: KnownDistances = None,
    anchors: KnownAnchors = None,
    name_column: NameColumn = None,
    align_to: AlignTo = None,
    label_column: LabelColumn = None,
    relation_column: RelationColumn = None,
    attribute_column: AttributeColumn = None,
    action_column: ActionColumn = None,
    episode_column: EpisodeColumn = None,
    sequence_column: SequenceColumn = None,
    condition_column: ConditionColumn = None,
    condition_period: ConditionPeriod = None,
    image_shape: ImageShape = None,
    invariant_to: InvariantTo = None,
    output: MapFile = None,
    point_quality: PerPoint = False,
    picture: PictureFile = None,
    page: PageFile = None,
    model: ModelFile = None,
    quiet: Quiet = False,
) -> None:
    """Make a map of a table, or of a folder of pictures.

    Prints how good the map is and how much of what is known holds in it; writes it with --output,
    --picture, --page and --model.
    """
    import sidelight
    from sidelight.cli.fitting import working
    from sidelight.cli.maps import read_places
    from sidelight.cli.outcome import check_outputs, judge, write_outcome
    from sidelight.cli.parameters import (
        takes,
        typed_parameters,
        written_parameters,
    )
    from sidelight.cli.pictures import images_of
    from sidelight.cli.preparation import Preparation
    from sidelight.cli.reading import missing_policy, read_as_asked, written_size
    from sidelight.cli.said import Said
    from sidelight.core import counted
    from sidelight.embedding import hints_for, warn_of_distances
    from sidelight.io.table import names_of_rows
    from sidelight.side import rows_called

    if point_quality and output is None:
        raise ValueError("--point-quality adds columns to the map that --output writes. Give both.")
    said = Said(
        similar=similar,
        dissimilar=dissimilar,
        distances=distances,
        anchors=anchors,
        name_column=name_column,
        label_column=label_column,
        relation_column=relation_column,
        attribute_column=attribute_column,
        action_column=action_column,
        episode_column=episode_column,
        sequence_column=sequence_column,
        condition_column=condition_column,
        condition_period=condition_period,
        invariant_to=invariant_to,
    )
    files = [file, *said.files, align_to]
    check_outputs(files, tables=[output], pictures=[picture], pages=[page], others=[model])
    how: dict[str, Any] = {
        "ignore": split_names(ignore),
        "aside": [*filter(None, [color_by]), *said.columns],
        "missing": missing_policy(missing, method),
        "header": header,
        "name_column": name_column,
        "quiet": quiet,
    }
    graph = precomputed or metric == "precomputed"
    table, shape, coder = read_as_asked(file, columns, text, graph=graph, **how)
    if coder is not None and metric is None and takes(method, "metric"):
        metric = coder.metric  # for methods without one rows of length 1 say nearly the same
    images = images_of(table, shape, thumbnails=thumbnails, image_shape=image_shape)
    known = said.read(table, images, standardize=standardize)
    previous, note = (None, "") if align_to is None else read_places(align_to, table)
    console.notes([note] * bool(note), quiet=quiet)
    preparation = Preparation.of(
        table,
        standardize=standardize,
        factors=said.factors,
        coder=coder,
    )
    parameters = typed_parameters(
        param or (),
        method,
        n_neighbors=neighbors,
        n_landmarks=landmarks,
        metric="precomputed" if precomputed else metric,
        n_components=number_or_auto(components),
    )

    seed = parameters.pop("random_state", seed)

    with working(quiet=quiet) as begin, rows_called(names_of_rows(table, name_column)):

        def say(choice: Any, estimator: Any) -> None:
            facts = [("data", f"{table.name}, {written_size(table)}")]
            why = f" ({choice.why})" if method == "auto" else ""
            facts.append(("method", f"{choice.entry.name}, {choice.entry.summary}{why}"))
            facts.append(("", written_parameters(estimator)))
            if known:
                facts.append(("known", ", ".join(repr(value) for value in known)))
            if not quiet:
                console.facts(facts)
            if seed is not None and "random_state" not in estimator.get_params():
                still = f"{choice.entry.name} draws nothing at random: --seed changes nothing."
                console.notes([still], quiet=quiet)
            begin(choice.entry.name)

        if standardize and parameters.get("metric") != "precomputed":
            warn_of_distances(table.X)  # which would no longer look like one
        start = time.perf_counter()
        result = sidelight.embed(
            preparation.apply(table),
            side=known,
            method=method,
            random_state=seed,
            sample=sample,
            align_to=previous,
            on_choice=say,
            **parameters,
        )
        seconds = time.perf_counter() - start
    if not quiet:
        n_found = result.points.shape[1]
        asked = isinstance(parameters["n_components"], str)
        found = f", {counted(n_found, 'dimension')}" if asked else ""
        console.facts([("fitted", f"in {seconds:.2f} s{found}")])
    # the map is written before anything else is made of it, so that nothing can lose it
    write_outcome(
        result,
        table,
        preparation,
        output=output,
        point_quality=point_quality,
        picture=picture,
        page=page,
        model=model,
        color_by=color_by,
        name_column=name_column,
        image_shape=images,
        quiet=quiet,
    )
    if not quiet:
        if result.about:
            console.facts([("about", result.about)])
        console.notes(result.done)
        console.notes(
            hints_for(
                result.data,
                names=preparation.columns,
                metric=parameters.get("metric"),
                images=images is not None,
                beside={n: v for n, v in table.labels.items() if n not in (name_column, text)},
                known={type(value).__name__ for value in known},
            )
        )
        judge(result, table, color_by)
    if not any((output, picture, page, model, quiet)):
        console.notes(
            ["Nothing was written. Give --output map.csv, --picture map.png, --page or --model."]
        )
