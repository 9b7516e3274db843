"""Answers of :func:`surefill.what_if`, :func:`surefill.import_log` and :func:`surefill.predict_wait`.

The values are those of the command's ``--json``, under the same names. Names that end in ``_s`` are seconds, shares are
from 0 to 1, and None stands for what is unknown.
"""

from __future__ import annotations

import dataclasses
import typing
from dataclasses import dataclass, field
from typing import Any, Optional, Sequence

__all__ = [
    "Age",
    "Anchored",
    "Earlier",
    "Figure",
    "Imported",
    "Interval",
    "Like",
    "Longest",
    "Part",
    "Period",
    "Reading",
    "Reservation",
    "Row",
    "RowWaits",
    "Scored",
    "Start",
    "WaitAnswer",
    "WhatIf",
]


@dataclass(frozen=True)
class Reading:
    """How a file is read, for what its content does not say; the defaults recognise most files by themselves.

    ``format`` is its format: ``swf``, ``sacct``, ``csv`` and others, which the message about an unknown one lists.
    ``delimiter`` is the text between the fields of a table, ``names`` are the names of the columns of a table without a
    line of names (``sacct -n``). ``dates`` is ``"dmy"`` or ``"mdy"``, the order in dates such as 05/06/2024, ``zone``
    the time zone of dates that name none (``"Europe/Berlin"``). With ``strict`` the first wrong line is an error.
    Without it wrong lines are left out, and a file that loses more than a tenth of them is refused, unless ``partial``
    says that the rest is enough.

    Functions raise ValueError for values that are none of these, and for those that change nothing: ``partial`` beside
    ``strict``, ``delimiter`` and ``names`` beside a format that is no table.
    """

    format: Optional[str] = None
    delimiter: Optional[str] = None
    names: Optional[Sequence[str]] = None
    dates: Optional[str] = None
    zone: Optional[str] = None
    strict: bool = False
    partial: bool = False


@dataclass(frozen=True)
class Interval:
    """A 95 % confidence interval: ``low`` and ``high`` are its ends."""

    low: float
    high: float


@dataclass(frozen=True)
class Figure:
    """A number, ``value``, and ``ci95``, its 95 % interval, which is None of fewer than four weeks."""

    value: float
    ci95: Optional[Interval]


@dataclass(frozen=True)
class Period:
    """The jobs submitted from second ``start`` on and before second ``end`` of the history's clock are measured."""

    start: int = field(metadata={"json": "from"})
    end: int = field(metadata={"json": "to"})


@dataclass(frozen=True)
class RowWaits:
    """Waits of some jobs in seconds: ``mean_s``, ``median_s``, ``p95_s`` (95 % waited no longer), ``longest_s``."""

    mean_s: float
    median_s: float
    p95_s: float
    longest_s: float


@dataclass(frozen=True)
class Row:
    """Some of the jobs.

    ``name`` says which, ``jobs`` how many, ``processor_hours`` what they used. ``recorded`` are their waits in the
    history, None where it has none; ``before`` and ``after`` those in the replays of the one policy and of the other,
    as means over the replays, ``ageing`` those of the site's own rule by limits with ageing, None where no site with
    priorities is replayed. ``earlier`` and ``later`` are the shares that start a minute or more earlier and later
    under the other policy.
    """

    name: str
    jobs: int
    processor_hours: float
    recorded: Optional[RowWaits]
    before: RowWaits
    after: RowWaits
    ageing: Optional[RowWaits]
    earlier: float
    later: float


@dataclass(frozen=True)
class Part:
    """All jobs, divided by one property, ``by`` (such as ``user`` or ``width``), in ``rows``: a :class:`Row` a
    value."""

    by: str
    rows: list[Row]


@dataclass(frozen=True)
class Longest:
    """One of the jobs that wait longest under the other policy, in the first replay.

    ``job`` is its number in the history, ``user`` its user's name, or number where there are no names; it ran
    ``run_time_s`` on ``processors``. It waited ``recorded_s`` (None if unknown), and waits ``before_s`` under the one
    policy and ``after_s`` under the other.
    """

    job: int
    user: str
    processors: int
    run_time_s: int
    recorded_s: Optional[int]
    before_s: int
    after_s: int


