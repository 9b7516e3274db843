"""The answers to sites from Python beside those of the command."""

import dataclasses
import datetime
import inspect
import pathlib

import pytest
import surefill
from surefill import Policy, Reading, answers


def plain(value):
    """An answer as the command's JSON has it."""
    if dataclasses.is_dataclass(value):
        fields = dataclasses.fields(value)
        return {one.metadata.get("json", one.name): plain(getattr(value, one.name)) for one in fields}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    return value


def without(answer, *names):
    return {name: value for name, value in plain(answer).items() if name not in names}


def test_what_if_is_the_commands(accounting, command):
    words = ["--procs", 8, "--seeds", 2, "--from", "2024-02-01", "--to", "2024-05-01"]
    theirs = command("what-if", accounting, *words, "--json")
    arguments = {"procs": 8, "seeds": 2, "since": datetime.date(2024, 2, 1), "until": "2024-05-01"}
    ours = surefill.what_if(accounting, **arguments)
    assert without(ours, "sentences", "unknowns") == theirs
    assert isinstance(ours.scored.explained.ci95, answers.Interval) and ours.scored.jobs == ours.all.jobs > 200
    assert {part.by for part in ours.parts} >= {"user", "queue", "account or group"}
    assert ours.dates == ("2024-02-01", "2024-04-30") and ours.period.start < ours.period.end
    said = command("what-if", accounting, *words, "--brief", text=True)
    assert " ".join(ours.sentences).split() == said.split()


def test_replays_of_a_site_are_the_commands(accounting, command, tmp_path):
    nodes, partitions = tmp_path / "nodes.txt", tmp_path / "partitions.txt"
    nodes.write_text("NodeName=n1 CPUTot=8\nNodeName=n2 CPUTot=8\n")
    partitions.write_text("PartitionName=batch Nodes=n1\nPartitionName=long Nodes=n[1-2]\n")
    for words, options in [
        (["--partition", "batch=8,long=16"], {"partition": "batch=8,long=16"}),
        (["--site", f"{nodes},{partitions}"], {"site": [nodes, str(partitions)]}),
    ]:
        theirs = command("simulate", accounting, "--policy", "backfill", *words, "--json")
        ours = surefill.simulate(accounting, "backfill", **options)
        assert ours.summary["mean_wait_s"] == theirs["mean_wait_s"] > 0
    with pytest.raises(ValueError, match="the site has no nodes"):
        surefill.simulate(accounting, "backfill", site=accounting)


def test_what_if_of_other_policies(accounting, command, tmp_path):
    page = tmp_path / "page.html"
    ours = surefill.what_if(
        accounting, "easy:mean2:sjbf", instead_of="fcfs", procs=8, seeds=1, last="30d", html=page
    )
    words = ["--with", "easy:mean2:sjbf", "--instead-of", "fcfs", "--procs", 8, "--seeds", 1, "--last", "30d"]
    theirs = command("what-if", accounting, *words, "--json")
    assert without(ours, "sentences", "unknowns") == theirs
    assert "easy:mean2:sjbf" in page.read_text()

    class Own(Policy):
        def schedule(self, cluster):
            for job in cluster.queue:
                if not cluster.fits(job):
                    break
                cluster.start(job)

    mine = surefill.what_if(accounting, Own, instead_of="easy", procs=8, seeds=1)
    fcfs = surefill.what_if(accounting, "fcfs", instead_of="easy", procs=8, seeds=1)
    assert mine.after == "Own" and mine.all == fcfs.all


def test_what_if_refuses(accounting, tmp_path):
    for arguments, why in [
        ({"policy": "easy"}, "policy and instead_of name the same policy"),
        ({"since": 0, "last": "30d"}, "since and last both say"),
        ({"since": "yesterday"}, "since: not a time"),
        ({"until": "2020-01-01"}, "the period ends before it begins"),
        ({"since": "2024-06-30", "until": "2034-01-01"}, "no job was submitted in the period"),
        ({"last": "0"}, "last: a span above 0 s is needed"),
        ({"seeds": 0}, "seeds is a whole number, at least 1 and at most 100000"),
        ({"policy": "best"}, "no policy is named 'best'"),
    ]:
        with pytest.raises(ValueError, match=why):
            surefill.what_if(accounting, **arguments)
    with pytest.raises(FileNotFoundError):
        surefill.what_if(tmp_path / "no.txt")


