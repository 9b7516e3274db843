"""Replays from Python against the built-in policies, and against schedules made by hand."""

import errno
import functools
import os

import pandas
import polars
import pyarrow
import pytest
import surefill
from surefill import Policy, QueueOrder, RuntimePredictor


class OwnFcfs(Policy):
    """First come, first served, in Python."""

    def schedule(self, cluster):
        for job in cluster.queue:
            if job.processors > cluster.idle:
                break
            cluster.start(job)


class OwnEasy(Policy):
    """EASY by limits, in Python: the rules as the simulator's documentation states them."""

    name = "python-easy"

    def schedule(self, cluster):
        queue = cluster.queue
        while queue and queue[0].processors <= cluster.idle:
            cluster.start(queue.pop(0))
        if not queue or cluster.idle == 0:
            return
        head, now = queue[0], cluster.now
        ends = sorted((max(start + job.limit, now + 1), job.processors) for job, start in cluster.running)
        free, shadow = cluster.idle, now
        for end, processors in ends:
            if free >= head.processors and end > shadow:
                break
            free += processors
            shadow = end
        extra = free - head.processors
        for job in queue[1:]:
            if job.processors > cluster.idle:
                continue
            in_time = now + max(job.limit, 1) <= shadow
            if in_time or job.processors <= extra:
                cluster.start(job)
                extra -= 0 if in_time else job.processors


class LastTwo(RuntimePredictor):
    """Tsafrir's predictor: the mean of the user's last two run times."""

    def __init__(self):
        self.runs = {}

    def predict(self, job):
        runs = self.runs.get(job.user, [])
        # Halves are rounded up, as in Rust.
        return int(sum(runs) / 2 + 0.5) if len(runs) == 2 else job.limit

    def finished(self, job):
        self.runs[job.user] = (self.runs.get(job.user, []) + [job.run_time])[-2:]


class OwnSjf(QueueOrder):
    def value(self, job, now, predicted):
        return predicted


def test_python_and_rust_make_the_same_schedule(demo):
    for own, built_in in [
        (OwnFcfs, "fcfs"),
        (OwnEasy, "easy"),
        (("easy", LastTwo), "easy:mean2"),
        (("easy", "limit", OwnSjf), "easy:limit:sjf"),
    ]:
        mine = surefill.simulate(demo, own, limit_jobs=1500)
        theirs = surefill.simulate(demo, built_in, limit_jobs=1500)
        assert mine.jobs["start_s"] == theirs.jobs["start_s"], built_in


def test_python_classes_stand_beside_built_in_ones(demo, tmp_path):
    page = tmp_path / "page.html"
    policies = ["easy", "delay", OwnEasy, ("easy", LastTwo, OwnSjf)]
    table = surefill.compare(demo, policies, limit_jobs=400, seeds=2, html=page)
    assert table["policy"] == ["easy", "prob", "python-easy", "easy"]
    assert table["label"][2:] == ["python-easy (limit, fcfs)", "easy (LastTwo, OwnSjf)"]
    assert table["predictor"] == ["limit", "mix", "limit", "LastTwo"]
    assert table["order"] == ["fcfs", "delay", "fcfs", "OwnSjf"]
    assert table["mean_wait_s"][0] == table["mean_wait_s"][2] and table["spread_mean_wait_s"][0] > 0
    assert "python-easy" in page.read_text() and "<script src" not in page.read_text()
    assert "python-easy" in surefill.policies()


def test_labels_tell_policies_apart_as_the_page_does(demo, tmp_path):
    page = tmp_path / "page.html"
    policies = ["easy", "easy++", "delay", "delay-fast", "easy:mean2:sjbf"]
    table = surefill.compare(demo, policies, limit_jobs=200, html=page)
    assert table.column_names[0] == "label" and len(set(table["label"])) == len(policies)
    for name, label in zip(("easy", "easy++", "delay", "delay-fast", "easy"), table["label"]):
        assert label.startswith(name + " (") and label in page.read_text()
    assert table["label"][0] == "easy (limit, fcfs)" and table["label"][4] == "easy (mean2, sjbf)"
    assert table["policy"][2:4] == ["prob", "prob"]


