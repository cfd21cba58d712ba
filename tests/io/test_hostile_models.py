"""Files that are not models, are damaged, or were made to do harm: all refused."""

from __future__ import annotations

import io
import json
import pickle
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sidelight
from sidelight.io import read_model
from sidelight.io.model.versions import MIGRATIONS
from sidelight.side import Pairs

X = np.random.default_rng(0).normal(size=(30, 4))


@pytest.fixture
def model_file(tmp_path: Path) -> Path:
    return sidelight.save(sidelight.Isomap(2).fit(X), tmp_path / "good.sidelight")


def rewritten(
    file: Path,
    change: Callable[[dict[str, Any]], None] = lambda header: None,
    *,
    replace: dict[str, bytes] | None = None,
    compression: int = zipfile.ZIP_STORED,
) -> Path:
    """The same file with another header, other entries or compressed."""
    changed = file.with_name("changed.sidelight")
    with zipfile.ZipFile(file) as old, zipfile.ZipFile(changed, "w", compression) as new:
        entries = {name: old.read(name) for name in old.namelist()} | (replace or {})
        header = json.loads(entries["model.json"])
        change(header)
        entries["model.json"] = json.dumps(header).encode()
        for name, content in entries.items():
            new.writestr(name, content)
    return changed


def state(header: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = header["model"]["state"]
    return found


def rule(header: dict[str, Any]) -> dict[str, Any]:
    """How new points are placed, in the tree of a saved Isomap."""
    place = state(header)["map"]["fields"]["place"]
    found: dict[str, Any] = place["fields"]["rule"]["fields"]
    return found


def npy(array: Any) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def test_the_rewriting_itself_changes_nothing(model_file: Path) -> None:
    assert np.array_equal(
        sidelight.load(rewritten(model_file)).transform(X), sidelight.load(model_file).transform(X)
    )


class _MakesFolder:
    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return (Path.mkdir, (self.path,))


def test_a_pickle_is_refused_and_not_opened(tmp_path: Path) -> None:
    trap = tmp_path / "trap"
    file = tmp_path / "model.sidelight"
    file.write_bytes(pickle.dumps(_MakesFolder(trap)))
    with pytest.raises(ValueError, match=r"it is a Python pickle\. Pickles can run code"):
        sidelight.load(file)
    assert not trap.exists()


def test_a_pickle_inside_an_array_is_refused_and_not_opened(
    model_file: Path, tmp_path: Path
) -> None:
    trap = tmp_path / "trap"
    content = npy(np.array([_MakesFolder(trap)], dtype=object))
    with pytest.raises(ValueError, match=r"arrays/0\.npy cannot be read .*plain values"):
        sidelight.load(rewritten(model_file, replace={"arrays/0.npy": content}))
    assert not trap.exists()


def test_records_inside_an_array_are_refused(model_file: Path) -> None:
    content = npy(np.zeros(3, dtype=[("a", "f8"), ("b", "i4")]))
    with pytest.raises(ValueError, match=r"arrays/0\.npy cannot be read .*plain values"):
        sidelight.load(rewritten(model_file, replace={"arrays/0.npy": content}))


def test_a_missing_file_names_its_neighbours(model_file: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"Did you mean good\.sidelight\?"):
        sidelight.load(model_file.with_name("god.sidelight"))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "it is empty"),
        (b"\x89PNG\r\n\x1a\n....", "PNG picture"),
        (b"a,b\n1,2\n", "it is text"),
        (b"PK\x03\x04 but no more", "not a whole model file"),
    ],
)
def test_other_files_are_named(content: bytes, words: str, tmp_path: Path) -> None:
    file = tmp_path / "model.sidelight"
    file.write_bytes(content)
    with pytest.raises(ValueError, match=words):
        sidelight.load(file)


