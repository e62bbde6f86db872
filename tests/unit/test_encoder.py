"""Which model turns texts into vectors, and what stops the start when it is not whole."""

import hashlib
import json
import math
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fleetmem.config import load
from fleetmem.errors import ConfigInvalid, Unavailable
from fleetmem.models import checkpoint
from fleetmem.models.encoder import open_encoder
from tests.unit.loopback import Script, served

POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 90868376\n"


def _folder(at: Path, **contents: bytes) -> Path:
    """Make a folder that has what a checkpoint needs, as far as names go; none of it is a model."""
    files = {"modules.json": b"[]", "config.json": b"{}", "tokenizer.json": b"{}", "model.safetensors": b"weights"}
    at.mkdir()
    for name, octets in (files | {key.replace("_", "."): value for key, value in contents.items()}).items():
        (at / name).write_bytes(octets)
    return at


def _refused(path: Path) -> ConfigInvalid:
    with pytest.raises(ConfigInvalid) as refused:
        open_encoder(load({"FLEETMEM_RECOGNIZER": "sbert", "FLEETMEM_RECOGNIZER_PATH": str(path)}))
    assert refused.value.field == "FLEETMEM_RECOGNIZER_PATH"
    return refused.value


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    refused = _refused(tmp_path / "absent")
    assert refused.rule == "missing"
    assert str(tmp_path / "absent") in refused.detail


@pytest.mark.parametrize("name", ["modules.json", "config.json", "tokenizer.json"])
def test_a_missing_file_is_named(tmp_path: Path, name: str) -> None:
    folder = _folder(tmp_path / "model")
    (folder / name).unlink()
    assert name in _refused(folder).detail


def test_missing_weights_are_named(tmp_path: Path) -> None:
    folder = _folder(tmp_path / "model")
    (folder / "model.safetensors").unlink()
    assert _refused(folder).rule == "weights"


def test_empty_weights_are_refused(tmp_path: Path) -> None:
    assert _refused(_folder(tmp_path / "model", model_safetensors=b"")).rule == "weights"


@pytest.mark.parametrize("name", ["model_safetensors", "tokenizer_json"])
def test_a_pointer_where_a_file_should_be_is_named(tmp_path: Path, name: str) -> None:
    refused = _refused(_folder(tmp_path / "model", **{name: POINTER}))
    assert refused.rule == "git-lfs"
    assert name.replace("_", ".") in refused.detail


def test_what_is_no_model_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("sentence_transformers")
    assert _refused(_folder(tmp_path / "model")).rule == "model"


def test_the_hash_is_of_the_weights(tmp_path: Path) -> None:
    one = checkpoint.sha256(_folder(tmp_path / "one"))
    other = checkpoint.sha256(_folder(tmp_path / "other", model_safetensors=b"Weights"))
    several = checkpoint.sha256(_folder(tmp_path / "several", model2_safetensors=b"more"))
    assert one == hashlib.sha256(b"weights").hexdigest()
    assert len({one, other, several}) == 3


def test_off_is_nothing() -> None:
    assert open_encoder(load({"FLEETMEM_RECOGNIZER": "off"})) is None


def test_the_fake_serves_tests() -> None:
    fake = open_encoder(load({"FLEETMEM_RECOGNIZER": "fake"}))
    assert fake is not None
    first, again, other = fake.encode(["the same words", "words the same", "others"])
    assert list(first) == list(again) != list(other)
    assert math.isclose(sum(each * each for each in first), 1)


