"""Lines that read a layer's tensors from its file, where a few lines can."""

from typing import TYPE_CHECKING

from ffn_explorer.core.spec import FFNSpec
from ffn_explorer.state.code.dialect import DialectName
from ffn_explorer.state.code.filling import filling, plain, tensors_in
from ffn_explorer.state.code.lines import CodeLine, arguments
from ffn_explorer.state.code.sizes import Sizes

if TYPE_CHECKING:
    from ffn_explorer.checkpoints.scheme import LayerScheme
    from ffn_explorer.state.app_state import Opened

_NUMPY = ("float32", "float64", "float16")
"""Number formats that NumPy knows itself."""

_CAST = {
    ("torch", "float32"): ".float()",
    ("torch", "float64"): ".double()",
    ("numpy", "float32"): '.astype("float32")',
    ("numpy", "float64"): '.astype("float64")',
}


def loading_lines(
    opened: "Opened", layer: "LayerScheme", spec: FFNSpec, sizes: Sizes, *, dialect: DialectName, dtype: str
) -> tuple[CodeLine, ...]:
    """Lines after the function; () where a few lines would not do: packed numbers, PyTorch files.

    Written for the matrices, biases, norms and routers of layers in safetensors files or GGUF.
    """
    from ffn_explorer.state.open_files import OPEN_FILES

    held, cast = OPEN_FILES.known(opened), _CAST.get((dialect, dtype))
    if held is None or cast is None or not plain(layer):
        return ()
    source, names = held.checkpoint.source, arguments(spec, sizes)
    wanted = tensors_in(layer, names)
    stored = [source.tensors.get(name) for name in wanted]
    if source.format not in ("safetensors", "gguf") or None in stored:
        return ()
    known = source.format == "gguf" or dialect == "torch"
    if not known and any(one is not None and one.codec.name not in _NUMPY for one in stored):
        return ()
    files = {name: str(one.path) for name, one in zip(wanted, stored, strict=True) if one is not None}
    found = filling(layer, names, spec, sizes, files=files)
    if found is None:
        return ()
    made = ["", "", *_reader(source.format, dialect, cast), "", ""]
    made += [f"file_{at} = {path!r}" for at, path in enumerate(dict.fromkeys(files.values()))]
    made += [*found, f"layer = ({', '.join(names)},)", f"# y = ffn(x, *layer), for x {sizes.narrow}"]
    return tuple(map(CodeLine, made))


def _reader(form: str, dialect: DialectName, cast: str) -> list[str]:
    """A function that reads one tensor of a file by its name."""
    if form == "gguf":
        whole = "dequantize(found.data, found.tensor_type)"
        whole = f"torch.tensor({whole})" if dialect == "torch" else whole
        return [
            "from gguf import GGUFReader, dequantize",
            "",
            "",
            "def read(file, name):",
            "    found = next(t for t in GGUFReader(file).tensors if t.name == name)",
            f"    return {whole}{cast}",
        ]
    kind = "pt" if dialect == "torch" else "np"
    return [
        "from safetensors import safe_open",
        "",
        "",
        "def read(file, name):",
        f'    with safe_open(file, "{kind}") as opened:',
        f"        return opened.get_tensor(name){cast}",
    ]
