import pathlib

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
