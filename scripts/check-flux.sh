#!/usr/bin/env bash
# Builds flux-core once, and tests the two schedulers for Flux inside real Flux instances. Takes four minutes, and some ten more to
# build.
#
#   check-flux.sh [TEST...]      all tests, or the named ones (tests/flux/TEST.sh)
#
# SCHEDULERS is those that are tested ("python c").
# The sources are $SUREFILL_MANAGERS/flux-core-VERSION.tar.xz (../shared/managers), or FLUX names a prefix with bin/flux in it.
# PYTHON is the interpreter for which flux-core is built (/usr/bin/python3). No root is needed but to install packages.
set -euo pipefail
cd "$(dirname "$0")/.."
begun=$SECONDS
build=$(realpath -m build)/flux
managers=${SUREFILL_MANAGERS:-../shared/managers}
python=${PYTHON:-/usr/bin/python3}
mkdir -p "$build"

# Flux itself, in a folder that stays.
if [ -z "${FLUX:-}" ]; then
    source=$(find "$managers" -maxdepth 1 -name 'flux-core-*.tar.*' 2> /dev/null | sort -V | tail -n 1 || true)
    if [ -z "$source" ]; then
        echo "SKIPPED: the Flux tests, as there is no flux-core-VERSION.tar.xz in $managers (SUREFILL_MANAGERS), and FLUX names no prefix"
        exit 0
    fi
    version=$(basename "$source" | sed 's/^flux-core-\([0-9.]*\)\.tar.*/\1/')
    FLUX=$build/$version
    if [ ! -x "$FLUX/bin/flux" ]; then
        packages=(autoconf automake libtool pkg-config gcc make libzmq3-dev uuid-dev libjansson-dev liblz4-dev libarchive-dev libhwloc-dev
            libsqlite3-dev lua5.1 liblua5.1-0-dev lua-posix python3-dev python3-cffi python3-ply python3-setuptools python3-yaml)
        missing=()
        for package in "${packages[@]}"; do
            [ "$(dpkg-query -W -f '${Status}' "$package" 2> /dev/null)" = 'install ok installed' ] || missing+=("$package")
        done
        if [ ${#missing[@]} -gt 0 ]; then
            if [ "$(id -u)" != 0 ] || ! command -v apt-get > /dev/null; then
                echo "SKIPPED: the Flux tests, as flux-core needs these Debian packages to be built: ${missing[*]}"
                exit 0
            fi
            echo "check-flux: installing ${missing[*]}"
            export DEBIAN_FRONTEND=noninteractive
            {
                scripts/again.sh timeout 200 apt-get update -qq &&
                    scripts/again.sh timeout 300 apt-get install -y -qq --no-install-recommends "${missing[@]}" > "$build/apt.log"
            } || {
                echo "SKIPPED: the Flux tests, as these packages could not be installed (above): ${missing[*]}"
                exit 0
            }
        fi
        echo "check-flux: building flux-core $version"
        rm -rf "$build/source"
        mkdir "$build/source"
        tar -C "$build/source" --strip-components=1 -xf "$source"
        (
            cd "$build/source"
            export FLUX_VERSION=$version
            ./autogen.sh
            ./configure --prefix="$FLUX" --disable-docs --disable-dependency-tracking PYTHON="$python" CFLAGS='-O1 -g0'
            make -j2 -s
            make -s install
        ) > "$build/build.log" 2>&1 || {
            tail -n 20 "$build/build.log" >&2
            echo "check-flux: flux-core $version does not build ($build/build.log)" >&2
            exit 1
        }
        rm -rf "$build/source"
        echo "check-flux: built in $((SECONDS - begun)) s"
    fi
fi
flux=$FLUX/bin/flux

# The Python package beside it, as the step "python" builds it.
[ "${TOOL_PROFILE:-}" = release ] && profile=release || profile=dev
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
CARGO_TARGET_DIR=$target cargo build --quiet --locked --profile "$profile" --manifest-path python/Cargo.toml
mkdir -p "$build/python/surefill"
cp python/surefill/* "$build/python/surefill/"
cp "$target/${profile/#dev/debug}/lib_surefill.so" "$build/python/surefill/_surefill.abi3.so"
export PYTHONPATH=$build/python${PYTHONPATH:+:$PYTHONPATH}
SUREFILL_FLUX=$(realpath c-examples/flux)
make -s -C c-examples/engine
make -s -C c-examples/flux FLUX="$FLUX"
SUREFILL_CYCLE=$(realpath build/engine/surefill-cycle)
export SUREFILL_CYCLE SUREFILL_FLUX PYTHONDONTWRITEBYTECODE=1
export SUREFILL_C=$build/sched-surefill.so
declare -A modules=([python]=$SUREFILL_FLUX/sched-surefill.py [c]=$SUREFILL_C)

tests=("$@")
# The longest begin first.
[ ${#tests[@]} -gt 0 ] || tests=(stream reported nodes reload programs shapes backfill changes restart constraints feasible)
pairs=()
for name in "${tests[@]}"; do for kind in ${SCHEDULERS:-python c}; do pairs+=("$name-$kind"); done; done
folder=$(realpath tests/flux)
work=$(mktemp -d)
declare -A running=() since=() # process: test; test: when it began
clean_up() {
    local pid
    for pid in "${!running[@]}"; do kill "$pid" 2> /dev/null || true; done
    for pid in "${!running[@]}"; do wait "$pid" 2> /dev/null || true; done
    rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 1' INT TERM HUP
failed=()
start() { # TEST-SCHEDULER: in an instance of its own; the test says with which brokers
    local broker test=$folder/${1%-*}.sh
    read -r -a broker <<< "$(sed -n 's/^# broker: //p' "$test")"
    rm -rf "${work:?}/$1"
    mkdir "$work/$1"
    cd "$work/$1"
    SUREFILL_TEST=$1 SUREFILL_MODULE=${modules[${1##*-}]} timeout -k 20 200 "$flux" start "${broker[@]}" bash "$test" < /dev/null > "$work/$1.log" 2>&1 &
    running[$!]=$1 since[$1]=$SECONDS
    cd - > /dev/null
}
finish() { # PROCESS
    local name=${running[$1]} status=0
    wait "$1" || status=$?
    unset "running[$1]"
    # Messages of modules and brokers at their end are no failure.
    if [ $status = 0 ]; then grep -E "^$name: " "$work/$name.log" || true; else cat "$work/$name.log"; fi
    echo "check-flux: $name: $((SECONDS - since[$name])) s"
    [ $status = 0 ] || failed+=("$name")
}
all() { # TEST...: two at a time, as they mostly wait
    local name pid
    for name in "$@"; do
        while [ ${#running[@]} -ge "$beside" ]; do
            for pid in "${!running[@]}"; do kill -0 "$pid" 2> /dev/null || finish "$pid"; done
            sleep 0.2
        done
        start "$name"
    done
    for pid in "${!running[@]}"; do finish "$pid"; done
}
beside=2
all "${pairs[@]}"
again=("${failed[@]}")
if [ ${#again[@]} -gt 0 ] && [ ${#again[@]} -le 2 ]; then
    # On a busy machine something may take longer than a test waits for it. What is wrong fails by itself as well.
    echo "check-flux: failed: ${again[*]}; once more, one by one"
    failed=() beside=1
    all "${again[@]}"
fi
[ ${#failed[@]} = 0 ] || {
    echo "check-flux: failed: ${failed[*]}" >&2
    exit 1
}
version=$("$flux" version | awk '/^commands:/ { print $2 }')
echo "check-flux: ${#pairs[@]} tests in real instances of flux-core $version passed in $((SECONDS - begun)) s"
