"""Arguments as the command line writes them: policies, options of replays, times."""

from __future__ import annotations

import datetime
import os
from typing import Union

from ._surefill import register as _register

PathLike = Union[str, "os.PathLike[str]"]

#: A time on a trace's clock: seconds, or a date.
Moment = Union[int, str, "datetime.date"]

#: A span of time: seconds, or a text with a unit such as ``"90min"``, ``"6h"``, ``"1-02:00:00"``.
Span = Union[int, str]

PolicyChoice = Union[str, type, tuple]

_KINDS = ("policy", "predictor", "order")

#: Classes by kind and name, so that the same class is not added again.
_known: dict[tuple[str, str], type] = {}


def _name(kind: str, part: object) -> str:
    """A part of a policy as the command line writes it; a class is made known first."""
    if isinstance(part, str):
        return part
    if not callable(part):
        raise TypeError(f"a {kind} is a name or a class, not {part!r}")
    name = getattr(part, "name", None) or getattr(part, "__name__", None)
    if not isinstance(name, str):
        raise TypeError(f"a {kind} that is no class needs a name: {part!r}")
    if _known.get((kind, name)) is not part:
        about = (getattr(part, "__doc__", None) or "").strip().split("\n")[0]
        _register(kind, part, name, about)
        _known[kind, name] = part
    return name


def choice(policy: PolicyChoice, used: dict[tuple[str, str], object] | None = None) -> str:
    """A policy as the command line writes it. ``used`` is what the same call has named before: two different classes
    cannot have one name there, as the later one would stand in both places."""
    used = {} if used is None else used
    parts = policy if isinstance(policy, tuple) else (policy,)
    if not 1 <= len(parts) <= 3:
        raise ValueError("a policy is (policy, predictor, order), the last two may be left out")
    names = []
    for kind, part in zip(_KINDS, parts):
        name = _name(kind, part)
        if not isinstance(part, str) and used.setdefault((kind, name), part) is not part:
            raise ValueError(
                f"two different {kind} classes are called '{name}': give each a name of its own (name = ...)"
            )
        names.append(name)
    return ":".join(names)


def text(value: object) -> str | None:
    """An argument as the command line writes it."""
    return None if value is None else str(value)


def options(given: dict[str, object]) -> list[tuple[str, str]]:
    """Options of a replay by name as the command line writes them. None is the default of each."""
    unknown = [name for name in given if name not in _OPTIONS]
    if unknown:
        raise TypeError(f"there is no option '{unknown[0]}'; there are: {', '.join(_OPTIONS)}")
    words = {True: "true", False: "false"}
    known = ((name.replace("_", "-"), value) for name, value in given.items() if value is not None)

    def written(value: object) -> str:
        if isinstance(value, (list, tuple)):
            return ",".join(os.fspath(one) for one in value)
        return words[value] if isinstance(value, bool) else str(value)

    return [(name, written(value)) for name, value in known]


#: The options of a replay beside those that stand in the signatures of simulate and compare.
_OPTIONS = (
    "preset",
    "nodes",
    "site",
    "partition",
    "fit",
    "width",
    "estimates",
    "missing_processors",
    "overdue",
    "tau",
    "criterion",
    "delay",
    "events_per_bin",
    "budget",
    "slip",
    "guard",
    "or_easy",
    "calibrate",
    "shared",
    "queue",
    "candidates",
    "front",
    "priorities",
    "recent_waits",
    "shortest_long_wait",
    "refresh",
    "hmm_floor",
    "first_edge",
    "ratio",
)
