"""tokenizer.json: the format of Hugging Face's tokenizers, checked, then read by that library."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

from ffn_explorer.checkpoints.codec import Bytes
from ffn_explorer.checkpoints.readers.json_text import short
from ffn_explorer.checkpoints.tokenizing.checks import PATTERN, Checked, Refused, checked
from ffn_explorer.checkpoints.tokenizing.contents import json_of
from ffn_explorer.checkpoints.tokenizing.engine import TRIED, damaged
from ffn_explorer.checkpoints.tokenizing.pieces import MOST_TOKENS, Tokenizer, guarded
from ffn_explorer.checkpoints.tokenizing.spelling import BAR, Spelling
from ffn_explorer.checkpoints.tokenizing.watched import Clock, WatchedSplit
from ffn_explorer.core.errors import InputError

if TYPE_CHECKING:
    from tokenizers import Tokenizer as Engine


def read_json(path: Path) -> Tokenizer:
    """The tokenizer in a tokenizer.json; InputError where it is damaged, or asks for what is not done."""
    rules, raw = json_of(path)
    name = short(path.name)
    try:
        found = checked(rules)
    except Refused as refused:
        if refused.kind == PATTERN:
            raise InputError("tokenizer.pattern", file=name) from refused
        if refused.kind:
            raise InputError("tokenizer.kind", file=name, kind=short(refused.kind)) from refused
        raise damaged(name) from refused
    clock = Clock()
    clock.start()
    with guarded(damaged(name)):
        engine = _engine(found, raw, clock)
        ids = engine.get_vocab(with_added_tokens=True)
        added = engine.get_added_tokens_decoder()
        engine.encode(TRIED)
    highest = max(ids.values(), default=-1)
    if not 0 <= highest < MOST_TOKENS or max(added, default=0) > highest:
        raise damaged(name)
    texts: list[str | None] = [None] * (highest + 1)
    for text, token in ids.items():
        texts[token] = text
    for token, one in added.items():
        texts[token] = one.content
    return Tokenizer(
        size=len(texts),
        said=f"{name} ({found.model.get('type', 'BPE')})",
        engine=engine,
        texts=tuple(texts),
        ids=ids,
        spelling=_spelling(found),
        special=frozenset(token for token, one in added.items() if one.special),
        literal=frozenset(added),
        clock=clock,
    )


def _engine(found: Checked, raw: Bytes, clock: Clock) -> "Engine":
    """The library's tokenizer; what is not known to be quick, watched."""
    from tokenizers import Tokenizer as Engine
    from tokenizers.pre_tokenizers import PreTokenizer, Sequence

    if not found.changed:
        return Engine.from_buffer(raw.tobytes())
    engine = Engine.from_str(json.dumps(found.rules, ensure_ascii=False))
    if found.watched:
        steps = engine.pre_tokenizer
        assert isinstance(steps, Sequence)
        for one in found.watched:
            split = WatchedSplit(one.pattern, one.behavior, invert=one.invert, clock=clock)
            steps[one.place] = PreTokenizer.custom(split)
        engine.pre_tokenizer = steps
    return engine


def _spelling(found: Checked) -> Spelling:
    """How the tokens are written, by the steps that write and read them."""
    model = found.model
    kinds = {step.get("type") for step in (*found.normalizers, *found.cutters, *found.decoders)}
    end = model.get("end_of_word_suffix")
    end = end if isinstance(end, str) else ""
    if "ByteLevel" in kinds:
        return Spelling("bytes", end=end)
    if model.get("type") == "WordPiece":
        later = model.get("continuing_subword_prefix")
        return Spelling("pieces", later=later if isinstance(later, str) else "##")
    if "Metaspace" in kinds or any(_writes_bar(step) for step in (*found.normalizers, *found.decoders)):
        return Spelling("bar", end=end)
    later = model.get("continuing_subword_prefix")
    return Spelling("plain", later=later if isinstance(later, str) else "", end=end)


def _writes_bar(step: dict[str, object]) -> bool:
    """Whether a step puts ▁ for a space, or the other way round."""
    pattern = step.get("pattern")
    literal = pattern.get("String") if isinstance(pattern, dict) else None
    return step.get("type") == "Replace" and BAR in (literal, step.get("content"))