def test_two_classes_of_one_name_are_refused(demo):
    def made(value):
        class Own(QueueOrder):
            def value(self, job, now, predicted):
                return value * job.processors

        return Own

    narrow, wide = made(1), made(-1)
    with pytest.raises(ValueError, match="two different order classes are called 'Own'"):
        surefill.compare(demo, [("easy", "limit", narrow), ("easy", "limit", wide)], limit_jobs=50)
    narrow.name, wide.name = "narrow-first", "wide-first"
    table = surefill.compare(demo, [("easy", "limit", narrow), ("easy", "limit", wide), ("easy", "limit", narrow)], limit_jobs=500)
    waits = table["mean_wait_s"]
    assert waits[0] == waits[2] != waits[1]
    with pytest.raises(TypeError, match="needs a name"):
        surefill.simulate(demo, ("easy", "limit", functools.partial(narrow)), limit_jobs=50)


def test_tables_are_arrow(demo):
    replay = surefill.simulate(demo, "easy", limit_jobs=300)
    jobs = replay.jobs
    arrow = pyarrow.table(jobs)
    assert arrow.num_rows == len(jobs) == 300 and arrow.schema.field("wait_s").type == pyarrow.int64()
    assert polars.DataFrame(jobs)["wait_s"].to_list() == jobs["wait_s"]
    frame = jobs.to_pandas()
    assert isinstance(frame, pandas.DataFrame)
    waits = frame["start_s"] - frame["submit_s"]
    assert (waits == frame["wait_s"]).all()
    assert replay.summary["mean_wait_s"] == pytest.approx(waits.mean())
    assert arrow["head"].null_count == 300 - replay.summary["backfilled"]
    assert jobs.to_polars().shape == (300, 11)


def test_by_hand(tiny):
    # The second fills the machine, so that the third, ahead by its limit, is let through.
    trace = tiny(8, [(0, 100, 5, 100, 1), (1, 10, 8, 10, 1), (2, 50, 3, 60, 1)])
    assert surefill.simulate(trace, "easy").jobs["start_s"] == [0, 100, 2]
    assert surefill.simulate(trace, "fcfs").jobs["start_s"] == [0, 100, 110]


def test_what_classes_raise_is_raised(tiny):
    trace = tiny(8, [(0, 100, 5, 100, 1), (1, 10, 8, 10, 1), (2, 50, 3, 60, 1)])

    class Broken(Policy):
        def schedule(self, cluster):
            raise KeyError("mine")

    class Greedy(Policy):
        def schedule(self, cluster):
            for job in cluster.queue:
                cluster.start(job)

    class Lazy(Policy):
        def schedule(self, cluster):
            pass

    class Seer(RuntimePredictor):
        def predict(self, job):
            return job.run_time

    class Words(QueueOrder):
        def value(self, job, now, predicted):
            return "first"

    with pytest.raises(KeyError, match="mine"):
        surefill.simulate(trace, Broken)
    with pytest.raises(ValueError, match="job 1 needs 8 processors, 3 are idle"):
        surefill.simulate(trace, Greedy)
    with pytest.raises(RuntimeError, match="left 3 jobs waiting"):
        surefill.simulate(trace, Lazy)
    # Nobody sees the future.
    with pytest.raises(TypeError):
        surefill.simulate(trace, ("easy", Seer))
    with pytest.raises(TypeError):
        surefill.simulate(trace, ("easy", "limit", Words))
    with pytest.raises(NotImplementedError):
        surefill.simulate(trace, Policy)
    # A replay afterwards is none the worse.
    assert surefill.simulate(trace, "easy").jobs["start_s"] == [0, 100, 2]


def test_what_makes_no_sense_is_refused(demo, tmp_path):
    for arguments, why in [
        (("best",), "no policy is named 'best'"),
        (("easy:oracle",), "no predictor is named 'oracle'"),
        ((("easy", "limit", "fcfs", "exact"),), "may be left out"),
    ]:
        with pytest.raises(ValueError, match=why):
            surefill.simulate(demo, *arguments)
    with pytest.raises(ValueError, match="is not keep, cut or raise"):
        surefill.simulate(demo, overrun="kill")
    with pytest.raises(ValueError, match="at least 1"):
        surefill.compare(demo, seeds=0)
    with pytest.raises(TypeError, match="a policy is a name or a class"):
        surefill.simulate(demo, 7)
    class Taken(Policy):
        name = "easy"

    with pytest.raises(ValueError, match="'easy' is the name of a built-in one"):
        surefill.simulate(demo, Taken)


