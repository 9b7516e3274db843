#!/usr/bin/env bash
# Builds the Slurm plugin and the external scheduler, and tests them and surefill advise with a real slurmctld. Installs
# what is missing where it may, else says what to install. Needs root: the daemons run jobs as several users. Takes some ten
# minutes.
#
#   check-slurm.sh [TEST...]      all tests, or the named ones (tests/slurm/TEST.sh)
#
# Three of them are of other releases: "releases" compiles the plugin against the sources of those in Debian 13 and
# unstable, "chroot" runs some of the tests with the daemons of Debian 13, "upstream" with those of 26.05, which it builds;
# without names one of these two runs, "upstream" where 26.05 has been built before (tests/slurm/upstream.sh).
set -euo pipefail
cd "$(dirname "$0")/.."
begun=$SECONDS

# Whatever ends this script, the tests end their clusters, and nothing stays.
policy='' logs=''
# shellcheck source=tests/slurm/beside.sh
. tests/slurm/beside.sh
clean_up() {
    beside_end
    [ -z "$policy" ] || rm -f "$policy"
    [ -z "$logs" ] || rm -rf "$logs"
}
# Ends by the signal itself, so that whoever runs this script stops as well.
interrupted() {
    trap - EXIT "$1"
    clean_up
    kill -s "$1" $$
}
trap clean_up EXIT
for signal in INT TERM HUP; do
    # shellcheck disable=SC2064
    trap "interrupted $signal" $signal
done

if [ "$(id -u)" != 0 ]; then
    echo "SKIPPED: the Slurm tests need root (slurmd runs jobs as several users)"
    exit 0
fi
if ! command -v apt-get >/dev/null; then
    echo "SKIPPED: the Slurm tests know Debian's packages only"
    exit 0
fi
packages=(slurmctld slurmd slurmdbd mariadb-server slurm-client slurm-wlm-basic-plugins munge libslurm-dev dpkg-dev gcc make iproute2 procps
    python3)
missing=()
for package in "${packages[@]}"; do
    [ "$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null)" = 'install ok installed' ] || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
    echo "check-slurm: installing ${missing[*]}"
    # No daemon of the packages is to start. Where the site has a rule of its own and one does start, it is in no
    # test's way: their clusters have their own keys, sockets and ports.
    if [ ! -e /usr/sbin/policy-rc.d ]; then
        policy=/usr/sbin/policy-rc.d
        printf '#!/bin/sh\nexit 101\n' >$policy
        chmod 755 $policy
    fi
    {
        export DEBIAN_FRONTEND=noninteractive
        scripts/again.sh timeout 200 apt-get update -qq &&
            scripts/again.sh timeout 300 apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
    } || {
        echo "SKIPPED: the Slurm tests, as these packages could not be installed (above): ${missing[*]}"
        exit 0
    }
fi

version=$(dpkg-query -W -f '${Version}' slurmctld)
case $version in
22.05*) ;;
*)
    echo "SKIPPED: these tests are written for Slurm 22.05, here is $version"
    exit 0
    ;;
esac

build=build/slurm
if [ -z "${SUREFILL_BIN:-}" ]; then
    cargo build --quiet --profile "${TOOL_PROFILE:-release}" -p surefill-simulator
    SUREFILL_BIN=${CARGO_TARGET_DIR:-target}/${TOOL_PROFILE:-release}/surefill
fi
SUREFILL_BIN=$(realpath "$SUREFILL_BIN")
export SUREFILL_BIN
SLURM_SOURCE=$(scripts/again.sh c-examples/slurm/source.sh build/slurm-source) || {
    echo "SKIPPED: the Slurm tests, as the mirror gives no sources of Slurm $version (above)"
    exit 0
}
export SLURM_SOURCE
make -s -C c-examples/slurm all tests
make -s -C c-examples/slurm-external all tests
exported=$(nm -D --defined-only $build/sched_surefill.so | awk '{ print $3 }' | sort | paste -sd ' ')
expected='fini init plugin_name plugin_type plugin_version sched_p_reconfig'
[ "$exported" = "$expected" ] || {
    echo "check-slurm: the plugin exports '$exported', not '$expected'" >&2
    exit 1
}
if grep -q 'core9panicking' <<< "$(nm $build/sched_surefill.so)"; then
    echo "check-slurm: the plugin can panic" >&2
    exit 1
