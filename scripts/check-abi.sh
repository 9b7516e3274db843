#!/usr/bin/env bash
# The binary interface against the one that was accepted (abi/): nothing may be gone or changed, additions are free.
#
#   scripts/check-abi.sh            compare build/libsurefill.so and the headers with abi/
#   scripts/check-abi.sh --accept   say what changed, then write abi/ again
#   scripts/check-abi.sh --test     whether a comparison would notice: libraries and dumps with one thing changed
#
# abi/surefill.x86_64.abi is abidw's description of the library: names, parameters, structures with offsets and sizes.
# Paths, lines, the system's libraries, Rust's modules and its own library are left out: it is the same on every machine,
# and moving code changes nothing.
# abi/constants.txt holds the header's macros, which no library shows.
set -euo pipefail
export LC_ALL=C
cd "$(dirname "$0")/.."
library=${SUREFILL_BUILD:-build}/libsurefill.so
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for tool in abidw abidiff; do
    command -v $tool > /dev/null || { echo "check-abi: please install first: apt-get install abigail-tools" >&2; exit 1; }
done
machine=$(uname -m)
accepted=abi/surefill.$machine.abi

describe() { # LIBRARY
    abidw --no-corpus-path --no-comp-dir-path --no-show-locs --type-id-style hash "$1" |
        sed -e '/<abi-instr .*\(compiler_builtins\|library\/core\/\)/,/<\/abi-instr>/d' \
            -e '/<\/\?namespace-decl\b/d' -e '/<elf-needed>/,/<\/elf-needed>/d' \
            -e '/<undefined-elf-.*-symbols>/,/<\/undefined-elf-.*-symbols>/d' -e "s|path='src/lib.rs/[^']*'|path='src/lib.rs'|"
}

constants() { # FOLDER of the headers
    echo '#include "surefill_parts.h"' | ${CC:-cc} -E -dM -I"$1" - | sed -n 's/^#define \(SUREFILL_[A-Z_0-9]* .*\)/\1/p' | grep -v '^SUREFILL_VERSION_NUMBER ' | sort
}

# compare OLD NEW: status 0 when a program that was linked with OLD runs with NEW.
compare() { abidiff --no-added-syms "$1" "$2"; }

compare_constants() { # OLD NEW
    local gone
    gone=$(comm -23 "$1" "$2")
    [ -z "$gone" ] || { printf 'constants gone or changed:\n%s\n' "$gone"; return 1; }
}

# A description without types would hide every change but a name's.
describe "$library" > "$work/new.abi"
constants include > "$work/constants.txt"
functions=$(grep -c '<function-decl ' "$work/new.abi" || true)
symbols=$(grep -c '<elf-symbol ' "$work/new.abi" || true)
if [ "$functions" -lt 1 ] || [ "$functions" != "$symbols" ]; then
    echo "check-abi: $symbols symbols, $functions with types: $library was built without debug information" >&2
    exit 1
fi

# --- Comparing, accepting --------------------------------------------------------------------------------------------

if [ "${1:-}" = --accept ]; then
    [ "$machine" = x86_64 ] || { echo "check-abi: what is accepted is described on x86_64" >&2; exit 1; }
    mkdir -p abi
    if [ -f "$accepted" ]; then
        if abidiff "$accepted" "$work/new.abi" && compare_constants abi/constants.txt "$work/constants.txt"; then
            echo "no functions or types changed"
        elif ! compare "$accepted" "$work/new.abi" > /dev/null ||
            ! compare_constants abi/constants.txt "$work/constants.txt" > /dev/null; then
            echo
            echo "Old programs break. Once a version with this number is released, raise SUREFILL_ABI_VERSION (src/capi/status.rs)"
            echo "first, and say it in CHANGELOG.md."
        fi
    fi
    cp "$work/new.abi" "$accepted"
    cp "$work/constants.txt" abi/constants.txt
    echo "accepted: $functions functions, $(wc -l < abi/constants.txt) constants"
    exit 0
fi

if [ "$machine" != x86_64 ]; then
    echo "SKIPPED: the accepted interface is described for x86_64, this is $machine"
    exit 0
fi
if [ "${1:-}" != --test ]; then
    if compare "$accepted" "$work/new.abi" && compare_constants abi/constants.txt "$work/constants.txt"; then
        echo "$functions functions, $(wc -l < "$work/constants.txt") constants; accepted were" \
            "$(grep -c '<function-decl ' "$accepted"), $(wc -l < abi/constants.txt)"
        exit 0
    fi
    echo "check-abi: old programs would break. If that is meant: make abi-accept" >&2
    exit 1
fi

# --- Whether it would notice -----------------------------------------------------------------------------------------

