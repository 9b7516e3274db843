#!/usr/bin/env bash
# Runs a command that asks a package mirror: up to three times, 10 and 30 s apart, as lists are sometimes being renewed there.
#
#   again.sh COMMAND...
set -u
for pause in 10 30; do
    "$@" && exit
    echo "again.sh: $1 failed; once more in $pause s" >&2
    sleep $pause
done
"$@"
