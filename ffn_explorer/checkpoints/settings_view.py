"""A model's configuration as families read it: keys at several places, then defaults; nothing trusted."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite

from ffn_explorer.checkpoints.family import Act, Family, Number

Config = Mapping[str, object]

EPS_KEYS = (
    "rms_norm_eps", "layer_norm_eps", "layer_norm_epsilon", "norm_eps", "norm_epsilon", "layernorm_epsilon",
    "layer_norm_rms_epsilon", "attention.layer_norm_rms_epsilon", "attention.layer_norm_epsilon",
)  # fmt: skip
"""Keys under which configurations keep the eps of their norms."""

WIDTH_KEYS = (
    "hidden_size",
    "d_model",
    "n_embd",
    "dim",
    "emb_dim",
    "n_embed",
    "hidden_dim",
    "embedding_length",
)
"""Keys under which configurations keep D."""

ACT_KEYS = (
    "hidden_act", "hidden_activation", "activation_function", "activation", "mlp_hidden_act", "dense_act_fn",
    "ff_activation", "activation_fn", "act_fn", "afn", "hidden_activation_function",
)  # fmt: skip
"""Keys under which configurations of unknown families may keep the activation."""

FUNCTION_OF = {
    "relu": "relu",
    "gelu": "gelu", "gelu_python": "gelu",
    "gelu_tanh": "gelu_tanh", "gelu_new": "gelu_tanh", "gelu_pytorch_tanh": "gelu_tanh",
    "gelu_python_tanh": "gelu_tanh", "gelu_fast": "gelu_tanh", "gelu_accurate": "gelu_tanh",
    "quick_gelu": "quick_gelu", "quickgelu": "quick_gelu",
    "silu": "silu", "swish": "silu", "swiglu": "silu",
    "relu2": "relu2", "relu_squared": "relu2", "squared_relu": "relu2", "sqrelu": "relu2",
    "linear": "identity", "identity": "identity",
    "sigmoid": "sigmoid", "xielu": "xielu",
}  # fmt: skip
"""Names that configurations use -> rows of FUNCTIONS."""

MOST_WORD = 256
"""Letters of a word that a configuration may decide something by."""


@dataclass(frozen=True, slots=True)
class View:
    """One family's look at a configuration, for one of its stacks."""

    config: Config
    family: Family
    model_type: str = ""
    stack: str = ""
    seen: dict[str, object] = field(default_factory=dict, init=False, repr=False, compare=False)
    """Values by the keys they were asked for: every layer asks for the same ones."""

    def get(self, key: str) -> object:
        """Value under a key: of the stack's part, the whole, its text part, the defaults; None otherwise."""
        if key not in self.seen:
            said = self.said(key)
            self.seen[key] = self.default(key) if said is None else said
        return self.seen[key]

    def said(self, key: str) -> object:
        """What the configuration itself has under a key."""
        values = (_dotted(place, key, before) for place, before in self._places())
        return next((value for value in values if value is not None), None)

    def default(self, key: str) -> object:
        """What the family's models have where the configuration is silent."""
        defaults = self.family.defaults
        kinds = [
            kind
            for kind in (self.model_type, self.words("@general.architecture"), "all")
            if key in defaults.get(kind, {})
        ]
        return defaults[kinds[0]][key] if kinds else None

    def number(self, value: Number | None) -> float | None:
        """The number, or the configuration's under "@key" or "@1 - key"; None where it has none."""
        if not isinstance(value, str):
            return value
        key = value.removeprefix("@").removeprefix("1 - ")
        found = self.get(key)
        if isinstance(found, bool) or not isinstance(found, int | float):
            return None
        try:
            known = float(found)
        except OverflowError:  # JSON has whole numbers of any length
            return None
        if not isfinite(known):
            return None
        return 1.0 - known if value.startswith("@1 - ") else known

    def count(self, value: Number | None) -> int | None:
        """A whole number from 0 to a million, as `number` finds it."""
        found = self.number(value)
        return int(found) if found is not None and found == int(found) and 0 <= found <= 1_000_000 else None

    def holds(self, when: str) -> bool | None:
        """Whether a condition ("key", "!key", "key=value") holds; None where the configuration is silent."""
        if not when:
            return True
        key, _, wanted = when.removeprefix("!").partition("=")
        value = self.model_type or None if key == "model_type" else self.get(key)
        if value is None:
            return None
        if wanted:
            return _word(value) == wanted.lower()
        return bool(value) != when.startswith("!")

    def words(self, value: str) -> str:
        """The word itself, or the one under "@key"; "" where there is none."""
        if not value.startswith("@"):
            return value
        key = value[1:]
        found = self.said(key) if key == "general.architecture" else self.get(key)
        return _word(found) if isinstance(found, str | int) else ""

    def eps(self, own: Number | None) -> float | None:
        """Eps of the norms: the family's own, else what the configuration says."""
        found = self.number(own)
        for key in EPS_KEYS:
            found = self.number(f"@{key}") if found is None else found
        return found if found is not None and 0.0 <= found < 1.0 else None

    def function(self, act: Act) -> tuple[str, str]:
        """Name of the scalar function, or "" and what the configuration or the family says instead."""
        values = [self.said(key) for key in act.keys] + [self.default(key) for key in act.keys]
        for value in values:
            if isinstance(value, bool):
                value = str(value).lower()
            if isinstance(value, str):
                value = value[:MOST_WORD]
                name = act.means.get(value, value).lower()
                return FUNCTION_OF.get(name, ""), "" if name in FUNCTION_OF else name[:60]
        return FUNCTION_OF.get(act.fixed, ""), "" if act.fixed else act.unknown

    def _places(self) -> tuple[tuple[Config, str], ...]:
        """Parts of the configuration to look in, each with what stands before its keys there."""
        named = (f"{self.stack}_config", self.stack)
        nested = [self.config.get(name) for name in named if self.stack]
        tail = [self.config.get(name) for name in ("text_config", "model_args")]
        arch = self.config.get("general.architecture")
        own = [(self.config, f"{arch[:MOST_WORD]}.")] if isinstance(arch, str) else []
        return (
            *((part, "") for part in nested if isinstance(part, dict)),
            (self.config, ""),
            *own,
            *((part, "") for part in tail if isinstance(part, dict)),
        )


def _word(value: object) -> str:
    """A plain value as a word in lower case, "" for lists and the like."""
    if isinstance(value, str):
        return value[:MOST_WORD].lower()
    return str(value).lower() if isinstance(value, int | float) else ""


def _dotted(values: Config, key: str, before: str = "") -> object:
    """Value under a key, dots going deeper, into lists by number, where the whole key is not there."""
    if before + key in values:
        return values[before + key]
    head, _, rest = key.partition(".")
    inner = values.get(before + head)
    if isinstance(inner, list | tuple) and rest.isdecimal() and len(rest) < 5 and int(rest) < len(inner):
        return inner[int(rest)]
    return _dotted(inner, rest) if rest and isinstance(inner, dict) else None