@dataclass(frozen=True)
class Scored:
    """The replay beside the record, over the ``jobs`` whose recorded waits are known.

    ``verdict`` is ``"explained"`` where the replay explains a quarter of the recorded mean wait at least, ``"unexplained"``
    where it explains less, ``"exceeded"`` where it comes to more than 1.6 times of it, so that the history cannot tell,
    and ``"short"`` where people waited less than a minute.
    ``recorded_s``, ``before_s`` and ``after_s`` are mean waits: the recorded one, and those in the replays of the one
    policy and of the other. ``explained`` is ``before_s`` over ``recorded_s``; ``saved_s`` the seconds of the recorded
    mean wait that the other policy saves, ``saved`` the same as a share of it. Shares are None where people waited less
    than a minute.
    """

    jobs: int
    verdict: str
    recorded_s: float
    before_s: float
    after_s: float
    explained: Optional[Figure]
    saved_s: Figure
    saved: Optional[Figure]


@dataclass(frozen=True)
class Earlier:
    """Starts that are earlier than recorded.

    ``saved_s`` are the seconds by which the mean wait is shorter, ``saved`` the same as a share of it (None where
    people waited less than a minute), ``earlier`` is the share of the jobs that start a minute or more earlier.
    """

    saved_s: Figure
    saved: Optional[Figure]
    earlier: float


@dataclass(frozen=True)
class Anchored:
    """Savings that the recorded schedule itself had room for, while nobody starts later than recorded.

    ``idle`` is the share of the recorded waiting time in which processors enough were idle, None where no job waited.
    ``run_times`` is what could have been saved with run times known beforehand, ``expected`` with those in
    their place that the other policy's predictor expected of the jobs at their submission.
    """

    idle: Optional[float]
    run_times: Earlier
    expected: Earlier


@dataclass(frozen=True)
class WhatIf:
    """Waits of a site's own jobs under another policy, beside the recorded ones.

    ``sentences`` is the answer in words, ``unknowns`` the limits of such a replay, ``remarks`` how the history was read
    and what was left out: lists of sentences, as the command prints them.

    ``scored`` puts the replay beside the recorded waits and says whether the history can tell at all; ``anchored`` is
    what could have been saved in the recorded schedule. Both are None where no wait is recorded. ``all`` is a
    :class:`Row` of all jobs of the period, ``change`` the mean wait under the other policy over that under the one,
    less 1 (None where that is below a minute), ``parts`` the jobs divided by account, user, queue, width and run time,
    ``longest`` the longest waits.

    ``trace`` is the history's name; ``before`` and ``after`` are the policies, the one that is compared with and the
    one that is asked about; ``procs`` is the number of processors of the replayed machine, ``site`` the size of a site's
    (``nodes``, ``partitions``, ``multifactor``, ``outages``; None where none is given), ``above`` the share of the
    history's time in which more were in use. ``period`` is what is measured, ``dates`` the days of its first and last
    job where the clock is known, ``weeks`` the number of weeks with jobs, on which intervals rest, ``seeds`` the number
    of replays of each policy. ``replay`` is a dictionary of counts: what the replay rules did to how many jobs.
    ``surefill`` is the version that made it.
    """

    surefill: str
    trace: str
    before: str
    after: str
    procs: int
    site: Optional[dict[str, Any]]
    above: float
    period: Period
    dates: Optional[tuple[str, str]]
    seeds: int
    weeks: int
    scored: Optional[Scored]
    anchored: Optional[Anchored]
    all: Row
    change: Optional[Figure]
    parts: list[Part]
    longest: list[Longest]
    replay: dict[str, Any]
    remarks: list[str]
    sentences: list[str]
    unknowns: list[str]