def test_a_file_cut_short_is_refused(model_file: Path) -> None:
    content = model_file.read_bytes()
    model_file.write_bytes(content[: len(content) // 2])
    with pytest.raises(ValueError, match="not a whole model file"):
        sidelight.load(model_file)


def test_a_flipped_bit_is_found(model_file: Path) -> None:
    with zipfile.ZipFile(model_file) as archive:
        place = archive.getinfo("arrays/0.npy").header_offset + 300
    content = bytearray(model_file.read_bytes())
    content[place] ^= 1
    model_file.write_bytes(bytes(content))
    with pytest.raises(ValueError, match=r"good\.sidelight is damaged: arrays/0\.npy"):
        sidelight.load(model_file)


def test_an_ordinary_zip_file_is_not_a_model(tmp_path: Path) -> None:
    np.savez(tmp_path / "data.npz", X=X)
    with pytest.raises(ValueError, match=r"it has no model\.json"):
        sidelight.load(tmp_path / "data.npz")


@pytest.mark.parametrize("name", ["../evil.npy", "/etc/passwd", "arrays/../x.npy", "run.py"])
def test_other_entries_are_refused(name: str, model_file: Path) -> None:
    with pytest.raises(ValueError, match="not a model of sidelight: it holds"):
        sidelight.load(rewritten(model_file, replace={name: b""}))


def test_a_compressed_bomb_is_refused_before_it_is_unpacked(model_file: Path) -> None:
    bomb = rewritten(
        model_file,
        replace={"arrays/0.npy": npy(np.zeros(10**7))},
        compression=zipfile.ZIP_DEFLATED,
    )
    assert bomb.stat().st_size < 10**6
    with pytest.raises(ValueError, match="compressed or encrypted"):
        sidelight.load(bomb)


def test_an_array_that_claims_to_be_huge_is_refused(model_file: Path) -> None:
    file = io.BytesIO()
    head = {"descr": "<f8", "fortran_order": False, "shape": (10**9, 10**6)}
    np.lib.format.write_array_header_1_0(file, head)
    with pytest.raises(ValueError, match="does not fit its"):
        sidelight.load(rewritten(model_file, replace={"arrays/0.npy": file.getvalue()}))


def test_an_entry_twice_is_refused(model_file: Path) -> None:
    with (
        zipfile.ZipFile(model_file, "a") as archive,
        pytest.warns(UserWarning, match="Duplicate name"),
    ):
        archive.writestr("arrays/0.npy", npy(np.zeros(3)))
    with pytest.raises(ValueError, match="an entry is there twice"):
        sidelight.load(model_file)


def test_a_newer_format_says_which_version_is_needed(model_file: Path) -> None:
    def newer(header: dict[str, Any]) -> None:
        header.update(format_version=7, sidelight_version="9.1.0")

    with pytest.raises(ValueError, match=r"by sidelight 9\.1\.0 in format 7.*up to 3\. Update"):
        sidelight.load(rewritten(model_file, newer))


@pytest.mark.parametrize("version", [0, -1, True, 1.0, "1", None])
def test_a_format_that_never_was_is_refused(version: Any, model_file: Path) -> None:
    def change(header: dict[str, Any]) -> None:
        header["format_version"] = version

    with pytest.raises(ValueError, match="not a model of sidelight"):
        sidelight.load(rewritten(model_file, change))


def test_an_unknown_class_is_named_with_those_there_are(model_file: Path) -> None:
    changed = rewritten(model_file, lambda header: header["model"].update({"class": "Popen"}))
    with pytest.raises(ValueError, match=r"class 'Popen'.*It has: PCA, "):
        sidelight.load(changed)


@pytest.mark.parametrize(
    "tag",
    ["os:system", "subprocess.Popen", "similarity.kernels:CallableKernel", "Centring", "", "map "],
)
def test_only_values_with_a_tag_are_built(tag: str, model_file: Path) -> None:
    node = {"is": "value", "tag": tag, "fields": {}}
    changed = rewritten(model_file, lambda header: rule(header).update(nystrom=node))
    with pytest.raises(ValueError, match="which this version of sidelight does not have"):
        sidelight.load(changed)


def test_the_format_of_private_state_is_refused_by_name(model_file: Path) -> None:
    def older(header: dict[str, Any]) -> None:
        header.update(format_version=1, sidelight_version="0.1.0")

    with pytest.raises(ValueError, match=r"by sidelight 0\.1\.0 in format 1.*Fit the model again"):
        sidelight.load(rewritten(model_file, older))


def test_an_older_format_is_brought_up_to_date_step_by_step(
    model_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def step(header: dict[str, Any]) -> dict[str, Any]:
        parameters = header["model"]["parameters"]
        parameters["n_neighbors"] = parameters.pop("neighbours")
        return header

    def older(header: dict[str, Any]) -> None:
        header["format_version"] = 1
        parameters = header["model"]["parameters"]
        parameters["neighbours"] = parameters.pop("n_neighbors")

    monkeypatch.setitem(MIGRATIONS, 1, step)
    loaded = sidelight.load(rewritten(model_file, older))
    assert np.array_equal(loaded.transform(X), sidelight.load(model_file).transform(X))


NOT_LEARNED = ["transform", "__class__", "__dict__", "a b", "fit", "lambda", "n_components"]


@pytest.mark.parametrize("name", [*NOT_LEARNED, "_n_features_out", "_understands", "embedding__"])
def test_a_map_in_a_file_replaces_neither_methods_nor_parameters(
    name: str, model_file: Path
) -> None:
    def change(header: dict[str, Any]) -> None:
        state(header)["map"]["fields"]["facts"]["items"][name] = 1

    with pytest.raises(ValueError, match=f"its map sets the attribute '{name}' of Isomap"):
        sidelight.load(rewritten(model_file, change))


def test_a_file_does_not_stand_in_for_a_property(tmp_path: Path) -> None:
    known = Pairs(similar=[(0, 1), (2, 3)])
    metric = sidelight.EquivalenceMetric().fit(X, side=known)
    file = sidelight.save(metric, tmp_path / "metric.sidelight")
    with pytest.raises(ValueError, match="it sets the attribute 'metric_'"):
        sidelight.load(rewritten(file, lambda header: state(header).update(metric_=1)))


@pytest.mark.parametrize("name", NOT_LEARNED)
def test_a_file_sets_what_was_learned_not_what_is_done(name: str, model_file: Path) -> None:
    changed = rewritten(model_file, lambda header: state(header).update({name: 1}))
    with pytest.raises(ValueError, match="it sets the attribute"):
        sidelight.load(changed)


def test_sparse_indices_outside_the_table_are_refused(model_file: Path) -> None:
    number = {}

    def note(header: dict[str, Any]) -> None:
        number["indices"] = rule(header)["graph"]["indices"]

    rewritten(model_file, note)
    name = f"arrays/{number['indices']}.npy"
    with zipfile.ZipFile(model_file) as archive:
        indices = np.load(archive.open(name))
    indices[3] = 10_000_000
    with pytest.raises(ValueError, match=r"damaged: a value of kind 'sparse' is not whole"):
        sidelight.load(rewritten(model_file, replace={name: npy(indices)}))


@pytest.mark.parametrize(
    ("node", "words"),
    [
        ({"is": "code", "source": "1/0"}, "unknown kind 'code'"),
        ({"no": "kind"}, "unknown kind None"),
        ({"is": "array", "number": 999}, r"it has no arrays/999\.npy"),
        ({"is": "array", "number": "../../x"}, "an array has the number"),
        ({"is": "array"}, "not whole"),
        ({"is": "float", "value": "__import__('os')"}, "a number is written"),
        ({"is": "scalar", "dtype": "O", "bytes": "00" * 8}, "a scalar of dtype object"),
        ({"is": "scalar", "dtype": "V8", "bytes": "00" * 8}, "a scalar of dtype"),
        ({"is": "scalar", "dtype": "<f8", "bytes": "00"}, "has 1 bytes"),
        ({"is": "strings", "shape": [2], "items": [1, 2]}, "list of names"),
        ({"is": "strings", "shape": [5], "items": ["a"]}, "not whole"),
        ({"is": "sparse", "format": "coo", "kind": "array"}, "sparse array of unknown kind"),
        ({"is": "tuple", "items": 3}, "not whole"),
    ],
)
def test_nodes_that_sidelight_does_not_write(node: Any, words: str, model_file: Path) -> None:
    changed = rewritten(model_file, lambda header: rule(header).update(nystrom=node))
    with pytest.raises(ValueError, match=words):
        sidelight.load(changed)


def test_unknown_parameters_and_fields_are_named(model_file: Path) -> None:
    changed = rewritten(model_file, lambda h: h["model"]["parameters"].update(speed=3))
    with pytest.raises(ValueError, match="gives Isomap a parameter 'speed'"):
        sidelight.load(changed)
    changed = rewritten(model_file, lambda h: rule(h)["nystrom"]["fields"].update(speed=3))
    with pytest.raises(ValueError, match="gives Nystrom a field 'speed'"):
        sidelight.load(changed)


def test_a_tree_nested_too_deeply_is_refused(model_file: Path) -> None:
    depth = 100_000
    text = '{"format": "sidelight model", "format_version": 2, "model": %s}'
    changed = model_file.with_name("deep")
    with zipfile.ZipFile(changed, "w") as archive:
        archive.writestr("model.json", text % ("[" * depth + "]" * depth))
    with pytest.raises(ValueError, match="deep is"):
        read_model(changed)


@pytest.mark.parametrize("text", ["[1, 2]", "{", "\xff", '{"format": "other"}', "{}"])
def test_a_header_that_is_none(text: str, tmp_path: Path) -> None:
    file = tmp_path / "m"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("model.json", text.encode("latin-1"))
    with pytest.raises(ValueError, match=r"m is (damaged|a zip file, but not a model)"):
        sidelight.load(file)
