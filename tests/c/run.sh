#!/usr/bin/env bash
# Everything about the C header that a C compiler and valgrind can test.
#
#   tests/c/run.sh BUILD_DIR
#
# BUILD_DIR holds libsurefill.a, libsurefill.so.0 and the link libsurefill.so. CC, CXX and CFLAGS are used when set.
# With SUREFILL_BIN, the simulator's program, the replay in C is compared with the simulator's.
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
command -v valgrind > /dev/null || missing+=(valgrind)
command -v python3 > /dev/null || missing+=(python3)
if [ ${#missing[@]} -gt 0 ]; then
    echo "tests/c: please install first: apt-get install ${missing[*]}" >&2
    exit 1
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
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
    if timeout 300 "$@" > "$work/log" 2>&1 < /dev/null; then
        passed=$((passed + 1))
        printf '%-52s passed  %s\n' "$name" "$(tail -n 1 "$work/log" | cut -c 1-50)"
    else
        local status=$?
        failed=$((failed + 1))
        printf '%-52s FAILED  (status %d)\n' "$name" $status
        sed 's/^/    /' "$work/log" | tail -n 40
    fi
}

# The same for a function of this script, which timeout cannot run.
try_here() {
    local name=$1
    shift
    if "$@" > "$work/log" 2>&1; then
        passed=$((passed + 1))
        printf '%-52s passed\n' "$name"
    else
        failed=$((failed + 1))
        printf '%-52s FAILED\n' "$name"
        sed 's/^/    /' "$work/log" | tail -n 40
    fi
}

memcheck="valgrind --quiet --error-exitcode=99 --leak-check=full"

# --- The interface ---------------------------------------------------------------------------------------------------

try "compile: sweep" $c -o "$work/sweep" tests/c/sweep.c tests/c/sweep_pass.c tests/c/sweep_forecast.c tests/c/sweep_hmm.c \
    tests/c/sweep_online.c tests/c/sweep_predictor.c tests/c/sweep_wait.c \
    tests/c/sweep_allocate.c tests/c/sweep_schedule.c tests/c/sweep_delays.c tests/c/sweep_values.c tests/c/check.c $static -lm
try "every function with every wrong argument" "$work/sweep"
try "the same under valgrind" $memcheck "$work/sweep"

# Compilers that know C89 alone have no // comments; C++ has its own words.
headers_stand_alone() {
    for header in surefill surefill_models; do
        echo "#include <$header.h>" > "$work/alone.c"
        "$CC" -std=c89 -pedantic -Wall -Wextra -Werror -Iinclude -fsyntax-only "$work/alone.c" || return 1
        "$CXX" -std=c++98 -pedantic -Wall -Wextra -Werror -Wno-long-long -Iinclude -fsyntax-only -x c++ "$work/alone.c" || return 1
    done
}
try_here "both headers alone, in C89 and C++" headers_stand_alone

# The headers' own examples, each a function's body.
examples_in_the_headers() {
    python3 tests/c/uses.py include/surefill.h include/surefill_models.h > "$work/uses.c" &&
        "$CC" -std=c89 -pedantic -Wall -Wextra -Werror ${CFLAGS:--O2 -g} -Iinclude -o "$work/uses" "$work/uses.c" $static &&
        $memcheck "$work/uses"
}
try_here "the examples in the headers, in C89" examples_in_the_headers

sweep_is_complete() {
    grep -ohE '\bsurefill_[a-z_]+\(' include/surefill.h include/surefill_models.h | tr -d '(' | sort -u > "$work/header"
    "$work/sweep" --list | sort > "$work/swept"
    diff "$work/header" "$work/swept"
}
try_here "the sweep knows every function of the header" sweep_is_complete

try "compile: behaviour" $c -o "$work/behaviour" tests/c/behaviour.c tests/c/check.c $static -lm
try "answers worked out by hand" "$work/behaviour"
try "the same under valgrind, in memory never written" $memcheck "$work/behaviour"
try "compile: behaviour, shared library" $c -o "$work/behaviour-shared" tests/c/behaviour.c tests/c/check.c $shared -lm
try "answers of the shared library" "$work/behaviour-shared"

try "compile: damage" $c -o "$work/damage" tests/c/damage.c tests/c/check.c $static
try "a pass with any byte damaged" "$work/damage"
try "the first 500 bytes under valgrind" $memcheck "$work/damage" 500
try "compile: damage of the other objects" $c -o "$work/damage_objects" tests/c/damage_objects.c tests/c/check.c $static -lm
try "the other objects with any byte damaged" "$work/damage_objects"
try "every 211th byte under valgrind" $memcheck "$work/damage_objects" 211

try "compile: inbox" $c -o "$work/inbox" tests/c/inbox.c tests/c/check.c $static -pthread
try "inbox: two threads and four, 1,000,000 events each" "$work/inbox"
try "inbox: 20,000 events each under valgrind" $memcheck --fair-sched=yes "$work/inbox" 20000

# --- The examples ----------------------------------------------------------------------------------------------------

gzip -dc demo/workload.swf.gz > "$work/workload.swf"
for example in backfill start_times replay predict wait_bounds choose_size; do
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

try "start_times.c under valgrind" $memcheck "$work/start_times"

# The head job's probabilities are the pass's within their half-widths; of the others, what they must be.
start_times_are_right() {
    [ "$(wc -l < c-examples/start_times.c)" -lt 80 ] || return 1
    "$work/start_times" > "$work/static.txt" && "$work/start_times-shared" > "$work/shared.txt" || return 1
    diff "$work/static.txt" "$work/shared.txt" || return 1
    cat "$work/static.txt"
    grep -q '^head job exactly' "$work/static.txt" && awk '
        /^job / { if ($4 > $6 || $6 > $8) wrong = 1; jobs++ }
        /^head job exactly/ { exact = $4; found = $7; off = $9; wrong = wrong || found - exact > off || exact - found > off }
        END { exit wrong || jobs != 4 }' "$work/static.txt"
}
try_here "start_times.c: under 80 lines, the head as the pass" start_times_are_right

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

try "choose_size.c under valgrind" $memcheck "$work/choose_size"

choose_size_is_right() {
    [ "$(wc -l < c-examples/choose_size.c)" -lt 80 ] || return 1
    "$work/choose_size" > "$work/static.txt" && "$work/choose_size-shared" > "$work/shared.txt" || return 1
    diff "$work/static.txt" "$work/shared.txt" && python3 tests/c/choose_size.py < "$work/static.txt"
}
try_here "choose_size.c: under 80 lines, table by enumeration" choose_size_is_right

inbox_loses_nothing() {
    $c -o "$work/inbox-example" c-examples/inbox.c $static -pthread -lm &&
        for _ in 1 2 3; do [ "$("$work/inbox-example")" = "4000 events, 2000 waits known" ] || return 1; done
    $memcheck --fair-sched=yes "$work/inbox-example"
}
try_here "inbox.c: two threads tell, nothing is lost" inbox_loses_nothing

head -n 800 "$work/workload.swf" > "$work/short.swf"
try "replay.c under valgrind" $memcheck "$work/replay" "$work/short.swf"

# What the replay in C prints, in the order: jobs, mean wait, geometric mean, backfilled, judged, passes.
replayed() {
    "$work/$1" "${@:2}" "$work/workload.swf" | awk 'NR > 1 { print $(/geometric/ ? 4 : /mean/ ? 3 : 2) }'
}

# The same from the simulator's JSON.
simulated() {
    "$SUREFILL_BIN" simulate demo/workload.swf.gz --json "$@" | tr -d ' ",' | awk -F : '
        !($1 in value) { value[$1] = $2 } # those of groups of jobs come later
        END {
            printf "%d\n%.3f\n%.3f\n", value["jobs"], value["mean_wait_s"], value["geomean_wait_s"]
            printf "%d\n%d\n%d\n", value["backfilled"], value["decisions"], value["passes"]
        }'
}

replay_is_easy() {
    # Judged are those that a guard does not refuse at once.
    diff <(replayed replay --preset easy | sed 5d) <(printf '%s\n' 5000 6507.046 476.913 3195 9936) || return 1
    diff <(replayed replay-shared --criterion relative) <(replayed replay --criterion relative)
}
try_here "replay.c: EASY's known result, same both ways" replay_is_easy

replay_is_the_simulator() {
    diff <(replayed replay --preset easy | sed 5d) <(simulated --policy easy | sed 5d) || return 1
    for preset in easy fair fast; do
        echo "preset $preset"
        diff <(replayed replay --preset $preset) <(simulated --preset $preset) || return 1
    done
    for criterion in probability relative seconds; do
        echo "criterion $criterion"
        diff <(replayed replay --criterion $criterion --tau 0.05) \
            <(simulated --preset easy --guard 1 --or-easy false --events-per-bin 4 --predictor mix \
                --criterion $criterion --tau 0.05) || return 1
    done
}
if [ -n "${SUREFILL_BIN:-}" ]; then
    try_here "replay.c: the simulator's results, EASY and learnt" replay_is_the_simulator
else
    echo "SKIPPED: replay.c against the simulator (SUREFILL_BIN is not set)"
fi

# Status 1 and a message with this text, for a trace with this content.
is_refused() {
    printf '%b' "$2" > "$work/wrong.swf"
    "$work/replay" "$work/wrong.swf" > "$work/output" 2> "$work/errors"
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
        is_refused 'no jobs' "; MaxProcs: 8\n" &&
        is_refused 'smaller than' "; MaxProcs: 16000000\n1 $job\n" && # the machine does not fit the static memory
        ! "$work/replay" "$work/none.swf" && ! "$work/replay" --tau nan "$work/short.swf" &&
        ! "$work/replay" --criterion none "$work/short.swf" && ! "$work/replay" --tau && ! "$work/replay"
}
try_here "replay.c: wrong traces and options" wrong_traces

try "compile: heap" $c -fno-builtin -o "$work/heap" tests/c/heap.c tests/c/check.c $static -lm
without_heap() { "$work/heap" "$work/workload.swf" < "$work/history.txt"; }
try_here "no heap: all examples with a counting allocator" without_heap

# --- The libraries ---------------------------------------------------------------------------------------------------

# No allocator, lock, input or output, mathematics: memory is copied and set, and that is all.
needs_nothing() {
    nm -D --undefined-only "$build/libsurefill.so" | awk '$1 == "U" { print $2 }' | sed 's/@.*//' > "$work/needed"
    ! grep -vxE 'mem(cpy|move|set|cmp)|bcmp' "$work/needed"
}
try_here "the shared library needs nothing but memcpy & co." needs_nothing

exports_the_header() {
    nm -D --defined-only "$build/libsurefill.so" | awk '{ print $NF }' | sort > "$work/exported"
    diff "$work/header" "$work/exported"
}
try_here "it exports the header's functions, nothing else" exports_the_header

has_soname() { readelf -d "$build/libsurefill.so" | grep -F 'soname: [libsurefill.so.0]'; }
try_here "its soname is libsurefill.so.0" has_soname

cannot_panic() { # nm must have seen the names: libraries without them would pass for free
    for linked in "$build/libsurefill.so" "$work/sweep" "$work/replay"; do
        nm "$linked" | grep ' [Tt] surefill_pass_decide' > /dev/null || return 1 # not -q, which would break the pipe
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
    try "a pass without a standard library" "$work/freestanding"
else
    echo "SKIPPED: a pass without a standard library (it starts by itself on Linux on x86-64 only)"
fi

printf '%d passed, %d failed\n' $passed $failed
[ $failed -eq 0 ]
