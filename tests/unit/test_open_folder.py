"""Whatever a path leads to: exactly one set of weights, told by content, or one sentence on what is wrong."""

import io
import os
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ffn_explorer.checkpoints.readers.folder import open_source
from ffn_explorer.core.errors import InputError
from tests.unit.safetensors_bytes import entry, float32s, write_json, written

HASH = "0123456789abcdef0123456789abcdef01234567"


def shard(path: Path, value: float, *names: str) -> Path:
    """A safetensors file whose tensors `[2, 3]` hold one value."""
    path.parent.mkdir(parents=True, exist_ok=True)
    header, zeros = float32s({name: [2, 3] for name in names})
    return written(path, header, np.full(len(zeros) // 4, value, "<f4").tobytes())


def sharded(folder: Path, stem: str = "model", *, index: bool = True) -> Path:
    """A folder of two shards: a and b in the first, c in the second."""
    shard(folder / f"{stem}-00001-of-00002.safetensors", 1, "a", "b")
    shard(folder / f"{stem}-00002-of-00002.safetensors", 2, "c")
    if index:
        first, second = (f"{stem}-0000{number}-of-00002.safetensors" for number in (1, 2))
        write_json(
            folder / f"{stem}.safetensors.index.json", {"weight_map": {"a": first, "b": first, "c": second}}
        )
    return folder


def means(path: Path) -> dict[str, float]:
    """Mean of every tensor that a path leads to."""
    source = open_source(path)
    found = {name: float(source.whole(name).mean()) for name in source.tensors}
    source.close()
    return found


def refusal(path: Path) -> tuple[str, dict[str, object]]:
    """Key and values of the sentence that a path ends with."""
    with pytest.raises(InputError) as caught:
        open_source(path)
    return caught.value.key.removeprefix("checkpoint."), caught.value.values


def test_one_file_with_what_stands_beside_it(tmp_path: Path) -> None:
    path = shard(tmp_path / "model.safetensors", 1, "a")
    write_json(tmp_path / "config.json", {"model_type": "llama"})
    for name in ("generation_config.json", "tokenizer.json"):
        write_json(tmp_path / name, {})
    for place in (path, tmp_path):
        source = open_source(place)
        assert (source.format, source.path, list(source.tensors)) == ("safetensors", place, ["a"])
        assert source.header["config"] == {"model_type": "llama"}
        assert source.header["params"] == source.header["adapter"] == {}
        beside = source.header["beside"]
        assert isinstance(beside, Mapping)
        assert set(beside) == {"config.json", "generation_config.json", "tokenizer.json"}
        assert beside["tokenizer.json"] == tmp_path / "tokenizer.json"
        assert source.header["weights"] == ("model.safetensors",)


@pytest.mark.parametrize(
    "given",
    [
        "",
        "model.safetensors.index.json",
        "model-00001-of-00002.safetensors",
        "model-00002-of-00002.safetensors",
    ],
)
@pytest.mark.parametrize("index", [True, False])
def test_shards(given: str, index: bool, tmp_path: Path) -> None:
    sharded(tmp_path, index=index)
    if given.endswith(".json") and not index:
        assert refusal(tmp_path / given)[0] == "nothing"
        return
    assert means(tmp_path / given) == {"a": 1, "b": 1, "c": 2}


def test_shards_of_any_name_and_in_folders_below(tmp_path: Path) -> None:
    shard(tmp_path / "parts" / "one", 3, "a")
    write_json(tmp_path / "x.safetensors.index.json", {"weight_map": {"a": "parts/one"}})
    assert means(tmp_path) == {"a": 3}


SETS: list[tuple[Sequence[str], str, Sequence[str]]] = [
    (
        ["model.safetensors", "consolidated.safetensors", "other.safetensors"],
        "model.safetensors",
        ["consolidated.safetensors", "other.safetensors"],
    ),
    (["consolidated.safetensors", "other.safetensors"], "consolidated.safetensors", ["other.safetensors"]),
    (["consolidated.00.safetensors"], "consolidated.00.safetensors", []),
    (["weights.safetensors", "optimizer.bin", "training_args.bin"], "weights.safetensors", []),
    (["adapter_model.safetensors"], "adapter_model.safetensors", []),
    (["6f0c1b"], "6f0c1b", []),
    (["._model.safetensors", "a.safetensors"], "a.safetensors", []),
]


@pytest.mark.parametrize(("names", "taken", "unread"), SETS)
def test_exactly_one_set(names: Sequence[str], taken: str, unread: Sequence[str], tmp_path: Path) -> None:
    for name in names:
        shard(tmp_path / name, 1 if name == taken else 2, "a")
    assert means(tmp_path) == {"a": 1}
    header = open_source(tmp_path).header
    assert (header["weights"], header["unread"]) == ((taken,), tuple(unread))


def test_of_two_indices_the_model_s_own(tmp_path: Path) -> None:
    sharded(tmp_path)
    sharded(tmp_path, "consolidated")
    header = open_source(tmp_path).header
    assert header["weights"] == ("model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors")
    assert header["unread"] == ("consolidated.safetensors.index.json",)


def test_no_telling_which(tmp_path: Path) -> None:
    shard(tmp_path / "one.safetensors", 1, "a")
    shard(tmp_path / "two.safetensors", 1, "a")
    key, values = refusal(tmp_path)
    assert (key, values["names"]) == ("several", "one.safetensors, two.safetensors")


def test_parts_of_every_tensor_are_no_shards(tmp_path: Path) -> None:
    for number in range(8):
        shard(tmp_path / f"consolidated.{number:02}.pth", 1, "a")
    key, values = refusal(tmp_path)
    assert (key, values["count"]) == ("ranks", 8)


def test_a_missing_shard_is_named(tmp_path: Path) -> None:
    for index in (True, False):
        folder = sharded(tmp_path / str(index), index=index)
        (folder / "model-00002-of-00002.safetensors").unlink()
        wanted = {"file": "model-00002-of-00002.safetensors", "missing": 1, "count": 2}
        assert refusal(folder) == ("shard_missing", wanted)


def test_a_truncated_shard_is_named(tmp_path: Path) -> None:
    path = sharded(tmp_path) / "model-00002-of-00002.safetensors"
    os.truncate(path, path.stat().st_size - 1)
    assert refusal(tmp_path) == ("outside", {"file": path.name, "tensor": "c"})
    os.truncate(path, 20)
    assert refusal(tmp_path) == ("truncated", {"file": path.name})
    os.truncate(path, 0)
    assert refusal(tmp_path) == ("empty", {"file": path.name})


@pytest.mark.parametrize(
    "name",
    [
        *("../out.safetensors", "/etc/passwd", "a/../../out.safetensors", "C:\\x", "\\\\host\\x", "..\\x"),
        *("", ".", "..", "a\0b", "x" * 300),
    ],
)
def test_a_shard_elsewhere_is_refused(name: str, tmp_path: Path) -> None:
    shard(tmp_path / "out.safetensors", 1, "a")
    folder = tmp_path / "folder"
    folder.mkdir()
    index = write_json(folder / "model.safetensors.index.json", {"weight_map": {"a": name}})
    for path in (folder, index):
        assert refusal(path)[0] == "shard_path"


@pytest.mark.parametrize(
    ("content", "key"),
    [
        ("{}", "index"),
        ('{"weight_map": {}}', "index"),
        ('{"weight_map": []}', "index"),
        ('{"weight_map": {"a": 1}}', "index"),
        ('{"weight_map": {"a": "x", "a": "y"}}', "name_twice"),
        ("[1]", "json"),
        ("{", "json"),
        ("", "json"),
        ('{"weight_map": ' + "[" * 100_000, "json"),
        ('{"weight_map": ' + "[" * 60 + "]" * 60 + "}", "json"),
        ('{"weight_map": {"a": "\\ud800"}}', "json"),
    ],
)
def test_a_damaged_index(content: str, key: str, tmp_path: Path) -> None:
    (tmp_path / "model.safetensors.index.json").write_text(content, "utf-8")
    assert refusal(tmp_path)[0] == key


def test_an_endless_index_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors.index.json"
    path.write_text("{", "utf-8")
    os.truncate(path, 2**40)
    assert refusal(tmp_path)[0] == "json_large"


def test_an_index_of_too_many_shards(tmp_path: Path) -> None:
    write_json(
        tmp_path / "model.safetensors.index.json", {"weight_map": {str(i): str(i) for i in range(3_000)}}
    )
    assert refusal(tmp_path)[0] == "index"


def test_an_index_that_does_not_fit_its_shards(tmp_path: Path) -> None:
    folder = sharded(tmp_path)
    first = "model-00001-of-00002.safetensors"
    write_json(folder / "model.safetensors.index.json", {"weight_map": {"a": first, "gone": first}})
    assert refusal(folder) == ("index_tensor", {"tensor": "gone", "file": first})


def test_a_tensor_in_two_shards(tmp_path: Path) -> None:
    shard(tmp_path / "model-00001-of-00002.safetensors", 1, "a")
    shard(tmp_path / "model-00002-of-00002.safetensors", 2, "a", "b")
    assert refusal(tmp_path)[0] == "twice"
    first, second = (f"model-0000{number}-of-00002.safetensors" for number in (1, 2))
    for place, value in ((first, 1), (second, 2)):
        write_json(tmp_path / "model.safetensors.index.json", {"weight_map": {"a": place, "b": second}})
        # Where the first shard is not named at all, it is not read.
        assert means(tmp_path) == {"a": value, "b": 2}


def cache(folder: Path, revisions: Mapping[str, float], *, main: str | None) -> Path:
    """The hub's cache of one model: blobs by hash, snapshots of links, a reference."""
    for name, value in revisions.items():
        blob = shard(folder / "blobs" / f"blob{name}", value, "a")
        write_json(folder / "blobs" / f"config{name}", {"model_type": name})
        snapshot = folder / "snapshots" / name
        snapshot.mkdir(parents=True)
        (snapshot / "model.safetensors").symlink_to(Path("../../blobs") / blob.name)
        (snapshot / "config.json").symlink_to(Path("../../blobs") / f"config{name}")
    if main is not None:
        (folder / "refs").mkdir()
        (folder / "refs" / "main").write_text(main, "utf-8")
    return folder


def test_the_hub_s_cache(tmp_path: Path) -> None:
    folder = cache(tmp_path / "models--org--name", {HASH: 1, "other": 2}, main=HASH)
    for path in (folder, folder / "snapshots", folder / "snapshots" / HASH):
        source = open_source(path)
        assert source.header["config"] == {"model_type": HASH}
        assert means(path) == {"a": 1}
    assert means(folder / "snapshots" / "other") == {"a": 2}
    assert means(folder / "blobs" / f"blob{HASH}") == {"a": 1}
    assert means(folder / "snapshots" / HASH / "model.safetensors") == {"a": 1}


def test_the_hub_s_cache_without_a_reference(tmp_path: Path) -> None:
    assert means(cache(tmp_path / "one", {"x": 1}, main=None)) == {"a": 1}
    assert refusal(cache(tmp_path / "two", {"x": 1, "y": 2}, main=None))[0] == "several"
    assert refusal(cache(tmp_path / "three", {"x": 1, "y": 2}, main="gone"))[0] == "several"
    assert refusal(cache(tmp_path / "four", {"x": 1, "y": 2}, main="../../one/snapshots/x"))[0] == "several"


def test_an_unfinished_download_in_the_cache(tmp_path: Path) -> None:
    folder = cache(tmp_path / "models--org--name", {HASH: 1}, main=HASH)
    (folder / "blobs" / f"blob{HASH}").unlink()
    assert refusal(folder)[0] == "shard_missing"


@pytest.mark.parametrize("name", ["config.json", "params.json", "adapter_config.json"])
@pytest.mark.parametrize("content", ["{", "[]", '{"a":1,"a":2}', '{"a":' * 60 + "1" + "}" * 60, "[" * 10**5])
def test_a_damaged_configuration_is_named(name: str, content: str, tmp_path: Path) -> None:
    shard(tmp_path / "model.safetensors", 1, "a")
    (tmp_path / name).write_text(content, "utf-8")
    key, values = refusal(tmp_path)
    assert key in ("json", "name_twice")
    assert values["file"] == name


def zipped() -> bytes:
    """A zip that holds no checkpoint."""
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w") as file:
        file.writestr("letter.txt", "hello")
    return into.getvalue()


NOT_WEIGHTS: dict[str, tuple[Callable[[], bytes], str]] = {
    "empty": (lambda: b"", "empty"),
    "text": (lambda: "Die Gewichte, größer.\n".encode() * 999, "text"),
    "web_page": (lambda: b"\n <!DOCTYPE html><html><body>404</body></html>", "web_page"),
    "xml": (lambda: b'<?xml version="1.0"?><Error/>', "web_page"),
    "json": (lambda: b'{"model_type": "llama"}', "only_json"),
    "pointer": (lambda: b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n", "pointer"),
    "onnx": (lambda: b"\x08\x07\x12\x07pytorch\x1a\x052.0.0:\xff", "other"),
    "keras": (lambda: b"\x89HDF\r\n\x1a\n" + bytes(99), "other"),
    "numpy": (lambda: b"\x93NUMPY\x01\0v\0{'descr': '<f4'}", "other"),
    "tflite": (lambda: b"\x1c\0\0\0TFL3" + bytes(99), "other"),
    "saved_model": (lambda: b"\x08\x01\x12\xff\xff", "other"),
    "old_ggml": (lambda: b"tjgg\x03\0\0\0" + bytes(99), "other"),
    "gzip": (lambda: b"\x1f\x8b\x08" + bytes(99), "archive"),
    "tar": (lambda: bytes(257) + b"ustar\x0000", "archive"),
    "zip": (zipped, "torch_other_zip"),
    "zeros": (lambda: bytes(9_999), "blank"),
    "noise": (lambda: bytes(range(200, 256)) * 9, ""),
    "one_byte": (lambda: b"\x08", ""),
}
UNKNOWN = {"a.safetensors": "header", "a.gguf": "not_gguf", "a.bin": "unknown", "a": "unknown"}


@pytest.mark.parametrize("name", UNKNOWN)
@pytest.mark.parametrize("case", NOT_WEIGHTS)
def test_what_holds_no_weights(case: str, name: str, tmp_path: Path) -> None:
    make, key = NOT_WEIGHTS[case]
    (tmp_path / name).write_bytes(make())
    assert refusal(tmp_path / name)[0] == (key or UNKNOWN[name])
    # In a folder, only a name says that it was meant to hold any.
    assert refusal(tmp_path)[0] == ("no_weights" if name == "a" else key or UNKNOWN[name])


def test_folders_without_weights(tmp_path: Path) -> None:
    assert refusal(tmp_path)[0] == "no_weights"
    write_json(tmp_path / "config.json", {})
    (tmp_path / "model.safetensors.old").mkdir()
    (tmp_path / "x.safetensors").mkdir()
    assert refusal(tmp_path)[0] == "no_weights"


def test_paths_that_lead_nowhere(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    for path in (
        tmp_path / "gone",
        tmp_path / "loop",
        Path("a\0b"),
        tmp_path / ("x" * 300),
        tmp_path / "\udcff",
    ):
        key, values = refusal(path)
        assert key == "nothing"
        assert str(values["path"]).isprintable()


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_flipped_bytes_in_what_stands_beside(tmp_path: Path, data: st.DataObject) -> None:
    folder = tmp_path / "models--a--b"
    snapshot = sharded(folder / "snapshots" / HASH)
    (folder / "blobs").mkdir(exist_ok=True)
    main = folder / "refs" / "main"
    main.parent.mkdir(exist_ok=True)
    main.write_text(HASH, "utf-8")
    config = write_json(snapshot / "config.json", {"model_type": "llama", "list": [1, 2.5, None, {"a": "b"}]})
    victim = data.draw(st.sampled_from([main, config, snapshot / "model.safetensors.index.json"]))
    raw = bytearray(victim.read_bytes())
    for place in data.draw(st.lists(st.integers(0, len(raw) - 1), min_size=1, max_size=6)):
        raw[place] = data.draw(st.integers(0, 255) | st.sampled_from(list(b'{}[]",:019-e\\./')))
    victim.write_bytes(raw)
    for path in (folder, snapshot):
        try:
            source = open_source(path)
        except InputError:
            continue
        assert {stored.path.parent for stored in source.tensors.values()} == {snapshot}
        for name in source.tensors:
            source.whole(name)
        source.close()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes in folders here")
def test_pipes_are_not_waited_for(tmp_path: Path) -> None:
    folder = sharded(tmp_path / "folder")
    place = folder / "model-00001-of-00002.safetensors"
    place.unlink()
    os.mkfifo(place)
    for path in (folder, place):
        assert refusal(path)[0] == "special"
    index = tmp_path / "other" / "model.safetensors.index.json"
    index.parent.mkdir()
    os.mkfifo(index)
    assert refusal(index.parent)[0] == "special"


def test_a_renamed_file_is_told_by_its_content(tmp_path: Path) -> None:
    path = shard(tmp_path / "weights.pt", 1, "a")
    assert open_source(path).format == "safetensors"
    # A length whose first bytes read like a pickle's.
    header, data = float32s({"a": [2, 3]})
    text = str(header).replace("'", '"').encode()
    assert means(written(tmp_path / "b", text.ljust(0x280), data)) == {"a": 0}


def test_a_file_that_the_index_does_not_name_is_opened_alone(tmp_path: Path) -> None:
    sharded(tmp_path)
    assert means(shard(tmp_path / "model-00003-of-00003.safetensors", 3, "d")) == {"d": 3}


def test_files_close_when_opening_fails(tmp_path: Path) -> None:
    folder = Path("/proc/self/fd")
    if not folder.exists():
        pytest.skip("open files cannot be counted here")
    before = len(list(folder.iterdir()))
    shard(tmp_path / "model-00001-of-00002.safetensors", 1, "a")
    written(tmp_path / "model-00002-of-00002.safetensors", {"a": entry("F32", [9], 0, 36)})
    refusal(tmp_path)
    open_source(shard(tmp_path / "lone.safetensors", 1, "a")).close()
    assert len(list(folder.iterdir())) == before
