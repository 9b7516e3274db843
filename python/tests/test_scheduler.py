"""A batch scheduler from Python: what it starts is what the simulator starts."""

import gzip
import heapq
import sys

import pytest
import surefill
from surefill import Distribution, Scheduler


def replay(trace, settings):
    """The starts of all jobs, by number; ends come before submissions at one second."""
    jobs, processors = [], 0
    for line in gzip.open(trace, "rt"):
        if line.startswith("; MaxProcs:"):
            processors = int(line.split()[-1])
        if not line.startswith(";"):
            fields = [int(float(field)) for field in line.split()]
            number, submit, run_time, used, asked, limit, user = (fields[i] for i in (0, 1, 3, 4, 7, 8, 11))
            wide = asked if asked > 0 else used
            jobs.append((submit, number, min(run_time, limit) if limit > 0 else run_time, wide, limit, user))
    scheduler = Scheduler(settings + " settle=0")
    scheduler.set_pool("machine", processors)
    by_number = {job[1]: job for job in jobs}
    waiting, running, starts = sorted(jobs), [], {}
    while waiting or running:
        now = min([job[0] for job in waiting[:1]] + [end for end, _ in running[:1]])
        while running and running[0][0] == now:
            scheduler.set_job(now, heapq.heappop(running)[1], "ended")
        while waiting and waiting[0][0] == now:
            submit, number, _, wide, limit, user = waiting.pop(0)
            scheduler.set_job(now, number, user=str(user), processors=wide, limit=limit, submit=submit)
        for number in scheduler.decide(now, lambda offer: True):
            starts[number] = now
            heapq.heappush(running, (now + by_number[number][2], number))
    return starts


@pytest.fixture(scope="module")
def few(tmp_path_factory, demo):
    path = tmp_path_factory.mktemp("few") / "few.swf.gz"
    with gzip.open(demo, "rt") as whole, gzip.open(path, "wt") as part:
        part.writelines([line for line in whole][:900])
    return path


@pytest.mark.parametrize("settings, policy", [("preset=fair", "fair"), ("preset=fast", "fast"), ("preset=easy", "easy")])
def test_it_starts_what_the_simulator_starts(few, settings, policy):
    replayed = surefill.simulate(few, policy)
    expected = dict(zip(replayed.jobs["number"], replayed.jobs["start_s"]))
    found = replay(few, settings)
    assert found == expected and len(found) > 500


def test_offers_are_answered():
    scheduler = Scheduler()
    scheduler.set_pool("nodes", 4)
    for id in (1, 2, 3):
        scheduler.set_job(100, id, processors=2, limit=600)
    seen = []

    def start(offer):
        seen.append(offer)
        return offer["job"] != 2

    assert scheduler.wake(100) == 100
    assert scheduler.decide(100, start) == [1, 3]
    assert [offer["job"] for offer in seen] == [1, 2, 3] and seen[2]["passes"] is None
    assert scheduler.totals()["refused"] == 1 and scheduler.totals()["started"] == 2
    # A minute later it has another chance, as soon as there is room.
    scheduler.set_job(200, 1, "ended", ran=100)
    assert scheduler.decide(200, lambda offer: True) == [2]
    scheduler.set_job(300, 4, processors=4, limit=60)
    assert scheduler.predicted_starts(300, [4, 5])[5] is None
    assert scheduler.predicted_starts(300, [4], report=True)[4][2] > 300
    assert 0 < scheduler.run_time(300, 4, 0.5) <= 60


def test_an_array_starts_task_by_task():
    scheduler = Scheduler("preset=easy")
    scheduler.set_pool("nodes", 8)
    scheduler.set_job(10, 7, processors=2, limit=60, tasks=3)
    tasks = iter([71, 72, 73])
    assert scheduler.decide(10, lambda offer: next(tasks)) == [71, 72, 73]
    assert scheduler.decide(11, lambda offer: True) == []


