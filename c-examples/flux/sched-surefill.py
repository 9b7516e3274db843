# SPDX-License-Identifier: MIT OR Apache-2.0
"""A scheduler for Flux: surefill's engine between Flux's reports and its allocations.

    flux module remove sched-simple
    flux module load sched-surefill.py preset=fair state=/var/lib/flux/surefill

Flux's base class speaks the protocol (RFC 27) and its resource pool knows which cores are whose; the engine decides
which jobs start now and on which nodes, and plans a start for all others. README.md has the settings, and what is left
to Flux.
"""

import math
import os
import time

from flux.job import JobID, job_kvs_lookup
from flux.resource import InfeasibleRequest, InsufficientResources
from flux.resource.ResourcePool import ResourcePool
from flux.resource.Rv1Pool import Rv1Pool
from flux.scheduler import AllocRequest, Scheduler
from surefill import Scheduler as Engine

POOL = "flux"

# The engine knows 64 features; each stands for the ranks that a constraint of waiting jobs admits.
CONSTRAINTS = 63

# The reason of a job whose start lies beyond the forecast's range, in place of an instant.
CANNOT_TELL = "cannot tell when it starts: longer waits are not known"

# Jobs taken back by a stopped queue or a changed time limit that are remembered at most, with the begin of their wait.
TAKEN_BACK = 10000

KNOWN_TYPES = ("node", "slot", "core", "gpu")


def refuse_what_is_not_known(resources, seen=()):
    """Raises InfeasibleRequest for a shape that neither R nor the engine can express, which Flux's parser passes by."""
    if len(resources) > 1 and any(r.get("type") in ("node", "slot") for r in resources):
        raise InfeasibleRequest("several different nodes or slots in one job are not supported")
    for resource in resources:
        kind = resource.get("type")
        if kind not in KNOWN_TYPES:
            raise InfeasibleRequest(f"resource type '{kind}' is not supported")
        if kind in seen:
            raise InfeasibleRequest(f"a {kind} within a {kind} is not supported")
        refuse_what_is_not_known(resource.get("with", []), (*seen, kind))


def shape(spec):
    """A request as the engine takes it: its tasks are nodes with all their slots, or slots that may share nodes."""
    if spec.node_count is None:
        return {"processors": spec.nslots, "each": (spec.slot_size, 0, spec.gpu_per_slot), "packed": True}
    slots = spec.nslots // spec.nnodes
    each = (slots * spec.slot_size, 0, slots * spec.gpu_per_slot)
    return {"processors": spec.nnodes, "each": each, "exclusive": spec.exclusive}


