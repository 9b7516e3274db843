"""Probabilistic answers for batch schedulers.

Replays (all times in seconds unless a name says otherwise):

* :func:`simulate` replays a trace under one policy, :func:`compare` several traces under several policies.
* :func:`what_if` says what a site's own jobs would have waited under another policy, :func:`predict_wait` by when a job
  starts, :func:`import_log` makes a trace of accounting. Their answers are classes of ``surefill.answers``.
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

from . import answers
from ._options import PathLike, PolicyChoice, choice as _choice, options as _options
from ._sites import import_log, predict_wait, what_if
from .answers import Imported, Reading, WaitAnswer, WhatIf
from ._surefill import (  # noqa: F401
    Cluster,
    Distribution,
    Job,
    Node,
    Pass,
    Predictor,
    Replay,
    Scheduler,
    Sizing,
    Table,
    Waits,
    __version__,
    names as _names,
    compare as _compare,
    simulate as _simulate,
)

__all__ = [
    "Cluster",
    "Distribution",
    "Imported",
    "Job",
    "Node",
    "Pass",
    "Policy",
    "Predictor",
    "QueueOrder",
    "Reading",
    "Replay",
    "RuntimePredictor",
    "Scheduler",
    "Sizing",
    "Table",
    "WaitAnswer",
    "Waits",
    "WhatIf",
    "__version__",
    "answers",
    "compare",
    "import_log",
    "orders",
    "policies",
    "predict_wait",
    "predictors",
    "simulate",
    "what_if",
]


class Policy:
    """Who starts when. Make a subclass with ``schedule``; every replay makes an object of its own, without arguments.

    ``name`` is what tables call it; without one it is the class's name. Named with a predictor,
    ``(Smallest, "mean2")``, it has predicted run times from :meth:`Cluster.predict`; named with an order,
    ``(Smallest, "limit", "sjf")``, it finds the queue in that order. On a machine of nodes :attr:`Cluster.nodes` shows
    these and :meth:`Cluster.fits` says whether a job finds room.

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
    policy: PolicyChoice | None = None,
    *,
    procs: int | None = None,
    limit_jobs: int | None = None,
    overrun: str = "keep",
    seed: int = 0,
    reading: Reading = Reading(),
    **options: object,
) -> Replay:
    r"""Replays a trace under one policy and returns the :class:`Replay`.

    ``policy`` is a name as the command line writes it (``"easy"``, ``"easy:mean2:sjf"``,
    ``"prob:user:fcfs:relative=0.1"``), a class, or a tuple of policy, predictor and order, each a name or a class;
    without one it is ``"fair"``, and ``"prob"`` where ``preset`` has values for that. ``procs`` is the machine's number
    of processors where the trace does not say or you want another; ``limit_jobs`` replays the first jobs only;
    ``overrun`` is what happens to run times above the limit: ``"keep"`` leaves them, ``"cut"`` ends the job at its
    limit, ``"raise"`` raises the limit. A ``seed`` other than 0 shifts every submission by 0 to 59 s. ``reading`` says
    how the file is read.

    The further ``options`` are those of ``surefill simulate``, with underscores, and ``surefill simulate --help`` has
    their defaults. Of the machine: ``nodes`` (``"64x(cores=128,mem=512G,gpu=4)"``), ``fit`` (``"first"``, ``"best"``,
    ``"apart"``) and ``width`` (``"cores"``, ``"scarcest"``) on nodes. Of the jobs: ``estimates`` (a factor of 0 or
    above), ``missing_processors`` (``"requested"``, ``"drop"``), ``overdue`` (``"soon"``, ``"past"``, ``"predicted"``).
    Of the policy ``prob``: ``preset`` (``"easy"``, ``"delay"``, ``"delay-fast"``, ``"papers"``, ``"sizes"``), which has
    values for all that follow; ``criterion`` (``"relative"``, ``"seconds"``, ``"probability"``) and its threshold
    ``tau`` (0 or above; of seconds in these, of a probability at most 1); ``delay``, ``events_per_bin``, ``budget``,
    ``slip``, ``guard`` (a quantile from 0 to 1), ``or_easy`` and ``refresh`` (True or False), ``calibrate``,
    ``shared``, ``hmm_floor``, ``first_edge`` (seconds), ``ratio``. Of every policy with an order: ``queue``,
    ``candidates``, ``front`` (a quantile), ``priorities``, ``recent_waits`` (a number of jobs), ``shortest_long_wait``
    (a span).

    Raises :class:`OSError` (:class:`FileNotFoundError`, :class:`PermissionError`, ...) for a trace that cannot be
    opened or read, :class:`ValueError` for one that is damaged or has no jobs, for arguments that make no sense, and
    for those that would change nothing: an option of ``prob`` for another policy, ``fit`` without nodes, ``tau`` beside
    a rule that says it. Raises :class:`TypeError` for an option that there is not, :class:`RuntimeError` when the
    policy leaves jobs waiting on an idle machine, and whatever a class of yours raises.

    The second of these jobs fills the machine, and the third overtakes it, as it ends in time by its limit:

    >>> import pathlib, surefill, tempfile
    >>> trace = pathlib.Path(tempfile.mkdtemp()) / "trace.csv"
    >>> rows = ["submit,runtime,processors,limit", "0,100,5,100", "1,10,8,10", "2,50,3,60"]
    >>> _ = trace.write_text("\n".join(rows))
    >>> surefill.simulate(trace, "easy", procs=8).jobs["start_s"]
    [0, 100, 2]
    >>> surefill.simulate(trace, "prob", preset="delay", or_easy=False, tau=0, procs=8).jobs["start_s"]
    [0, 100, 110]
    """
    words = _options(options)
    if policy is not None:
        words.append(("policy", _choice(policy)))
    return _simulate(
        trace,
        procs=procs,
        limit_jobs=limit_jobs,
        overrun=overrun,
        seed=seed,
        reading=reading,
        options=words,
    )


def compare(
    traces: PathLike | Iterable[PathLike],
    policies: Iterable[PolicyChoice] | None = None,
    *,
    procs: int | None = None,
    limit_jobs: int | None = None,
    overrun: str = "keep",
    seed: int = 0,
    seeds: int = 1,
    html: PathLike | None = None,
    reading: Reading = Reading(),
    **options: object,
) -> Table:
    r"""Replays traces under several policies and returns a :class:`Table` with a row for each trace and policy.

    Without ``policies`` they are those of ``surefill compare``: fcfs, easy, conservative (not on nodes), easy++, delay,
    delay-fast, fair and fast, and with a ``preset`` of prob easy and prob. An option must concern one of the policies
    at least.

    The first column, ``label``, is the name by which the page of ``html`` calls the policy with its predictor, order
    and rule: ``easy (limit, fcfs)``. ``delay`` and ``delay-fast`` differ in it, while ``policy`` is ``prob`` for both.
    The measures are means over ``seeds`` seeds from ``seed`` up. Waits are in seconds, ``utilization`` and
    ``zero_wait_share`` are shares from 0 to 1. With several seeds the columns that begin with ``spread_`` are standard
    deviations. Schedules are chaotic: a difference is worth something when it is larger than the spread of several
    seeds. ``html`` is a file to which the page of ``surefill compare`` is written.

    Raises :class:`ValueError` when no trace or no policy is named, and :class:`OSError` when the page cannot be
    written. Arguments, options and errors are those of :func:`simulate` otherwise.

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
    choices = None if policies is None else [_choice(policy, used) for policy in policies]
    if not paths:
        raise ValueError("compare needs at least one trace, and the list of traces is empty")
    if choices == []:
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
        reading=reading,
        options=_options(options),
    )