def test_the_fake_refuses_to_start_outside_tests() -> None:
    program = (
        "from fleetmem.config import load\nfrom fleetmem.models.encoder import open_encoder\n"
        "open_encoder(load({'FLEETMEM_RECOGNIZER': 'fake'}))"
    )
    done = subprocess.run([sys.executable, "-I", "-c", program], env={}, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "is for tests alone" in done.stderr


def _vectors(
    *vectors: list[float], order: Callable[[list[Any]], list[Any]] = list
) -> tuple[int, object, dict[str, str]]:
    listed = [{"object": "embedding", "index": at, "embedding": vector} for at, vector in enumerate(vectors)]
    usage = {"prompt_tokens": 1, "total_tokens": 1}
    return 200, {"object": "list", "model": "small", "data": order(listed), "usage": usage}, {}


def _endpoint(script: Script, tmp_path: Path, **more: str) -> Any:
    pytest.importorskip("openai")
    key = tmp_path / "key"
    key.write_text("secret-key\n", encoding="utf-8")
    told = {"FLEETMEM_RECOGNIZER_URL": f"{script.url}/v1", "FLEETMEM_RECOGNIZER_MODEL": "small"}
    told |= {"FLEETMEM_RECOGNIZER": "openai", "FLEETMEM_RECOGNIZER_KEY_FILE": str(key)} | more
    return open_encoder(load(told))


def test_an_endpoint_is_asked_and_its_vectors_are_scaled_and_put_in_order(tmp_path: Path) -> None:
    with served(_vectors([3.0, 4.0], [0.0, 2.0], order=lambda all_of_them: all_of_them[::-1])) as script:
        assert _endpoint(script, tmp_path).encode(["a", "b"]) == [[0.6, 0.8], [0.0, 1.0]]
    (seen,) = script.seen
    assert seen.path == "/v1/embeddings"
    assert (seen.body["model"], seen.body["input"]) == ("small", ["a", "b"])
    assert {name.lower(): value for name, value in seen.headers.items()}["authorization"] == "Bearer secret-key"


def test_many_texts_are_asked_for_in_batches(tmp_path: Path) -> None:
    with served(_vectors(*[[1.0]] * 64), _vectors(*[[1.0]] * 6)) as script:
        assert len(_endpoint(script, tmp_path).encode([str(n) for n in range(70)])) == 70
    assert [len(each.body["input"]) for each in script.seen] == [64, 6]


def test_a_failure_that_passes_is_tried_again(tmp_path: Path) -> None:
    busy = (503, {"error": {"message": "busy"}}, {"retry-after-ms": "1"})
    with served(busy, _vectors([1.0])) as script:
        assert _endpoint(script, tmp_path).encode(["a"]) == [[1.0]]
    assert len(script.seen) == 2


@pytest.mark.parametrize(
    "answer",
    [
        (401, {"error": {"message": "the text was: my secret note"}}, {}),
        (200, {"object": "list", "data": []}, {}),
        _vectors([1.0], [1.0]),
        _vectors([0.0, 0.0]),
        (200, {"data": [{"index": 0, "embedding": "words"}]}, {}),
        (200, "words", {}),
    ],
)
def test_any_other_answer_is_unavailable_and_repeats_nothing(tmp_path: Path, answer: Any) -> None:
    with served(answer) as script, pytest.raises(Unavailable) as failed:
        _endpoint(script, tmp_path).encode(["my secret note"])
    assert "secret" not in json.dumps(failed.value.detail)


def test_an_endpoint_that_nobody_serves_is_unavailable(tmp_path: Path) -> None:
    with served(_vectors([1.0])) as script:
        pass
    with pytest.raises(Unavailable):
        _endpoint(script, tmp_path, FLEETMEM_RECOGNIZER_WAIT_S="2").encode(["a"])


@pytest.mark.parametrize("missing", ["FLEETMEM_RECOGNIZER_URL", "FLEETMEM_RECOGNIZER_MODEL"])
def test_an_endpoint_without_address_or_model_is_refused(missing: str) -> None:
    told = {"FLEETMEM_RECOGNIZER_URL": "http://127.0.0.1:1/v1", "FLEETMEM_RECOGNIZER_MODEL": "small"}
    told["FLEETMEM_RECOGNIZER"] = "openai"
    del told[missing]
    with pytest.raises(ConfigInvalid) as refused:
        open_encoder(load(told))
    assert refused.value.field == missing


def test_a_key_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with served(_vectors([1.0])) as script, pytest.raises(ConfigInvalid) as refused:
        _endpoint(script, tmp_path, FLEETMEM_RECOGNIZER_KEY_FILE=str(tmp_path / "absent"))
    assert refused.value.field == "FLEETMEM_RECOGNIZER_KEY_FILE"


def test_the_packaged_model_can_be_copied_and_named(tmp_path: Path) -> None:
    pytest.importorskip("sentence_transformers")
    packaged = checkpoint.locate(None)
    shutil.copytree(packaged, tmp_path / "copy")
    copied = open_encoder(load({"FLEETMEM_RECOGNIZER_PATH": str(tmp_path / "copy")}))
    assert copied is not None
    assert (copied.identity.model, copied.identity.sha256) == ("copy", checkpoint.sha256(packaged))


def test_weights_that_were_cut_off_are_no_model(tmp_path: Path) -> None:
    pytest.importorskip("sentence_transformers")
    folder = tmp_path / "cut"
    shutil.copytree(checkpoint.locate(None), folder)
    whole = next(folder.rglob("*.safetensors"))
    whole.write_bytes(whole.read_bytes()[:100_000])
    assert _refused(folder).rule == "model"
