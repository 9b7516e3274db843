# shellcheck shell=bash
# For scripts that play a site, behind cluster.sh: a folder of their own, users of their own, and a clock for slurmctld that
# runs faster than the machine's, by libfaketime (package faketime). munged, slurmdbd, whose times are slurmctld's, and the
# daemons of nodes live by the machine's.
#
# Set before: factor         seconds of the clock in a second
#             fast           names of the daemons that live by it
#             kept           files to be copied to the folder KEEP at the end, by a function that prints them
# may be set: clock_origin   the time that it shows at its beginning, in seconds since 1970; else the machine's
#             clock_lead     seconds from the start of the first of these daemons to its beginning
# Sets:       work           the folder
#             clock_begun    its beginning, in seconds of the machine's clock, once a daemon has started
# Licence: GPL-2.0-or-later.
faketime=$(find /usr/lib -name libfaketimeMT.so.1 | head -n 1)
[ -n "$faketime" ] || {
    echo "$(basename "$0"): please install first: apt-get install faketime" >&2
    exit 1
}
work=$(mktemp -d) && chmod 711 "$work"
clock_cleanup() {
    if [ -n "${KEEP:-}" ] && [ -n "$CLUSTER" ]; then
        mkdir -p "$KEEP"
        kept | xargs cp -t "$KEEP" || true
    fi
    cluster_stop
    umount /etc/passwd 2>/dev/null || true
    rm -rf "$work"
}
trap clock_cleanup EXIT
trap 'exit 1' INT TERM

# The users of the file passwd in the folder, for all programs of this script.
own_users() {
    chmod 644 "$work/passwd"
    mount --bind "$work/passwd" /etc/passwd
}

daemon() {
    local name=$1 faster=() ahead now
    shift
    if [[ " $fast " == *" $name "* ]]; then
        now=$(date +%s.%N)
        : "${clock_begun:=$(awk "BEGIN { printf \"%.6f\", $now + ${clock_lead:-0} }")}"
        ahead=$(awk "BEGIN { printf \"%+.3f\", ${clock_origin:-$clock_begun} - $now + ($now - $clock_begun) * $factor }")
        # The plugin's sleeps are on the monotonic clock, which libfaketime does not convert everywhere.
        faster=(env "LD_PRELOAD=$faketime" "FAKETIME=$ahead x$factor" FAKETIME_NO_CACHE=1 FAKETIME_DONT_FAKE_MONOTONIC=1)
    fi
    "${faster[@]}" "$@" >"$CLUSTER/log/$name.out" 2>&1 </dev/null &
    echo $! >"$CLUSTER/pid/$name.run"
    disown
}
