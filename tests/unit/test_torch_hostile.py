"""PyTorch files that lie, are damaged, or carry code: one sentence each, and nothing of them is run."""

from __future__ import annotations

import io
import os
import pickle
import warnings
import zipfile
from pathlib import Path
from typing import Any

import pytest
import torch

from ffn_explorer.checkpoints.readers import torch_file
from ffn_explorer.checkpoints.readers.torch_file import open_torch
from ffn_explorer.core.errors import InputError
from tests.unit.torch_bytes import (
    FLOATS,
    Runs,
    archive_of,
    attacks,
    name,
    number,
    records_in,
    said,
    saved,
    storage,
    tensor,
    text,
    with_pickle,
)

WEIGHTS = {"up": torch.arange(12.0).reshape(3, 4), "down": torch.arange(12.0).reshape(4, 3).t()}
SIGN = b"PK\x01\x02"


def test_files_made_by_hand_open(tmp_path: Path) -> None:
    assert said(tmp_path, with_pickle(FLOATS + tensor((2, 3), (3, 1)) + b"s.")) == ""
    assert said(tmp_path, saved(WEIGHTS)) == said(tmp_path, saved(WEIGHTS, legacy=True)) == ""


@pytest.mark.parametrize("legacy", [False, True])
@pytest.mark.parametrize("index", range(13))
def test_code_is_named_and_never_run(tmp_path: Path, index: int, legacy: bool) -> None:
    canary = tmp_path / "canary"
    content = saved({"w": torch.ones(2), "x": attacks(canary)[index]}, legacy=legacy)
    assert said(tmp_path, content) in ("torch_code", "torch_object")
    assert not canary.exists()
    assert said(tmp_path, pickle.dumps(attacks(canary)[index], 2)) == "torch_plain_pickle"
    assert said(tmp_path, pickle.dumps(attacks(canary)[index], 5)) == "torch_plain_pickle"
    assert said(tmp_path, with_pickle(pickle.dumps(attacks(canary)[index], 4))) == "torch_protocol"
    assert not canary.exists()


def test_the_sentence_names_what_would_run(tmp_path: Path) -> None:
    path = tmp_path / "file.pt"
    path.write_bytes(saved(attacks(tmp_path / "canary")[0]))
    with pytest.raises(InputError) as caught:
        open_torch(path)
    assert caught.value.key == "checkpoint.torch_code"
    assert caught.value.values["name"] in ("os.system", "posix.system", "nt.system")


@pytest.mark.parametrize("legacy", [False, True])
def test_objects_of_python_are_refused(tmp_path: Path, legacy: bool) -> None:
    from argparse import Namespace

    import numpy as np

    things = (torch.nn.Linear(2, 3), {"args": Namespace(a=1)}, {"a": np.ones(3)}, {"a": np.float64(1)})
    for thing in things:
        assert said(tmp_path, saved(thing, legacy=legacy)) == "torch_object"


def test_a_torch_script_is_named(tmp_path: Path) -> None:
    path = tmp_path / "script.pt"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        traced = torch.jit.trace(torch.nn.Linear(2, 2), torch.ones(1, 2))  # type: ignore[no-untyped-call]
        torch.jit.save(traced, path)
    assert said(tmp_path, path.read_bytes()) == "torch_script"


def call(module: str, function: str, *arguments: bytes) -> bytes:
    """Return the instructions that ask for a call."""
    return name(module, function) + b"(" + b"".join(arguments) + b"tR"


EMPTY = call("collections", "OrderedDict")
HUGE = 2**40
PAIR = tensor((2,), (1,))

