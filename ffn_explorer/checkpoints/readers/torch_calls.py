"""What the pickle of a PyTorch file may ask for, checked argument by argument; nothing is called here.

The table is narrower than that of torch's own weights_only reader, which believes the numbers that it is
given: whatever is not in it, or asks for more than the file holds, is refused before torch sees the file.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from ffn_explorer.checkpoints.readers import torch_tensors
from ffn_explorer.checkpoints.readers.torch_plan import (
    STORAGES,
    Name,
    Ordered,
    Other,
    Planned,
    Refused,
    natural,
    naturals,
)
from ffn_explorer.checkpoints.readers.torch_tensors import LAYOUTS, MOST_LETTERS, TYPES

Arguments = tuple[object, ...]

SCHEMES = frozenset(
    f"torch.per_{kind}"
    for kind in (
        "tensor_affine",
        "tensor_symmetric",
        "channel_affine",
        "channel_symmetric",
        "channel_affine_float_qparams",
    )
)
"""Ways to quantise that torch has objects for."""

PLAIN_TENSORS = frozenset({"torch.Tensor", "torch._tensor.Tensor", "torch.nn.parameter.Parameter"})
"""Classes of tensors that a file may name."""

KNOWN = TYPES | SCHEMES | PLAIN_TENSORS
"""Names that a file may look up and not call."""

CODE = frozenset({
    "os", "nt", "posix", "posixpath", "ntpath", "sys", "subprocess", "builtins", "__builtin__",
    "shutil", "pty", "socket", "runpy", "importlib", "imp", "code", "codeop", "ctypes", "pickle",
    "_pickle", "cPickle", "marshal", "operator", "inspect", "webbrowser", "tempfile", "threading",
    "multiprocessing", "asyncio", "signal", "io", "_io", "platform", "commands", "popen2", "timeit",
    "trace", "pdb", "bdb", "cProfile", "profile", "urllib", "http", "requests", "pip", "ensurepip",
    "venv", "zipfile", "tarfile", "linecache", "torch.hub", "torch.jit", "torch.ops",
    "torch.serialization",
})  # fmt: skip
"""Modules whose functions a file names only to have them run."""

MOST_KEY_PARTS = 16
"""Values of a tuple that is a key."""


def named(module: str, name: str) -> Name:
    """A name that the file looks up; Refused where it is none of those that weights need."""
    found = Name(f"{module}.{name}".replace("__builtin__.", "builtins."))
    if found.path in KNOWN or found.path in CALLS or dtype_of_storage(found.path):
        return found
    roots = {module, module.split(".", maxsplit=1)[0]}
    raise Refused("torch_code" if roots & CODE else "torch_object", name=found.path)


def dtype_of_storage(path: str) -> str:
    """Type of a storage class's numbers, "" where the name is no storage class."""
    if path in ("torch.storage.UntypedStorage", "torch.UntypedStorage"):
        return "uint8"
    head, _, last = path.rpartition(".")
    kind = last.removesuffix("Storage")
    return STORAGES.get(kind, "") if head in ("torch", "torch.cuda") and kind != last else ""


def called(function: object, arguments: object) -> object:
    """What a call would give; Refused where it is not one of those that weights need."""
    if not isinstance(function, Name) or function.path not in CALLS or not isinstance(arguments, tuple):
        raise Refused
    try:
        return CALLS[function.path](*arguments)
    except TypeError as error:  # too many arguments, or too few
        raise Refused from error


def work_of(arguments: object, *, depth: int = 2) -> int:
    """Values that a call may walk through: a short file could ask for long walks again and again."""
    if not isinstance(arguments, list | tuple | dict | str | bytes):
        return 0
    inner = arguments if depth and isinstance(arguments, tuple) else ()
    return len(arguments) + sum(work_of(part, depth=depth - 1) for part in inner)


