"""Lines of a program that draw the same numbers from a seed as this one, and of the mixer before the FFN."""

from ffn_explorer.core.settings import Settings
from ffn_explorer.core.spec_of import spec_of
from ffn_explorer.state.code.dialect import DIALECTS, DialectName

_SEED = '''
def seed_of(*path):
    """A seed of its own for each path below the seed."""
    digest = hashlib.sha256()
    for part in ({seed}, *path):
        data = str(part).encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "little") + data)
    return int.from_bytes(digest.digest()[:8], "little") >> 1
'''

_TORCH = '''
def uniform(shape, seed):
    """Uniform numbers in 0..1."""
    return torch.rand(shape, generator=torch.Generator().manual_seed(seed))


def normal(count, seed):
    """Standard normal numbers."""
    return torch.randn(count, generator=torch.Generator().manual_seed(seed))


def drawn(shape, bound, *path):
    """Uniform numbers in ±bound."""
    return (uniform(shape, seed_of({stack!r}, *path)) * (2 * bound) - bound).to({dtype})
'''

_NUMPY = '''
def uniform(shape, seed):
    """Uniform numbers in 0..1, those of torch.rand: 24 bits of each number of a Mersenne Twister."""
    return _unit(np.random.RandomState(seed & 0xFFFFFFFF), math.prod(shape)).reshape(shape)


def _unit(source, count):
    raw = source.randint(0, 2**32, count, dtype=np.uint32)
    return (raw & 0xFFFFFF).astype(np.float32) * np.float32(2**-24)


def normal(count, seed):
    """Standard normal numbers, those of torch.randn: Box-Muller, on eights of them or in pairs."""
    source = np.random.RandomState(seed & 0xFFFFFFFF)
    if count < 16:
        return _pairs(source, count)
    made, whole = _unit(source, count), count // 16 * 16
    made[:whole] = _boxed(made[:whole]).ravel()
    if count % 16:
        made[-16:] = _boxed(_unit(source, 16)).ravel()
    return made


def _boxed(u):
    first, second = u.reshape(-1, 2, 8).swapaxes(0, 1)
    radius = np.sqrt(-2 * np.log(1 - first))
    angle = np.float32(2 * math.pi) * second
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)


def _pairs(source, count):
    made = []
    while len(made) < count:
        raw = source.randint(0, 2**32, 4, dtype=np.uint32).astype(object)
        first, second = ((low + (high << 32) & 2**53 - 1) / 2**53 for high, low in (raw[:2], raw[2:]))
        radius, angle = math.sqrt(-2 * math.log1p(-second)), 2 * math.pi * first
        made += [radius * math.cos(angle), radius * math.sin(angle)]
    return np.array(made[:count], np.float32)


def drawn(shape, bound, *path):
    """Uniform numbers in ±bound."""
    made = uniform(shape, seed_of({stack!r}, *path))
    return (made * np.float32(2 * bound) - np.float32(bound)).astype({dtype})
'''

_ATTENTION = '''
def heads_of(t, count):
    """[1, S, count · h] -> [count, S, h]."""
    return t[0].reshape(t.shape[1], count, -1).{swap}


def mixed(x, W_q, W_k, W_v, W_o):
    """The stream after attention, x + attention(norm(x)), for one sentence x [1, S, D]."""
{norm}
    q = heads_of({q}, {heads})
    k, v = (heads_of(t, {kv_heads}).{repeat} for t in ({k}, {v}))
    scores = q @ k.{turned} / math.sqrt(q.shape[-1])
{causal}    best = {softmax}
    out = (best @ v).{swap}.reshape(x.shape[1], -1)
    return x + {o}[None]
'''


def dtype_of(settings: Settings, dialect: DialectName) -> str:
    """The number format as the library names it."""
    return f"{'torch' if dialect == 'torch' else 'np'}.{settings.dtype}"


def drawing_lines(settings: Settings, dialect: DialectName) -> list[str]:
    """Functions `seed_of`, `uniform`, `normal` and `drawn`."""
    body = _TORCH if dialect == "torch" else _NUMPY
    filled = body.format(stack=settings.stack, dtype=dtype_of(settings, dialect))
    return [
        *_SEED.format(seed=settings.seed).strip("\n").split("\n"),
        "",
        "",
        *filled.strip("\n").split("\n"),
    ]


def attention_lines(settings: Settings, dialect: DialectName) -> list[str]:
    """Function `mixed` and its weights `attention`, drawn from the seed."""
    row, torch = DIALECTS[dialect], dialect == "torch"
    kind = spec_of(settings).norm
    share = settings.heads // settings.kv_heads
    values = {"y": "n", "x": "x", "n": settings.d_model, "eps": f"{kind.eps:g}", "w": "None", "b": "None"}
    templates = {"layer": row.layer_norm, "rms": row.rms_norm, "none": ("{y} = {x}",)}[kind.kind]
    norm = [
        f"    {text.format(**values)}".replace(" * None", "").replace(" + None", "") for text in templates
    ]
    causal = ""
    if settings.stack == "decoder" and torch:
        causal = "    scores = scores.masked_fill(torch.ones_like(scores[0]).triu(1).bool(), -math.inf)\n"
    elif settings.stack == "decoder":
        causal = "    scores = np.where(np.triu(np.ones_like(scores[0]), 1) > 0, -np.inf, scores)\n"
    soft = "scores.softmax(-1)" if torch else "soft(scores)"
    body = _ATTENTION.format(
        norm="\n".join(norm),
        heads=settings.heads,
        kv_heads=settings.kv_heads,
        swap="transpose(0, 1)" if torch else "swapaxes(0, 1)",
        turned="transpose(1, 2)" if torch else "swapaxes(1, 2)",
        repeat=f"repeat_interleave({share}, 0)" if torch else f"repeat({share}, 0)",
        causal=causal,
        softmax=soft,
        **{name: row.linear.format(x="n", W=f"W_{name}") for name in ("q", "k", "v")},
        o=row.linear.format(x="out", W="W_o"),
    )
    d, wide, narrow = (
        settings.d_model,
        *(n * settings.head_width for n in (settings.heads, settings.kv_heads)),
    )
    roles = {"query": (wide, d), "key": (narrow, d), "value": (narrow, d), "output": (d, wide)}
    rows = [
        f"    drawn({shape}, {1 / shape[1] ** 0.5!r}, {settings.layer}, 'attention', {role!r}),"
        for role, shape in roles.items()
    ]
    before = [] if torch else ["def soft(t):", "    e = np.exp(t - t.max(-1, keepdims=True))"]
    before += [] if torch else ["    return e / e.sum(-1, keepdims=True)", "", ""]
    return [*before, *body.strip("\n").split("\n"), "", "", "attention = (", *rows, ")"]
