"""Questions of sites about their own accounting: the command's verbs as functions."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from . import _surefill, answers
from ._options import Moment, PathLike, PolicyChoice, Span, choice, text
from .answers import Imported, Reading, WaitAnswer, WhatIf


def what_if(
    history: PathLike,
    policy: PolicyChoice | None = None,
    *,
    instead_of: PolicyChoice | None = None,
    procs: int | None = None,
    site: PathLike | Iterable[PathLike] | None = None,
    seeds: int = 3,
    since: Moment | None = None,
    until: Moment | None = None,
    last: Span | None = None,
    html: PathLike | None = None,
    reading: Reading = Reading(),
) -> WhatIf:
    r"""Says what a site's own jobs would have waited under another policy, as ``surefill what-if`` does.

    ``history`` is a trace or an accounting log. It is replayed as a whole under ``policy`` and under ``instead_of``,
    written as for :func:`simulate`, and scored against the recorded waits first; without these under ``fair`` and
    ``easy``, of a site under its own rule in the place of ``easy``. ``procs`` is the machine's number of processors,
    at least 1; else the header's, else the most that were in use at once. ``site`` is a file or several of what
    ``scontrol show config``, ``partition``, ``node`` and ``reservation`` and ``sacctmgr -P show qos``, ``assoc`` and
    ``event`` print: the history is then replayed on the site's nodes and partitions, by its priorities and limits.
    ``seeds`` is the number of
    replays of each policy, 1 to 100000: the history as it is, then with submissions shifted by 0 to 59 s. Jobs
    submitted from ``since`` on and before ``until`` are measured (dates, or seconds of the history's clock), or those
    of the ``last`` part before ``until`` (seconds, or a text such as ``"30d"``); without these the last 90 days.
    ``html`` is a file to which the page is written.

    Raises :class:`ValueError` for both policies the same, for ``since`` beside ``last``, for ``site`` beside ``procs``,
    for a site that is not understood, and for a period without jobs. Other errors are those of :func:`simulate`.

    >>> import pathlib, surefill, tempfile
    >>> history = pathlib.Path(tempfile.mkdtemp()) / "history.csv"
    >>> rows = ["submit,start,runtime,processors,limit", "0,0,4000,5,4000", "1,4000,500,8,500", "2,4500,3900,3,3900"]
    >>> _ = history.write_text("\n".join(rows))
    >>> answer = surefill.what_if(history, "easy", instead_of="fcfs", procs=8, seeds=1)
    >>> answer.scored.recorded_s, answer.scored.before_s, answer.scored.after_s, answer.scored.verdict
    (2832.3333333333335, 2832.3333333333335, 1333.0, 'explained')
    """
    used: dict[tuple[str, str], object] = {}
    answer = _surefill.what_if(
        history,
        None if policy is None else choice(policy, used),
        instead_of=None if instead_of is None else choice(instead_of, used),
        procs=procs,
        site=[site] if isinstance(site, (str, os.PathLike)) else None if site is None else list(site),
        seeds=seeds,
        since=text(since),
        until=text(until),
        last=text(last),
        html=html,
        reading=reading,
    )
    return answers.made(WhatIf, answer)


def import_log(
    logs: PathLike | Iterable[PathLike],
    output: PathLike | None = None,
    *,
    procs: int | None = None,
    key: PathLike | None = None,
    reading: Reading = Reading(),
) -> Imported:
    r"""Makes a trace in the Standard Workload Format of a site's accounting, as ``surefill import`` does.

    ``logs`` is a file or several, which are read as one log. ``output`` is the file to write, compressed when its name
    ends in ``.gz``; without it nothing is written, and only what would be is returned. ``procs`` is the machine's
    number of processors, at least 1; else the log's, else the most that were in use at once. ``key`` is a file of 16
    bytes or more: names become numbers that only it connects with them.

    Raises :class:`ValueError` for a log that is damaged, has no jobs or loses more than a tenth of its lines, for one
    in which no job has a number of processors, for ``key`` without ``output``, and when ``output`` is one of the files
    that are read; :class:`OSError` for files that cannot be read or written.

    >>> import pathlib, surefill, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> rows = ["JobID|Submit|Start|End|AllocCPUS|User|State", "7|10|20|50|4|ann|COMPLETED", "7.0|20|20|50|4||FAILED"]
    >>> _ = (folder / "sacct.txt").write_text("\n".join(rows))
    >>> done = surefill.import_log(folder / "sacct.txt", folder / "trace.swf", procs=8)
    >>> done.jobs, done.users, done.procs, surefill.simulate(folder / "trace.swf").jobs["processors"]
    (1, 1, 8, [4])
    """
    paths = [logs] if isinstance(logs, (str, os.PathLike)) else list(logs)
    if not paths:
        raise ValueError("import_log needs at least one log, and the list of logs is empty")
    return answers.made(Imported, _surefill.import_log(paths, output, procs=procs, key=key, reading=reading))


def predict_wait(
    history: PathLike,
    *,
    queue: str | None = None,
    job: str | int | None = None,
    requested: Span = 0,
    processors: int = 0,
    waited: Span = 0,
    within: Span | None = None,
    start_by: Moment | None = None,
    probability: float | None = None,
    quantile: float = 0.95,
    confidence: float = 0.95,
    methods: str | Sequence[str] = "binomial",
    one_queue: bool = False,
    visible: bool = True,
    by: str | None = None,
    adapt: bool = True,
    trim: bool = True,
    cluster: bool = True,
    availability: bool = True,
    now: Moment | None = None,
    reading: Reading = Reading(),
) -> WaitAnswer:
    r"""Says by when a job starts, from a history of waits, as ``surefill predict-wait`` does.

    The job is in ``queue`` (not needed where there is only one), requests the time ``requested`` on ``processors`` (0
    for unknown) and has waited for ``waited``; or it is ``job``, which waits in the history. The bound holds for the
    share ``quantile`` of like jobs with confidence ``confidence``, both above 0 and below 1. ``within`` asks for the
    probability of a start within that time from now, ``start_by`` when a new job must be submitted to have started by
    then, with ``probability`` (else ``quantile``). Spans are seconds or texts such as ``"2h"``, times are seconds or
    dates on the history's clock. ``now`` is the present: a time, ``"clock"`` for this computer's, or ``"end"`` for the
    last time in the history; else the clock where the history's times are dates or seconds since 1970, and its end
    where they are not.

    ``methods`` are one or several of binomial, log-normal, log-uniform and weibull, of which every queue takes the one
    that has been tightest; ``one_queue`` makes one of all queues. With ``visible=False``, or another method than
    binomial, bounds rest on the paper's history: ``by`` is then the attribute by which jobs are clustered, and
    ``trim=False`` and ``cluster=False`` leave its parts away. ``adapt=False``: bounds do not follow their own misses.
    ``availability=False``: there is a bound even when the machine may be down.

    Raises :class:`ValueError` for a queue or job that there is not, for ``job`` beside ``requested``, ``processors`` or
    ``waited``, for ``start_by`` beside ``job`` or ``waited``, for ``probability`` without ``start_by`` and for parts of
    the paper's history where bounds do not rest on it. Errors of files are those of :func:`simulate`.

    >>> import pathlib, surefill, tempfile
    >>> history = pathlib.Path(tempfile.mkdtemp()) / "history.csv"
    >>> rows = [f"{i * 100},{i * 100 + i % 7},10,1,20" for i in range(500)]
    >>> _ = history.write_text("\n".join(["submit,start,runtime,processors,limit", *rows]))
    >>> answer = surefill.predict_wait(history, requested=20, processors=1, within="1min")
    >>> answer.answer, answer.bound_s, round(answer.start.probability, 2)
    ('bound', 5, 1.0)
    """
    names = [methods] if isinstance(methods, str) else list(methods)
    answer = _surefill.predict_wait(
        history,
        queue=queue,
        job=text(job),
        requested=str(requested),
        processors=processors,
        waited=str(waited),
        within=text(within),
        start_by=text(start_by),
        probability=probability,
        quantile=quantile,
        confidence=confidence,
        methods=names,
        one_queue=one_queue,
        visible=visible,
        by=by,
        adapt=adapt,
        trim=trim,
        cluster=cluster,
        availability=availability,
        now=text(now),
        reading=reading,
    )
    return answers.made(WaitAnswer, answer)
