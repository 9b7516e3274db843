#!/usr/bin/env bash
# Makes up the accounting of docs/example: eight weeks of a cluster of 64 processors as sacct -P prints it, in monthly
# files. The generated workload is stretched to six times its length; its recorded schedule is that of conservative
# backfilling.
set -euo pipefail
cd "$(dirname "$0")/.."
surefill=${SUREFILL_BIN:-${CARGO_TARGET_DIR:-target}/${TOOL_PROFILE:-release}/surefill}
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
"$surefill" generate --model sessions --seed 2 -n 1900 --users 16 --procs 64 --load 0.7 -o "$folder/week.swf"
awk '/^;/ { print; next } { $2 *= 6; $4 *= 6; $9 *= 6; print }' "$folder/week.swf" > "$folder/weeks.swf"
"$surefill" simulate --quiet "$folder/weeks.swf" --policy conservative --jobs "$folder/jobs.csv" > "$folder/table"
rm -f docs/example/sacct-*.txt.gz
mkdir -p docs/example
awk -F, -v folder="$folder" '
    function date(seconds) { return strftime("%Y-%m-%dT%H:%M:%S", 1704067200 + seconds, 1) }
    BEGIN { split("physics chemistry biology engineering", accounts, " "); OFS = "|" }
    /^#/ || $1 == "number" { next }
    {
        month = substr(date($3), 1, 7)
        file = folder "/" month
        if (!(month in begun)) {
            print "JobID", "Submit", "Eligible", "Start", "End", "State", "TimelimitRaw", "AllocCPUS", "User", "Account", "Partition" > file
            begun[month] = 1
        }
        state = $8 >= $7 ? "TIMEOUT" : "COMPLETED"
        user = sprintf("user%02d", $2)
        print 1000 + $1, date($3), date($3), date($4), date($5), state, $7 / 60, $6, user, accounts[1 + $2 % 4], "batch" > file
    }
' "$folder/jobs.csv"
for month in 2024-01 2024-02; do
    gzip -9n < "$folder/$month" > "docs/example/sacct-$month.txt.gz"
done