passed=0
failed=0
expect() { # NAME same|changed WORD COMMAND...: WORD is what the report must name
    local name=$1 expected=$2 word=$3 found=same
    shift 3
    "$@" > "$work/report" 2>&1 || found=changed
    if [ $found = "$expected" ] && { [ $found = same ] || grep -q "$word" "$work/report"; }; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $name: found $found"
        cat "$work/report"
    fi
}

# One thing changed in a description: DOCTOR OUT.
doctor() {
    python3 - "$1" "$work/new.abi" "$2" << 'PYTHON'
import copy, sys
import xml.etree.ElementTree as xml

change, source, target = sys.argv[1:]
tree = xml.parse(source)
symbols = tree.find("elf-function-symbols")
unit = tree.find("abi-instr")
symbol = next(e for e in symbols if e.get("name") == "surefill_pass_idle")
function = next(e for e in unit if e.get("name") == "surefill_pass_idle")
parameter = function.findall("parameter")[1]
rule = next(e for e in unit if e.get("name") == "surefill_rule")
types = {e.get("name"): e.get("id") for e in unit if e.get("id")}
if change == "function gone":
    symbols.remove(symbol)
    unit.remove(function)
elif change == "function more":
    for parent, child, key in ((symbols, symbol, "name"), (unit, function, "name")):
        child = copy.deepcopy(child)
        child.set(key, "surefill_pass_more")
        if parent is unit:
            child.set("mangled-name", "surefill_pass_more")
            child.set("elf-symbol-id", child.get("elf-symbol-id").replace("surefill_pass_idle", "surefill_pass_more"))
        parent.append(child)
elif change == "parameter's type":
    assert parameter.get("type-id") != types["i64"]
    parameter.set("type-id", types["i64"])
elif change == "parameter more":
    function.insert(2, copy.deepcopy(parameter))
elif change == "result's type":
    function.find("return").set("type-id", types["i64"])
elif change == "member's offset":
    last = rule.findall("data-member")[-1]
    last.set("layout-offset-in-bits", str(int(last.get("layout-offset-in-bits")) + 64))
    rule.set("size-in-bits", str(int(rule.get("size-in-bits")) + 64))
elif change == "member gone":
    rule.remove(rule.findall("data-member")[-1])
else:
    sys.exit("no such change: " + change)
tree.write(target)
PYTHON
}

expect "nothing changed" same - compare "$work/new.abi" "$work/new.abi"
for change in "function gone" "parameter's type" "parameter more" "result's type" "member's offset" "member gone"; do
    doctor "$change" "$work/doctored.abi"
    case $change in member*) name=surefill_rule ;; *) name=surefill_pass_idle ;; esac
    expect "$change" changed $name compare "$work/new.abi" "$work/doctored.abi"
done
doctor "function more" "$work/doctored.abi"
expect "function more" same - compare "$work/new.abi" "$work/doctored.abi"
expect "function more, then gone" changed surefill_pass_more compare "$work/doctored.abi" "$work/new.abi"

# A library whose function has another name of the same length.
sed 's/surefill_pass_idle/surefill_pass_busy/g' "$library" > "$work/libsurefill.so"
describe "$work/libsurefill.so" > "$work/doctored.abi"
expect "a library without the function" changed surefill_pass_idle compare "$work/new.abi" "$work/doctored.abi"
cp "$library" "$work/again.so"
describe "$work/again.so" > "$work/doctored.abi"
expect "a copy elsewhere: the same description" same - cmp "$work/new.abi" "$work/doctored.abi"

for change in changed gone more; do
    mkdir "$work/$change"
    cp include/surefill_parts.h "$work/$change"
done
sed 's/^#define SUREFILL_ERROR_FULL -7$/#define SUREFILL_ERROR_FULL -8/' include/surefill.h > "$work/changed/surefill.h"
grep -v '^#define SUREFILL_ERROR_FULL ' include/surefill.h > "$work/gone/surefill.h"
sed 's/^#define SUREFILL_ERROR_FULL /#define SUREFILL_ERROR_MORE -999\n&/' include/surefill.h > "$work/more/surefill.h"
for change in "changed changed" "gone changed" "more same"; do
    constants "$work/${change% *}" > "$work/doctored.txt"
    expect "constant ${change% *}" "${change#* }" SUREFILL_ERROR_FULL \
        compare_constants "$work/constants.txt" "$work/doctored.txt"
done
grep -q SUREFILL_ERROR_MORE <<< "$(constants "$work/more")" || { failed=$((failed + 1)); echo "FAILED: a new constant is not seen"; }

echo "$passed passed, $failed failed"
[ $failed = 0 ]