PICKLES: dict[str, tuple[bytes, str]] = {
    "larger than its storage": (tensor((2, 4), (4, 1)), "torch_outside"),
    "past its storage": (tensor((2, 3), (3, 1), offset=1), "torch_outside"),
    "steps past its storage": (tensor((2, 3), (4, 1)), "torch_outside"),
    "huge": (tensor((HUGE, HUGE), (HUGE, 1)), "torch_damaged"),
    "overflowing": (tensor((2**62, 4), (4, 1)), "torch_damaged"),
    "overflowing to 0": (tensor((2**32, 2**32, 0), (1, 1, 1)), "torch_damaged"),
    "negative": (tensor((-1, 3), (3, 1)), "torch_damaged"),
    "negative steps": (tensor((2, 3), (-3, 1)), "torch_damaged"),
    "negative offset": (tensor((2, 3), (3, 1), offset=-1), "torch_damaged"),
    "fewer steps": (tensor((2, 3), (1,)), "torch_damaged"),
    "too many axes": (tensor((1,) * 65, (1,) * 65), "torch_damaged"),
    "missing storage": (tensor((2,), (1,), key="7"), "torch_missing"),
    "storage elsewhere": (tensor((2,), (1,), key="../../../etc/passwd"), "torch_missing"),
    "larger storage": (tensor((2, 3), (3, 1), numbers=HUGE), "torch_outside"),
    "smaller storage": (tensor((2, 2), (2, 1), numbers=4), "torch_outside"),
    "storage of no kind": (storage(kind="OddStorage"), "torch_object"),
    "storage without a kind": (b"(" + text("storage") + text("0") * 3 + number(6) + b"tQ", "torch_damaged"),
    "not a storage": (b"(" + text("module") + text("0") + b"tQ", "torch_damaged"),
    "memory for nothing": (call("__builtin__", "bytearray", number(2**34)), "torch_damaged"),
    "memory by the new name": (call("builtins", "bytearray", number(2**34)), "torch_damaged"),
    "tensor by its class": (call("torch", "FloatTensor", number(2**34)), "torch_object"),
    "tensor made new": (name("torch", "Tensor") + b"(" + number(2**34) + b"t\x81", "torch_object"),
    "storage made by a call": (call("torch", "FloatStorage", number(2**34)), "torch_damaged"),
    "state of a tensor": (name("torch", "Tensor") + b"}b", "torch_damaged"),
    "attribute of torch's": (
        call("torch._utils", "_rebuild_parameter_with_state", tensor((2,), (1,)), b"\x88", EMPTY,
             b"}" + text("data") + b"Ns"),
        "torch_damaged",
    ),
    "class of an object": (
        call("torch._tensor", "_rebuild_from_type_v2", name("torch._utils", "_rebuild_tensor"),
             name("torch", "Tensor"), b")", b"}" + text("__class__") + b"Ns"),
        "torch_damaged",
    ),
    "quantised over nothing": (
        call("torch._utils", "_rebuild_qtensor", storage(), number(0), b"(" + number(HUGE) + b"t",
             b"(" + number(0) + b"t", b"(" + name("torch", "per_tensor_affine") + b"K\x01K\x01t", b"\x89",
             EMPTY),
        "torch_damaged",
    ),
    "text where a list is": (text("a") + b"(K\x01e", "torch_damaged"),
    "key that is a list": (b"}]K\x01s", "torch_damaged"),
    "key that is deep": (b"}" + b")" + b"\x85" * 200_000 + b"K\x01s", "torch_damaged"),
    "set of deep tuples": (
        call("__builtin__", "set", b"](" + b")" + b"\x85" * 200_000 + b"e"), "torch_damaged"),
    "memo that is not there": (b"h\x07", "torch_damaged"),
    "mark that is not there": (b"t", "torch_damaged"),
    "nothing on the stack": (b"R", "torch_damaged"),
    "end of the text": (b"X\xff\xff\xff\xffabc", "torch_damaged"),
    "bad text": (b"X\x02\x00\x00\x00\xff\xfe", "torch_damaged"),
    "bad module name": (b"c\xff\n\n", "torch_damaged"),
    "lone surrogate": (PAIR + b"sX\x03\x00\x00\x00\xed\xa0\x80" + PAIR, "torch_names"),
    "long name": (PAIR + b"s" + text("n" * 2000) + PAIR, "torch_names"),
    "name twice": (b"}" + text("a") + PAIR + b"ss" + text("w.a") + PAIR, "name_twice"),
    "instruction of protocol 0": (b"I5\n", "torch_protocol"),
    "numbers that are none": (b"K\x05", "torch_empty"),
    "a long number": (b"\x8a\xff" + b"\x7f" * 255, "torch_empty"),
    "deep lists": (b"]" * 100_000 + b"a" * 99_999, "torch_empty"),
    "itself": (b"]q\x01h\x01a", "torch_empty"),
}  # fmt: skip


