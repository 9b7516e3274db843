"""The core's objects from Python."""

import math

import pytest
import surefill
from surefill import Distribution, Pass, Predictor, Sizing, Waits


def test_a_predictor_learns_users():
    predictor = Predictor()
    assert predictor.predict(0, user=1, limit=3600, processors=4).bins == []
    now = 0
    for id in range(50):
        user, seconds = id % 2, (100, 1500)[id % 2]
        predictor.submit(id, now, user=user, limit=3600, processors=4)
        predictor.start(id, now)
        now += seconds
        predictor.end(id, now)
    medians = [
        predictor.predict(now, user=user, limit=3600, processors=4).quantile(0.5, limit=3600) for user in (0, 1)
    ]
    # Within the bin of ratio 1.8.
    assert 100 / 1.8 <= medians[0] <= 180 and 1500 / 1.8 <= medians[1] <= 2700
    shares = [share for _, share in predictor.predict(now, user=0, limit=3600, processors=4).bins]
    assert math.isclose(sum(shares), 1.0)
    with pytest.raises(ValueError):
        predictor.submit(100, now - 1, user=0, limit=1, processors=1)


def test_a_pass_by_limits_is_easy():
    jobs = Pass(processors=8)
    # 5 of 8 run for another 100 s, the head wants 8: 60 s on 3 are harmless, 200 s are not.
    jobs.begin(1000, idle=3, head=7, head_processors=8)
    jobs.add_running(5, 0, 100, Distribution.limit())
    assert jobs.add_candidate(3, 200, Distribution.limit()) == 0
    assert jobs.add_candidate(3, 60, Distribution.limit()) == 1
    assert jobs.decide(criterion="probability") == [1]
    delays = jobs.judgements()
    assert delays[0][0] == 1.0 and delays[1][0] == 0.0
    with pytest.raises(KeyError):
        jobs.decide(criterion="best")
    with pytest.raises(ValueError):
        jobs.begin(1000, idle=9, head=7, head_processors=8)


def test_when_the_head_starts():
    jobs = Pass(processors=8)
    jobs.begin(1000, idle=3, head=7, head_processors=8)
    jobs.add_running(5, 20, 100, Distribution.limit())
    assert jobs.head_start_quantile(0.5) == 1080
    assert jobs.head_start_quantiles([0.1, 1.0]) == [1080, 1080]
    with pytest.raises(ValueError):
        jobs.head_start_quantiles([0.5, 0.1])


def test_waits_are_bounded_by_order_statistics():
    waits = Waits()
    for wait in range(58):
        waits.known(wait)
    assert waits.submit(1, 0) is None
    for wait in range(58, 400):
        waits.known(wait)
    bound = waits.submit(2, 1)
    assert bound is not None and 300 <= bound <= 600
    assert waits.start(2, 31) == 30


def test_a_malleable_job_waits_for_what_pays():
    sizing = Sizing(processors=64)
    sizing.begin(60)
    sizing.add_running(4, 10.0, shortest=1.0, longest=100.0)
    choice = sizing.choose(sequential=1000.0, parallelism=32.0, sigma=0.0)
    # No speedup beyond the parallelism: at once on 32.
    assert choice == {"processors": 32, "wait_s": 0.0, "run_time_s": pytest.approx(1000 / 32)}
    with pytest.raises(ValueError):
        sizing.choose(sequential=1000.0, parallelism=0.5, sigma=0.0)


def test_numbers_of_processors_that_do_not_fit_are_wrong_values():
    for make in (Pass, Sizing):
        for wrong in (-1, 2**32, 2**100):
            with pytest.raises(ValueError) as raised:
                make(processors=wrong)
            assert str(raised.value) == f"{wrong} is not a whole number from 0 to 4294967295"
        with pytest.raises(TypeError, match="'str' object"):
            make(processors="8")
    with pytest.raises(ValueError, match="^-1 is not a whole number"):
        Predictor(jobs=-1)
    with pytest.raises(ValueError, match="^-1 is not a whole number"):
        Waits().submit(1, 0, processors=-1)


def test_the_last_bin_is_open():
    predictor = Predictor()
    predictor.submit(1, 0, user=1, limit=100, processors=1)
    predictor.start(1, 0)
    predictor.end(1, 50)
    edges = [edge for edge, _ in predictor.predict(50, user=1, limit=100, processors=1).bins]
    assert edges == sorted(edges) and edges[-1] == math.inf
    assert Distribution.single(7).bins == [] and Distribution.limit().bins == []


def test_versions_agree():
    from importlib.metadata import version

    assert version("surefill") == surefill.__version__
