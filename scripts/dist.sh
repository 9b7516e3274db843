#!/usr/bin/env bash
# The files of a release in build/dist, with checksums: dist.sh [PART...], all of source, deb and wheel or those named.
#
#   source   surefill-VERSION-source.tar.xz: the last commit with the crates that it is built of, for building offline
#   deb      what make deb makes
#   wheel    the Python package as wheels for Linux on x86-64 and ARM64 with glibc 2.17 and later, linked by zig, and its
#            source distribution; RUST_TARGETS names other targets
set -euo pipefail
export LC_ALL=C TZ=UTC
umask 022
cd "$(dirname "$0")/.."
folder=$(realpath -m "${BUILD:-build}/dist")
version=$(make -s --no-print-directory print-VERSION)
[ -z "$(git status --porcelain)" ] || { echo "dist: commit first, the archive is of the last commit" >&2; exit 1; }
[ $# -gt 0 ] || set -- source deb wheel
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$folder"

# The same commit gives the same bytes: names in order, the commit's time, files without an owner.
make_source() {
    local name=surefill-$version tree=$work/surefill-$version
    git archive --prefix="$name/" HEAD | tar -x -C "$work"
    # The settings that name the folder are what it prints; with --quiet it prints none.
    (cd "$tree" && cargo vendor --locked --versioned-dirs --sync python/Cargo.toml vendor) \
        >> "$tree/.cargo/config.toml" 2> "$work/log" || { cat "$work/log"; exit 1; }
    tar -c -C "$work" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$(git log -1 --format=%ct)" "$name" |
        xz -T1 > "$folder/$name-source.tar.xz"
}

make_wheel() {
    local python=${PYTHON:-python3}
    "$python" -m venv "$work/venv"
    "$work/venv/bin/pip" install --quiet --disable-pip-version-check 'maturin[zig]>=1.7,<2'
    local target
    for target in ${RUST_TARGETS:-x86_64-unknown-linux-gnu aarch64-unknown-linux-gnu}; do
        ! command -v rustup > /dev/null || rustup --quiet target add "$target"
        PATH=$work/venv/bin:$PATH "$work/venv/bin/maturin" build --quiet --release --locked --zig --compatibility manylinux2014 \
            --target "$target" --manifest-path python/Cargo.toml --out "$folder"
    done
    "$work/venv/bin/maturin" sdist --manifest-path python/Cargo.toml --out "$folder"
}

for part in "$@"; do
    case $part in
        source) make_source ;;
        deb) scripts/deb.sh "$folder" ;;
        wheel) make_wheel ;;
        *) echo "no part $part; there are: source deb wheel" >&2; exit 2 ;;
    esac
done
cd "$folder"
find . -maxdepth 1 -type f ! -name SHA256SUMS -printf '%P\n' | sort | xargs sha256sum > SHA256SUMS
cat SHA256SUMS
