"""Choice: which experts a person has left to a router, and whether every token can still find K of them."""

from ffn_explorer.core.errors import InputError
from ffn_explorer.core.spec import RoutingSpec


def allowed(rule: RoutingSpec) -> list[int]:
    """Experts that may be chosen, in order."""
    return [expert for expert in range(rule.experts) if expert not in rule.banned]


def left_in_groups(rule: RoutingSpec) -> list[int]:
    """How many experts of each group may be chosen."""
    size = rule.experts // rule.groups
    left = [size] * rule.groups
    for expert in set(rule.banned):
        left[expert // size] -= 1
    return left


def check_choice(rule: RoutingSpec) -> None:
    """See that K experts are left for every token, whichever groups its router keeps.

    A group without experts is kept only where too few others are there.  Raises InputError otherwise.
    """
    if rule.forced is not None and rule.forced in rule.banned:
        raise InputError("error.forced_banned", expert=rule.forced)
    left = len(allowed(rule))
    if left < rule.top_k:
        raise InputError("error.banned", left=left, top_k=rule.top_k)
    if not rule.banned or rule.groups == 1:
        return
    open_first = sorted(left_in_groups(rule), key=lambda n: (n == 0, n))
    fewest = sum(open_first[: rule.groups_kept])
    if fewest < rule.top_k:
        raise InputError("error.banned_groups", kept=rule.groups_kept, left=fewest, top_k=rule.top_k)