def is_key(value: object) -> bool:
    """Whether something may be a key: hashed at once, and not made to collide."""
    if isinstance(value, tuple):
        return len(value) <= MOST_KEY_PARTS and all(type(it) is not tuple and is_key(it) for it in value)
    return type(value) in (str, bytes, bool, type(None)) or (type(value) is int and abs(value) < 2**60)


def _from_type(function: object, kind: object, arguments: object, state: object) -> Planned:
    """A tensor of a class, with attributes; only torch's own classes come so far."""
    if not isinstance(kind, Name) or kind.path not in PLAIN_TENSORS:
        raise Refused
    if not isinstance(function, Name) or not function.path.startswith("torch._utils._rebuild_"):
        raise Refused
    found = called(function, arguments)
    torch_tensors.check_state(state)
    if not isinstance(found, Planned):
        raise Refused
    return found


def _dictionary(entries: object = ()) -> Ordered:
    if isinstance(entries, dict):
        return Ordered(entries)
    if not isinstance(entries, list | tuple):
        raise Refused
    found = Ordered()
    for entry in entries:
        if not isinstance(entry, list | tuple) or len(entry) != 2 or not is_key(entry[0]):
            raise Refused
        found[entry[0]] = entry[1]
    return found


def _counter(entries: object = None) -> dict[object, object]:
    """Counts by what was counted: only as they are pickled, for a list would be walked and hashed."""
    if not isinstance(entries, dict):
        raise Refused
    return dict(entries)


def _set(items: object = ()) -> Other:
    if not isinstance(items, list | tuple) or not all(is_key(item) for item in items):
        raise Refused
    return Other("set")


def _bytes(text: object, encoding: object = "latin1") -> bytes:
    if not isinstance(text, str) or encoding not in ("latin1", "latin-1", "utf-8"):
        raise Refused
    return text.encode(str(encoding), "replace")


def _bytearray(value: object = b"", encoding: object = "latin1") -> Other:
    if not isinstance(value, bytes | str) or encoding not in ("latin1", "latin-1", "utf-8"):
        raise Refused  # a number would be taken for a length
    return Other("bytearray")


def _complex(real: object, imaginary: object = 0) -> Other:
    if type(real) not in (int, float) or type(imaginary) not in (int, float):
        raise Refused
    return Other("complex")


def _size(sizes: object) -> tuple[int, ...]:
    return naturals(sizes)


def _device(kind: object, index: object = 0) -> Other:
    if not isinstance(kind, str) or len(kind) > MOST_LETTERS or natural(index) > 2**7:
        raise Refused
    return Other("device")


def _layout(name: object) -> Other:
    if not isinstance(name, str) or name not in {*LAYOUTS, "torch.strided"}:
        raise Refused
    return Other(name)


CALLS: Mapping[str, Callable[..., object]] = MappingProxyType(
    {
        "torch._utils._rebuild_tensor": torch_tensors.plain,
        "torch._utils._rebuild_tensor_v2": torch_tensors.plain_v2,
        "torch._utils._rebuild_tensor_v3": torch_tensors.plain_v3,
        "torch._utils._rebuild_parameter": torch_tensors.parameter,
        "torch._utils._rebuild_parameter_with_state": torch_tensors.parameter,
        "torch._utils._rebuild_qtensor": torch_tensors.quantized,
        "torch._utils._rebuild_sparse_tensor": torch_tensors.sparse,
        "torch._utils._rebuild_meta_tensor_no_storage": torch_tensors.meta,
        "torch._tensor._rebuild_from_type_v2": _from_type,
        "torch.serialization._get_layout": _layout,
        "torch.Size": _size,
        "torch.device": _device,
        "collections.OrderedDict": _dictionary,
        "collections.Counter": _counter,
        "builtins.set": _set,
        "builtins.bytearray": _bytearray,
        "builtins.complex": _complex,
        "_codecs.encode": _bytes,
    }
)
"""Calls that a file of weights may ask for, by name."""
