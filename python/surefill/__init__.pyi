"""Types of the package; times are seconds."""

import os
from collections.abc import Iterable, Sequence
from typing import Any, Union

import pandas
import polars

__version__: str

PathLike = Union[str, os.PathLike[str]]
PolicyChoice = Union[str, type[Policy], tuple[Any, ...]]

class Job:
    """A job as a scheduler sees it. Numbers that the trace does not know are negative."""

    @property
    def id(self) -> int:
        """Its place in order of submission, from 0."""
    @property
    def number(self) -> int:
        """Its number in the trace."""
    @property
    def submit(self) -> int:
        """The second of its submission, on the trace's clock."""
    @property
    def limit(self) -> int:
        """Its time limit in seconds."""
    @property
    def processors(self) -> int: ...
    @property
    def user(self) -> int: ...
    @property
    def group(self) -> int: ...
    @property
    def executable(self) -> int: ...
    @property
    def queue(self) -> int: ...
    @property
    def partition(self) -> int: ...
    @property
    def run_time(self) -> int | None:
        """Seconds; None before the job has ended: nobody knows it then."""

class Cluster:
    """The machine during one scheduling pass."""

    @property
    def now(self) -> int: ...
    @property
    def idle(self) -> int:
        """Processors that no job holds."""
    @property
    def processors(self) -> int:
        """All of the machine."""
    @property
    def queue(self) -> list[Job]:
        """The waiting jobs in order of submission, without those this pass has started."""
    @property
    def running(self) -> list[tuple[Job, int]]:
        """The running jobs with the seconds at which they started."""
    def start(self, job: Job) -> None:
        """Starts a waiting job now. ValueError when it does not wait or does not fit."""

class Policy:
    name: str
    def submitted(self, job: Job, now: int) -> None: ...
    def started(self, job: Job, now: int) -> None: ...
    def ended(self, job: Job, now: int) -> None: ...
    def schedule(self, cluster: Cluster) -> None: ...

class RuntimePredictor:
    name: str
    def predict(self, job: Job) -> float: ...
    def finished(self, job: Job) -> None: ...

class QueueOrder:
    name: str
    def value(self, job: Job, now: int, predicted: int) -> float: ...
    def started(self, job: Job, now: int) -> None: ...
    def ended(self, job: Job, now: int) -> None: ...

class Table:
    """Columns of one length. pandas, polars, pyarrow and others read it through Arrow's PyCapsule interface:
    ``polars.DataFrame(table)``, ``pyarrow.table(table)``."""

    @property
    def column_names(self) -> list[str]: ...
    def __len__(self) -> int: ...
    def __getitem__(self, name: str) -> list[Any]: ...
    def to_dict(self) -> dict[str, list[Any]]: ...
    def to_pandas(self) -> pandas.DataFrame: ...
    def to_polars(self) -> polars.DataFrame: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

class Replay:
    """One replay of a trace."""

    @property
    def jobs(self) -> Table:
        """A row a job: number, user, submit_s, start_s, end_s, wait_s, processors, limit_s; for backfilled ones the head job they
        overtook, the delay predicted for it in the policy's unit, and the delay in seconds that really came of it."""
    @property
    def summary(self) -> dict[str, Any]:
        """The measures as ``surefill simulate --json`` prints them."""
    def to_evalys(self, path: PathLike) -> None:
        """Writes the schedule as a CSV file that evalys' ``JobSet.from_csv`` reads: seconds from the first submission, each job on the
        lowest processors that are free when it starts."""

def policies() -> list[str]: ...
def predictors() -> list[str]: ...
def orders() -> list[str]: ...
def simulate(
    trace: PathLike,
    policy: PolicyChoice = "fair",
    *,
    procs: int | None = None,
    limit_jobs: int | None = None,
    overrun: str = "keep",
    seed: int = 0,
) -> Replay: ...
def compare(
    traces: PathLike | Iterable[PathLike],
    policies: Iterable[PolicyChoice] = ...,
    *,
    procs: int | None = None,
    limit_jobs: int | None = None,
    overrun: str = "keep",
    seed: int = 0,
    seeds: int = 1,
    html: PathLike | None = None,
) -> Table: ...
def wait_bounds(
    trace: PathLike,
    *,
    quantile: float = 0.95,
    confidence: float = 0.95,
    by_queue: bool = True,
    min_jobs: int = 1000,
) -> Table:
    """How often upper bounds on the waits of a trace's jobs hold, and how wide they are: a row for each queue and method. Every job is
    told a bound at its submission, from the waits known by then; ``correctness`` is the share of judged jobs that started within
    theirs, which should be at least ``quantile``. Queues with fewer than ``min_jobs`` jobs are left out."""

