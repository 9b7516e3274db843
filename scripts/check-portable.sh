#!/usr/bin/env bash
# The library built with the oldest Rust that it supports, Debian 13's 1.85, and on other processors: 64-bit ARM; s390x,
# whose byte order is the other one; and ARMv5, which has 32 bits and no atomic words of 64. The C programs must print there what
# they print here, digit by digit. For bare ARM and 32-bit RISC-V the C interface is checked by the compiler. In a chroot made by
# debootstrap, with Debian's compilers and qemu-user; needs root and some 3 GB. Five minutes.
#
#   check-portable.sh       PORTABLE_ROOT=FOLDER keeps the chroot there for the next time
set -euo pipefail
cd "$(dirname "$0")/.."
build=build
begun=$SECONDS

if [ "$(id -u)" != 0 ]; then
    echo "SKIPPED: a chroot with Debian 13's Rust and emulators needs root"
    exit 0
fi
if ! command -v apt-get > /dev/null; then
    echo "SKIPPED: the chroot is made from Debian's packages"
    exit 0
fi
if [ "$(dpkg --print-architecture)" != amd64 ]; then
    echo "SKIPPED: the cross compilers are looked for on amd64"
    exit 0
fi
scripts/packages.sh gcc python3

work=$(mktemp -d)
root=${PORTABLE_ROOT:-$work/root}
clean_up() {
    # Nothing is mounted: what lies in the folder is this script's.
    rm -rf "$work"
}
trap clean_up EXIT
in_chroot() {
    chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C DEBIAN_FRONTEND=noninteractive "$@"
}

if [ ! -x "$root/usr/bin/rustc" ]; then
    status=0
    scripts/trixie.sh "$root" || status=$?
    [ $status != 3 ] || { echo "SKIPPED: Debian's oldest Rust and other processors, as the mirror's package lists are broken"; exit 0; }
    [ $status = 0 ] || { echo "check-portable: the chroot cannot be made" >&2; exit 1; }
    lists() {
        for _ in 1 2; do
            in_chroot timeout 300 apt-get update -qq > "$work/log" 2>&1 && return
            sleep 10
        done
        cat "$work/log"
        return 1
    }
    packages=(rustc cargo rust-src gcc libc6-dev ca-certificates qemu-user)
    std=()
    for processor in arm64:aarch64-linux-gnu s390x:s390x-linux-gnu armel:arm-linux-gnueabi; do
        in_chroot dpkg --add-architecture "${processor%:*}"
        if lists; then
            packages+=("gcc-${processor#*:}" "libc6-dev-${processor%:*}-cross")
            std+=("libstd-rust-dev:${processor%:*}")
        else
            in_chroot dpkg --remove-architecture "${processor%:*}"
            echo "SKIPPED: ${processor%:*}, as the mirror's package lists for it are broken (above)"
        fi
    done
    lists
    in_chroot timeout 600 apt-get install -y -qq --no-install-recommends "${packages[@]}" > "$work/log" 2>&1 || {
        tail -n 5 "$work/log"
        echo "check-portable: packages cannot be installed in the chroot" >&2
        exit 1
    }
    # Only Rust's libraries are wanted of the other processors, not the packages on which theirs depend: mirrors lack some.
    in_chroot sh -c 'mkdir /std && cd /std && timeout 600 apt-get download -qq "$@" &&
        for package in *.deb; do dpkg-deb --fsys-tarfile "$package" | tar -xf - -C / ./usr/lib/rustlib; done' std "${std[@]}" \
        > "$work/log" 2>&1 || {
        tail -n 5 "$work/log"
        echo "check-portable: Rust's libraries for other processors cannot be had" >&2
        exit 1
    }
    # Certificates that this machine trusts are trusted there.
    cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
fi
echo "chroot with $(in_chroot rustc --version), $((SECONDS - begun)) s"

rm -rf "$root/source"
mkdir -p "$root/source"
git ls-files -z -- Cargo.toml Cargo.lock src include benches scripts simulator papers c-examples tests demo |
    tar --null --files-from=- --ignore-failed-read -cf - | tar -C "$root/source" -xf -
gzip -dc demo/workload.swf.gz > "$root/source/workload.swf"

# Builds the library for a target, and by this compiler what is run.
programs='behaviour engine whole_scheduler bins what_if start_times choose_size predict wait_bounds nodes node_starts train_model learn_on_line'
cat > "$root/source/on.sh" << 'END'
set -eu
cd /source
target=$1
cc=$2
cargo rustc --quiet --locked --target "$target" --lib --profile capi --features capi --crate-type staticlib
mkdir -p "out/$target"
# Debian's Rust for ARM has arithmetic with tables for unwinding, which no test here does.
case $target in
arm*) unwinding=-Wl,--defsym=rust_eh_personality=0 ;;
*) unwinding= ;;
esac
for program in $3; do
    sources=c-examples/$program.c
    case $program in
    behaviour | engine) sources="tests/c/$program.c tests/c/check.c" ;;
    esac
    # shellcheck disable=SC2086
    $cc -std=c11 -Wall -Wextra -Wpedantic -Werror -O2 -Iinclude -o "out/$target/$program" $sources \
        "target/$target/capi/libsurefill.a" -Wl,--gc-sections $unwinding -lm -pthread
