"""The pickle of a PyTorch file, read step by step into plain values: nothing is looked up or called.

Only what torch's weights_only reader knows is known here, and less of it: names, calls and their arguments
are checked (`torch_calls`), steps and walks bounded, so that torch is given nothing that could hurt.
"""

from collections.abc import Callable, Mapping
from struct import Struct
from struct import error as StructError
from types import MappingProxyType

from ffn_explorer.checkpoints.readers.torch_calls import called, is_key, named, work_of
from ffn_explorer.checkpoints.readers.torch_plan import Name, Ordered, Refused, Storage

MOST_BYTES = 2**25
"""Largest pickle that is read, more than the steps below fill."""

MOST_STEPS = 2_000_000
"""Most instructions, some 45 for a tensor."""

MOST_CALLS = 200_000
"""Most calls, three or four for a tensor."""

SPARE_WORK = 1_000_000
"""Values that calls may walk through beyond two for each byte of the pickle."""

INT, SHORT, COUNT, FLOAT = Struct("<i"), Struct("<H"), Struct("<I"), Struct(">d")


class Reading:
    """One pickle as it is read: a stack of values, marks in it, and a memo; stores: storages by their ids."""

    def __init__(self, data: bytes, at: int, stored: Callable[[tuple[object, ...]], Storage]) -> None:
        self.data = data
        self.at = at
        self.stored = stored
        self.stack: list[object] = []
        self.under: list[list[object]] = []
        self.memo: dict[int, object] = {}
        self.calls = 0
        self.work = 0

    def run(self) -> object:
        """Value of the pickle; Refused where it asks for anything that weights do not need."""
        data, steps = self.data, STEPS
        start = self.at
        try:
            if data[start] != PROTO or data[start + 1] != OUR_PROTOCOL:
                raise Refused("torch_protocol")
            self.at += 2
            for _ in range(MOST_STEPS):
                code = data[self.at]
                self.at += 1
                if code == STOP:
                    return self.stack.pop()
                if code not in steps:
                    raise Refused("torch_protocol")
                steps[code](self)
        except (IndexError, KeyError, StructError, ValueError) as error:
            raise Refused from error
        raise Refused("torch_many")

    def take(self, count: int) -> bytes:
        """The next bytes."""
        found = self.data[self.at : self.at + count]
        if len(found) < count:
            raise Refused
        self.at += count
        return found

    def line(self) -> str:
        """Text up to the end of the line."""
        end = self.data.index(b"\n", self.at)
        found = self.data[self.at : end].decode()
        self.at = end + 1
        return found

    def marked(self) -> list[object]:
        """Values since the last mark."""
        found, self.stack = self.stack, self.under.pop()
        return found

    def count(self, arguments: object) -> None:
        """See that calls and their walks do not become too many."""
        self.calls += 1
        self.work += work_of(arguments)
        if self.calls > MOST_CALLS or self.work > 2 * len(self.data) + SPARE_WORK:
            raise Refused("torch_many")


def read(data: bytes, stored: Callable[[tuple[object, ...]], Storage], *, at: int = 0) -> tuple[object, int]:
    """The pickle at a place -> its value, and where it ends."""
    reading = Reading(data, at, stored)
    return reading.run(), reading.at


def _push(value: object) -> Callable[[Reading], None]:
    return lambda it: it.stack.append(value)


def _number(kind: Struct) -> Callable[[Reading], None]:
    return lambda it: it.stack.append(kind.unpack(it.take(kind.size))[0])


def _byte(it: Reading) -> int:
    return it.take(1)[0]


def _text(it: Reading) -> None:
    it.stack.append(str(it.take(COUNT.unpack(it.take(4))[0]), "utf-8", "surrogatepass"))


def _long(it: Reading) -> None:
    it.stack.append(int.from_bytes(it.take(_byte(it)), "little", signed=True))


def _global(it: Reading) -> None:
    module = it.line()
    it.stack.append(named(module, it.line()))


