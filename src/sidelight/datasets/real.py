"""The real data sets, each brought into one form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from sidelight.datasets.rotations import rotated_image

Arrays = dict[str, npt.NDArray[Any]]


def _images(images: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], tuple[int, int]]:
    """Flatten images of bytes and bring them into [0, 1]."""
    return images.reshape(len(images), -1) / 255.0, (images.shape[1], images.shape[2])


def _without(arrays: Arrays, *used: str) -> Arrays:
    return {key: value for key, value in arrays.items() if key not in used}


def _oil_flow(arrays: Arrays) -> dict[str, Any]:
    return {
        "X": arrays["X_train"],
        "labels": arrays["y_train"].astype(int),
        "extras": _without(arrays, "X_train", "y_train"),
    }


def _isomap_faces(arrays: Arrays) -> dict[str, Any]:
    faces = arrays["images_float"].astype(float)
    large = np.unpackbits(arrays["images64_binary"], axis=1).reshape(-1, 64, 64).astype(bool)
    return {
        "X": faces.reshape(len(faces), -1),
        "truth": np.column_stack([arrays["pose"], arrays["light"]]),
        "truth_names": ("pose 1", "pose 2", "light"),
        "image_shape": (faces.shape[1], faces.shape[2]),
        "extras": {"images64_binary": large},
    }


def _olivetti_faces(arrays: Arrays) -> dict[str, Any]:
    X, shape = _images(arrays["images"])
    return {
        "X": X,
        "labels": arrays["subject"].astype(int),
        "image_shape": shape,
        "extras": _without(arrays, "images", "subject"),
    }


def _mnist_t10k(arrays: Arrays) -> dict[str, Any]:
    X, shape = _images(arrays["images"])
    return {"X": X, "labels": arrays["y"].astype(int), "image_shape": shape}


def _cmu35_walk(arrays: Arrays) -> dict[str, Any]:
    # the first three channels are where the walker is, which drifts: they are set aside
    frames = arrays["X"]
    return {
        "X": frames[:, 3:],
        "feature_names": tuple(arrays["channels"][3:].tolist()),
        "extras": {
            "root_position": frames[:, :3],
            "seconds": np.arange(len(frames)) / float(arrays["frame_rate"]),
        },
    }


def _stick_run1(arrays: Arrays) -> dict[str, Any]:
    return {"X": arrays["Y"], "extras": _without(arrays, "Y")}


def _robot_wireless(arrays: Arrays) -> dict[str, Any]:
    return {
        "X": arrays["Y"],
        "truth": arrays["xy"],
        "truth_names": ("x", "y"),
        "feature_names": tuple(arrays["mac"].tolist()),
        "extras": _without(arrays, "Y", "xy", "mac"),
    }


def _spellman_yeast(arrays: Arrays) -> dict[str, Any]:
    return {
        "X": arrays["Y"].astype(float),
        "labels": arrays["series"],
        "feature_names": tuple(arrays["genes"].tolist()),
        "extras": _without(arrays, "Y", "series", "genes"),
    }


# a few names came with the accents of a typesetting program
_ACCENTS = {r"\"o": "ö", r"\"u": "ü", r"\'a": "á", r"\o{}": "ø"}


def _readable(name: str) -> str:
    for typeset, letter in _ACCENTS.items():
        name = name.replace(typeset, letter)
    return name


def _europe_roads(arrays: Arrays) -> dict[str, Any]:
    # some roads between the northern cities are not known: X is the complete part
    used = arrays["used_in_seed"]
    city = np.array([_readable(name) for name in arrays["city"].tolist()])
    distances = arrays["km"][np.ix_(used, used)].astype(float)
    return {
        "X": distances,
        "truth": arrays["latlon"][used],
        "truth_names": ("latitude", "longitude"),
        "metric": "precomputed",
        "extras": {
            "distances": distances,
            "city": city[used],
            "miles": arrays["miles"][np.ix_(used, used)],
            "all_km": arrays["km"],
            "all_city": city,
            "all_latlon": arrays["latlon"],
        },
    }


def _eurodist(arrays: Arrays) -> dict[str, Any]:
    distances = arrays["km"].astype(float)
    return {
        "X": distances,
        "metric": "precomputed",
        "extras": {"distances": distances, "city": arrays["city"]},
    }


def _six(arrays: Arrays) -> dict[str, Any]:
    turned = rotated_image(arrays["image"] / 255.0)
    return {
        "X": turned.X,
        "truth": turned.truth,
        "truth_names": turned.truth_names,
        "image_shape": turned.image_shape,
        "extras": dict(turned.extras),
    }


def _pbmc68k_reduced(arrays: Arrays) -> dict[str, Any]:
    extras = _without(
        arrays, "X_log", "cell_type", "cell_type_names", "phase", "phase_names", "genes"
    )
    extras["pca"] = extras.pop("X_scaled_pca")
    return {
        "X": arrays["X_log"].astype(float),
        "labels": arrays["cell_type_names"][arrays["cell_type"]],
        "feature_names": tuple(arrays["genes"].tolist()),
        "extras": extras | {"phase": arrays["phase_names"][arrays["phase"]]},
    }


# how the arrays of each file become a Dataset
ARRANGEMENTS: dict[str, Callable[[Arrays], dict[str, Any]]] = {
    "oil_flow": _oil_flow,
    "isomap_faces": _isomap_faces,
    "olivetti_faces": _olivetti_faces,
    "mnist_t10k": _mnist_t10k,
    "cmu35_walk": _cmu35_walk,
    "stick_run1": _stick_run1,
    "robot_wireless": _robot_wireless,
    "spellman_yeast": _spellman_yeast,
    "europe_roads": _europe_roads,
    "eurodist": _eurodist,
    "six": _six,
    "pbmc68k_reduced": _pbmc68k_reduced,
}