done
END

# Has the C interface checked for a bare processor, for which Debian has no libraries: by a core made of its source, as far as
# checking needs it.
cat > "$root/source/bare.sh" << 'END'
set -eu
cd /source
target=$1
root=/source/out/bare
libraries=$root/lib/rustlib/$target/lib
mkdir -p "$libraries"
printf '#![feature(compiler_builtins)]\n#![compiler_builtins]\n#![no_std]\n' > "$root/compiler_builtins.rs"
for crate in core:/usr/src/rustc-*/library/core/src/lib.rs compiler_builtins:$root/compiler_builtins.rs; do
    RUSTC_BOOTSTRAP=1 rustc --edition 2021 --crate-name "${crate%%:*}" --crate-type rlib --target "$target" --sysroot $root \
        --emit metadata="$libraries/lib${crate%%:*}.rmeta" -A warnings $(echo ${crate#*:})
done
RUSTFLAGS="--sysroot $root" cargo check --quiet --locked --target "$target" --lib --profile capi --features capi \
    --target-dir $root/target
END

# The output of the programs, run by the command before their name.
printed() {
    local folder=$1
    shift
    "$@" "$folder/behaviour"
    "$@" "$folder/engine"
    "$@" "$folder/whole_scheduler" seed=1 "$here/short.swf"
    "$@" "$folder/whole_scheduler" --listings preset=easy "$here/short.swf"
    "$@" "$folder/whole_scheduler" preset=papers "$here/short.swf"
    "$@" "$folder/whole_scheduler" "rule=delay criterion=relative tau=.3" "$here/wide.swf"
    local program
    for program in bins what_if start_times choose_size predict nodes node_starts train_model learn_on_line; do
        "$@" "$folder/$program"
    done
    "$@" "$folder/wait_bounds" < "$root/source/history.txt"
}
head -n 2000 "$root/source/workload.swf" > "$root/source/short.swf"
# A thousand running jobs on 8,192 processors, and head jobs that lack thousands: expected seconds come from frequencies.
awk 'function below(n) { x = x * 16807 % 2147483647; return x % n }
    BEGIN {
        x = 1; print "; MaxProcs: 8192"
        for (job = 1; job <= 1700; job++) {
            at += job <= 200 ? 100 : below(4)
            if (job == 201) at += 40000
            wide = job > 1300 && job % 50 == 0 ? 3000 + below(3000) : 1 + below(12)
            print job, at, -1, 300 + below(30000), wide, -1, -1, wide, 43200, -1, 1, below(9), 1, 1, 1, 1, -1, -1
        }
    }' > "$root/source/wide.swf"
python3 tests/c/wait_bounds.py history > "$root/source/history.txt"

make --no-print-directory lib
mkdir -p "$work/here"
for program in $programs; do
    sources=c-examples/$program.c
    case $program in
    behaviour | engine) sources="tests/c/$program.c tests/c/check.c" ;;
    esac
    # shellcheck disable=SC2086
    cc -std=c11 -O2 -Iinclude -o "$work/here/$program" $sources $build/libsurefill.a -Wl,--gc-sections -lm
done
here=$root/source
printed "$work/here" > "$work/expected"
grep -q ' 0 failed$' "$work/expected" || { cat "$work/expected"; exit 1; }

failed=0
processors=" amd64 $(in_chroot dpkg --print-foreign-architectures | paste -sd ' ') "
while read -r processor target cc emulator; do
    [[ $processors == *" $processor "* ]] || continue
    in_chroot sh /source/on.sh "$target" "$cc" "$programs" < /dev/null
    here=/source
    if printed "/source/out/$target" in_chroot $emulator > "$work/found" 2>&1 &&
        diff <(sed "s|$root||" "$work/expected") "$work/found"; then
        echo "$target: $(wc -l < "$work/found") lines, as here"
    else
        tail -n 5 "$work"/found*
        echo "$target: FAILED"
        failed=1
    fi
done << END
amd64 x86_64-unknown-linux-gnu gcc
arm64 aarch64-unknown-linux-gnu aarch64-linux-gnu-gcc qemu-aarch64 -L /usr/aarch64-linux-gnu
s390x s390x-unknown-linux-gnu s390x-linux-gnu-gcc qemu-s390x -L /usr/s390x-linux-gnu
armel armv5te-unknown-linux-gnueabi arm-linux-gnueabi-gcc qemu-arm -L /usr/arm-linux-gnueabi
END
for target in thumbv7em-none-eabihf riscv32imac-unknown-none-elf; do
    if in_chroot sh /source/bare.sh $target; then
        echo "$target: checked"
    else
        echo "$target: FAILED"
        failed=1
    fi
done
echo "$((SECONDS - begun)) s"
exit $failed
