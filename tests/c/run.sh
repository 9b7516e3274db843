#!/usr/bin/env bash
# Everything about the C header, and what the example schedulers share, that a C compiler, its sanitizers and valgrind can
# test.
#
#   tests/c/run.sh BUILD_DIR
#
# BUILD_DIR holds libsurefill.a, libsurefill.so.0 and the link libsurefill.so. CC, CXX and CFLAGS are used when set.
# With SUREFILL_BIN, the simulator's program, whole_scheduler.c is compared with the simulator.
set -uo pipefail
if [ $# -ne 1 ] || [ ! -f "$1/libsurefill.a" ] || [ ! -f "$1/libsurefill.so" ]; then
    echo "usage: tests/c/run.sh BUILD_DIR (with libsurefill.a and libsurefill.so: make lib)" >&2
    exit 2
fi
build=$(cd "$1" && pwd)
cd "$(dirname "$0")/../.." || exit 1

CC=${CC:-cc}
CXX=${CXX:-g++}
missing=()
command -v "$CC" > /dev/null || missing+=(gcc)
command -v "$CXX" > /dev/null || missing+=(g++)
command -v nm > /dev/null || missing+=(binutils)
command -v make > /dev/null || missing+=(make)
command -v valgrind > /dev/null || missing+=(valgrind)
command -v python3 > /dev/null || missing+=(python3)
if [ ${#missing[@]} -gt 0 ]; then
    echo "tests/c: please install first: apt-get install ${missing[*]}" >&2
    exit 1
fi

work=$(mktemp -d)
log=$work/log lane=
trap '[ -z "$lane" ] || kill "$lane" 2> /dev/null; rm -rf "$work"' EXIT
warnings="-Wall -Wextra -Wpedantic -Werror"
c="$CC -std=c11 $warnings ${CFLAGS:--O2 -g} -Iinclude"
static="$build/libsurefill.a -Wl,--gc-sections"
shared="-L$build -lsurefill -Wl,-rpath,$build"
passed=0
failed=0

# try NAME COMMAND...: one line, with the command's last line; all of its output when it fails.
try() {
    local name=$1
    shift
    if timeout 1200 "$@" > "$log" 2>&1 < /dev/null; then
        passed=$((passed + 1))
        printf '%-52s passed  %s\n' "$name" "$(tail -n 1 "$log" | cut -c 1-50)"
    else
        local status=$?
        failed=$((failed + 1))
        printf '%-52s FAILED  (status %d)\n' "$name" $status
        sed 's/^/    /' "$log" | tail -n 40
    fi
}

# The same for a function of this script, which timeout cannot run.
try_here() {
    local name=$1
    shift
    if "$@" > "$log" 2>&1; then
        passed=$((passed + 1))
        printf '%-52s passed\n' "$name"
    else
        failed=$((failed + 1))
        printf '%-52s FAILED\n' "$name"
        sed 's/^/    /' "$log" | tail -n 40
    fi
}

memcheck="valgrind --quiet --error-exitcode=99 --leak-check=full"

# --- The example schedulers' state file ------------------------------------------------------------------------------

# Its test without a resource manager, as c-examples/slurm makes it; the library is the one that lies there.
schedulers() {
    try "compile: the schedulers' state file" "${parts[@]}" BUILD="$work/parts" CFLAGS="${CFLAGS:--O2 -g}" alone
    try "schedulers: power_loss.c" "$work/parts/power_loss"
    try "compile: recorded cycles" "${engine_parts[@]}" BUILD="$work/parts" CFLAGS="${CFLAGS:--O2 -g}" tests
    mkdir "$work/records"
    try "schedulers: records.c" "$work/parts/records" "$work/records"
    try "recorded cycles are decided again" tests/c/decided_again.sh "$work/parts/surefill-cycle" "$work/records"
    try_here "the kept cycles of resource managers as well" kept_records_are_decided_again
}
engine_parts=(make -s -C c-examples/engine CC="$CC" LIBRARY="$build/libsurefill.a" -o "$build/libsurefill.a")

# Cycles of a real slurmctld, of Flux and of the simulated PBS, as this layout of the block has them.
kept_records_are_decided_again() {
    "$work/parts/surefill-cycle" tests/c/recorded/*.surefill && return
    echo "tests/c/recorded is to be made anew, where the layout or the decisions have changed on purpose: tests/c/recorded/make.sh"
    return 1
}
parts=(make -s -C c-examples/slurm CC="$CC" LIBRARY="$build/libsurefill.a" -o "$build/libsurefill.a")

# --- Sanitizers ------------------------------------------------------------------------------------------------------

# The C side alone: what it does itself, and what the library writes by way of memcpy and memset. (Inside the library
# fuzz/run.sh looks.) Optimised compilation takes longer than it saves.
sanitize="-O0 -g -fsanitize=address,undefined -fno-sanitize-recover=all"
sanitized="$CC -std=c11 $warnings $sanitize -Iinclude"
cat > "$work/probe.c" << 'END'
#include <stdlib.h>
int main(int argc, char **argv) {
    int number = 2147483647, *numbers = malloc(4 * sizeof *numbers);
    (void)argv;
    if (argc == 2) numbers[2 + argc] = 1;
    if (argc == 3) number += argc;
    free(numbers);
    return number == 0;
}
END

sanitizers_find_faults() { ! "$work/probe" one && ! "$work/probe" one two; }

under_sanitizers() {
    local name
    try_here "the sanitizers find what is wrong" sanitizers_find_faults
    try "compile with sanitizers: sweep" $sanitized -o "$work/sweep-sanitized" tests/c/sweep*.c tests/c/check.c $static -lm
    try "sanitized: every function with every wrong argument" "$work/sweep-sanitized"
    for name in behaviour engine starts damage damage_objects damage_starts damage_nodes; do
        try "compile with sanitizers: $name" $sanitized -o "$work/$name-sanitized" tests/c/$name.c tests/c/check.c $static \
            -pthread -lm
        try "sanitized: $name.c" "$work/$name-sanitized"
    done
    try "compile with sanitizers: the schedulers' state file" "${parts[@]}" BUILD="$work/sanitized" CFLAGS="$sanitize" alone
    try "sanitized: power_loss.c" "$work/sanitized/power_loss"
}
second_lane() {
    local begun
    schedulers
    if [ -z "$no_sanitizers" ]; then
        begun=$SECONDS
        under_sanitizers
        echo "under the sanitizers: $((SECONDS - begun)) s"
    else
        echo "SKIPPED: the tests under the sanitizers ($no_sanitizers)"
    fi
    echo "$passed $failed" > "$work/second-counts"
}
no_sanitizers=
{ "$CC" $sanitize -o "$work/probe" "$work/probe.c" && "$work/probe"; } > "$log" 2>&1 || no_sanitizers="$CC $sanitize: $(tail -n 1 "$log")"

# try_plainly NAME PROGRAM: a program that damages every byte makes the same checks under the sanitizers, and runs without
# them where there are none.
try_plainly() { [ -z "$no_sanitizers" ] || try "$@"; }

# It runs beside what follows, and is printed after that.
log=$work/second-log second_lane > "$work/second-lane" 2>&1 &
lane=$!

# --- The interface ---------------------------------------------------------------------------------------------------

try "compile: sweep" $c -o "$work/sweep" tests/c/sweep*.c tests/c/check.c $static -lm
try "every function with every wrong argument" "$work/sweep"
try "the same accesses under valgrind" $memcheck "$work/sweep" --accesses

# Compilers that know C89 alone have no // comments; C++ has its own words.
headers_stand_alone() {
    for header in surefill surefill_parts; do
        echo "#include <$header.h>" > "$work/alone.c"
        "$CC" -std=c89 -pedantic -Wall -Wextra -Werror -Iinclude -fsyntax-only "$work/alone.c" || return 1
        "$CXX" -std=c++98 -pedantic -Wall -Wextra -Werror -Wno-long-long -Iinclude -fsyntax-only -x c++ "$work/alone.c" || return 1
    done
    # Where a long has 32 bits and there is no C library: every constant in an expression.
    {
        printf '#include "surefill_parts.h"\nint64_t constants[] = {\n'
        sed -nE 's/^#define (SUREFILL_[A-Z_0-9]+) .+/    \1,/p' include/*.h
        printf '    0\n};\n'
    } > "$work/alone.c"
    [ "$(uname -m)" != x86_64 ] ||
        "$CC" -m32 -ffreestanding -std=c89 -pedantic -Wall -Wextra -Werror -Iinclude -fsyntax-only "$work/alone.c"
}
try_here "each header alone, in C89 and C++" headers_stand_alone

# The headers' own examples, each a function's body.
examples_in_the_headers() {
    python3 tests/c/uses.py include/surefill.h include/surefill_parts.h > "$work/uses.c" &&
        "$CC" -std=c89 -pedantic -Wall -Wextra -Werror ${CFLAGS:--O2 -g} -Iinclude -o "$work/uses" "$work/uses.c" $static &&
        $memcheck "$work/uses"
}
try_here "the examples in the headers, in C89" examples_in_the_headers

sweep_is_complete() {
    grep -ohE '\bsurefill_[a-z_]+\(' include/surefill.h include/surefill_parts.h | tr -d '(' | sort -u > "$work/header"
    "$work/sweep" --list | sort > "$work/swept"
    diff "$work/header" "$work/swept"
}
try_here "the sweep knows every function of the header" sweep_is_complete

try "compile: behaviour" $c -o "$work/behaviour" tests/c/behaviour.c tests/c/check.c $static -lm
try "answers worked out by hand" "$work/behaviour"
try "the same under valgrind, in memory never written" $memcheck "$work/behaviour"
try "compile: behaviour, shared library" $c -o "$work/behaviour-shared" tests/c/behaviour.c tests/c/check.c $shared -lm
try "answers of the shared library" "$work/behaviour-shared"

try "compile: engine" $c -o "$work/engine" tests/c/engine.c tests/c/check.c $static
try "a scheduler: arrays, refusals, holds, requeues" "$work/engine"
try "the same under valgrind" $memcheck "$work/engine"

try "compile: starts" $c -o "$work/starts" tests/c/starts.c tests/c/check.c $static -lm
try "forecasts of starts: levels, reports, slices" "$work/starts"
try "the same under valgrind" $memcheck "$work/starts"

try "compile: damage" $c -o "$work/damage" tests/c/damage.c tests/c/check.c $static
try_plainly "a pass with any byte damaged" "$work/damage"
try "the first 500 bytes under valgrind" $memcheck "$work/damage" 500
try "compile: damage of the other objects" $c -o "$work/damage_objects" tests/c/damage_objects.c tests/c/check.c $static -lm
try_plainly "the other objects with any byte damaged" "$work/damage_objects"
try "every 211th byte under valgrind" $memcheck "$work/damage_objects" 211

try "compile: damage of forecasts of starts" $c -o "$work/damage_starts" tests/c/damage_starts.c tests/c/check.c $static -lm
try_plainly "a forecast of starts or its scheduler damaged" "$work/damage_starts"
try "every 307th byte under valgrind" $memcheck "$work/damage_starts" 307

try "compile: damage of nodes" $c -o "$work/damage_nodes" tests/c/damage_nodes.c tests/c/check.c $static -lm
try_plainly "a machine of nodes or its pass with any byte damaged" "$work/damage_nodes"
try "every 101st byte under valgrind" $memcheck "$work/damage_nodes" 101

try "compile: checkpoints" $c -o "$work/checkpoints" tests/c/checkpoints.c tests/c/check.c $static -lm
[ -z "${SUREFILL_BLESS:-}" ] || "$work/checkpoints" --write tests/checkpoints
try "checkpoints of this and of other versions" "$work/checkpoints" tests/checkpoints/*

# --- The examples ----------------------------------------------------------------------------------------------------

gzip -dc demo/workload.swf.gz > "$work/workload.swf"
for example in backfill bins quantile_bound what_if nodes node_starts start_times predict wait_bounds choose_size train_model learn_on_line keep_state whole_scheduler; do
    try "compile: $example, static" $c -o "$work/$example" c-examples/$example.c $static -lm
    try "compile: $example, shared" $c -o "$work/$example-shared" c-examples/$example.c $shared -lm
done
try "backfill.c" "$work/backfill"
try "backfill.c under valgrind" $memcheck "$work/backfill"

backfill_is_short_and_decides() {
    [ "$(wc -l < c-examples/backfill.c)" -lt 80 ] || return 1
    "$work/backfill" > "$work/static.txt" && "$work/backfill-shared" > "$work/shared.txt" || return 1
    diff "$work/static.txt" "$work/shared.txt" || return 1
    cat "$work/static.txt"
    grep -q 'short test .* accepted' "$work/static.txt" && grep -q 'model run .* refused' "$work/static.txt" &&
        grep -q 'wide test .* does not fit' "$work/static.txt"
}
try_here "backfill.c: under 80 lines, same answers both ways" backfill_is_short_and_decides

# Under 90 lines, clean in valgrind, and the same answers from both libraries.
is_short_and_the_same() {
    [ "$(wc -l < "c-examples/$1.c")" -lt 90 ] || return 1
    $memcheck "$work/$1" > "$work/static.txt" && "$work/$1-shared" > "$work/shared.txt" || return 1
    diff "$work/static.txt" "$work/shared.txt" && cat "$work/static.txt"
}

# The rests of all bins add up to 1 at every age, and nothing is left below the age.
bins_are_recalculated() {
    is_short_and_the_same bins && awk '
        / to / { for (i = 1; i <= 3; i++) sum[i] += $(3 + i); if (($3 + 0 <= 600 && $5 > 0) || ($3 + 0 <= 7200 && $6 > 0)) wrong = 1 }
        / are left / { lines++; if ($11 != (lines == 1 ? 3600 : lines == 2 ? 3000 : 7200)) wrong = 1 }
        END { for (i = 1; i <= 3; i++) if (sum[i] < .997 || sum[i] > 1.003) wrong = 1; exit wrong || lines != 3 }' "$work/static.txt"
}
try_here "bins.c: under 90 lines, adds up" bins_are_recalculated

# Each observation of 1, 2, ... is its own number: the indices, by exact arithmetic.
quantile_bounds_are_exact() {
    seq 400 | is_short_and_the_same quantile_bound && python3 - "$work/static.txt" << 'END'
import math, re, sys
from fractions import Fraction
n, q = 400, Fraction(19, 20)
below = [Fraction(0)]  # of k: the probability that fewer than k of n lie below the quantile
for k in range(n + 1): below.append(below[-1] + math.comb(n, k) * q**k * (1 - q)**(n - k))
upper = lambda c: min(k for k in range(1, n + 1) if below[k] >= c)
lower = lambda c: max(k for k in range(1, n + 1) if 1 - below[k] >= c)
one, two = Fraction(19, 20), Fraction(39, 40)
found = [int(number) for number in re.findall(r"observation (\d+)", open(sys.argv[1]).read())]
assert found == [lower(one), upper(one), lower(two), upper(two)], found
END
    [ "$(seq 20 | "$work/quantile_bound" | grep -c 'too few observations')" -eq 3 ] && seq 59 | "$work/quantile_bound" | grep -q '^at most 59,' &&
        ! { echo 1; echo x; } | "$work/quantile_bound" 2> /dev/null && ! echo 1 | "$work/quantile_bound" 1 2> /dev/null
}
try_here "quantile_bound.c: under 90 lines, exact" quantile_bounds_are_exact

# A tier above takes this away: the second question's two nodes.
what_if_is_answered() {
    is_short_and_the_same what_if && [ "$(grep -c 'starts now' "$work/static.txt")" -eq 3 ] &&
        [ "$(grep -c '4 nodes .*: the licences that it wants are in use, or are fewer than it wants$' "$work/static.txt")" -eq 2 ] &&
        grep -q '2 nodes .*: planned in .* is kept for job 2$' "$work/static.txt"
}
try_here "what_if.c: under 90 lines, licences and tiers count" what_if_is_answered

try "nodes.c under valgrind" $memcheck "$work/nodes"

# The node that the head job does not need is the better one, and there the candidate delays it less.
nodes_are_chosen() {
    [ "$(wc -l < c-examples/nodes.c)" -lt 100 ] || return 1
    "$work/nodes" > "$work/static.txt" && "$work/nodes-shared" > "$work/shared.txt" || return 1
    diff "$work/static.txt" "$work/shared.txt" || return 1
    cat "$work/static.txt"
    awk '/^on/ { node[NR] = $3 + 0; delay[NR] = $10; off[NR] = $12 + 0 }
        /^job 0 has ended: 3 GPUs free there; with that node closed the next is node [23]$/ { next_one = 1 }
        END { exit NR != 3 || !next_one || node[1] != 2 || node[2] == 2 || delay[2] + off[2] >= delay[1] - off[1] }' "$work/static.txt"
}
try_here "nodes.c: under 100 lines, a better node" nodes_are_chosen

try "node_starts.c under valgrind" $memcheck "$work/node_starts"

# No job on a node of its own waits longer than the head job, which wants three whole ones, and its quantiles are in order.
node_starts_are_right() {
    [ "$(wc -l < c-examples/node_starts.c)" -lt 90 ] || return 1
    "$work/node_starts" > "$work/static.txt" && "$work/node_starts-shared" > "$work/shared.txt" || return 1
    diff "$work/static.txt" "$work/shared.txt" || return 1
    cat "$work/static.txt"
    awk '$4 > $6 || $4 > half || $6 > most { wrong += NR > 1 || $4 > $6 } NR == 1 { half = $4; most = $6 }
        END { exit wrong || NR != 3 || half <= 0 }' "$work/static.txt"
}
try_here "node_starts.c: under 90 lines, the head job waits longest" node_starts_are_right

try "start_times.c under valgrind" $memcheck "$work/start_times"

# The head job's probabilities are the pass's within their half-widths; of the others, what they must be.
start_times_are_right() {
    [ "$(wc -l < c-examples/start_times.c)" -lt 90 ] || return 1
    "$work/start_times" > "$work/static.txt" && "$work/start_times-shared" > "$work/shared.txt" || return 1
    diff "$work/static.txt" "$work/shared.txt" || return 1
    cat "$work/static.txt"
    grep -q '^head job exactly' "$work/static.txt" && awk '
        /^job / { if ($4 > $6 || $6 > $8) wrong = 1; jobs++ }
        /^head job exactly/ { exact = $4; found = $7; off = $9; wrong = wrong || found - exact > off || exact - found > off }
        END { exit wrong || jobs != 4 }' "$work/static.txt"
}
try_here "start_times.c: under 90 lines, the head as the pass" start_times_are_right

try "predict.c under valgrind" $memcheck "$work/predict"

predict_is_short_and_learns() {
    [ "$(wc -l < c-examples/predict.c)" -lt 80 ] || return 1
    "$work/predict" > "$work/static.txt" && "$work/predict-shared" > "$work/shared.txt" || return 1
    diff "$work/static.txt" "$work/shared.txt" || return 1
    cat "$work/static.txt"
    # Half of the jobs run minutes by day, hours by night.
    awk '/half of the jobs/ { if (/day/ ? $10 > 20 : $10 < 100) wrong = 1; lines++ } END { exit wrong || lines != 6 }' \
        "$work/static.txt"
}
try_here "predict.c: under 80 lines, learns day and night" predict_is_short_and_learns

# The answers are those of exact arithmetic on sorted lists, for a new job and for some that have waited.
wait_bounds_are_exact() {
    [ "$(wc -l < c-examples/wait_bounds.c)" -lt 80 ] || return 1
    python3 tests/c/wait_bounds.py history > "$work/history.txt" || return 1
    for job in "3600 4" "36000 4 7000" "36000 4 24000" "36000 1 99999"; do
        python3 tests/c/wait_bounds.py answers $job < "$work/history.txt" > "$work/expected.txt" || return 1
        diff "$work/expected.txt" <("$work/wait_bounds" $job < "$work/history.txt") || return 1
        diff "$work/expected.txt" <("$work/wait_bounds-shared" $job < "$work/history.txt") || return 1
        $memcheck "$work/wait_bounds" $job < "$work/history.txt" > /dev/null || return 1
    done
}
try_here "wait_bounds.c: under 80 lines, exact, also in valgrind" wait_bounds_are_exact

wrong_histories() {
    for line in 'x 3600 4' '60 3600' '60 3600 4 5' '-1 3600 4' '60 -1 4' '60 3600 -4' 'nan 3600 4' ''; do
        printf '60 3600 4\n%s\n' "$line" | "$work/wait_bounds" > "$work/output" 2> "$work/errors"
        [ $? -eq 1 ] && grep -q '^line 2: ' "$work/errors" && [ ! -s "$work/output" ] || { echo "$line"; return 1; }
    done
    ! "$work/wait_bounds" -1 < "$work/history.txt" && grep -q '^0 waits' <<< "$("$work/wait_bounds" < /dev/null)"
}
try_here "wait_bounds.c: wrong lines and arguments" wrong_histories

try "keep_state.c under valgrind" $memcheck "$work/keep_state"
try "choose_size.c under valgrind" $memcheck "$work/choose_size"

choose_size_is_right() {
    [ "$(wc -l < c-examples/choose_size.c)" -lt 80 ] || return 1
    "$work/choose_size" > "$work/static.txt" && "$work/choose_size-shared" > "$work/shared.txt" || return 1
    diff "$work/static.txt" "$work/shared.txt" && python3 tests/c/choose_size.py < "$work/static.txt"
}
try_here "choose_size.c: under 80 lines, table by enumeration" choose_size_is_right

# Twice a day the state changes; one state's jobs run minutes, the other's hours; the history ends by night.
train_model_finds_day_and_night() {
    is_short_and_the_same train_model && awk '
        /^log-likelihood/ { if ($2 >= $5 || $7 != 56) wrong = 1; trained = 1 }
        /^state/ { states++; if ($9 < 600) { short = 1; if ($4 > .1) wrong = 1 } else if ($9 > 7000) long = 1 }
        /^the predictor/ { if ($4 < 7200) wrong = 1 }
        END { exit wrong || !trained || states != 2 || !short || !long }' FS='[ ,]+' "$work/static.txt"
}
try_here "train_model.c: under 90 lines, finds day and night" train_model_finds_day_and_night

# Seven jobs of ten are short by day, one of ten by night; the prediction on the last day has gone most of the way.
learn_on_line_learns() {
    is_short_and_the_same learn_on_line &&
        awk '/^0[06]/ { if ($8 > .45) wrong = 1 } /^1[28]/ { if ($8 < .55) wrong = 1 } /:00/ { hours++ }
             END { exit wrong || hours != 4 }' FS='[ ,]+' "$work/static.txt"
}
try_here "learn_on_line.c: under 90 lines, learns day and night" learn_on_line_learns

head -n 800 "$work/workload.swf" > "$work/short.swf"

# Jobs, mean wait and geometric mean wait by the simulator.
simulated() {
    "$SUREFILL_BIN" simulate demo/workload.swf.gz --json "$@" | tr -d ' ",' | awk -F : '
        !($1 in value) { value[$1] = $2 } # those of groups of jobs come later
        END { printf "%d\n%.3f\n%.3f\n", value["jobs"], value["mean_wait_s"], value["geomean_wait_s"] }'
}

# Status 1 and a message with this text, for a trace with this content.
is_refused() {
    printf '%b' "$2" > "$work/wrong.swf"
    "$work/whole_scheduler" "" "$work/wrong.swf" > "$work/output" 2> "$work/errors"
    [ $? -eq 1 ] && grep -q "$1" "$work/errors" || { cat "$work/errors"; return 1; }
}
job='10 -1 60 4 -1 -1 4 100 -1 1 7 8 9 1 -1 -1 -1'
wrong_traces() {
    is_refused 'line 2: a job has 18 numbers' "; MaxProcs: 8\n1 2 3\n" &&
        is_refused 'line 2: a job has 18 numbers' "; MaxProcs: 8\n1 x$job\n" &&
        is_refused 'line 2: a number is out of range' "; MaxProcs: 8\n1e99 $job\n" &&
        is_refused 'line 2: a number is out of range' "; MaxProcs: 8\nnan $job\n" &&
        is_refused 'line 1: no MaxProcs' "1 $job\n" &&
        is_refused 'line 2: no MaxProcs' "; MaxProcs: -1\n1 $job\n" &&
        is_refused "line 1: the machine's size is no number" "; MaxProcs: 1,024\n1 $job\n" &&
        is_refused "line 1: the machine's size is no number" "; MaxProcs: 99999999999\n1 $job\n" &&
        is_refused 'line 3: not in order' "; MaxProcs: 8\n1 $job\n2 9 ${job#10 }\n" &&
        is_refused 'line 1: too long' "$(printf '%5000d' 1)\n" &&
        is_refused 'no jobs' "; MaxProcs: 8\n"
}
try_here "swf.h: wrong traces" wrong_traces

try "whole_scheduler.c under valgrind" $memcheck "$work/whole_scheduler" "seed=1" "$work/short.swf"

# Figures that the whole scheduler prints of this file: jobs, mean wait, geometric mean wait, started.
whole() { "$work/$1" "${@:2}" | awk 'NR > 1 && NR <= 5 { print $(/geometric/ ? 4 : /mean/ ? 3 : 2) }'; }

# By events and by listings of all jobs the decisions are the same, and so they are with the shared library.
whole_scheduler_listens() {
    whole whole_scheduler preset=easy "$work/workload.swf" > "$work/events.txt"
    diff <(printf '%s\n' 5000 6507.046 476.913 5000) "$work/events.txt" || return 1
    diff "$work/events.txt" <(whole whole_scheduler-shared --listings preset=easy "$work/workload.swf") || return 1
    whole whole_scheduler seed=1 "$work/short.swf" > "$work/events.txt"
    diff "$work/events.txt" <(whole whole_scheduler-shared seed=1 "$work/short.swf") || return 1
    diff "$work/events.txt" <(whole whole_scheduler --listings seed=1 "$work/short.swf")
}
try_here "whole_scheduler.c: EASY's known result, any reports" whole_scheduler_listens

whole_scheduler_is_the_simulator() {
    local policy words kind
    while read -r policy words; do
        simulated --policy "$policy" > "$work/simulated.txt"
        for kind in events listings; do
            echo "policy $policy, $kind"
            # shellcheck disable=SC2046 # no word, or one
            whole whole_scheduler $([ $kind = events ] || echo --listings) "$words" "$work/workload.swf" |
                sed -n 1,3p | diff "$work/simulated.txt" - || return 1
        done
    done << 'END'
fair seed=1
fast preset=fast seed=1
easy preset=easy
END
}
if [ -n "${SUREFILL_BIN:-}" ]; then
    try_here "whole_scheduler.c: the simulator's waits, to a digit" whole_scheduler_is_the_simulator
    try "compile: same_schedule" $c -o "$work/same_schedule" tests/c/same_schedule.c $static -lm
    try "whole_scheduler.c: the simulator's starts, to the second" tests/c/same_schedule.sh "$work/same_schedule" "$work/workload.swf"
    try "the same on excerpts of four real traces" tests/c/same_on_traces.sh "$work/same_schedule"
else
    echo "SKIPPED: whole_scheduler.c against the simulator (SUREFILL_BIN is not set)"
fi

# It goes on from a state file with what it has learnt, also from one of a block that had grown.
whole_scheduler_goes_on() {
    local times
    rm -f "$work/state"
    for times in 1 2; do
        whole whole_scheduler --state "$work/state" "seed=1" "$work/short.swf" > "$work/state-$times.txt"
        [ "$(sed -n 4p "$work/state-$times.txt")" = $((times * $(sed -n 1p "$work/state-1.txt"))) ] || return 1
    done
    diff "$work/state-1.txt" <(whole whole_scheduler seed=1 "$work/short.swf") || return 1
    [ "$(sed -n 2p "$work/state-1.txt")" != "$(sed -n 2p "$work/state-2.txt")" ] || return 1
    awk 'BEGIN { print "; MaxProcs: 8"
        for (job = 1; job <= 600; job++) print job, job, -1, 60, 4, -1, -1, 4, 100, -1, 1, job % 9, 1, 1, 1, 1, -1, -1 }' \
        > "$work/long.swf"
    rm "$work/state"
    for times in 1 2; do
        [ "$(whole whole_scheduler --state "$work/state" preset=fast "$work/long.swf" | sed -n 4p)" = $((times * 600)) ] ||
            return 1
    done
}
try_here "whole_scheduler.c: goes on from its state file" whole_scheduler_goes_on

# Status 1, at most the first line printed, and a message with this text.
whole_scheduler_says() {
    "$work/whole_scheduler" "${@:2}" > "$work/output" 2> "$work/errors"
    [ $? -eq 1 ] && grep -qF -e "$1" "$work/errors" && [ "$(wc -l < "$work/output")" -le 1 ] ||
        { echo "not said: $1"; cat "$work/errors"; return 1; }
}
whole_scheduler_refuses() {
    local place wrong
    whole_scheduler_says "'presto=3': wanted is one of preset" "preset=fast presto=3" "$work/short.swf" &&
        whole_scheduler_says "'proposals=2.5': wanted is proposals= a whole number" "seed=1,proposals=2.5" "$work/short.swf" &&
        whole_scheduler_says "wanted is text in UTF-8" $'\xff' "$work/short.swf" &&
        whole_scheduler_says "usage" "seed=1" && whole_scheduler_says "usage" &&
        whole_scheduler_says "cannot be opened" "seed=1" "$work/none.swf" || return 1
    rm -f "$work/state"
    "$work/whole_scheduler" --state "$work/state" "preset=easy seed=1" "$work/long.swf" > "$work/output" || return 1
    whole_scheduler_says "'seed=2': wanted is seed= before the first pool" --state "$work/state" "mode=on seed=2" "$work/long.swf" ||
        return 1
    for place in 0 12 16 24 40 5000 300000; do # magic, version, size, checksum and what is checked
        cp "$work/state" "$work/damaged"
        printf '\132\245' | dd of="$work/damaged" bs=1 seek=$place conv=notrunc status=none || return 1
        whole_scheduler_says "$work/damaged: " --state "$work/damaged" "seed=1" "$work/long.swf" || return 1
    done
    head -c 100000 "$work/state" > "$work/damaged"
    for wrong in "$work/damaged" "$work/long.swf" "$work" /dev/null; do
        whole_scheduler_says "$wrong: " --state "$wrong" "seed=1" "$work/long.swf" || return 1
    done
    whole_scheduler_says "none/state: cannot be written" --state "$work/none/state" "preset=easy" "$work/long.swf" ||
        [ "$(wc -l < "$work/output")" -gt 1 ]
}
try_here "whole_scheduler.c: wrong words and state files" whole_scheduler_refuses

try "compile: heap" $c -fno-builtin -o "$work/heap" tests/c/heap.c tests/c/check.c $static -lm
without_heap() { "$work/heap" < "$work/history.txt"; }
try_here "no heap: the examples with a counting allocator" without_heap
try "compile: heap of a scheduler" $c -fno-builtin -o "$work/heap_scheduler" tests/c/heap_scheduler.c tests/c/check.c $static -lm
try "no heap but for what the program takes itself" "$work/heap_scheduler" "$work/workload.swf"

# --- The libraries ---------------------------------------------------------------------------------------------------

# No allocator, lock, input or output, mathematics: memory is copied and set, and that is all.
needs_nothing() {
    nm -D --undefined-only "$build/libsurefill.so" | awk '$1 == "U" { print $2 }' | sed 's/@.*//' > "$work/needed"
    ! grep -vxE 'mem(cpy|move|set|cmp)|bcmp' "$work/needed"
}
try_here "the shared library needs nothing but memcpy & co." needs_nothing

# Each with the number of the interface, so that a program of another one is not begun.
exports_the_header() {
    nm -D --defined-only "$build/libsurefill.so" | awk '$2 != "A" { print $NF }' | sort > "$work/exported"
    sed 's/$/@@SUREFILL_0/' "$work/header" | sort | diff - "$work/exported"
}
try_here "it exports the header's functions, nothing else" exports_the_header

has_soname() { readelf -d "$build/libsurefill.so" | grep -F 'soname: [libsurefill.so.0]'; }
try_here "its soname is libsurefill.so.0" has_soname

# The header says how much stack a call takes; what the test program and the C library take counts too.
takes_little_stack() {
    for program in engine starts checkpoints; do
        valgrind --tool=drd --check-stack-var=no --show-stack-usage=yes "$work/$program" tests/checkpoints/* 2>&1 |
            tee /dev/stderr | awk '/ used [0-9]+ bytes/ { for (i = 1; i < NF; i++) if ($i == "used") most = $(i + 1) }
                END { exit !(most > 0 && most <= 20 * 1024) }' || return 1
    done
}
try_here "a call takes at most 20 kB of stack" takes_little_stack

cannot_panic() { # nm must have seen the names: libraries without them would pass for free
    for linked in "$build/libsurefill.so" "$work/sweep" "$work/whole_scheduler"; do
        nm "$linked" | grep ' [Tt] surefill_cycle_next' > /dev/null || return 1 # not -q, which would break the pipe
        ! nm "$linked" | grep -i panic || return 1
    done
}
try_here "nothing can panic, in the library and linked programs" cannot_panic

plugin() {
    "$CXX" -std=c++17 $warnings -Iinclude -fPIC -shared -o "$work/libplugin.so" tests/c/plugin.cpp $static \
        -Wl,--exclude-libs,ALL || return 1
    ! nm -D --defined-only "$work/libplugin.so" | grep surefill_ || return 1
    "$CXX" -std=c++17 $warnings -o "$work/host" tests/c/host.cpp -L"$work" -lplugin -Wl,-rpath,"$work" || return 1
    "$work/host"
}
try_here "C++17: a plugin that links statically, exports nothing" plugin

if [ "$(uname -sm)" = "Linux x86_64" ]; then
    try "compile: no standard library" $c -ffreestanding -nostdlib -static -fno-stack-protector \
        -o "$work/freestanding" tests/c/freestanding.c $static
    try "a pass, a cycle without a standard library" "$work/freestanding"
else
    echo "SKIPPED: a pass without a standard library (it starts by itself on Linux on x86-64 only)"
fi

wait "$lane"
cat "$work/second-lane"
read -r lane_passed lane_failed < "$work/second-counts" || lane_passed=0 lane_failed=1
passed=$((passed + lane_passed)) failed=$((failed + lane_failed))
printf '%d passed, %d failed\n' $passed $failed
[ $failed -eq 0 ]
