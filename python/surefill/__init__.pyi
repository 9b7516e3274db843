"""Types of the package. Meanings, units and errors stand in the docstrings: ``help(surefill.Pass)``."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypedDict, Union

import pandas
import polars
from typing_extensions import Unpack

from . import answers as answers
from ._options import Moment, PathLike, Span
from .answers import Imported as Imported, Reading as Reading, WaitAnswer as WaitAnswer, WhatIf as WhatIf

__version__: str

PolicyChoice = Union[str, type[Policy], tuple[Any, ...]]

class Options(TypedDict, total=False):
    preset: str | None
    nodes: str | None
    fit: str | None
    width: str | None
    estimates: float | None
    missing_processors: str | None
    overdue: str | None
    tau: float | None
    criterion: str | None
    delay: str | None
    events_per_bin: int | None
    budget: float | None
    slip: float | None
    guard: float | None
    or_easy: bool | None
    calibrate: str | None
    shared: float | None
    queue: str | None
    candidates: str | None
    front: float | None
    priorities: str | None
    recent_waits: int | None
    shortest_long_wait: Span | float | None
    refresh: bool | None
    hmm_floor: float | None
    first_edge: Span | float | None
    ratio: float | None

class Job:
    @property
    def id(self) -> int: ...
    @property
    def number(self) -> int: ...
    @property
    def submit(self) -> int: ...
    @property
    def limit(self) -> int: ...
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
    def run_time(self) -> int | None: ...

class Node:
    @property
    def index(self) -> int: ...
    @property
    def features(self) -> list[str]: ...
    @property
    def amounts(self) -> dict[str, float]: ...
    @property
    def free(self) -> dict[str, float]: ...

class Cluster:
    @property
    def now(self) -> int: ...
    @property
    def idle(self) -> int: ...
    @property
    def processors(self) -> int: ...
    @property
    def queue(self) -> list[Job]: ...
    @property
    def running(self) -> list[tuple[Job, int]]: ...
    @property
    def nodes(self) -> list[Node]: ...
    def predict(self, job: Job) -> int: ...
    def fits(self, job: Job) -> bool: ...
    def request(self, job: Job) -> dict[str, Any]: ...
    def placement(self, job: Job) -> dict[int, int]: ...
    def start(self, job: Job, nodes: dict[int, int] | None = None) -> None: ...

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
    @property
    def column_names(self) -> list[str]: ...
    def __len__(self) -> int: ...
    def __getitem__(self, name: str) -> list[Any]: ...
    def to_dict(self) -> dict[str, list[Any]]: ...
    def to_pandas(self) -> pandas.DataFrame: ...
    def to_polars(self) -> polars.DataFrame: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

class Replay:
    @property
    def jobs(self) -> Table: ...
    @property
    def summary(self) -> dict[str, Any]: ...
    def to_evalys(self, path: PathLike) -> None: ...

def policies() -> list[str]: ...
def predictors() -> list[str]: ...
def orders() -> list[str]: ...
def simulate(
    trace: PathLike,
    policy: PolicyChoice | None = None,
    *,
    procs: int | None = None,
    limit_jobs: int | None = None,
    overrun: str = "keep",
    seed: int = 0,
    reading: Reading = ...,
    **options: Unpack[Options],
) -> Replay: ...
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
    reading: Reading = ...,
    **options: Unpack[Options],
) -> Table: ...
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
    reading: Reading = ...,
) -> WhatIf: ...
def import_log(
    logs: PathLike | Iterable[PathLike],
    output: PathLike | None = None,
    *,
    procs: int | None = None,
    key: PathLike | None = None,
    reading: Reading = ...,
) -> Imported: ...
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
    reading: Reading = ...,
) -> WaitAnswer: ...

class Distribution:
    @staticmethod
    def single(seconds: int) -> Distribution: ...
    @staticmethod
    def limit() -> Distribution: ...
    def quantile(self, quantile: float, age: int = 0, *, limit: int) -> int: ...
    @property
    def bins(self) -> list[tuple[float, float]]: ...

class Predictor:
    def __init__(self, *, jobs: int = 4096, histories: int = 16384) -> None: ...
    def submit(self, id: int, now: int, *, user: int, limit: int, processors: int) -> None: ...
    def start(self, id: int, now: int) -> None: ...
    def end(self, id: int, now: int) -> None: ...
    def cancel(self, id: int, now: int) -> None: ...
    def predict(self, now: int, *, user: int, limit: int, processors: int) -> Distribution: ...

class Scheduler:
    def __init__(self, settings: str = "") -> None: ...
    def configure(self, settings: str) -> None: ...
    def set_pool(self, name: str, units: int, *, idle: int | None = None) -> None: ...
    def set_node(
        self,
        name: str,
        pool: str,
        *,
        processors: int,
        memory: int = 0,
        gpus: int = 0,
        features: Sequence[str] = (),
        state: str = "up",
        until: int = 0,
        weight: int = 0,
    ) -> None: ...
    def set_queue(self, name: str, pool: str) -> None: ...
    def set_job(
        self,
        now: int,
        id: int,
        state: str = "waiting",
        *,
        user: str = "",
        processors: int = 0,
        limit: int = 0,
        submit: int = 0,
        begin: int = 0,
        start: int = 0,
        ran: int = 0,
        priority: float = 0.0,
        tier: int = 0,
        units: int = 0,
        restarts: int = 0,
        tasks: int = 0,
        at_once: int = 0,
        why: str = "",
        queue: str | None = None,
        prediction: Distribution | None = None,
        each: tuple[int, int, int] | None = None,
        packed: bool = False,
        exclusive: bool = False,
        features: Sequence[str] = (),
        nodes: Mapping[str, int] | None = None,
    ) -> None: ...
    def set_priority(self, id: int, priority: float, *, tier: int = 0) -> None: ...
    def begin_listing(self, now: int) -> None: ...
    def end_listing(self, now: int) -> bool: ...
    def wake(self, now: int) -> int | None: ...
    def decide(
        self, now: int, start: Callable[[dict[str, Any]], bool | int | str], *, pool: str | None = None
    ) -> list[int]: ...
    def record(self, folder: PathLike | None, *, say: Callable[[str], object] | None = None) -> None: ...
    def planned_starts(
        self, now: int, jobs: Sequence[int], *, pool: str | None = None
    ) -> dict[int, int | None]: ...
    def reason(self, now: int, id: int) -> dict[str, Any]: ...
    def reasons(
        self, now: int, jobs: Sequence[int], *, names: Mapping[int, str] = {}, pool: str | None = None
    ) -> dict[int, dict[str, Any]]: ...
    def try_job(
        self,
        now: int,
        *,
        user: str = "",
        processors: int,
        limit: int = 0,
        begin: int = 0,
        priority: float = 0.0,
        tier: int = 0,
        tasks: int = 0,
        queue: str | None = None,
        prediction: Distribution | None = None,
        each: tuple[int, int, int] | None = None,
        packed: bool = False,
        exclusive: bool = False,
        features: Sequence[str] = (),
    ) -> dict[str, Any]: ...
    def predicted_starts(
        self,
        now: int,
        jobs: Sequence[int],
        *,
        scenarios: int = 20,
        report: bool = False,
        pool: str | None = None,
    ) -> dict[int, list[int | None] | None]: ...
    def run_time(self, now: int, id: int, quantile: float) -> int: ...
    def totals(self) -> dict[str, int]: ...
    def checkpoint(self) -> bytes: ...
    @staticmethod
    def restored(checkpoint: bytes) -> Scheduler: ...

class Pass:
    def __init__(
        self, *, processors: int, running: int = 256, candidates: int = 256, events_per_bin: int = 4
    ) -> None: ...
    def begin(self, now: int, *, idle: int, head: int, head_processors: int, head_waited: int = 0) -> None: ...
    def add_running(self, processors: int, age: int, limit: int, runtime: Distribution) -> int: ...
    def add_candidate(self, processors: int, limit: int, runtime: Distribution) -> int: ...
    def decide(
        self,
        *,
        criterion: str = "relative",
        threshold: float = 0.05,
        budget: float = ...,
        slip: float = ...,
        or_easy: bool = False,
        unmeasured: bool = False,
    ) -> list[int]: ...
    def judgements(self) -> list[tuple[float, str]]: ...
    def head_start_quantile(self, probability: float) -> int: ...
    def head_start_quantiles(self, probabilities: Sequence[float]) -> list[int]: ...

class Waits:
    def __init__(self, *, quantile: float = 0.95, confidence: float = 0.95) -> None: ...
    def submit(self, id: int, now: int, *, requested: int = 0, processors: int = 0) -> int | None: ...
    def start(self, id: int, now: int) -> int: ...
    def cancel(self, id: int, now: int) -> None: ...
    def known(self, wait: int, *, requested: int = 0, processors: int = 0) -> None: ...

class Sizing:
    def __init__(self, *, processors: int, running: int = 256) -> None: ...
    def begin(self, idle: int) -> None: ...
    def add_running(self, processors: int, age: float, *, shortest: float, longest: float) -> None: ...
    def choose(
        self, *, sequential: float, parallelism: float, sigma: float, most: int = ..., weight: float = 1.0
    ) -> dict[str, float]: ...