def test_files_that_cannot_be_used_are_errors_of_the_system(demo, tmp_path):
    missing = tmp_path / "no.swf"
    for use in (surefill.simulate, surefill.compare):
        with pytest.raises(FileNotFoundError) as raised:
            use(missing)
        error = raised.value
        assert (error.errno, error.filename, error.strerror) == (errno.ENOENT, str(missing), os.strerror(errno.ENOENT))
        with pytest.raises(IsADirectoryError) as raised:
            use(str(tmp_path))
        assert (raised.value.errno, raised.value.filename) == (errno.EISDIR, str(tmp_path))
    with pytest.raises(NotADirectoryError):
        surefill.simulate(demo / "trace")
    nowhere = tmp_path / "no" / "file"
    with pytest.raises(FileNotFoundError) as raised:
        surefill.compare(demo, ["fcfs"], limit_jobs=10, html=nowhere)
    assert raised.value.filename == str(nowhere)
    with pytest.raises(FileNotFoundError) as raised:
        surefill.simulate(demo, "fcfs", limit_jobs=10).to_evalys(nowhere)
    assert raised.value.filename == str(nowhere)
    # What is wrong with the content is no error of the system, and is named.
    plain = tmp_path / "plain.swf.gz"
    plain.write_text("1 2 3")
    with pytest.raises(ValueError, match="not compressed by gzip, as its name says"):
        surefill.simulate(plain)
    with pytest.raises(ValueError, match="no job to replay"):
        surefill.simulate(os.devnull)


@pytest.mark.skipif(not hasattr(os, "seteuid"), reason="there are no users here")
def test_a_file_of_others(tmp_path):
    secret = tmp_path / "secret.swf"
    secret.write_text("")
    secret.chmod(0)
    root = os.geteuid() == 0
    try:
        if root:
            # Root may read everything; nobody may not.
            os.seteuid(65534)
        with pytest.raises(PermissionError) as raised:
            surefill.simulate(secret)
    finally:
        if root:
            os.seteuid(0)
    assert (raised.value.errno, raised.value.filename) == (errno.EACCES, str(secret))


def test_numbers_out_of_range_are_refused_by_name(demo):
    for arguments in [
        {"seed": -1},
        {"seed": 2**64},
        {"seeds": 0},
        {"seeds": -(2**70)},
        {"procs": 0},
        {"procs": 2**32},
        {"limit_jobs": -5},
        {"limit_jobs": 0},
    ]:
        (name, value), = arguments.items()
        why = f"{name} is a whole number, at least [01] and at most [0-9]+, not {value}"
        with pytest.raises(ValueError, match=why):
            surefill.compare(demo, ["fcfs"], **arguments)
        if name != "seeds":
            with pytest.raises(ValueError, match=why):
                surefill.simulate(demo, "fcfs", **arguments)
    with pytest.raises(TypeError, match="seed: 'float' object"):
        surefill.simulate(demo, "fcfs", seed=1.5)
    # The largest seed there is.
    assert len(surefill.simulate(demo, "fcfs", limit_jobs=10, seed=2**64 - 1).jobs) == 10


def test_nothing_to_compare_is_refused(demo):
    with pytest.raises(ValueError, match="compare needs at least one trace"):
        surefill.compare([])
    with pytest.raises(ValueError, match="compare needs at least one policy"):
        surefill.compare(demo, [])
    with pytest.raises(ValueError, match="compare needs at least one policy"):
        surefill.compare([demo], iter(()))


def test_evalys_reads_schedules(demo, tmp_path):
    jobset = pytest.importorskip("evalys.jobset", reason="evalys does not install here")
    path = tmp_path / "jobs.csv"
    replay = surefill.simulate(demo, "easy", limit_jobs=500)
    replay.to_evalys(path)
    read = jobset.JobSet.from_csv(str(path))
    frame = read.df
    assert len(frame) == 500
    assert list(frame["waiting_time"]) == replay.jobs["wait_s"]
    widths = [len(held) for held in frame["allocated_resources"]]
    assert widths == replay.jobs["processors"]
    # No processor is in use twice at one time.
    held = {}
    for start, end, processors in sorted(zip(frame["starting_time"], frame["finish_time"], frame["allocated_resources"])):
        for processor in processors:
            assert held.get(processor, 0) <= start
            held[processor] = end