class Distribution:
    """A run time as a distribution over logarithmic bins."""

    @staticmethod
    def single(seconds: int) -> Distribution:
        """All probability on one run time."""
    @staticmethod
    def limit() -> Distribution:
        """The job's limit, whatever it is: what EASY assumes."""
    def quantile(self, quantile: float, age: int = 0, *, limit: int) -> int:
        """Seconds from the age on until which the job has ended with this probability (0 to 1), given that it has run for ``age``
        seconds and ends at ``limit`` at the latest."""
    @property
    def bins(self) -> list[tuple[float | None, float]]:
        """A bin's upper edge in seconds (None for the open last one) and its probability; empty for the two above."""

class Predictor:
    """How long a job will run, learnt from the jobs that end: histories of like jobs by user, limit and processors, weighed by how well
    they have predicted each user. Times never go back (ValueError)."""

    def __init__(self, *, jobs: int = 4096, histories: int = 16384) -> None:
        """``jobs``: the most in the system at once; ``histories``: kept, the least recently used go first."""
    def submit(self, id: int, now: int, *, user: int, limit: int, processors: int) -> None: ...
    def start(self, id: int, now: int) -> None: ...
    def end(self, id: int, now: int) -> None: ...
    def cancel(self, id: int, now: int) -> None: ...
    def predict(self, now: int, *, user: int, limit: int, processors: int) -> Distribution: ...

class Pass:
    """One scheduling pass: which waiting jobs may start ahead of the head job. Calls in the order begin, add_running, add_candidate,
    decide. What backfills have cost one head job is kept from pass to pass."""

    def __init__(
        self, *, processors: int, running: int = 256, candidates: int = 256, events_per_bin: int = 4
    ) -> None: ...
    def begin(self, now: int, *, idle: int, head: int, head_processors: int, head_waited: int = 0) -> None:
        """``head`` is the head job's id, ``head_waited`` its seconds in the queue."""
    def add_running(self, processors: int, age: int, limit: int, runtime: Distribution) -> int: ...
    def add_candidate(self, processors: int, limit: int, runtime: Distribution) -> int:
        """Returns its index, which ``decide`` and ``judgements`` speak of."""
    def decide(
        self,
        *,
        criterion: str = "relative",
        threshold: float = 0.05,
        budget: float = ...,
        slip: float = ...,
        or_easy: bool = False,
    ) -> list[int]:
        """The candidates to start, in this order: those whose delay of the head job is strictly below the threshold. Criteria:
        ``"probability"`` (0 to 1), ``"bound"`` (the papers' lower bound of it), ``"seconds"``, ``"relative"`` (expected seconds over the
        head job's expected remaining wait)."""
    def judgements(self) -> list[tuple[float, str]]:
        """Of each candidate the delay that it was judged by, in the criterion's unit, and the verdict."""
    def head_start_quantile(self, probability: float) -> int:
        """The second by which the head job starts with this probability if nothing more is backfilled."""
    def head_start_quantiles(self, probabilities: Sequence[float]) -> list[int]:
        """As :meth:`head_start_quantile` for several probabilities, ascending, by one walk over the events."""

class Waits:
    """Upper bounds on waits with stated confidence, from the history of one queue."""

    def __init__(self, *, quantile: float = 0.95, confidence: float = 0.95) -> None: ...
    def submit(self, id: int, now: int, *, requested: int = 0, processors: int = 0) -> int | None:
        """A job was submitted: the seconds within which it starts with probability ``quantile``, or None while too few waits are known
        (59 for .95 and .95) or when the machine may be down."""
    def start(self, id: int, now: int) -> int:
        """It started; returns its wait in seconds."""
    def cancel(self, id: int, now: int) -> None: ...
    def known(self, wait: int, *, requested: int = 0, processors: int = 0) -> None:
        """A wait from an accounting log, in seconds."""

class Sizing:
    """How many processors a malleable job should take (Downey 1997): those with the shortest wait and run time together."""

    def __init__(self, *, processors: int, running: int = 256) -> None: ...
    def begin(self, idle: int) -> None:
        """So many processors are idle; running jobs follow."""
    def add_running(self, processors: int, age: float, *, shortest: float, longest: float) -> None:
        """A running job of ``age`` seconds, of the kind whose lifetimes are log-uniform from ``shortest`` to ``longest`` seconds."""
    def choose(
        self, *, sequential: float, parallelism: float, sigma: float, most: int = ..., weight: float = 1.0
    ) -> dict[str, float]:
        """``processors``, ``wait_s`` and ``run_time_s`` of the best choice for a job of ``sequential`` seconds on one processor, with
        Downey's speedup of average parallelism and coefficient of variation ``sigma``; a second of waiting costs ``weight``."""
