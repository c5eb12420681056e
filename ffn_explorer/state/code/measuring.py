"""Lines of a program that run it on every sentence, count what is active, and print that as JSON."""

from typing import TYPE_CHECKING

from ffn_explorer.state.code.dialect import DialectName
from ffn_explorer.state.code.sizes import Sizes
from ffn_explorer.state.theta import theta_for

if TYPE_CHECKING:
    from ffn_explorer.state.app_state import AppState
    from ffn_explorer.state.result import RunResult

_BODY = '''
def passed():
    """Every stage of each sentence, which is computed by itself: no padding is needed."""
    for number, rows in enumerate(X):
        x = rows[None]
{mixed}        yield ffn(x, *layer{chance})


def active(hidden):
    """Where |hidden| > theta {unit}."""
    size = {size}
    return size > {threshold}


{inference}traces = list(passed())
on = [active(trace["hidden"][0]) for trace in traces]
total = sum(len(sentence) for sentence in TOKENS) * {d_ff}
longest = max(len(sentence) for sentence in TOKENS)
found = {{
    "tokens": TOKENS,
    "shapes": {{
        name: [len(TOKENS), longest, traces[0][name].shape[-1]] for name in ("x", "hidden", "out", "result")
    }},
    "theta": {theta!r},
    "active_fraction": {{
        "overall": sum(int(rows.sum()) for rows in on) / total,
        "per_token": [[int(row.sum()) / {d_ff} for row in rows] for rows in on],
    }},
    "exact_zero_fraction": sum(int((trace["hidden"] == 0).sum()) for trace in traces) / total,
    "result_norm": [[{norm} for row in trace["result"][0]] for trace in traces],
    "result_first": [[float(n) for n in trace["result"][0][0][:4]] for trace in traces],
}}
print(json.dumps(found, ensure_ascii=True))
if len(sys.argv) > 1:
    {save}
'''


_SAVE_TORCH = """import numpy as np

    wide = torch.float64 if X[0].dtype == torch.float64 else torch.float32
    kept = {
        f"{name}_{at}": t.to(wide).numpy() for at, trace in enumerate(traces) for name, t in trace.items()
    }
    np.savez(sys.argv[1], **kept)"""

_SAVE_NUMPY = """kept = {f"{name}_{at}": t for at, trace in enumerate(traces) for name, t in trace.items()}
    np.savez(sys.argv[1], **kept)"""


def measuring_lines(state: "AppState", run: "RunResult", sizes: Sizes, dialect: DialectName) -> list[str]:
    """The last part of the program."""
    torch, relative = dialect == "torch", state.theta.relative
    settings = run.request.settings
    theta = theta_for(state, settings)
    size = "hidden.abs()" if torch else "np.abs(hidden)"
    square = "hidden.double().square().mean(-1, keepdim=True).sqrt()"
    square = square if torch else "np.sqrt((hidden.astype(np.float64) ** 2).mean(-1, keepdims=True))"
    batch, longest = len(run.tokens), max(run.lengths)
    chance = ""
    if sizes.dropout:
        drawn = f"uniform(({batch}, {longest}, {settings.d_model}), {settings.seed})"
        chance = f", {drawn}[number : number + 1, : len(rows)]"
    save = _SAVE_TORCH if torch else _SAVE_NUMPY
    text = _BODY.format(
        mixed="        x = mixed(x, *attention)\n" if settings.mixer else "",
        chance=chance,
        unit="times the row's root mean square" if relative else "",
        size=size,
        threshold=f"{theta!r} * {square}" if relative else repr(theta),
        inference="torch.set_grad_enabled(False)\n" if torch else "",
        d_ff=run.values[run.enters_down].shape[-1],
        theta=theta,
        norm="float(row.double().norm())" if torch else "float(np.linalg.norm(row.astype(np.float64)))",
        save=save,
    )
    return text.strip("\n").split("\n")