def test_import_is_the_commands(accounting, command, tmp_path):
    key = tmp_path / "key"
    key.write_text("0123456789abcdef0123")
    for name, words, arguments in [
        ("plain.swf", [], {}),
        ("sized.swf.gz", ["--procs", 16], {"procs": 16}),
        ("hidden.swf", ["--key", key], {"key": key}),
    ]:
        ours, theirs = tmp_path / f"our-{name}", tmp_path / f"their-{name}"
        imported = surefill.import_log(accounting, ours, **arguments)
        printed = command("import", accounting, "-o", theirs, *words, "--json")
        assert {"remarks": [], **printed} == plain(imported)
        assert ours.read_bytes() == theirs.read_bytes()
        # A file that was written can be read in the same process.
        assert len(surefill.simulate(ours, "easy").jobs) == imported.jobs == 400
    assert imported.anonymised and imported.users == 3 and imported.left_out == {"still waiting": 1}
    both = surefill.import_log([accounting, accounting])
    assert both.jobs == 400 and both.left_out["listed twice"] == 400
    assert surefill.import_log(accounting, accounting.with_suffix(".swf")).log == str(accounting)


def test_import_refuses(accounting, tmp_path):
    short = tmp_path / "key"
    short.write_text("short")
    for arguments, why in [
        ({"output": accounting}, "what is read would be overwritten"),
        ({"output": tmp_path / "t.swf.xz"}, ".xz is read, not written"),
        ({"key": short}, "key changes nothing without output"),
        ({"output": tmp_path / "t.swf", "key": short}, "a key has at least 16 bytes"),
        ({"procs": 0}, "procs is a whole number, at least 1"),
        ({"reading": Reading(strict=True, partial=True)}, "partial changes nothing beside strict"),
        ({"reading": Reading(format="swf", delimiter=";")}, "delimiter changes nothing, as the format swf is no table"),
        ({"reading": Reading(format="sqlite")}, "format 'sqlite' is not one of swf, "),
        ({"reading": Reading(dates="ymd")}, "dates 'ymd' is not dmy or mdy"),
        ({"reading": Reading(zone="Mars")}, "zone: no time zone"),
    ]:
        with pytest.raises(ValueError, match=why):
            surefill.import_log(accounting, **arguments)
    with pytest.raises(ValueError, match="the list of logs is empty"):
        surefill.import_log([])
    with pytest.raises(FileNotFoundError):
        surefill.import_log(accounting, tmp_path / "no" / "t.swf")
    assert not (tmp_path / "t.swf").exists()


def test_so_much_is_lost_that_it_is_refused(tmp_path):
    path = tmp_path / "half.csv"
    path.write_text("submit,start,runtime,processors,limit\n" + "1,2,3,4,5\nx,2,3,4,5\n" * 10)
    for use in (surefill.simulate, surefill.what_if, surefill.import_log, surefill.predict_wait):
        with pytest.raises(ValueError, match=r"10 of 20 job lines left out as wrong.*partial=True"):
            use(path)
    assert surefill.import_log(path, reading=Reading(partial=True)).jobs == 10
    with pytest.raises(ValueError):
        surefill.import_log(path, reading=Reading(strict=True))