def test_a_checkpoint_goes_on():
    one = Scheduler("preset=fast")
    one.set_pool("nodes", 4)
    for id in range(1, 2500):
        one.set_job(id, id, user="ada", processors=1, limit=100)
        one.decide(id, lambda offer: True)
        one.set_job(id, id, "ended", ran=7)
    one.set_job(3000, 9999, user="ada", processors=4, limit=100)
    other = Scheduler.restored(one.checkpoint())
    other.set_pool("nodes", 4)
    assert other.run_time(3000, 9999, 0.5) == one.run_time(3000, 9999, 0.5) < 20
    assert other.decide(3000, lambda offer: True) == one.decide(3000, lambda offer: True) == [9999]
    for damaged in (b"", b"12345678", one.checkpoint()[:-8], b"x" + one.checkpoint()[1:]):
        with pytest.raises(ValueError):
            Scheduler.restored(damaged)


def test_listings_say_who_has_left():
    scheduler = Scheduler()
    scheduler.set_pool("nodes", 4, idle=4)
    scheduler.begin_listing(50)
    scheduler.set_job(50, 1, processors=1, limit=60)
    scheduler.set_job(50, 2, processors=1, limit=60)
    assert scheduler.end_listing(50) is False
    scheduler.begin_listing(60)
    scheduler.set_job(60, 2, processors=1, limit=60)
    scheduler.end_listing(60)
    assert scheduler.decide(60, lambda offer: True) == [2]


def test_nodes_that_are_not_set_again_are_gone():
    scheduler = Scheduler("preset=easy")
    for name in ("a", "b", "c"):
        scheduler.set_node(name, "cluster", processors=4)
    scheduler.set_job(100, 1, "running", processors=1, each=(4, 0, 0), limit=600, start=100, nodes={"b": 1})
    scheduler.set_job(100, 2, processors=2, each=(4, 0, 0), limit=300)
    scheduler = Scheduler.restored(scheduler.checkpoint())
    for name in ("c", "b"):
        scheduler.set_node(name, "cluster", processors=4)
    scheduler.begin_listing(200)
    scheduler.set_job(200, 1, "running", processors=1, each=(4, 0, 0), limit=600, start=100, nodes={"b": 1})
    scheduler.set_job(200, 2, processors=2, each=(4, 0, 0), limit=300)
    scheduler.set_job(200, 3, processors=1, each=(4, 0, 0), limit=300)
    scheduler.end_listing(200)
    offers = {}
    assert scheduler.decide(200, lambda offer: not offers.update({offer["job"]: offer["nodes"]})) == [3]
    assert offers == {3: {"c": 1}}


def test_what_is_wrong_is_said():
    with pytest.raises(ValueError, match="preset=quick"):
        Scheduler("preset=quick")
    scheduler = Scheduler()
    with pytest.raises(KeyError):
        scheduler.set_job(1, 1, processors=1)
    with pytest.raises(KeyError):
        scheduler.decide(1, lambda offer: True)
    scheduler.set_pool("nodes", 4)
    with pytest.raises(KeyError):
        scheduler.set_job(1, 1, "sleeping", processors=1)
    with pytest.raises(KeyError):
        scheduler.set_job(1, 1, processors=1, queue="none")
    with pytest.raises(ValueError):
        scheduler.set_job(1, 0, processors=1)
    with pytest.raises(ValueError):
        scheduler.set_job(1, 1, processors=-1)
    with pytest.raises(ValueError):
        scheduler.set_job(1, 77, "ended")
    with pytest.raises(ValueError):
        scheduler.set_pool("nodes", 4, idle=5)
    scheduler.set_job(1, 1, processors=1, limit=5, prediction=Distribution.single(3))
    with pytest.raises(ZeroDivisionError):
        scheduler.decide(1, lambda offer: 1 / 0)
    with pytest.raises(KeyError):
        scheduler.decide(1, lambda offer: "tired")
    with pytest.raises(TypeError):
        scheduler.decide(1, lambda offer: 1.5)
    assert scheduler.decide(1, lambda offer: True) == [1]


