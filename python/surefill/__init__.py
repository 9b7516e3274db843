"""Probabilistic answers for batch schedulers.

Replays (all times in seconds unless a name says otherwise):

* :func:`simulate` replays a trace under one policy, :func:`compare` several traces under several policies,
  :func:`wait_bounds` measures how well bounds on waits hold.
* :class:`Policy`, :class:`RuntimePredictor` and :class:`QueueOrder` are base classes of your own; classes and built-in
  names stand side by side in ``compare``.

Objects of the core library, for tools that are no simulation: :class:`Scheduler` (a whole batch scheduler between a
resource manager's reports and its starts), :class:`Predictor` (how long will a job run),
:class:`Pass` (may this job jump the queue), :class:`Waits` (how long will this job wait), :class:`Sizing` (how many
processors should a malleable job take).

A trace is any file that ``surefill import`` reads: SWF, ``sacct -P``, PBS and LSF accounting, CSV, JSON lines,
compressed or not.

>>> import surefill
>>> "fair" in surefill.policies() and "gibbons" in surefill.predictors() and "wfp3" in surefill.orders()
True
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Union

from ._surefill import (  # noqa: F401
    Cluster,
    Distribution,
    Job,
    Pass,
    Predictor,
    Replay,
    Scheduler,
    Sizing,
    Table,
    Waits,
    __version__,
    names as _names,
    register as _register,
    compare as _compare,
    simulate as _simulate,
    wait_bounds,
)

__all__ = [
    "Cluster",
    "Distribution",
    "Job",
    "Pass",
    "Policy",
    "Predictor",
    "QueueOrder",
    "Replay",
    "RuntimePredictor",
    "Scheduler",
    "Sizing",
    "Table",
    "Waits",
    "__version__",
    "compare",
    "orders",
    "policies",
    "predictors",
    "simulate",
    "wait_bounds",
]

PathLike = Union[str, "os.PathLike[str]"]


class Policy:
    """Who starts when. Make a subclass with ``schedule``; every replay makes an object of its own, without arguments.

    ``name`` is what tables call it; without one it is the class's name.

    >>> class Smallest(Policy):
    ...     def schedule(self, cluster):
    ...         for job in sorted(cluster.queue, key=lambda job: job.processors):
    ...             if job.processors <= cluster.idle:
    ...                 cluster.start(job)
    """

    name: str

    def submitted(self, job: Job, now: int) -> None:
        """A job was submitted at second ``now``."""

    def started(self, job: Job, now: int) -> None:
        """A job was started by the pass that has just ended."""

    def ended(self, job: Job, now: int) -> None:
        """A job ended; ``job.run_time`` is known from now on."""

    def schedule(self, cluster: Cluster) -> None:
        """One scheduling pass, at every second in which something was submitted or has ended."""
        raise NotImplementedError


class RuntimePredictor:
    """How long jobs will run, as single numbers, for EASY and for every policy that predicts. Named in a policy as
    ``("easy", MyPredictor)``.

    >>> class Half(RuntimePredictor):
    ...     def predict(self, job):
    ...         return job.limit / 2
    """

    name: str

    def predict(self, job: Job) -> float:
        """The expected run time in seconds, asked once, at submission. At least 1 and at most the limit counts."""
        raise NotImplementedError

    def finished(self, job: Job) -> None:
        """A job ended after ``job.run_time`` seconds."""


class QueueOrder:
    """The order of the queue and of its backfill candidates: ``("easy", "limit", MyOrder)``.

    >>> class Widest(QueueOrder):
    ...     def value(self, job, now, predicted):
    ...         return -job.processors
    """

    name: str

    def value(self, job: Job, now: int, predicted: int) -> float:
        """A waiting job's value at second ``now``: jobs with smaller values come first, of equal ones the job that was
        submitted first. ``predicted`` is the job's predicted run time in seconds."""
        raise NotImplementedError

    def started(self, job: Job, now: int) -> None:
        """A job was started at second ``now``."""

    def ended(self, job: Job, now: int) -> None:
        """A job ended at second ``now``; ``job.run_time`` is known from now on."""


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


def _choice(policy: PolicyChoice, used: dict[tuple[str, str], object] | None = None) -> str:
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


def policies() -> list[str]:
    """The names of all policies: presets, built-in ones, your own that have been used."""
    return _names("policies")


def predictors() -> list[str]:
    """The names of all predictors of run times: built-in ones, your own that have been used."""
    return _names("predictors")


