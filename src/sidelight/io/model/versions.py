"""Model files of earlier versions: each step to the next format is one function.

A change that files can feel (a field renamed, a value split) raises ``FORMAT_VERSION`` and adds a
step that turns the header of the format before into its own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

FORMAT = "sidelight model"
FORMAT_VERSION = 3


def conditional_embeddings_by_name(header: dict[str, Any]) -> dict[str, Any]:
    """Format 2 to 3: kernel information embedding by matching has become an estimator."""
    return {key: _renamed(value) for key, value in header.items()}


def _renamed(node: Any) -> Any:
    if isinstance(node, list):
        return [_renamed(item) for item in node]
    if not isinstance(node, dict):
        return node
    node = {key: _renamed(value) for key, value in node.items()}
    if node.get("is") != "estimator" or node.get("class") != "KernelInformationEmbedding":
        return node
    parameters = dict(node["parameters"])
    by_matching = parameters.pop("conditioning", None) == "matching"
    place = node.get("state", {}).get("map", {}).get("fields", {}).get("place", {})
    if by_matching and place.get("fields", {}).get("factor") is not None:
        kept = ("n_components", "bandwidth", "penalty", "alpha", "max_iter", "tol")
        parameters = {name: parameters[name] for name in kept if name in parameters}
        node["class"] = "ConditionalEmbedding"
    return {**node, "parameters": parameters}


#: From a format to the next: takes the header of a file and gives that of the following format.
MIGRATIONS: dict[int, Callable[[dict[str, Any]], dict[str, Any]]] = {
    2: conditional_embeddings_by_name
}


def brought_up_to_date(header: dict[str, Any], name: str) -> dict[str, Any]:
    """The header in the present format, whatever version wrote it."""
    import sidelight

    version = header.get("format_version")
    if header.get("format") != FORMAT or type(version) is not int or version < 1:
        raise ValueError(f"{name} is a zip file, but not a model of sidelight.")
    writer = header.get("sidelight_version")
    if version > FORMAT_VERSION:
        raise ValueError(
            f"{name} was written by sidelight {writer} in format {version}. This is sidelight "
            f"{sidelight.__version__}, which reads formats up to {FORMAT_VERSION}. Update "
            f"sidelight."
        )
    while version < FORMAT_VERSION:
        if version not in MIGRATIONS:
            raise ValueError(
                f"{name} was written by sidelight {writer} in format {version}, a dump of private "
                f"state that no later version can read. Fit the model again, and save it."
            )
        header = MIGRATIONS[version](header)
        version += 1
    return header