def test_what_waits_is_planned():
    scheduler = Scheduler("predictor=limit")
    for name in ("a", "b"):
        scheduler.set_node(name, "cluster", processors=4)
    scheduler.set_job(100, 1, "running", processors=1, each=(3, 0, 0), limit=600, start=100, nodes={"a": 1})
    scheduler.set_job(100, 2, processors=2, each=(4, 0, 0), limit=300)
    scheduler.set_job(100, 3, processors=2, each=(4, 0, 0), limit=900)
    scheduler.set_job(100, 4, processors=3, each=(3, 0, 0), limit=60)
    assert scheduler.decide(100, lambda offer: True) == []
    planned = scheduler.planned_starts(100, [2, 3, 4])
    # To the plan's four bits: 600 seconds from now are rounded up to 608.
    assert 700 <= planned[2] <= 740 and planned[2] + 300 <= planned[3] <= planned[2] + 340 and planned[4] is None
    scheduler.set_priority(3, 5.0)
    planned = scheduler.planned_starts(100, [2, 3])
    assert 700 <= planned[3] <= 740 and planned[2] >= planned[3] + 900
    # That was a question: the decision is still wanted.
    assert scheduler.wake(100) == 100
    scheduler.set_job(200, 1, "ended")
    assert scheduler.decide(200, lambda offer: True) == [3]
    with pytest.raises(ValueError):
        scheduler.planned_starts(200, [77])
    with pytest.raises(ValueError):
        scheduler.set_priority(77, 1.0)
    with pytest.raises(ValueError):
        scheduler.set_priority(2, float("nan"))


def test_reasons():
    now = 1_000_000
    scheduler = Scheduler("predictor=limit")
    scheduler.set_pool("nodes", 8)
    scheduler.set_job(now, 1, "running", processors=4, limit=96, start=now)
    scheduler.set_job(now, 2, processors=8, limit=64, submit=now - 900_000)
    scheduler.set_job(now, 3, processors=4, limit=192)
    scheduler.set_job(now, 4, "held", processors=4, limit=192, why="dependency")
    assert scheduler.decide(now, lambda offer: True) == []
    held = scheduler.reason(now, 4)
    assert (held["why"], held["sentence"]) == ("dependency", "held by the manager: dependency")
    assert scheduler.reason(now, 3)["sentence"] == "planned in 2 min: what is idle is kept for job 2"
    found = scheduler.reasons(now, [2, 3, 4], names={2: "the wide one"})
    assert found[2]["sentence"] == "no room: 4 of 8 processors are idle, it wants 8; planned in 1 min"
    assert (found[3]["why"], found[3]["behind"], found[3]["start"], found[3]["place"]) == ("later", 2, now + 160, 2)
    assert (found[3]["saves"], found[3]["costs_others"], found[2]["saves"]) == (160, 96, None)
    assert found[4] == held | {"idle": 4}
    # That was a question, as is what would become of another job.
    before = scheduler.checkpoint()
    tried = scheduler.try_job(now, processors=4, limit=60)
    assert (tried["why"], tried["start"], tried["sentence"]) == ("starts", now, "starts now")
    assert scheduler.try_job(now, processors=9, limit=60)["why"] == "never"
    assert scheduler.checkpoint() == before
    for wrong in (dict(processors=0), dict(processors=1, limit=-1), dict(processors=1, each=(1, 0, 0))):
        with pytest.raises(ValueError):
            scheduler.try_job(now, **wrong)
    with pytest.raises(KeyError):
        scheduler.try_job(now, processors=1, queue="night")
    with pytest.raises(ValueError):
        scheduler.reason(now, 1)
    with pytest.raises(ValueError):
        scheduler.reasons(now, [77])
    # On nodes a feature that no node has is none; nor is it known afterwards.
    scheduler.set_node("a", "cluster", processors=4, features=["fast"])
    one = dict(processors=1, each=(1, 0, 0), queue="cluster")
    assert scheduler.try_job(now, **one, features=["fast"])["why"] == "starts"
    assert scheduler.try_job(now, **one, features=["slow"])["why"] == "never"