fi
installed=$(mktemp -d)
make -s install-slurm SLURM_SOURCE="$SLURM_SOURCE" DESTDIR="$installed" >/dev/null
cmp "$build/sched_surefill.so" "$(find "$installed" -name sched_surefill.so)"
rm -rf "$installed"
# The Debian packages: the same bytes again, and dpkg finds that the plugin's fits the slurmctld that is installed, and no
# other patch level.
debs=$(mktemp -d)
scripts/deb-slurm.sh "$debs/first" >/dev/null
TZ=Asia/Tokyo scripts/deb-slurm.sh "$debs/second" >/dev/null
diff -r "$debs/first" "$debs/second"
dpkg --dry-run -i "$debs"/first/*.deb >/dev/null
dpkg-deb -x "$debs"/first/surefill-slurm-plugin_*.deb "$debs/files"
exported=$(nm -D --defined-only "$(find "$debs/files" -name sched_surefill.so)" | awk '{ print $3 }' | sort | paste -sd ' ')
[ "$exported" = "$expected" ] || {
    echo "check-slurm: the packaged plugin exports '$exported'" >&2
    exit 1
}
level=${version%%-*} depends=$(dpkg-deb -f "$debs"/first/surefill-slurm-plugin_*.deb Depends)
[[ $depends == "slurmctld (>= $level), slurmctld (<< ${level%.*}.$((${level##*.} + 1))~), "* ]] || {
    echo "check-slurm: the plugin's package depends on $depends" >&2
    exit 1
}
rm -rf "$debs"
$build/power_loss
$build/fingerprint
$build/most_nodes
$build/most_nodes-26.05
# The one of these that needs Slurm's lists, under the sanitizers; tests/c/run.sh has the others there.
sanitize='-O0 -g -fsanitize=address,undefined -fno-sanitize-recover=all'
mkdir -p $build/sanitized
# shellcheck disable=SC2086
if why=$({ "${CC:-cc}" $sanitize -o $build/sanitized/probe -x c - && $build/sanitized/probe; } \
    2>&1 <<< 'int main(void) { return 0; }'); then
    make -s -C c-examples/slurm BUILD=../../$build/sanitized CFLAGS="$sanitize" ../../$build/sanitized/fingerprint
    $build/sanitized/fingerprint
else
    echo "SKIPPED: the fingerprint under the sanitizers ($(tail -n 1 <<< "$why"))"
fi

echo "check-slurm: built and packaged in $((SECONDS - begun)) s"

# Those in the chroot, which is made first, and those of upstream's release, which is built first, run beside three others.
tests=("$@")
if [ ${#tests[@]} = 0 ]; then
    other=chroot
    [ ! -e "${SUREFILL_SLURMS:-$build-upstream}/26.05/made" ] || other=upstream
    tests=("$other" releases "${every[@]}")
fi
logs=$(mktemp -d)
export SLURM_ROOT=${SLURM_ROOT:-$logs/debian} # for a second try as well
who=check-slurm
port=16000
run_of() { run=(bash "tests/slurm/$1.sh" "$build"); }
beside_run 3 300 "${tests[@]}"
[ ${#failed[@]} = 0 ] || {
    echo "check-slurm: failed: ${failed[*]}" >&2
    exit 1
}
echo "check-slurm: ${#tests[@]} tests with a real slurmctld passed in $((SECONDS - begun)) s" \
    "$([ ${#again[@]} = 0 ] || echo "(at the second try: ${again[*]})")"