@pytest.mark.parametrize("label", PICKLES)
def test_lies_in_the_pickle(tmp_path: Path, label: str) -> None:
    middle, key = PICKLES[label]
    assert said(tmp_path, with_pickle(FLOATS + middle + b"s.")) == key


@pytest.mark.parametrize(
    ("shape", "strides", "key"),
    [((HUGE, 2), (0, 0), "torch_spread"), ((HUGE, 0), (1, 1), "shape"), ((0, HUGE, HUGE), (0, 0, 0), None)],
)
def test_tensors_that_would_take_for_ever(
    tmp_path: Path, shape: tuple[int, ...], strides: tuple[int, ...], key: str | None
) -> None:
    path = tmp_path / "file.pt"
    path.write_bytes(with_pickle(FLOATS + tensor(shape, strides) + b"s" + text("v") + PAIR + b"s."))
    if key is None:
        with pytest.raises(InputError):
            open_torch(path)
        return
    source = open_torch(path)
    with pytest.raises(InputError) as caught:
        source.whole("w")
    assert caught.value.key == f"checkpoint.{key}"
    assert len(source.whole("v")) == 2
    source.close()


def in_an_older_file(middle: bytes) -> bytes:
    """Return a file of the older form whose dictionary holds one value."""
    good = saved({"w": torch.ones(2, 3)}, legacy=True)
    start = good.index(b"}q", good.index(b"little_endian") + 60)
    stop = good.index(b".", good.index(b"OrderedDict"))
    return good[:start] + FLOATS[2:] + middle + b"s" + good[stop:]


@pytest.mark.parametrize("label", PICKLES)
def test_lies_in_older_files(tmp_path: Path, label: str) -> None:
    assert said(tmp_path, in_an_older_file(PICKLES[label][0])) != ""


def test_laughter_without_end(tmp_path: Path) -> None:
    laughs = b"\x80\x02](K\x00" + b"K\x00" * 30 + b"eq\x00"
    for level in range(9):
        laughs += b"](" + b"h" + bytes([level]) + (b"h" + bytes([level])) * 30 + b"eq" + bytes([level + 1])
    # Lists that share all they hold are small here, and endless when they are walked.
    assert said(tmp_path, with_pickle(laughs + b".")) == "torch_many"
    assert said(tmp_path, with_pickle(b"\x80\x02" + b"N" * 4_000_000 + b".")) == "torch_many"
    calls = b"\x80\x02" + name("collections", "OrderedDict") + b"q\x00" + b"h\x00)R" * 500_000 + b"."
    assert said(tmp_path, with_pickle(calls)) == "torch_many"
    text_again = text("a" * 100_000) + b"q\x01" + name("_codecs", "encode") + b"q\x02"
    copies = b"\x80\x02" + text_again + b"h\x02h\x01\x85R" * 100_000 + b"."
    assert said(tmp_path, with_pickle(copies)) == "torch_many"


def rewritten(**changes: bytes | None) -> bytes:
    """Return the archive of WEIGHTS with some records changed, or left out; "data_0" means data/0."""
    records = records_in(saved(WEIGHTS))
    for short, content in changes.items():
        long = "archive/" + short.replace("_", "/").replace("pickle", "data.pkl")
        if content is None:
            del records[long]
        else:
            records[long] = content
    return archive_of(records)


