# SPDX-License-Identifier: MIT OR Apache-2.0
"""Reads all jobs of a Flux instance from its KVS, and fails where a core or GPU was two jobs' at once, or R is not what a job asked for.

    flux python audit.py [--waits]      --waits prints id, submission, start, end and cores of each job
"""

import sys

import flux
from flux.idset import IDset
from flux.job import JobID, JobList, job_kvs_lookup
from flux.resource.Rv1Pool import ResourceRequest, Rv1Pool
from flux.resource.Rv1Set import Rv1Set


def allocations():
    """Id, events by name, jobspec and R of each job."""
    handle = flux.Flux()
    for job in JobList(handle, max_entries=0, filters=["pending", "running", "inactive"], user="all").jobs():
        found = job_kvs_lookup(handle, job.id, keys=["eventlog", "jobspec", "R"]) or {}
        if "eventlog" not in found:
            found = job_kvs_lookup(handle, job.id, keys=["eventlog", "jobspec"])
        events = {}
        for line in found["eventlog"].splitlines():
            event = flux.job.EventLogEvent(line)
            events.setdefault(event.name, event.timestamp)
        yield job.id, events, found["jobspec"], found.get("R")


def check_shape(jobid, jobspec, R, everything):
    """R has as many nodes, cores and GPUs as the job asked for, on ranks that its constraint admits."""
    spec, held = ResourceRequest.from_jobspec(jobspec), Rv1Set(R)
    ranks = held.ranks()
    if spec.node_count is not None:
        assert len(ranks) == spec.nnodes, f"{jobid}: {len(ranks)} nodes, not {spec.nnodes}"
    if spec.exclusive:
        for rank in ranks:
            whole, own = everything._ranks[rank], held._ranks[rank]
            assert own["cores"] == whole["cores"] and own["gpus"] == whole["gpus"], f"{jobid}: not alone on {rank}"
    else:
        cores = sum(len(node["cores"]) for node in held._ranks.values())
        gpus = sum(len(node["gpus"]) for node in held._ranks.values())
        assert (cores, gpus) == (spec.ncores, spec.ngpus), f"{jobid}: {cores} cores, {gpus} GPUs"
    if spec.constraint:
        admitted = everything.copy_constraint(spec.constraint).ranks()
        assert all(rank in admitted for rank in ranks), f"{jobid}: {ranks} against {spec.constraint}"


def main():
    everything = Rv1Pool(flux.kvs.get(flux.Flux(), "resource.R"))
    held, jobs = {}, 0
    for jobid, events, jobspec, R in allocations():
        name = JobID(jobid).f58
        if "alloc" not in events:
            continue
        jobs += 1
        check_shape(name, jobspec, R, everything)
        begin, end = events["alloc"], events.get("free", float("inf"))
        for node in R["execution"]["R_lite"]:
            for rank in IDset(node["rank"]):
                for kind, ids in node["children"].items():
                    for number in IDset(ids):
                        held.setdefault((rank, kind, number), []).append((begin, end, name))
        if "--waits" in sys.argv:
            spec = ResourceRequest.from_jobspec(jobspec)
            print(name, events["submit"], begin, events.get("finish", end), spec.ncores)
    for what, times in held.items():
        times.sort()
        for (_, end, one), (begin, _, other) in zip(times, times[1:]):
            assert begin >= end, f"{what} was {one}'s when {other} got it"
    print(f"audit: {jobs} jobs on {len(held)} cores and GPUs, none of which was two jobs' at once", file=sys.stderr)


main()