@dataclass(frozen=True)
class Imported:
    """Counts of a log that was read: its jobs, and the lines that were left out.

    ``log`` is its name; ``jobs`` is the number of the trace's jobs, ``never_started`` of those among them that ended
    without having started, ``users`` of their users. ``procs`` is the machine's number of processors, None where
    nothing is known of it. ``wrong`` are counts of lines that cannot be understood, by reason, ``left_out`` those of
    lines that are no jobs. ``anonymised`` says whether names were replaced by numbers of a key. ``remarks`` are
    sentences about how the log was read.
    """

    log: str
    jobs: int
    never_started: int
    procs: Optional[int]
    wrong: dict[str, int]
    left_out: dict[str, int]
    users: int
    anonymised: bool
    remarks: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Age:
    """The age of a history.

    ``last`` is the second of its newest event, ``age_s`` the seconds since then, ``longest_gap_s`` the longest gap
    between events in the last four weeks before it. ``out_of_date`` says that the history is too old for predictions.
    """

    last: int
    age_s: int
    longest_gap_s: int
    out_of_date: bool


@dataclass(frozen=True)
class Start:
    """The probability of starting within ``within_s`` seconds from now.

    ``probability`` is the share of ``waits`` like jobs that did, ``at_least`` its lower confidence bound.
    """

    within_s: int
    probability: float
    at_least: float
    waits: int


@dataclass(frozen=True)
class Reservation:
    """When to submit a job so that it has started by second ``start_by``.

    ``submit_by`` is the latest second for that, ``from_now_s`` the same from now: negative when it is too late for a
    promise. Both are None without a bound. ``probability_now`` is the probability of starting in time if the job is
    submitted now.
    """

    start_by: int
    submit_by: Optional[int]
    from_now_s: Optional[int]
    probability_now: float


@dataclass(frozen=True)
class Like:
    """The jobs that an answer rests on.

    ``waits`` is the number of their waits. Where jobs are clustered, ``least`` and ``most`` are the ends of the
    interval of the attribute (None for no upper end), and ``by`` is the attribute if the predictor chose it, else None.
    """

    least: int = field(metadata={"json": "from"})
    most: Optional[int] = field(metadata={"json": "to"})
    waits: int
    by: Optional[str] = None


@dataclass(frozen=True)
class WaitAnswer:
    """By when a job starts.

    ``answer`` is ``"bound"`` where there is one, else the reason why not: ``"too-little-history"``, ``"may-be-down"``
    (no job was started for so long that the machine may be down), ``"exceeded"`` (more jobs wait, or for longer, than
    past ones did) or ``"out-of-date"`` (the history is). ``bound_s`` are the seconds from the job's submission by
    which it starts, ``from_now_s`` the same from now; both are None without a bound. It holds for the share
    ``quantile`` of like jobs, and that with confidence ``confidence``.

    ``queue``, ``requested_s``, ``processors`` and ``waited_s`` are the job that was asked about, ``now`` is the present
    on the history's clock, ``history`` the history's :class:`Age` then. ``start`` and ``reservation`` answer ``within``
    and ``start_by``, and are None where these were not asked. ``method`` is the method of the bound, ``like`` the jobs
    that it rests on, ``waiting`` the number of jobs that wait in the queue, ``remembered`` that of the waits that are
    remembered. ``warnings`` are sentences on what the job goes beyond all jobs of the history in.
    """

    queue: str
    now: int
    history: Age
    answer: str
    bound_s: Optional[int]
    from_now_s: Optional[int]
    quantile: float
    confidence: float
    method: str
    requested_s: int
    processors: int
    waited_s: int
    start: Optional[Start]
    reservation: Optional[Reservation]
    like: Like
    waiting: int
    remembered: int
    warnings: list[str]


def made(kind: Any, value: Any) -> Any:
    """A value that was read from JSON as an object of this type, with the objects inside."""
    if value is None:
        return None
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin is typing.Union:
        return made(next(one for one in inner if one is not type(None)), value)
    if origin is list:
        return [made(inner[0], one) for one in value]
    if origin is tuple:
        return tuple(value)
    if not dataclasses.is_dataclass(kind):
        return value
    hints = typing.get_type_hints(kind)
    names = {field.name: field.metadata.get("json", field.name) for field in dataclasses.fields(kind)}
    # Fields that the JSON leaves out have their defaults.
    given = {name: made(hints[name], value[key]) for name, key in names.items() if key in value}
    return kind(**given)  # type: ignore[operator]