ARCHIVES: dict[str, tuple[Any, str]] = {
    "as it was": (rewritten(), ""),
    "compressed": (archive_of(records_in(saved(WEIGHTS)), method=zipfile.ZIP_DEFLATED), "torch_compressed"),
    "a bomb": (
        archive_of(records_in(saved(WEIGHTS)) | {"archive/data/2": bytes(10**8)}, method=zipfile.ZIP_BZIP2),
        "torch_compressed",
    ),
    "two pickles": (archive_of([*records_in(saved(WEIGHTS)).items()] * 2), "torch_records"),
    "two pickles but for case": (
        archive_of([*records_in(saved(WEIGHTS)).items(), ("archive/DATA.pkl", b"\x80\x02}.")]),
        "torch_records",
    ),
    "no storage": (rewritten(data_0=None), "torch_missing"),
    "a shorter storage": (rewritten(data_0=bytes(44)), "torch_outside"),
    "a longer storage": (rewritten(data_0=bytes(52)), "torch_outside"),
    "no pickle": (rewritten(pickle=None), "torch_other_zip"),
    "an empty pickle": (rewritten(pickle=b""), "torch_damaged"),
    "another byte order": (rewritten(byteorder=b"big"), "torch_byteorder"),
    "no byte order at all": (rewritten(byteorder=b"odd"), "torch_byteorder"),
    "a large version": (rewritten(version=bytes(10**6)), "torch_records"),
    "a version that is none": (rewritten(version=b"x"), "torch_load"),
    "a zip in a zip": (archive_of({"archive/inner.pt": saved(WEIGHTS)}), "torch_other_zip"),
    "a zip for a storage": (rewritten(data_0=saved(WEIGHTS)[:48]), ""),
    "paths that climb": (archive_of({"../../up/data.pkl": b"\x80\x02}."}), "torch_other_zip"),
    "a path beside": (
        archive_of(records_in(saved(WEIGHTS)) | {"../up": b"1"}), "torch_other_zip"),
    "absolute": (archive_of({"/data.pkl": b"\x80\x02}."}), "torch_load"),
    "no folder": (archive_of({"data.pkl": b"\x80\x02}."}), "torch_other_zip"),
    "a document": (archive_of({"word/a.xml": b"<a/>"}, method=zipfile.ZIP_DEFLATED), "torch_other_zip"),
    "a zip sign alone": (b"PK\x03\x04", "truncated"),
    "a zip sign and zeros": (b"PK\x03\x04" + bytes(1000), "truncated"),
    "nothing": (b"", "unknown"),
    "one byte": (b"P", "unknown"),
    "text": (b"These are my weights.", "unknown"),
    "a pickle's start": (b"\x80\x02", "torch_plain_pickle"),
    "a list": (pickle.dumps([1.0, 2.0], 2), "torch_plain_pickle"),
}  # fmt: skip


@pytest.mark.parametrize("label", ARCHIVES)
def test_archives_that_are_none(tmp_path: Path, label: str) -> None:
    content, key = ARCHIVES[label]
    assert said(tmp_path, content) == key


