"""Links: `ffn-explorer:///models/x.gguf?layer=24&neuron=1005&digest=...` names a neuron of a file."""

import os
import re
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote, unquote_to_bytes, urlencode, urlsplit
from urllib.request import url2pathname

from ffn_explorer.core.errors import InputError
from ffn_explorer.state.app_state import AppState
from ffn_explorer.state.opened_json import DIGEST, MOST_NAME, MOST_PATH
from ffn_explorer.state.target import Target

SCHEME = "ffn-explorer:"

WINDOWS = os.name == "nt"

MOST_LINK = 4 * MOST_PATH
"""Letters of a link; a longer one is none of ours."""

_KEYS = ("layer", "stack", "expert", "neuron", "digest")
_NUMBER = re.compile(r"\d{1,9}", re.ASCII)
_DRIVE = re.compile(r"/[A-Za-z]:/")
_BAD_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")
_ODD = re.compile(r"[\x00-\x1f\x7f]")
"""Control characters, which no file name that a person chose has."""


def is_link(text: str) -> bool:
    """Whether a text means to be a link, good or not."""
    return text.strip()[: len(SCHEME)].lower() == SCHEME


def link_to(target: Target) -> str:
    """The link to a target, whose path is absolute; InputError where no link can be.

    A network share of Windows cannot, nor a name with control characters, which no link is trusted with.
    """
    plain = target.path
    if WINDOWS:
        # Backslashes separate folders there alone; elsewhere they are letters of a name.
        plain = plain.replace("\\", "/")
        if plain.startswith("//"):
            raise InputError("open.link_share", path=target.path)
    if _ODD.search(plain):
        raise InputError("open.link_odd")
    path = quote("/" + plain.lstrip("/"), errors="surrogatepass")
    values = ((key, getattr(target, key)) for key in _KEYS)
    given = [(key, value) for key, value in values if value not in (None, "")]
    query = urlencode(given, errors="surrogatepass", quote_via=quote)
    return f"{SCHEME}//{path}{'?' if query else ''}{query}"


def link_of(state: AppState) -> str | None:
    """The link to the layer that is looked at, and to the neuron chosen in it; None without a file."""
    opened = state.source.opened
    if opened is None:
        return None
    from ffn_explorer.state.open_files import OPEN_FILES

    held, layer, stack = OPEN_FILES.known(opened), state.settings.layer, ""
    if held is not None and len(held.facts.stacks) > 1:
        shown = held.facts.layers[layer]
        layer, stack = shown.index, shown.stack
    neuron = state.selection.neuron
    # A neuron of a mixture is one of its expert's; unchosen, it is that of the token's first.
    expert = state.selection.expert if neuron is not None and state.settings.is_moe else None
    found = Target(opened.path, layer, stack=stack, expert=expert, neuron=neuron, digest=opened.digest)
    return link_to(found)


def target_in(link: str) -> Target:
    """What a link means; nothing is looked for yet.  InputError where it is none, or not a whole one."""
    link = link.strip()
    if not is_link(link) or len(link) > MOST_LINK:
        raise _broken(link)
    place, _, query = link[len(SCHEME) :].partition("?")
    # Between the second and the third slash a host would stand: no link leads to another machine.
    if not place.startswith("///") or place.startswith("////") or "#" in link or _BAD_ESCAPE.search(link):
        raise _broken(link)
    path = _text(place[2:], link)
    values = _values(query, link)
    if _DRIVE.match(path) and WINDOWS:
        path = path[1:]
    # A relative step inside a path may look like another folder than it leads to.
    if _ODD.search(path) or len(path) > MOST_PATH or ".." in path.replace("\\", "/").split("/"):
        raise _broken(link)
    if not path.rpartition("/")[2] or path.startswith(("//", "\\", "/\\")):
        raise _broken(link)
    return Target(path, **values)


def meant_by(typed: str) -> Target:
    """What a person means who types, pastes or drops a link, the address of a file, or a path.

    InputError where it is none of these; nothing is looked for yet.
    """
    typed = typed.strip()
    if len(typed) > 1 and typed[0] == typed[-1] and typed[0] in "'\"":
        typed = typed[1:-1]  # as file managers and shells copy paths
    if is_link(typed):
        return target_in(typed)
    if typed[:5].lower() == "file:":
        try:
            address = urlsplit(typed)
        except ValueError as error:  # a bracket that is not closed
            raise InputError("open.no_path") from error
        # A host would be another machine.
        typed = "" if address.netloc not in ("", "localhost") else url2pathname(address.path)
    if not typed or _ODD.search(typed) or len(typed) > MOST_PATH:
        raise InputError("open.no_path")
    try:
        return Target(os.path.abspath(Path(typed).expanduser()))  # noqa: PTH100 - Path.resolve follows links
    except RuntimeError as error:  # the home of somebody unknown
        raise InputError("open.no_path") from error


def _values(query: str, link: str) -> dict[str, Any]:
    """Values of the query, each checked; a key that is not known or stands twice is refused."""
    try:
        pairs = parse_qsl(
            query,
            keep_blank_values=True,
            strict_parsing=bool(query),
            errors="surrogatepass",
            max_num_fields=8,
        )
    except ValueError as error:
        raise _broken(link) from error
    if len({key for key, _ in pairs}) != len(pairs):
        raise _broken(link)
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in ("layer", "expert", "neuron") and _NUMBER.fullmatch(value):
            found[key] = int(value)
        elif (key == "digest" and DIGEST.fullmatch(value)) or (key == "stack" and _is_name(value)):
            found[key] = value
        else:
            raise _broken(link)
    return found


def _is_name(value: str) -> bool:
    return 0 < len(value) <= MOST_NAME and not _ODD.search(value)


def _text(escaped: str, link: str) -> str:
    try:
        return unquote_to_bytes(escaped).decode("utf-8", "surrogatepass")
    except UnicodeError as error:
        raise _broken(link) from error


def _broken(link: str) -> InputError:
    return InputError("open.link", value=link)