def orders() -> list[str]:
    """The names of all queue orders: built-in ones, your own that have been used."""
    return _names("orders")


def simulate(
    trace: PathLike,
    policy: PolicyChoice = "fair",
    *,
    procs: int | None = None,
    limit_jobs: int | None = None,
    overrun: str = "keep",
    seed: int = 0,
) -> Replay:
    r"""Replays a trace under one policy and returns the :class:`Replay`.

    ``policy`` is a name as the command line writes it (``"easy"``, ``"easy:mean2:sjf"``,
    ``"prob:user:fcfs:relative=0.1"``), a class, or a tuple of policy, predictor and order, each a name or a class.
    ``procs`` is the machine's number of processors where the trace does not say or you want another; ``limit_jobs``
    replays the first jobs only; ``overrun`` is what happens to run times above the limit: ``"keep"`` leaves them,
    ``"cut"`` ends the job at its limit, ``"raise"`` raises the limit. A ``seed`` other than 0 shifts every submission
    by 0 to 59 s.

    Raises :class:`OSError` (:class:`FileNotFoundError`, :class:`PermissionError`, ...) for a trace that cannot be
    opened or read, :class:`ValueError` for one that is damaged or has no jobs and for arguments that make no sense,
    :class:`RuntimeError` when the policy leaves jobs waiting on an idle machine, and whatever a class of yours raises.

    The second of these jobs fills the machine, and the third overtakes it, as it ends in time by its limit:

    >>> import pathlib, surefill, tempfile
    >>> trace = pathlib.Path(tempfile.mkdtemp()) / "trace.csv"
    >>> rows = ["submit,runtime,processors,limit", "0,100,5,100", "1,10,8,10", "2,50,3,60"]
    >>> _ = trace.write_text("\n".join(rows))
    >>> surefill.simulate(trace, "easy", procs=8).jobs["start_s"]
    [0, 100, 2]
    """
    return _simulate(trace, _choice(policy), procs=procs, limit_jobs=limit_jobs, overrun=overrun, seed=seed)


def compare(
    traces: PathLike | Iterable[PathLike],
    policies: Iterable[PolicyChoice] = ("fcfs", "easy", "conservative", "easy++", "fair", "fast"),
    *,
    procs: int | None = None,
    limit_jobs: int | None = None,
    overrun: str = "keep",
    seed: int = 0,
    seeds: int = 1,
    html: PathLike | None = None,
) -> Table:
    r"""Replays traces under several policies and returns a :class:`Table` with a row for each trace and policy.

    The first column, ``label``, is the name by which the page of ``html`` calls the policy with its predictor, order
    and rule: ``easy (limit, fcfs)``. ``delay`` and ``delay-fast`` differ in it, while ``policy`` is ``prob`` for both. The
    measures are means over ``seeds`` seeds from ``seed`` up. Waits are in seconds, ``utilization`` and
    ``zero_wait_share`` are shares from 0 to 1. With several seeds the columns that begin with ``spread_`` are standard
    deviations. Schedules are chaotic: a difference is worth something when it is larger than the spread of several
    seeds. ``html`` is a file to which the page of ``surefill compare`` is written.

    Raises :class:`ValueError` when no trace or no policy is named, and :class:`OSError` when the page cannot be
    written. Arguments and errors are those of :func:`simulate` otherwise.

    >>> import pathlib, surefill, tempfile
    >>> trace = pathlib.Path(tempfile.mkdtemp()) / "trace.csv"
    >>> rows = ["submit,runtime,processors,limit", "0,100,5,100", "1,10,8,10", "2,50,3,60"]
    >>> _ = trace.write_text("\n".join(rows))
    >>> table = surefill.compare(trace, ["fcfs", "easy"], procs=8)
    >>> table["label"], table["mean_wait_s"]
    (['fcfs (limit, fcfs)', 'easy (limit, fcfs)'], [69.0, 33.0])
    """
    paths = [traces] if isinstance(traces, (str, os.PathLike)) else list(traces)
    used: dict[tuple[str, str], object] = {}
    choices = [_choice(policy, used) for policy in policies]
    if not paths:
        raise ValueError("compare needs at least one trace, and the list of traces is empty")
    if not choices:
        raise ValueError("compare needs at least one policy, and the list of policies is empty")
    return _compare(
        paths,
        choices,
        procs=procs,
        limit_jobs=limit_jobs,
        overrun=overrun,
        seed=seed,
        seeds=seeds,
        html=html,
    )