def test_a_file_cut_anywhere(tmp_path: Path) -> None:
    for legacy in (False, True):
        content = saved(WEIGHTS, legacy=legacy)
        for length in range(0, len(content) - 1, max(1, len(content) // 97)):
            assert said(tmp_path, content[:length]) != ""


def changed(content: bytes, sign: bytes, at: int, value: bytes) -> bytes:
    """Return an archive with a field changed, counted from a sign's first place."""
    place = content.index(sign) + at
    return content[:place] + value + content[place + len(value) :]


FULL = b"\xff" * 4


@pytest.mark.parametrize(
    ("sign", "at", "value"),
    [
        (SIGN, 42, (2**31).to_bytes(4, "little")),  # where a record begins
        (SIGN, 42, FULL),
        (SIGN, 24, FULL),  # its bytes, in a long field that is not there
        (SIGN, 24, (2**31).to_bytes(4, "little")),
        (SIGN, 20, (2**31).to_bytes(4, "little")),
        (SIGN, 28, b"\xff\xff"),  # the length of its name
        (SIGN, 30, b"\xff\xff"),
        (SIGN, 32, b"\xff\xff"),
        (SIGN, 10, b"\x08\x00"),  # how it is compressed
        (SIGN, 8, b"\x01\x00"),  # whether it is encrypted
        (SIGN, 46, b"\xff\xff"),  # its name
        (b"PK\x05\x06", 10, b"\xff\x7f"),  # entries
        (b"PK\x05\x06", 8, b"\xff\x7f"),
        (b"PK\x05\x06", 12, (2**31).to_bytes(4, "little")),  # bytes of the directory
        (b"PK\x05\x06", 16, (2**31).to_bytes(4, "little")),
        (b"PK\x05\x06", 4, b"\x01\x00"),  # a second disk
        (b"PK\x03\x04\x00\x00", 26, b"\xff\xff"),  # a local name's length
    ],
)
def test_directories_that_lie(tmp_path: Path, sign: bytes, at: int, value: bytes) -> None:
    content = saved(WEIGHTS)
    assert said(tmp_path, changed(content, sign, at, value)) != ""


@pytest.mark.parametrize("at", [8, 16, 24, 32, 40, 48])
def test_long_directories_that_lie(tmp_path: Path, at: int) -> None:
    content = changed(saved(WEIGHTS), b"PK\x05\x06", 10, b"\xff\xff")
    assert said(tmp_path, content) == ""  # PyTorch writes the long end as well
    for value in (b"\xff" * 8, (2**40).to_bytes(8, "little"), bytes(8)):
        lies = changed(content, b"PK\x06\x06", at, value)
        assert said(tmp_path, lies) != "" or at in (8, 16) or lies == content
        assert said(tmp_path, changed(content, b"PK\x06\x07", 8, value)) != ""


def test_records_that_overlap(tmp_path: Path) -> None:
    content = saved({"a": torch.ones(4, 4), "b": torch.zeros(4, 4)})
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        places = {one.filename: one.header_offset for one in file.infolist()}
    directory = content.index(SIGN)
    second = content.index(b"archive/data/1", directory) - 46
    first = places["archive/data/0"].to_bytes(4, "little")
    assert said(tmp_path, content[: second + 42] + first + content[second + 46 :]) == "torch_records"


def test_places_that_are_no_files(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.pt")
    for path, key in (
        (tmp_path / "pipe.pt", "special"),
        (tmp_path, "special"),
        (Path("/dev/zero"), "special"),
        (tmp_path / "nothing.pt", "read"),
        (tmp_path / ("n" * 300), "read"),
    ):
        with pytest.raises(InputError) as caught:
            open_torch(path)
        assert caught.value.key == f"checkpoint.{key}"


def test_older_files_are_refused_above_half_of_the_free_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = saved({"w": torch.ones(1000)}, legacy=True)
    monkeypatch.setattr(torch_file, "free_bytes", lambda: 2 * len(content))
    assert said(tmp_path, content) == ""
    monkeypatch.setattr(torch_file, "free_bytes", lambda: 2 * len(content) - 1)
    monkeypatch.setattr(torch_file, "loaded", lambda *_, **__: pytest.fail("loaded"))
    (tmp_path / "old.pt").write_bytes(content)
    with pytest.raises(InputError) as caught:
        open_torch(tmp_path / "old.pt")
    assert caught.value.key == "checkpoint.torch_memory"
    assert {"needed", "free"} <= caught.value.values.keys()


def test_torch_must_understand_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = saved({"w": torch.ones(2, 3)})
    for other in ({"w": torch.ones(3, 2)}, {"w": torch.ones(2, 3, dtype=torch.float64)}, {"w": 1}, [1], {}):
        monkeypatch.setattr(torch_file, "loaded", lambda *_, other=other, **__: other)
        if other:
            assert said(tmp_path, content) == "torch_load"


def test_whatever_torch_says_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for error in (RuntimeError("x"), MemoryError(), pickle.UnpicklingError(), OSError(), AssertionError()):

        def fail(*_: object, error: Exception = error, **__: object) -> None:
            raise error

        monkeypatch.setattr(torch, "load", fail)
        assert said(tmp_path, saved(WEIGHTS)) == "torch_load"


def test_a_file_that_cannot_be_mapped_is_read_without_its_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    load = torch.load

    def unmapped(path: Path, **options: Any) -> Any:
        if options.get("mmap"):
            raise RuntimeError("unable to mmap 9 bytes from file")
        assert options["map_location"] == "meta"
        return load(path, **options)

    monkeypatch.setattr(torch, "load", unmapped)
    assert said(tmp_path, saved(WEIGHTS)) == ""
    monkeypatch.delattr(torch.serialization, "_is_meta_location")
    assert said(tmp_path, saved(WEIGHTS)) == "torch_map"


def test_unpickling_is_always_weights_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    load, asked = torch.load, []

    def watched(path: Path, **options: Any) -> Any:
        asked.append(options["weights_only"])
        return load(path, **options)

    monkeypatch.setattr(torch, "load", watched)
    monkeypatch.setenv("TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD", "1")
    for legacy in (False, True):
        assert said(tmp_path, saved(WEIGHTS, legacy=legacy)) == ""
    assert asked == [True, True]


def test_names_allowed_elsewhere_stay_refused(tmp_path: Path) -> None:
    with torch.serialization.safe_globals([Runs]):
        assert (
            said(tmp_path, with_pickle(FLOATS + name(Runs.__module__, "Runs") + b")\x81s.")) == "torch_object"
        )
