#!/usr/bin/env bash
# Wall times, and behind them the ratios that do not depend on the machine: a pass beside the papers' program, beside bare
# multiply-adds and beside a walk through all instants, all in one run. Each rival that is named is measured as well:
#
#   SUREFILL_PYTHON=PYTHON     one that has hmmlearn 0.3.3 (hidden Markov model) and scipy (order statistics of waits)
#   SUREFILL_PYSS=FOLDER/src   a copy of pyss (https://github.com/dinesh121991/pyss), with PYTHON2, a Python 2 to run it
set -euo pipefail
cd "$(dirname "$0")/.."
log=$(mktemp)
trap 'rm -f "$log"' EXIT
cargo bench --bench pass --bench plan --bench engine --bench wait --bench hmm 2>&1 | tee "$log"
[ -z "${SUREFILL_PYTHON:-}" ] || "$SUREFILL_PYTHON" scripts/bench-wait.py | tee -a "$log"

echo
echo "Ratios:"
awk '
    /^[a-z][^:]*\// && !/time:/ { name = $0 }
    / time: / && !/%/ {
        here = $0; sub(/  *time:.*/, "", here); if (here ~ /^ *$/) here = name
        sub(/.*\[[^ ]* [^ ]* /, "")
        unit["ns"] = 1; unit["µs"] = 1e3; unit["us"] = 1e3; unit["ms"] = 1e6; unit["s"] = 1e9
        time[here] = $1 * unit[$2]
    }
    # hmmlearn stands behind the rounds of the library, by load; scipy behind the index.
    /Baum-Welch round/ { round[tolower($1)] = $NF }
    /^hmmlearn/ { load = $NF }
    /us per slot and round/ && load { learner[load, $1 (/lean/ ? " (lean)" : "")] = $(NF - 5); seen[++learners] = load SUBSEP $1 (/lean/ ? " (lean)" : "") }
    /binom.ppf/ { sub(/,/, "", $6); scipy[$6 + 0] = $(NF - 1) }
    function ratio(text, slow, fast, times) {
        if (slow in time && fast in time) printf "  %-68s %10.2f\n", text, times * time[slow] / time[fast]
    }
    END {
        ratio("60 jobs: the papers'"'"' program / exact probability", "archive/papers'"'"' program, whole queue",
            "archive/Probability/1 events a bin", 1)
        ratio("1,000 jobs: the papers'"'"' program, 1,000 candidates / exact probability",
            "large/papers'"'"' program, one candidate", "large/Probability/1 events a bin", 1000)
        split("archive large largest", sizes, " ")
        for (i = 1; i <= 3; i++) {
            of = "delay/" sizes[i] "/"
            ratio(sizes[i] ": every delay measured / verdicts by brackets", of "every delay measured",
                of "4 events a bin", 1)
            ratio(sizes[i] ": E x C multiply-adds / verdicts by brackets", of "E x C multiply-adds",
                of "4 events a bin", 1)
        }
        ratio("20,000 candidates beside 1,000, 5,000 jobs on 100,000 processors", "delay/5000 100000 20000/4 events a bin",
            "delay/largest/4 events a bin", 1)
        of = "one wait and one prediction, n = 100,000/"
        ratio("100,000 waits: sorted vector / history", of "sorted vector", of "history alone", 1)
        ratio("100,000 waits: sorting afresh / history", of "sorting afresh", of "history alone", 1)
        for (i = 1; i <= learners; i++) {
            split(seen[i], part, SUBSEP)
            if (round[part[1]] > 0)
                printf "  %-68s %10.2f\n", "a round of Baum-Welch, load " part[1] ": hmmlearn, " part[2] " / library", learner[seen[i]] / round[part[1]]
        }
        for (n in scipy) {
            of = "index of the .95 bound of the .95 quantile/" n
            if (of in time) printf "  %-68s %10.2f\n", "index of the bound, n = " n ": scipy / library", 1e3 * scipy[n] / time[of]
        }
    }' "$log"
[ -z "${SUREFILL_PYSS:-}" ] || scripts/bench-pyss.sh "$SUREFILL_PYSS"