class Placed(Rv1Pool):
    """Flux's pool of resources, which allocates on the ranks that the engine has offered."""

    place = None

    def parse_resource_request(self, jobspec):
        spec = super().parse_resource_request(jobspec)
        refuse_what_is_not_known(jobspec["resources"])
        return spec

    def nodes(self):
        """By rank its cores, its GPUs, and whether it is up."""
        return {rank: (len(r["cores"]), len(r["gpus"]), r["up"]) for rank, r in self._ranks.items()}

    def admitted(self, constraint):
        """The ranks that a constraint admits; None for all of them."""
        ranks = frozenset(self._ranks if constraint is None else self.copy_constraint(constraint)._ranks)
        return None if len(ranks) == len(self._ranks) else ranks

    def _check_feasibility(self, request):
        super()._check_feasibility(request)
        # The base class looks at one slot of a node that is wanted whole.
        wants = shape(request)
        if self.room(wants, self.admitted(request.constraint), anywhere=True) < wants["processors"]:
            raise InfeasibleRequest("unsatisfiable request: no node has so many slots")

    def room(self, wants, ranks, anywhere=False):
        """How many of its tasks have room on these ranks without what runs, where they are up or anywhere."""
        (cores, _, gpus), tasks = wants["each"], 0
        for rank, node in self._ranks.items():
            if (node["up"] or anywhere) and (ranks is None or rank in ranks):
                fit = len(node["cores"]) // cores
                if gpus:
                    fit = min(fit, len(node["gpus"]) // gpus)
                tasks += fit if wants.get("packed") else min(fit, 1)
        return tasks

    def holding(self):
        """An allocation as the engine takes it, where only R is known."""
        nodes = {rank: (len(node["cores"]), len(node["gpus"])) for rank, node in self._ranks.items()}
        units = {rank: math.gcd(*amounts) for rank, amounts in nodes.items()}
        each = {(cores // units[rank], gpus // units[rank]) for rank, (cores, gpus) in nodes.items()}
        if len(each) != 1:
            # Cores and GPUs in several proportions: no other job starts on these nodes meanwhile.
            names = {str(rank): 1 for rank in nodes}
            return {"processors": len(nodes), "each": (1, 0, 0), "exclusive": True, "nodes": names}
        ((cores, gpus),) = each
        names = {str(rank): tasks for rank, tasks in units.items()}
        return {"processors": sum(units.values()), "each": (cores, 0, gpus), "packed": True, "nodes": names}

    def _select_resources(self, candidates, request):
        wants = shape(request)
        (cores, _, gpus), selected = wants["each"], []
        for rank, _, free_cores, free_gpus in candidates:
            tasks = self.place.get(str(rank), 0)
            if tasks == 0 or len(free_cores) < tasks * cores or len(free_gpus) < tasks * gpus:
                continue
            if not request.exclusive:
                free_cores = frozenset(sorted(free_cores)[: tasks * cores])
                free_gpus = frozenset(sorted(free_gpus)[: tasks * gpus])
            selected.append((rank, frozenset(free_cores), frozenset(free_gpus)))
        if len(selected) < len(self.place):
            self._check_feasibility(request)
            raise InsufficientResources("the engine's nodes are not free")
        return selected, request.nslots


class Pool(ResourcePool):
    """The wrapper that the base class wants of a pool."""

    def __init__(self, R=None, log=None):
        self.impl, self.version = Placed(R, log=log), 1


class Pending:
    """A job that waits: its request, as reported to the engine, and its annotations as last sent."""

    def __init__(self, request: AllocRequest, spec, wants, ranks):
        self.request, self.spec, self.wants, self.ranks = request, spec, wants, ranks
        self.known = False  # to the engine
        self.median = None  # of its forecast; infinite beyond all that is known
        self.why = self.words = None  # the engine's reason and its words, which until then keep their numbers
        self.words_until = 0.0
        self.annotations = {}

    def tell(self, **sched):
        """Annotates what has changed."""
        news = {key: value for key, value in sched.items() if self.annotations.get(key) != value}
        if news:
            self.annotations.update(news)
            self.request.annotate({"sched": news})


class SurefillScheduler(Scheduler):
    """Reports what Flux says to the engine, and allocates what it offers."""

    queue_depth = "unlimited"
    pool_class = Pool

    def __init__(self, h, *args):
        super().__init__(h, *args)
        self._queue = {}  # of Pending, by job id; the base class only asks whether it is empty
        self.running = {}  # running jobs as reported to the engine, by id
        self.waits_from = {}  # when a job was first asked for; kept while it is taken back
        self.nodes = {}  # as reported, by rank
        self.been_up = set()
        self.constraints = {}  # the feature for the ranks that a constraint admits
        self.file, self.like, self.scale, self.starts, self.tell = None, "user", 1.0, 60.0, 2.0
        folder = None  # of records
        words = []
        for arg in self._pending_args:
            word, _, value = arg.partition("=")
            if word == "state":
                self.file = value
            elif word == "record":
                folder = value
            elif word == "like" and value in ("user", "name"):
                self.like = value
            elif word in ("scale", "starts", "tell"):
                setattr(self, word, float(value))
            elif arg == "mode=shadow":
                raise ValueError("mode=shadow: an instance has one scheduler, and nobody else would start its jobs")
            else:
                words.append(arg)
        self._pending_args = []
        if self.scale <= 0:
            raise ValueError("scale= more than 0")
        self.engine = self.opened()
        self.engine.record(folder, say=lambda message: self.log.error(message))
        # Flux's word for a start is final.
        self.engine.configure(" ".join(["settle=0", *words]))
        self.counts = {"busy": 0, "denied": 0, "reported": 0, "moved": 0}
        self.ready = None
        self.refused = set()  # in the last decision
        self.saved = self.forecast_at = self.annotated_at = 0.0
        self.wake_timer = h.timer_watcher_create(0.0, lambda *_: self._request_schedule())
        self.tell_timer = h.timer_watcher_create(0.0, lambda *_: self._request_forecast())

    # The engine, its time and its state file

    def now(self):
        return int(time.time() * self.scale)

    def seconds(self, span):
        # The difference of two instants is not exact: another limit would be another kind of job.
        return math.ceil(round(span * self.scale, 3))

    def report(self, jobid, state="waiting", **what):
        try:
            self.engine.set_job(self.now(), jobid, state, **what)
        except ValueError as exc:
            self.log.error(f"{JobID(jobid).f58} {state}: {exc}")
            return False
        return True

    def opened(self):
        if self.file is None or not os.path.exists(self.file):
            return Engine()
        with open(self.file, "rb") as file:
            checkpoint = file.read()
        try:
            return Engine.restored(checkpoint)
        except ValueError as exc:
            os.replace(self.file, self.file + ".refused")
            self.log.error(f"{self.file}: {exc}; kept as {self.file}.refused, starting without what was learnt")
            return Engine()

    def save(self):
        self.saved = time.time()
        if self.file is None:
            return
        try:
            with open(self.file + ".new", "wb") as file:
                file.write(self.engine.checkpoint())
                file.flush()
                os.fsync(file.fileno())
            os.replace(self.file + ".new", self.file)
        except OSError as exc:
            self.log.error(f"state not saved: {exc}")

    def run(self):
        self.saved = time.time()
        try:
            super().run()
        finally:
            self.save()

    # Resources

    def resource_update(self):
        nodes = self.resources.impl.nodes()
        for rank in self.nodes.keys() - nodes.keys():
            # It has been taken out of the instance.
            self.engine.set_node(str(rank), POOL, **{**self.nodes.pop(rank), "state": "down"})
        for rank, (cores, gpus, up) in sorted(nodes.items()):
            # One that has never been up is expected, for as long as the word `grace`; another one is drained or lost.
            state = "up" if up else "closed" if rank in self.been_up else "awaited"
            if up:
                self.been_up.add(rank)
            features = [name for ranks, name in self.constraints.items() if rank in ranks]
            report = {"processors": cores, "gpus": gpus, "features": features, "state": state}
            if self.nodes.get(rank) != report:
                self.nodes[rank] = report
                self.engine.set_node(str(rank), POOL, **report)

    def feature(self, ranks):
        """The features for these ranks; None where all that the engine has are in use."""
        if ranks is None:
            return []
        if ranks not in self.constraints:
            if len(self.constraints) == CONSTRAINTS:
                used = {job.ranks for job in self._queue.values() if job.known}
                self.constraints = {old: name for old, name in self.constraints.items() if old in used}
            free = {f"ranks{n}" for n in range(CONSTRAINTS)} - set(self.constraints.values())
            if not free:
                return None
            self.constraints[ranks] = min(free)
            self.resource_update()
        return [self.constraints[ranks]]

    # Flux reports

    def _sched_hello(self):
        # The running jobs are a listing: what else the state file says to be running has ended meanwhile.
        self.engine.begin_listing(self.now())
        super()._sched_hello()
        self.engine.end_listing(self.now())
        self.ready = time.time()

    def hello(self, jobid, priority, userid, t_submit, R):
        super().hello(jobid, priority, userid, t_submit, R)
        start, end = R.impl.get_starttime(), R.impl.get_expiration()
        what = R.impl.holding()
        user = self.like_jobs(userid, self.jobspec(jobid)) if self.like == "name" else str(userid)
        what.update(user=user, priority=float(priority), submit=int(t_submit * self.scale))
        what.update(start=int(start * self.scale), limit=self.seconds(end - start) if end else 0)
        self.running[jobid] = what
        self.report(jobid, "running", **what)

    def alloc(self, request, jobid, priority, userid, t_submit, jobspec):
        pool = self.resources.impl
        try:
            spec = pool.parse_resource_request(jobspec)
            pool.check_feasibility(spec)
            ranks = pool.admitted(spec.constraint)
        except Exception as exc:  # whatever a jobspec makes Flux's parser raise
            self.counts["denied"] += 1
            request.deny(str(exc))
            return
        # Time in which it could not start, for a dependency say, is no wait. Right after a start of this module all
        # that wait are asked for again, and nothing is known of that.
        fresh = time.time() - self.ready > 5
        begin = self.waits_from.setdefault(jobid, time.time() if fresh else t_submit)
        wants = shape(spec)
        wants.update(user=self.like_jobs(userid, jobspec), priority=float(priority), limit=self.seconds(spec.duration))
        wants.update(submit=int(t_submit * self.scale), begin=min(int(begin * self.scale), self.now()))
        job = self._queue[jobid] = Pending(request, spec, wants, ranks)
        self.ask(jobid, job)

    def like_jobs(self, userid, jobspec):
        """By what the engine knows jobs that run alike: the user, or where all are of one user the job's name."""
        if self.like == "user":
            return str(userid)
        name = jobspec.get("attributes", {}).get("system", {}).get("job", {}).get("name")
        return str(name or os.path.basename(jobspec["tasks"][0]["command"][0]))

    def jobspec(self, jobid):
        return job_kvs_lookup(self.handle, jobid, keys=["jobspec"])["jobspec"]

    def ask(self, jobid, job):
        features = self.feature(job.ranks)
        job.known = features is not None and self.report(jobid, **job.wants, features=features)

    def cancel(self, jobid):
        job = self._queue.pop(jobid, None)
        if job is None:
            return
        if job.known:
            self.report(jobid, "gone")
        if len(self.waits_from) > TAKEN_BACK + len(self._queue):
            self.waits_from = {id: begin for id, begin in self.waits_from.items() if id in self._queue}
        job.tell(**dict.fromkeys(job.annotations))
        job.request.cancel()

    def prioritize(self, jobs):
        for jobid, priority in jobs:
            if jobid in self._queue:
                job = self._queue[jobid]
                job.wants["priority"] = float(priority)
                if job.known:
                    self.engine.set_priority(jobid, float(priority))

    def free(self, jobid, R, final=False):
        super().free(jobid, R, final)
        what = self.running.get(jobid)
        if what is None:
            return
        if not final:
            freed = {str(rank) for rank in R.impl.ranks()}
            what["nodes"] = {rank: tasks for rank, tasks in what["nodes"].items() if rank not in freed}
        if not final and what["nodes"]:
            self.report(jobid, "ending", **what)
        elif final:
            del self.running[jobid]
            self.report(jobid, "ended")

    def expiration(self, msg, jobid, expiration):
        self.resources.update_expiration(jobid, expiration)
        what = self.running.get(jobid)
        if what is not None:
            what["limit"] = max(self.seconds(expiration) - what["start"], 1) if expiration else 0
            self.report(jobid, "running", **what)
        self.handle.respond(msg, None)

    # Decisions

    def schedule(self):
        for jobid, job in self._queue.items():
            if not job.known:
                self.ask(jobid, job)
        self.refused = set()
        try:
            started = self.engine.decide(self.now(), self.start)
        except (ValueError, RuntimeError) as exc:
            # A module that ends takes its broker with it.
            self.log.error(f"nothing is decided: {exc}")
            self.wake_timer.reset(after=5)
            return
        for jobid in started:
            self.report(jobid, "running", **self.running[jobid])
        when = self.engine.wake(self.now())
        if when is not None:
            self.wake_timer.reset(after=max(when / self.scale - time.time(), 0.05))
        if time.time() - self.saved > 300:
            self.save()

    def start(self, offer):
        jobid, pool = offer["job"], self.resources.impl
        job = self._queue[jobid]
        pool.place = offer["nodes"]
        try:
            alloc = self.resources.alloc(jobid, job.spec)
        except (InsufficientResources, InfeasibleRequest) as exc:
            self.counts["busy"] += 1
            self.log.warning(f"{JobID(jobid).f58}: refused: {exc}")
            self.refused.add(jobid)
            return "busy"
        now = time.time()
        alloc.set_starttime(now)
        if job.spec.duration > 0:
            alloc.set_expiration(now + job.spec.duration)
        elif self.resources.expiration > 0:
            alloc.set_expiration(self.resources.expiration)
        job.request.success(alloc, {"sched": {"resource_summary": alloc.dumps()}})
        del self._queue[jobid]
        self.waits_from.pop(jobid, None)
        features = self.feature(job.ranks)
        self.running[jobid] = {**job.wants, "features": features, "start": self.now(), "nodes": offer["nodes"]}
        return True

    # Annotations for users

    def forecast(self):
        if time.time() < self.annotated_at + self.tell:
            self.tell_timer.reset(after=self.annotated_at + self.tell - time.time())
            return
        self.annotated_at, now = time.time(), self.now()
        known = [jobid for jobid, job in self._queue.items() if job.known]
        try:
            names = {jobid: JobID(jobid).f58 for jobid in known}
            reasons = self.engine.reasons(now, known, names=names)
        except ValueError as exc:
            self.log.error(f"nothing is planned: {exc}")
            return
        if self.starts and self.annotated_at >= self.forecast_at:
            try:
                predicted = self.engine.predicted_starts(now, known, report=True)
            except ValueError:  # on nodes that jobs share, and on unlike ones
                predicted = {}
            # Nothing else is done meanwhile: it may take a twentieth of the time.
            self.forecast_at = time.time() + max(self.starts, 20 * (time.time() - self.annotated_at))
            for jobid in known:
                by = predicted.get(jobid)
                self._queue[jobid].median = by and (math.inf if by[2] is None else by[2] / self.scale)
        planned, rooms = {jobid: reason["start"] for jobid, reason in reasons.items()}, {}

        def room(job):
            key = (job.wants["each"], job.wants.get("packed"), job.ranks)
            if key not in rooms:
                rooms[key] = self.resources.impl.room(job.wants, job.ranks)
            return rooms[key]

        lost = {jobid for jobid, job in self._queue.items() if room(job) < job.wants["processors"]}
        self.plan_the_rest(now, planned, lost)

        def place(item):
            start = planned.get(item[0])
            return (math.inf if start is None else start, *self.rank(item[0]))

        for ahead, (jobid, job) in enumerate(sorted(self._queue.items(), key=place)):
            if jobid not in reasons:
                reason = f"more than {CONSTRAINTS} different constraints wait"
            elif jobid in lost:
                reason = "nodes are down or drained that it needs"
            elif jobid in self.refused:
                reason = "the nodes that it was offered were not free"
            elif job.median == math.inf:
                reason = CANNOT_TELL
            else:
                reason = self.words(job, reasons[jobid])
            self.tell_of(job, planned.get(jobid), reason, ahead)
            yield

    def words(self, job, reason):
        """A reason as it is annotated: while it stays the same its numbers are of some time ago."""
        why, now = (reason["why"], reason["behind"]), time.time()
        if why != job.why or now >= job.words_until:
            short = why[0] in ("no room", "head", "later", "guarded", "depth", "refused")
            job.words = ("insufficient resources: " if short else "") + reason["sentence"]
            job.why, job.words_until = why, now + max(self.starts, 60) / self.scale
        return job.words

    def rank(self, jobid):
        wants = self._queue[jobid].wants
        return (-wants["priority"], wants["submit"], jobid)

    def plan_the_rest(self, now, planned, lost):
        """Adds those behind the engine's plan, which orders 64 jobs: one after the other, as fast as the machine works."""
        cores = sum(node["processors"] for node in self.nodes.values() if node["state"] == "up")
        start = max([start for start in planned.values() if start is not None], default=now)
        rest = [jobid for jobid, planned_for in planned.items() if planned_for is None and jobid not in lost]
        for jobid in sorted(rest, key=self.rank):
            planned[jobid] = int(start)
            wants = self._queue[jobid].wants
            start += wants["processors"] * wants["each"][0] * self.engine.run_time(now, jobid, 0.5) / max(cores, 1)

    def tell_of(self, job, start, reason, ahead):
        """Annotates a pending job; its estimated start only when that has moved by more than a minute and a quarter."""
        reported, now = job.annotations.get("t_estimate"), time.time()
        estimate = None if start is None or job.median == math.inf else max(job.median or start / self.scale, now)
        holds = estimate is not None and reported is not None and reported > now
        if holds and abs(estimate - reported) <= 60 / self.scale + (reported - now) / 4:
            estimate = reported
        self.counts["reported"] += reported is None and estimate is not None
        self.counts["moved"] += reported is not None and estimate != reported
        before = job.annotations.get("jobs_ahead")
        if before is not None and abs(ahead - before) * 10 <= before and ahead:
            ahead = before
        job.tell(t_estimate=estimate, reason_pending=reason, jobs_ahead=ahead)

    def stats_get(self):
        return {**super().stats_get(), **self.counts, "engine": self.engine.totals()}


def mod_main(h, *args):
    SurefillScheduler(h, *args).run()
