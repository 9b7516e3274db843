"""Options of replays beside the command's, nodes and predictions in policies, refused arguments."""

import pytest
import surefill
from surefill import Policy, RuntimePredictor

NODES = "12x(cores=8)+4x(cores=8,fat)"


class Fitting(Policy):
    """First come, first served, by what finds room."""

    def schedule(self, cluster):
        for job in cluster.queue:
            if not cluster.fits(job):
                break
            cluster.start(job)


class InPlaces(Policy):
    """The same, on nodes of its own choice: the first that have free cores."""

    def schedule(self, cluster):
        for job in cluster.queue:
            if not cluster.fits(job):
                break
            asked, nodes = cluster.request(job), {}
            left = asked["tasks"]
            for node in cluster.nodes:
                tasks = min(left, int(node.free["cores"] // asked["each"]["cores"]))
                if tasks > 0:
                    nodes[node.index] = tasks
                    left -= tasks
            before = cluster.idle
            cluster.start(job, nodes)
            assert cluster.placement(job) == nodes and cluster.idle == before - asked["tasks"]


class Shortest(Policy):
    """Shortest predicted run time first."""

    def schedule(self, cluster):
        for job in sorted(cluster.queue, key=lambda job: (cluster.predict(job), job.id)):
            if not cluster.fits(job):
                break
            cluster.start(job)


def replay_of(summary):
    """A summary without what depends on the computer's speed."""
    speed = ("scheduler_s", "p99_pass_s", "max_pass_s", "wall_s")
    return {name: value for name, value in summary.items() if name not in speed}


@pytest.mark.parametrize(
    "words, arguments",
    [
        (["--preset", "delay"], {"preset": "delay"}),
        (["--preset", "delay-fast", "--tau", "0.5"], {"preset": "delay-fast", "tau": 0.5}),
        (
            ["--policy", "prob:user", "--criterion", "seconds", "--tau", "30", "--or-easy", "true"],
            {"policy": ("prob", "user"), "criterion": "seconds", "tau": 30, "or_easy": True},
        ),
        (["--preset", "papers"], {"preset": "papers"}),
        (["--policy", "easy", "--queue", "shortest"], {"policy": "easy", "queue": "shortest"}),
        (["--policy", "easy", "--nodes", NODES, "--fit", "first"], {"policy": "easy", "nodes": NODES, "fit": "first"}),
        (["--nodes", NODES], {"nodes": NODES}),
    ],
)
def test_options_are_the_commands(demo, command, words, arguments):
    theirs = command("simulate", demo, "--limit-jobs", 300, *words, "--json")
    ours = surefill.simulate(demo, limit_jobs=300, **arguments).summary
    # Delays are always measured, as the table of jobs has them.
    for summary in (ours, theirs):
        summary["options"].pop("delays_wanted")
        for measured in ("calibration", "delays"):
            summary.pop(measured)
    assert replay_of(ours) == replay_of(theirs)


def test_options_in_comparisons(demo):
    table = surefill.compare(demo, preset="delay", tau=0.5, limit_jobs=200)
    assert table["policy"] == ["easy", "prob"] and table["tau"][1] == 0.5
    usual = surefill.compare(demo, limit_jobs=100, nodes=NODES)
    assert usual["policy"] == ["fcfs", "easy", "easy++", "prob", "prob", "fair", "fast"]
    # An option must concern one of the policies.
    assert len(surefill.compare(demo, ["easy", "prob"], tau=0.5, limit_jobs=100)) == 2


def test_options_that_change_nothing_are_refused(demo):
    for arguments, why in [
        ({"policy": "easy", "tau": 0.1}, "tau is for policy prob, not for easy"),
        ({"policy": "fcfs", "front": 0.9}, "front is for policy prob, not for fcfs"),
        ({"policy": "fair", "preset": "delay"}, "preset delay is what prob takes its values from.*policy is fair"),
        ({"policy": "prob:user:fcfs:relative=0.1", "tau": 0.2}, "tau changes nothing beside the rule relative=0.1"),
        ({"policy": "prob:user:fcfs:seconds", "criterion": "relative"}, "criterion changes nothing beside the rule"),
        ({"policy": "easy:limit:delay", "queue": "shortest"}, None),
        ({"fit": "best"}, "nodes"),
        ({"nodes": NODES, "procs": 64}, "nodes"),
        ({"preset": "best"}, "preset"),
        ({"policy": "prob", "tau": -1}, "'-1' for 'tau': not a number of 0 or above"),
        ({"policy": "prob", "criterion": "probability", "tau": 2}, "a probability is at most 1"),
        ({"policy": "conservative", "nodes": NODES}, "does not know machines of nodes"),
    ]:
        if why is None:
            surefill.simulate(demo, limit_jobs=50, **arguments)
            continue
        with pytest.raises(ValueError, match=why) as raised:
            surefill.simulate(demo, limit_jobs=50, **arguments)
        assert "--" not in str(raised.value) and "<" not in str(raised.value)
    for use, first in ((surefill.compare, [demo, ["easy"]]), (surefill.simulate, [demo, "easy"])):
        with pytest.raises(TypeError, match="there is no option 'colour'; there are: preset, "):
            use(*first, colour="red")
        with pytest.raises(ValueError, match="tau is for policy prob"):
            use(*first, tau=0.1)


def test_policies_on_nodes(demo):
    built_in = surefill.simulate(demo, "fcfs", nodes=NODES, limit_jobs=400)
    for own in (Fitting, InPlaces):
        mine = surefill.simulate(demo, own, nodes=NODES, limit_jobs=400)
        assert mine.jobs["start_s"] == built_in.jobs["start_s"]
        assert mine.summary["nodes"]["used"] == built_in.summary["nodes"]["used"]
    assert surefill.simulate(demo, Fitting, limit_jobs=400).jobs["start_s"] == (
        surefill.simulate(demo, "fcfs", limit_jobs=400).jobs["start_s"]
    )


def test_nodes_that_a_policy_sees(tiny):
    trace = tiny(12, [(0, 100, 5, 100, 1), (1, 10, 4, 10, 1), (2, 50, 9, 60, 1)])
    seen = []

    class Looking(Policy):
        def schedule(self, cluster):
            seen.append(cluster)
            waiting = cluster.queue
            if cluster.now == 0:
                assert [node.features for node in cluster.nodes] == [[], [], ["fat"]]
                assert [node.amounts for node in cluster.nodes] == [{"cores": 4, "mem": 1024}] * 3
                assert cluster.request(waiting[0]) == {"tasks": 5, "each": {"cores": 1, "mem": 0}, "features": []}
                with pytest.raises(ValueError, match="does not fit these nodes"):
                    cluster.start(waiting[0], {0: 5})
                with pytest.raises(ValueError, match="does not fit these nodes"):
                    cluster.start(waiting[0], {7: 5})
                with pytest.raises(ValueError, match="does not run"):
                    cluster.placement(waiting[0])
                cluster.start(waiting[0], {1: 1, 2: 4})
                assert [node.free["cores"] for node in cluster.nodes] == [4, 3, 0]
                with pytest.raises(ValueError, match="does not wait"):
                    cluster.start(waiting[0])
                return
            for job in waiting:
                if cluster.fits(job):
                    cluster.start(job)
                else:
                    with pytest.raises(ValueError, match="job 2 does not fit the nodes that are free"):
                        cluster.start(job)
            if cluster.now == 1:
                assert cluster.placement(cluster.running[0][0]) == {1: 1, 2: 4} and cluster.idle == 3

    replay = surefill.simulate(trace, Looking, nodes="2x(cores=4,mem=1G)+1x(cores=4,mem=1G,fat)")
    assert replay.jobs["start_s"] == [0, 1, 100]
    over = seen[0]
    assert over.nodes == []
    for use in (over.start, over.request, over.fits):
        with pytest.raises(ValueError, match="the pass is over"):
            use(over.running[0][0])

    class Asking(Policy):
        def schedule(self, cluster):
            assert cluster.nodes == []
            cluster.request(cluster.queue[0])

    with pytest.raises(ValueError, match="the machine has no nodes"):
        surefill.simulate(trace, Asking)

    class Failing(Policy):
        def schedule(self, cluster):
            cluster.start(cluster.queue[0])
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        surefill.simulate(trace, Failing, nodes="3x(cores=4)")


def test_policies_have_predictions_and_orders(demo):
    # Shortest first by limits, as the policy sorts it and as the order does.
    sorted_by_itself = surefill.simulate(demo, Shortest, limit_jobs=400).jobs["start_s"]
    assert sorted_by_itself == surefill.simulate(demo, "strict:limit:sjf", limit_jobs=400).jobs["start_s"]
    assert sorted_by_itself == surefill.simulate(demo, (Fitting, "limit", "sjf"), limit_jobs=400).jobs["start_s"]
    by_mean = surefill.simulate(demo, (Shortest, "mean2"), limit_jobs=400).jobs["start_s"]
    assert by_mean == surefill.simulate(demo, "strict:mean2:sjf", limit_jobs=400).jobs["start_s"] != sorted_by_itself

    class Half(RuntimePredictor):
        def predict(self, job):
            return job.limit / 2

    predicted = []

    class Noting(Fitting):
        def schedule(self, cluster):
            predicted.extend((cluster.predict(job), job.limit) for job in cluster.queue)
            predicted.extend((cluster.predict(job), job.limit) for job, _ in cluster.running)
            super().schedule(cluster)

    surefill.simulate(demo, (Noting, Half), limit_jobs=50)
    assert predicted and all(seconds == (limit + 1) // 2 for seconds, limit in predicted)
