"""Naming families: how the files of one kind of model call and lay out their FFN; read from families/*.toml.

Names of tensors are relative to the layer; a leading "/" starts at the stack's prefix instead, and in a lens,
where names are relative to the prefix, it starts at the file's top.  A value "@key" is looked up in the
model's configuration under `key` (dots go deeper), then in the family's defaults.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Layout = Literal["out_in", "in_out", "grouped"]
Part = Literal["", "half0", "half1", "even", "odd"]
Expert = Literal["", "name", "axis0", "flat"]
Number = float | str
"""A number, or "@key" of the configuration."""


@dataclass(frozen=True, slots=True)
class Role:
    """Where one matrix stands.

    names: tried in turn.  layout: out_in as nn.Linear, in_out as Conv1D and plain products, grouped as a
    kernel-1 Conv1d `[out, in / groups, 1]`.  part: of a tensor that holds gate and up along F.
    expert: by a number in the name, along the first axis, or side by side in a flat first axis.
    bias: its name; "" for the weight's name with `.bias`, used wherever the file has it.
    """

    names: tuple[str, ...]
    layout: Layout = "out_in"
    part: Part = ""
    expert: Expert = ""
    bias: str = ""


@dataclass(frozen=True, slots=True)
class Act:
    """The scalar function, fixed by the code or named by the configuration.

    keys: of the configuration, tried in turn.  means: values that stand for another function than they say.
    unknown: why the file does not tell.
    """

    fixed: str = ""
    keys: tuple[str, ...] = ()
    means: Mapping[str, str] = field(default_factory=dict)
    unknown: str = ""


@dataclass(frozen=True, slots=True)
class Inner:
    """A norm between the product and down."""

    name: str
    kind: str
    eps: Number | None = None


@dataclass(frozen=True, slots=True)
class Mlp:
    """Roles and formula of one FFN, of each expert, or of the shared expert.

    gate_max: gate is clamped from above before f.  up_max: up is clamped to ±up_max.  act_max: f(gate) from
    above.  alpha: parameter of f.  params: tensors with f's learned parameters.  sparsity: share of gates set
    to 0, by layer.  hidden_bias: added after the product (TransformerLens).  latent: projections around the
    experts.  adapter: low-rank pairs `{adapter}`, `{half}` added to a shared matrix.  groups: keys of the
    grouped layouts.  receptance, mix: RWKV's output gate and token mixing.
    """

    up: Role
    down: Role
    act: Act
    gate: Role | None = None
    biases: str = ""
    inner_norm: Inner | None = None
    gate_max: Number | None = None
    up_max: Number | None = None
    act_max: Number | None = None
    up_offset: float = 0.0
    alpha: Number | None = None
    gate_multiplier: Number | None = None
    output_multiplier: Number | None = None
    params: tuple[str, ...] = ()
    sparsity: str = ""
    hidden_bias: str = ""
    latent: tuple[str, ...] = ()
    adapter: str = ""
    groups: tuple[str, ...] = ()
    receptance: str = ""
    mix: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Norm:
    """The norm around the FFN; of several, the first that fits configuration and tensors counts.

    kind: rms or layer, "+1" where the stored weight lacks one, or "@key".  pre, post: names without
    `.weight`.  bare: it has no tensors.  when: "key", "!key" or "key=value" of the configuration.
    """

    kind: str
    place: str
    pre: str = ""
    post: str = ""
    eps: Number | None = None
    bare: bool = False
    when: str = ""


@dataclass(frozen=True, slots=True)
class RouterRule:
    """Tensors and rule of the router.

    weight and select_bias (it takes part in the choice only): names tried in turn.  hashed: a table that
    chooses experts by token id.  output_bias: added to the weighted sum.  shared_gate: its sigmoid weighs
    the shared expert.  Order and scores as in RoutingSpec; score and renormalise may be "@key".
    mean_when: shared and routed outputs are averaged.  unsure: what is not known for certain.
    """

    weight: tuple[str, ...]
    bias: str = ""
    select_bias: tuple[str, ...] = ()
    layout: Layout = "out_in"
    score: str = "softmax"
    order: str = "score_first"
    renormalise: bool | str = False
    eps: float = 0.0
    minimum: Number | None = None
    power: Number | None = None
    softcap: Number | None = None
    top_k: Number = "@num_experts_per_tok"
    experts: Number = "@num_experts"
    scale: Number | None = None
    groups: Number | None = None
    groups_kept: Number | None = None
    groups_when: str = ""
    group_score: str = "max"
    group_fill: float = 0.0
    weigh: str = "output"
    capacity: Number | None = None
    hashed: str = ""
    output_bias: str = ""
    shared_gate: str = ""
    mean_when: str = ""
    unsure: str = ""


@dataclass(frozen=True, slots=True)
class Stack:
    """Layers of one kind, one after the other.

    layers: what stands between prefix and role, with {layer} or several counters.  prefixes: instead of the
    family's.  count, width: keys of the number of layers and of F.  which: the layers that have this FFN, ""
    for all.  hook: module whose input and output are the FFN's, or the pair of inner modules.
    residual_scale times `over_sqrt` ** -0.5 multiplies what is added; layer_scale is a tensor that does,
    residual_tanh a tensor whose tanh does.  skip_scale multiplies the stream itself, skip_tensor is a tensor
    that does; skip_normed: the stream is taken after the norm, always ("always") or when a key says so.
    reads: why it is not position-wise.  limits: catalogue-free words on what the pictures leave out.
    """

    name: str
    layers: str
    norm: tuple[Norm, ...] = ()
    ffn: Mlp | None = None
    experts: Mlp | None = None
    shared: Mlp | None = None
    router: RouterRule | None = None
    prefixes: tuple[str, ...] = ()
    count: str = ""
    width: str = ""
    which: str = ""
    sparse: bool = False
    when: str = ""
    block: str = "sequential"
    hook: tuple[str, ...] = ()
    residual_scale: Number | None = None
    over_sqrt: str = ""
    layer_scale: str = ""
    residual_tanh: str = ""
    skip_scale: Number | None = None
    skip_tensor: str = ""
    skip_normed: str = ""
    reads: str = ""
    limits: tuple[str, ...] = ()
    version: Literal["hub", "v5"] = "hub"


@dataclass(frozen=True, slots=True)
class Lens:
    """Tensors that turn tokens into the stream and the stream into tokens.

    tied: whether the unembedding is the embedding when the configuration is silent.  embedding_scale: number,
    "@key", "sqrt_d" or "sqrt_d if key".  hidden_scale, logit_multiply, logit_divide, logit_softcap: between
    stream and logits.  transform: head modules before the unembedding.  projection: between widths.
    """

    embedding: tuple[str, ...] = ()
    final_norm: str = ""
    unembedding: tuple[str, ...] = ()
    unembedding_bias: str = ""
    unembedding_layout: Layout = "out_in"
    tied: bool | None = None
    embedding_scale: Number | None = None
    embedding_norm: str = ""
    hidden_scale: str = ""
    logit_multiply: Number | None = None
    logit_divide: Number | None = None
    logit_softcap: Number | None = None
    projection: str = ""
    transform: str = ""


@dataclass(frozen=True, slots=True)
class Family:
    """One naming family.

    types: model types of configurations.  origin: who writes such files.  evidence: executed, read in the
    source, or secondary (another project's table).  prefixes: of the stack, the usual one first; "*" for any.
    text_of: the layout is that of this part of the configuration (vision-language models).
    renames: parts of names that some files have instead of the usual ones.
    defaults: values of configuration keys that files leave out, by type, "all" for every type.
    opens: "" or why files of this kind have no tensors by name (a flat file, an adapter).
    """

    family: str
    types: tuple[str, ...]
    origin: str
    evidence: Literal["executed", "read", "secondary"]
    source: str = ""
    note: str = ""
    prefixes: tuple[str, ...] = ("",)
    text_of: str = ""
    renames: Mapping[str, str] = field(default_factory=dict)
    opens: str = ""
    lens: Lens = field(default_factory=Lens)
    stacks: tuple[Stack, ...] = ()
    defaults: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    layout: Mapping[str, str] = field(default_factory=dict)
