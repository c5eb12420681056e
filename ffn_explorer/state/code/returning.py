"""The function of the code panel, changed to return every stage and not only the last."""

from collections.abc import Iterator

from ffn_explorer.core.spec import FFNSpec
from ffn_explorer.state.code.dialect import DIALECTS, DialectName
from ffn_explorer.state.code.lines import code_lines
from ffn_explorer.state.code.sizes import Sizes


def returning(spec: FFNSpec, sizes: Sizes, dialect: DialectName) -> Iterator[str]:
    """Imports and functions; `ffn` returns arrays by name, `hidden` of experts is the first choice's."""
    texts = [line.text for line in code_lines(spec, sizes, dialect)]
    result = texts.pop().removeprefix("    return ")
    names = {
        "x": "x",
        "normed": "n" if spec.normalises_input else "x",
        "hidden": "hidden" if spec.routing is not None or spec.changes_hidden else "act",
        "out": "out",
        "result": result,
    }
    if spec.routing is None:
        names |= {"up": "up", "act": "act"} | ({"gate": "gate"} if spec.gated else {})
    for text in texts:
        yield from _changed(text, spec, sizes, dialect)
    yield f"    return {{{', '.join(f'{name!r}: {value}' for name, value in names.items())}}}"


def _changed(text: str, spec: FFNSpec, sizes: Sizes, dialect: DialectName) -> Iterator[str]:
    """One line of the panel as the program needs it."""
    row = DIALECTS[dialect]
    if text.startswith("def ffn(") and sizes.dropout:
        # The mask is the one that the program has drawn from its seed.
        yield text.replace("):", ", chance):")
    elif sizes.dropout and text == "    " + row.dropout.format(y="out", x="out", p=sizes.dropout):
        where = "torch.where" if dialect == "torch" else "np.where"
        nothing = row.zeros.format(x="out")
        yield f"    out = {where}(chance >= {sizes.dropout}, out / {1 - sizes.dropout!r}, {nothing})"
    elif spec.routing is not None:
        yield from _of_experts(text, spec, sizes, row.zeros)
    else:
        yield text


def _of_experts(text: str, spec: FFNSpec, sizes: Sizes, zeros: str) -> Iterator[str]:
    """Experts hand on their intermediate, and the first choice's is kept."""
    assert spec.routing is not None
    inner = "hidden" if spec.changes_hidden else "act"
    last = spec.routing.forced is not None and spec.routing.top_k > 1
    if text == "    return out":
        yield f"    return out, {inner}"
    elif text == f"    out = {zeros.format(x='x')}":
        yield text
        wide = f"(*x.shape[:-1], {sizes.d_ff})"
        yield (
            f"    hidden = x.new_zeros({wide})"
            if "torch" in zeros
            else (f"    hidden = np.zeros({wide}, x.dtype)")
        )
    elif text.startswith("            part = expert("):
        yield text.replace("part = ", "part, inside = ", 1)
        if last:
            yield "            mine = first == e"
            yield "            hidden[rows & mine] = inside[mine[rows]]"
        else:
            yield "            if k == 0:"
            yield "                hidden[rows] = inside"
    elif last and text.startswith(f"    choice[..., {spec.routing.forced}] = "):
        # The forced expert takes the last place, and the one that would have been first stays first.
        yield "    first = choice.argmax(-1)"
        yield text
    else:
        yield text.replace(", *shared)", ", *shared)[0]")
