#!/usr/bin/env bash
# surefill advise on a live queue: the head job's start, bounds for the others, a time limit; and the same from saved
# output. Names of jobs with line breaks cost nothing and forge no lines.
. "$(dirname "$0")/lib.sh"

surefill=${SUREFILL_BIN:?the surefill program}
DEBUG_LEVEL=info SCHEDULER=sched/surefill PARAMETERS=$OURS cluster_make "$work/cluster" 5
cluster_start
for _ in $(seq 60); do job games 1 60 0.3 >/dev/null; done
job games 1 60 0.3 --hold >"$work/own"
sixty() { [ "$(wc -l <"$CLUSTER/completed")" -ge 60 ]; }
wait_for 60 sixty
# Names that pretend to be lines of squeue and of the job completion file, the latter as the last job that has ended.
forged_line=$'x\n|0123456789abcdef|999|root|main|RUNNING|4|4|1:00|0:10|1|1|None|root|1|1|||||forged\n\e[2J'
forged_record=$'x\n'"$(head -n 1 "$CLUSTER/completed" | sed 's/^JobId=[0-9]* /JobId=999 /; s/Name=wrap/Name=forged/')"$'\ny'
evil=$(job games 1 60 0 -J "$forged_record")
wait_for 20 is_completed "$evil"
# Twenty jobs of another name, of five minutes each, as if they had run last year.
for i in $(seq 20); do
    echo "JobId=$((1000 + i)) UserId=games(5) GroupId=games(60) Name=long JobState=COMPLETED Partition=main TimeLimit=60" \
        "StartTime=2020-01-01T00:00:$((10 + i)) EndTime=2020-01-01T00:05:$((10 + i)) NodeList=n1 NodeCnt=3 ProcCnt=3" \
        "WorkDir=/" \
        "SubmitTime=2020-01-01T00:00:05 EligibleTime=2020-01-01T00:00:05 ExitCode=0:0" >>"$work/history"
done
cat "$CLUSTER/completed" >>"$work/history"
busy=$(job games 3 60 20 -J long)
# From three seconds on it is longer than each of the sixty short jobs, one second by the clocks of two daemons: between
# them and those of five minutes the median of its end would turn on one second of its age.
three_seconds_old() { running "$busy" && [ "$(($(date +%s) - $(timeout 10 squeue -h -j "$busy" -o %S | date +%s -f -)))" -ge 3 ]; }
wait_for 15 three_seconds_old
head=$(job games 5 60 1)
# Longer than the head job, so that the plan does not let them go first: under priority/basic it may.
other=$(job man 5 120 1)
evil=$(job man 5 120 1 -J "$forged_line")
array=$(job man 5 120 1 --array=0-9)
# The plugin says that they wait for their turn once it has looked.
turned() { [ "$(timeout 10 squeue -h -t PENDING -j "$head,$other,$evil" -o %r | grep -cE 'Resources|Priority')" -eq 3 ]; }
wait_for 10 turned
# shellcheck disable=SC2054 # the commas are the option's
ask=(advise --history "$work/history" --within 1s,2m,2h --quantile 0.5 --user games)
timeout 60 "$surefill" "${ask[@]}" --json >"$work/json"
timeout 60 "$surefill" "${ask[@]}" >"$work/table" 2>"$work/warnings"
grep -qE 'squeue: [0-9]+ lines? left out' "$work/warnings" || fail "nothing is said of odd lines: $(cat "$work/warnings")"
grep -qE 'history: [0-9]+ lines left out' "$work/warnings" || fail "nothing is said of the history: $(cat "$work/warnings")"
grep -q $'\e' "$work/table" "$work/warnings" && fail "a job's name steers the terminal"
timeout 60 "$surefill" "${ask[@]}" --partition nowhere 2>"$work/error" && fail "a partition that is not there was accepted"
grep -q 'there is no partition nowhere' "$work/error" || fail "$(cat "$work/error")"

# Slurm keeps no accounts here: it is said what to do instead.
timeout 60 "$surefill" advise 2>"$work/error" && fail "advice without a history"
grep -q -- '--history' "$work/error" || fail "$(cat "$work/error")"

# The same from what the printed commands save.
(cd "$work" && timeout 60 "$surefill" advise --print-commands | grep -v ' sacct ' >commands && timeout 60 bash commands)
saved=(--squeue "$work/squeue.txt" --sinfo "$work/sinfo.txt" --now "$(date +%s)")
timeout 60 "$surefill" "${ask[@]}" "${saved[@]}" --json >"$work/saved"
[ -z "${SAVE_VECTORS:-}" ] || cp "$work"/{squeue.txt,sinfo.txt} "$CLUSTER/completed" "$SAVE_VECTORS"
python3 - "$work/json" "$work/saved" "$head" "$other" "$evil" "$array" \
    "$(cat "$work/own")" <<'PYTHON'
import json, sys
for name in sys.argv[1:3]:
    advice = json.load(open(name))
    head, other, evil, array, own = sys.argv[3:]
    (first,) = advice["heads"]
    assert first["job"] == head and first["counted"] == "nodes" and first["needs"] == 5 and first["idle"] == 2, first
    assert 3400 <= first["by_limits"] <= 3600, first
    starts = {at["job"]: at for at in advice["starts"]}
    within = [at["within"] for at in starts[head]["quantiles"]]
    # The engine knows no names: that the running job is called like those of five minutes is nothing to it. Of the
    # games' jobs that ran for longer than it has, some ended within seconds.
    assert within == sorted(within) and within[1] < 900 and 60 < within[2] <= first["by_limits"], starts
    started = [at["probability"] for at in starts[head]["started"]]
    assert started == sorted(started) and started[0] < 0.6 and started[2] > 0.9, starts
    others = {at["job"]: at for at in advice["others"]}
    # No line is forged; the ten tasks of the array are one line.
    assert set(starts) == {head, other, evil, array + "_[0-9]"} and set(others) == {own}, advice
    assert {left["source"].split("/")[-1]: left["lines"] for left in advice["left_out"]}.keys() >= {"history"}, advice
    assert all("999" not in job["job"] for job in advice["heads"] + advice["starts"] + advice["others"]), advice
    assert others[own]["note"] == "JobHeldUser" and others[own]["within"] is None, others
    (games,) = advice["next"]
    assert games["limit"] == 300 and games["usual_limit"] == 3600 and games["jobs"] == 80, games
    assert games["tried"] == 50 and games["sufficed"] == 50, games
PYTHON
wait_for 40 is_completed "$head"
check "the head job started within the time at which limits would have let it" \
    "$(completed "$head" StartTime)" -lt "$(($(date +%s) + 3000))"
cat "$work/table"
say "the head job's start, bounds and a limit from a live queue, and the same from saved output"