def test_nodes_are_offered():
    scheduler = Scheduler("preset=easy")
    for name in ("a", "b"):
        scheduler.set_node(name, "cluster", processors=8, memory=64, gpus=2, features=["new"] if name == "b" else [])
    offers = {}

    def start(offer):
        offers[offer["job"]] = offer["nodes"]
        return True

    scheduler.set_job(100, 1, "running", processors=1, each=(6, 8, 0), limit=600, start=50, nodes={"a": 1})
    scheduler.set_job(100, 2, processors=2, each=(1, 1, 1), packed=True, limit=600, features=["new"])
    scheduler.set_job(100, 3, processors=1, each=(4, 1, 0), limit=600)
    scheduler.set_job(100, 4, processors=2, each=(1, 1, 0), limit=500, exclusive=True)
    scheduler.set_job(100, 5, processors=1, each=(2, 1, 0), limit=400)
    assert scheduler.decide(100, start) == [2, 3, 5]
    assert offers == {2: {"b": 2}, 3: {"b": 1}, 5: {"b": 1}}
    with pytest.raises(ValueError):
        scheduler.predicted_starts(100, [4])
    scheduler.set_node("a", "cluster", processors=8, memory=64, gpus=2, state="closed")
    for id in (1, 2, 3, 5):
        scheduler.set_job(200, id, "ended")
    assert scheduler.decide(200, start) == []
    scheduler.set_node("a", "cluster", processors=8, memory=64, gpus=2)
    assert scheduler.decide(200, start) == [4] and offers[4] == {"a": 1, "b": 1}
    with pytest.raises(KeyError):
        scheduler.set_node("a", "cluster", processors=8, state="asleep")
    with pytest.raises(ValueError):
        scheduler.set_pool("cluster", 16)


def fnv1a(data):
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return value


def test_each_decision_is_recorded_and_forty_are_kept(tmp_path):
    scheduler = Scheduler("preset=easy")
    scheduler.set_pool("nodes", 4)
    scheduler.record(tmp_path)
    for now in range(1000, 1045):
        scheduler.set_job(now, now, processors=1 + now % 4, limit=600)
        scheduler.decide(now, lambda offer: offer["job"] % 3 != 0)
    files = sorted(path.name for path in tmp_path.iterdir())
    assert files == [f"cycle-{number:010}.surefill" for number in range(5, 45)]
    for name in files[::13]:
        data = (tmp_path / name).read_bytes()
        words = [int.from_bytes(data[at : at + 8], sys.byteorder) for at in range(0, len(data), 8)]
        assert data[:8] == b"SFCYCLE\n" and words[1] == 1 and 8 * words[2] == len(data)
        assert words[3] == 0 and words[4] == 1000 + int(name[6:16]) and words[-1] == fnv1a(data[:-8])
    # Without a folder no more are kept, and what is in the way of one is said once.
    scheduler.record(None)
    scheduler.decide(1100, lambda offer: True)
    said = []
    scheduler.record(tmp_path / "nowhere", say=said.append)
    for now in (1200, 1300):
        scheduler.decide(now, lambda offer: True)
    assert len(said) == 1 and "cycles are not recorded" in said[0]
    scheduler.record(tmp_path / "nowhere")
    with pytest.warns(RuntimeWarning, match="cycles are not recorded"):
        scheduler.decide(1400, lambda offer: True)
    assert len(list(tmp_path.iterdir())) == 40


def test_the_delay_rule_has_room_for_any_pool():
    scheduler = surefill.Scheduler("preset=papers predictor=limit")
    for units in (8, 5000):
        scheduler.set_pool("nodes", units)
        scheduler.set_job(1000, units, "running", processors=units - 4, limit=3600, start=1000)
        scheduler.set_job(1000, units + 1, processors=units - 2, limit=600)
        scheduler.set_job(1000, units + 2, processors=3, limit=7200)
        scheduler.set_job(1000, units + 3, processors=3, limit=600)
        offers = []
        assert scheduler.decide(1000, lambda offer: offers.append(offer) or True) == [units + 3]
        assert (offers[0]["why"], offers[0]["passes"]) == ("by the delay", units + 1)
        reason = scheduler.reason(1000, units + 2)
        assert (reason["why"], reason["behind"]) == ("delays", units + 1)
        assert f"starting it now would delay job {units + 1} with probability 100 %" in reason["sentence"]
        for job in (units, units + 3):
            scheduler.set_job(1001, job, "ended")
        for job in (units + 1, units + 2):
            scheduler.set_job(1001, job, "gone")
