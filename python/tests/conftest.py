import json
import os
import pathlib
import subprocess

import pytest

DEMO = pathlib.Path(__file__).parents[2] / "demo" / "workload.swf.gz"


@pytest.fixture(scope="session")
def demo():
    return DEMO


@pytest.fixture
def tiny(tmp_path):
    """Jobs as (submit, run time, processors, limit, user) on a machine of `processors`, as a trace."""

    def write(procs, jobs):
        path = tmp_path / "tiny.swf"
        lines = [f"; MaxProcs: {procs}"]
        for number, (submit, run_time, processors, limit, user) in enumerate(jobs):
            lines.append(f"{number} {submit} -1 {run_time} {processors} -1 -1 {processors} {limit} -1 1 {user} -1 -1 -1 -1 -1 -1")
        path.write_text("\n".join(lines) + "\n")
        return path

    return write


@pytest.fixture
def command():
    """The command's JSON, by the program that SUREFILL_BIN names."""
    program = os.environ.get("SUREFILL_BIN")
    if not program:
        pytest.skip("SUREFILL_BIN does not name the command")

    def run(*words, text=False):
        done = subprocess.run([program, *map(str, words)], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout if text else json.loads(done.stdout)

    return run


@pytest.fixture
def accounting(tmp_path):
    """400 jobs of three users in two partitions on a crowded machine of 8 processors, as sacct prints them."""
    lines = ["JobID|Submit|Start|End|Timelimit|AllocCPUS|User|Account|Partition|State"]
    for i in range(400):
        submit = 1_704_067_200 + i * 36_000 + i * 7919 % 5000
        start, processors, run = submit + 600 * (i % 9), 1 + i * 5 % 8, 1 + i * i * 31 % 90_000
        partition, user = ("long" if run > 40_000 else "batch"), ("ann", "bob", "carol")[i % 3]
        times = f"{submit}|{start}|{start + run}|{1 + run // 80_000}-00:00:00"
        lines.append(f"{i}|{times}|{processors}|{user}|g{i % 2}|{partition}|COMPLETED")
    lines.append(f"900|{submit}|Unknown|Unknown|1-00:00:00|2|ann|g0|batch|PENDING")
    path = tmp_path / "sacct.txt"
    path.write_text("\n".join(lines) + "\n")
    return path