def _new(it: Reading) -> None:
    it.stack.pop()
    made = it.stack.pop()
    raise Refused("torch_object", name=made.path if isinstance(made, Name) else "?")


def _reduce(it: Reading) -> None:
    arguments = it.stack.pop()
    it.count(arguments)
    it.stack[-1] = called(it.stack[-1], arguments)


def _build(it: Reading) -> None:
    """Attributes: only ordered dictionaries take some, as a module's versions beside its weights."""
    state = it.stack.pop()
    it.count((state,))
    if not isinstance(it.stack[-1], Ordered) or not isinstance(state, dict):
        raise Refused
    if not all(isinstance(key, str) and not key.startswith("__") for key in state):
        raise Refused


def _append(it: Reading) -> None:
    value = it.stack.pop()
    _listed(it).append(value)


def _appends(it: Reading) -> None:
    values = it.marked()
    _listed(it).extend(values)


def _listed(it: Reading) -> list[object]:
    found = it.stack[-1]
    if type(found) is not list:
        raise Refused
    return found


def _set_item(it: Reading) -> None:
    value = it.stack.pop()
    _enter(it, [it.stack.pop(), value])


def _set_items(it: Reading) -> None:
    _enter(it, it.marked())


def _enter(it: Reading, pairs: list[object]) -> None:
    into = it.stack[-1]
    if not isinstance(into, dict) or len(pairs) % 2:
        raise Refused
    for at in range(0, len(pairs), 2):
        if not is_key(pairs[at]):
            raise Refused
        into[pairs[at]] = pairs[at + 1]


def _mark(it: Reading) -> None:
    it.under.append(it.stack)
    it.stack = []


def _tuple(it: Reading) -> None:
    values = tuple(it.marked())
    it.stack.append(values)


def _last(count: int) -> Callable[[Reading], None]:
    def step(it: Reading) -> None:
        if len(it.stack) < count:
            raise Refused
        it.stack[-count:] = [tuple(it.stack[-count:])]

    return step


def _stored(it: Reading) -> None:
    key = it.stack.pop()
    it.count(())
    if not isinstance(key, tuple):
        raise Refused
    it.stack.append(it.stored(key))


def _recall(kind: Struct | None) -> Callable[[Reading], None]:
    if kind is None:
        return lambda it: it.stack.append(it.memo[_byte(it)])
    return lambda it: it.stack.append(it.memo[kind.unpack(it.take(kind.size))[0]])


def _keep_short(it: Reading) -> None:
    it.memo[_byte(it)] = it.stack[-1]


def _keep(it: Reading) -> None:
    it.memo[COUNT.unpack(it.take(4))[0]] = it.stack[-1]


STOP, PROTO, OUR_PROTOCOL = ord("."), 0x80, 2

STEPS: Mapping[int, Callable[[Reading], None]] = MappingProxyType(
    {
        ord("q"): _keep_short,
        ord("r"): _keep,
        ord("h"): _recall(None),
        ord("j"): _recall(COUNT),
        ord("("): _mark,
        ord("t"): _tuple,
        0x85: _last(1),
        0x86: _last(2),
        0x87: _last(3),
        ord("X"): _text,
        ord("U"): lambda it: it.stack.append(it.take(_byte(it)).decode()),
        ord("K"): lambda it: it.stack.append(_byte(it)),
        ord("M"): _number(SHORT),
        ord("J"): _number(INT),
        ord("G"): _number(FLOAT),
        0x8A: _long,
        ord("N"): _push(None),
        0x88: _push(True),
        0x89: _push(False),
        ord(")"): _push(()),
        ord("]"): lambda it: it.stack.append([]),
        ord("}"): lambda it: it.stack.append({}),
        ord("c"): _global,
        ord("R"): _reduce,
        0x81: _new,
        ord("b"): _build,
        ord("a"): _append,
        ord("e"): _appends,
        ord("s"): _set_item,
        ord("u"): _set_items,
        ord("Q"): _stored,
    }
)
"""What each instruction does; others belong to other protocols, or to nothing."""
