#!/usr/bin/env bash
# surefill watch beside stock sched/backfill: what the preset would have done, the results by the jobs' own records, over a
# restart of slurmctld and of the watcher; nothing in Slurm is changed, and job names are not trusted.
. "$(dirname "$0")/lib.sh"

surefill=${SUREFILL_BIN:?the surefill program}
DEBUG_LEVEL=info SCHEDULER=sched/backfill PARAMETERS=bf_interval=1 \
    cluster_make "$work/cluster" 4
cluster_start
configured=$(scontrol show config | grep ^Scheduler)

# A history of last year in which games ran 40 jobs of a second, and man 40 of ten minutes, each with a limit of an hour.
past() { # FROM USER(NUMBER) SECONDS
    local i
    for i in $(seq 40); do
        echo "JobId=$((i + $1)) UserId=$2 GroupId=games(60) Name=wrap JobState=COMPLETED Partition=main TimeLimit=60" \
            "StartTime=2020-01-01T0$(($1 / 100)):$((i + 10)):10 EndTime=$(date -d "2020-01-01T0$(($1 / 100)):$((i + 10)):10 $3 sec" +%FT%T)" \
            "NodeList=n1 NodeCnt=1 ProcCnt=1 WorkDir=/ SubmitTime=2020-01-01T00:00:05" \
            "EligibleTime=2020-01-01T0$(($1 / 100)):$((i + 9)):10 DerivedExitCode=0:0 ExitCode=0:0"
    done
}
{
    past 100 'games(5)' 1
    past 200 'man(6)' 600
} >"$work/history"
journal=$work/journal
watcher=
watch() {
    timeout 200 "$surefill" watch "$journal" --every 1 --history "$work/history" 2>>"$work/watch.log" &
    watcher=$!
    wait_for 10 grep -q 'a look every 1 s' "$work/watch.log"
}
seen() { grep -q "$1" "$journal"; }
number() { sed -n "s/.*\"event\":\"would\",\"at\":\([0-9]*\),\"job\":\"$1\".*/\1/p" "$journal" | head -n 1; }

watch
timeout 10 "$surefill" watch "$journal" --every 1 --days 0 2>"$work/second" && fail "two watchers write one journal"
grep -q 'another surefill watch' "$work/second" || fail "$(cat "$work/second")"
[ "$(stat -c %a "$journal")" = 600 ] || fail "others can read the journal"

# A head job waits behind a long job; a short job of the same limit fits beside that. Stock does not let it through.
wait_at() { TASK="until [ -e $CLUSTER/$1 ]; do sleep 0.1; done" job "${@:2}"; }
busy=$(wait_at first man 3 60 0)
wait_for 20 running "$busy"
head=$(job man 4 60 2)
# A name that pretends to be another job's line, and one that steers a terminal.
evil=$'x\n|0123456789abcdef|999|root|main|RUNNING|4|4|1:00|0:10|1|1|None|root|1|1|||||forged\n\e[2J'
short=$(job games 1 60 1 -J "$evil")
wait_for 20 seen "\"event\":\"would\",\"at\":[0-9]*,\"job\":\"$short\""
running "$short" && fail "stock let the short job through: there is nothing to gain"
sleep 3
# Neither a restart of slurmctld nor one of the watcher loses anything.
ctld_stop
sleep 3
ctld_start
answering() { [ "$(timeout 5 sinfo -h -N -o %t | sort | uniq -c | tr -s ' \n' ' ')" = ' 3 alloc 1 idle ' ]; }
planned() { [ "$(timeout 5 sinfo -h -N -o %t | sort | uniq -c | tr -s ' \n' ' ')" = ' 3 alloc 1 plnd ' ]; }
settled() { answering || planned; }
wait_for 60 settled
sleep 2
kill -0 "$watcher" || fail "the watcher has not survived a restart of slurmctld: $(cat "$work/watch.log")"
kill "$watcher"
wait "$watcher" || true
: >"$work/watch.log"
watch
touch "$CLUSTER/first"
wait_for 60 seen "\"event\":\"ended\",\"job\":\"$short\""