def test_predict_wait_is_the_commands(accounting, command):
    for words, arguments in [
        (["--queue", "batch", "--requested", "1d", "--processors", 4], {"requested": "1d", "processors": 4}),
        (["--queue", "batch", "--waited", 600, "--within", "30min"], {"waited": 600, "within": "30min"}),
        (["--queue", "batch", "--job", 900], {"job": 900}),
        (
            ["--queue", "batch", "--start-by", "2024-07-01T00:00:00", "--probability", "0.75"],
            {"start_by": datetime.datetime(2024, 7, 1), "probability": 0.75},
        ),
        (
            ["--queue", "batch", "--method", "weibull,binomial", "--by", "processors", "--no-trim"],
            {"methods": ["weibull", "binomial"], "by": "processors", "trim": False},
        ),
        (["--queue", "batch", "--now", "2025-01-01"], {"now": "2025-01-01"}),
    ]:
        theirs = command("predict-wait", accounting, *([] if "--now" in words else ["--now", "end"]), *words, "--json")
        ours = plain(surefill.predict_wait(accounting, queue="batch", **{"now": "end", **arguments}))
        ours["like"] = {name: value for name, value in ours["like"].items() if name != "by" or value is not None}
        assert ours == theirs, words
    assert ours["answer"] == "out-of-date" and ours["history"]["out_of_date"]
    # A history of 2024 is out of date today, where the present is not its end.
    assert surefill.predict_wait(accounting, queue="batch").answer == "out-of-date"
    one = surefill.predict_wait(accounting, one_queue=True, quantile=0.5, confidence=0.9, now="end")
    words = ["--one-queue", "--quantile", "0.5", "--confidence", "0.9", "--now", "end"]
    theirs = command("predict-wait", accounting, *words, "--json")
    assert one.bound_s is not None
    assert (one.queue, one.bound_s, one.like.waits) == ("ALL", theirs["bound_s"], theirs["like"]["waits"])


def test_predict_wait_refuses(accounting):
    for arguments, why in [
        ({}, "which queue"),
        ({"queue": "gpu"}, "no queue 'gpu'"),
        ({"queue": "batch", "job": 7}, "no job '7' waits"),
        ({"queue": "batch", "job": 900, "processors": 2}, "a job that waits has its own"),
        ({"queue": "batch", "job": 900, "start_by": 2**31}, "has been submitted already"),
        ({"queue": "batch", "probability": 0.5}, "probability changes nothing without start_by"),
        ({"queue": "batch", "by": "processors"}, "by changes the paper's history.*visible=False"),
        ({"queue": "batch", "trim": False}, "^trim changes the paper's history"),
        ({"queue": "batch", "quantile": 1.0}, "quantile is above 0 and below 1"),
        ({"queue": "batch", "quantile": 0.999999999}, "waits; .* are remembered"),
        ({"queue": "batch", "methods": "guess"}, "method 'guess' is not one of binomial"),
        ({"queue": "batch", "requested": "1:30"}, "requested: "),
        ({"queue": "batch", "now": "soon"}, "now: not a time"),
        ({"queue": "batch", "processors": -1}, "processors is a whole number"),
    ]:
        with pytest.raises(ValueError, match=why):
            surefill.predict_wait(accounting, **arguments)


def test_every_field_is_documented():
    for name in answers.__all__:
        kind = getattr(answers, name)
        for field in dataclasses.fields(kind):
            assert f"``{field.name}``" in inspect.getdoc(kind), (name, field.name)
        for line in inspect.getdoc(kind).split("\n"):
            assert len(line) <= 120


def test_what_if_of_a_site():
    folder = pathlib.Path(__file__).resolve().parents[2] / "simulator/tests/vectors/twin/second/stock"
    history, site = folder / "sacct.txt.gz", [folder / f"{name}.txt" for name in ("scontrol", "qos", "assoc")]
    ours = surefill.what_if(history, site=site, seeds=1)
    assert ours.before == "the site's own rule" and ours.after == "fair"
    assert ours.site["nodes"] == 32 and ours.all.ageing.mean_s > 0
    with pytest.raises(ValueError, match="site and procs"):
        surefill.what_if(history, site=site, procs=8)
    with pytest.raises(ValueError, match="the site has no|nothing of a site"):
        surefill.what_if(history, site=__file__)