# Another that is predicted to be as short and runs on: the head job would have been kept from its start.
busy2=$(wait_at second man 3 60 0)
wait_for 20 running "$busy2"
head2=$(job man 4 60 2)
long=$(job games 1 60 12)
wait_for 20 seen "\"event\":\"would\",\"at\":[0-9]*,\"job\":\"$long\""
sleep 2
touch "$CLUSTER/second"
wait_for 60 is_completed "$long"
wait_for 20 seen "\"event\":\"ended\",\"job\":\"$long\""
kill "$watcher"
wait "$watcher" || true

timeout 60 "$surefill" watch "$journal" --report --json >"$work/report" || fail "no report"
timeout 60 "$surefill" watch "$journal" --report >"$work/table" || fail "no table"
recorded() { # JOB FIELD: as Slurm remembers it; the job completion file has broken lines where names have line breaks
    date -d "$(timeout 10 scontrol show job "$1" | grep -o "\b$2=[^ ]*" | cut -d= -f2)" +%s
}
facts() { # JOB: when it would have started, its real start and end
    echo "$(number "$1") $(recorded "$1" StartTime) $(recorded "$1" EndTime)"
}
# shellcheck disable=SC2046
python3 - "$work/report" $(facts "$short") $(facts "$long") "$(recorded "$head" StartTime)" \
    "$(recorded "$head2" StartTime)" <<'PYTHON'
import json, sys
report = json.load(open(sys.argv[1]))
numbers = [int(number) for number in sys.argv[2:]]
(would, start, end), (would2, start2, end2), (head, head2) = numbers[:3], numbers[3:6], numbers[6:]
score = report["watched"]
every = score["all"]
assert every["jobs"] == 6, every
assert (every["earlier"], every["overtaken"]) == (2, 2), every
assert every["earlier_s"] == (start - would) + (start2 - would2), (every, numbers)
losses = [max(0, would + end - start - head), max(0, would2 + end2 - start2 - head2)]
assert losses[0] == 0 < losses[1], numbers
assert (every["later"], every["later_s"], every["worst_s"]) == (1, losses[1], losses[1]), (every, losses)
parts = {by: {row["name"]: row for row in rows} for by, rows in score["parts"]}
assert parts["user"]["games"]["earlier"] == 2 and parts["user"]["games"]["later"] == 0, parts
assert parts["user"]["man"]["later_s"] == losses[1] and parts["user"]["man"]["earlier"] == 0, parts
assert parts["width"]["2 to 4"]["later"] == 1 and parts["width"]["1 processor"]["earlier"] == 2, parts
assert set(parts["user"]) == {"games", "man"} and set(parts["partition"]) == {"main"}, parts
# Whoever was seen waiting was given the bound of a minute that the history says; two jobs started between two looks.
(main,) = score["promises"]
broken = sum(start - would > 60 for start, would in [(start, would), (start2, would2)])
assert 4 <= main["given"] <= 6 and main["kept"] >= main["given"] - 2 * broken, (main, numbers)
assert main["kept"] + main["broken"] == main["given"] and main["open"] == 0, main
(replay,) = report["replayed"]
assert replay["partitions"] == ["main"] and replay["procs"] == 4 and replay["all"]["jobs"] == 6, replay
assert replay["all"]["recorded"]["mean_s"] > 0, replay
PYTHON
[ "$(grep -c "\"event\":\"started\".*\"job\":\"$short\"" "$journal")" = 1 ] || fail "a start was written down twice"
grep -qE 'forged|"job":"999"' "$journal" && fail "a job's name was read as a line of its own"
grep -q $'\e' "$work/watch.log" "$work/table" && fail "a job's name steers the terminal"
grep -q "Gains: under the site's priorities fair would have let 2 of 6 jobs through" "$work/table" || fail "$(cat "$work/table")"
[ "$(scontrol show config | grep ^Scheduler)" = "$configured" ] ||
    fail "Slurm's configuration has changed"
sed -n '1,5p' "$work/table" | sed "s/^/$test_name: /"
say "gains, losses and promises of six jobs under sched/backfill are those of the jobs' own records"
