#!/usr/bin/env bash
# Refuses a release that is not ready: placeholders, versions that differ, changes that are not committed, a package that
# does not build by itself. RELEASE.md has the other steps.
set -euo pipefail
cd "$(dirname "$0")/.."
version=$(make -s --no-print-directory print-VERSION)
faults=0
fault() {
    printf 'not ready: %s\n' "$*"
    faults=$((faults + 1))
}

# Addresses that do not exist: names below .invalid, and the host of Debian's packages.
while IFS= read -r line; do
    fault "a placeholder: $line"
done < <(grep -nE '[a-z]\.invalid\b|localhost\.localdomain|git clone URL' Cargo.toml simulator/Cargo.toml \
    python/pyproject.toml SECURITY.md README.md debian/control debian/changelog)

# The line of a file that says the version.
says() { # FILE LINE
    grep -Fxq -- "$2" "$1" || fault "$1 does not say: $2"
}
says simulator/Cargo.toml "surefill = { path = \"..\", version = \"=$version\" }"
says papers/Cargo.toml "surefill = { path = \"..\", version = \"=$version\" }"
says papers/Cargo.toml "surefill-simulator = { path = \"../simulator\", version = \"=$version\" }"
says python/Cargo.toml "version = \"$version\""
says CITATION.cff "version: $version"
grep -q "^surefill (${version}[-)]" debian/changelog || fault "debian/changelog does not begin with $version"
grep -qE "^## $version \([0-9]{4}-[0-9]{2}-[0-9]{2}\)$" CHANGELOG.md ||
    fault "CHANGELOG.md has no section of $version with its date"

left=$(git status --porcelain)
[ -z "$left" ] || fault "changes that are not committed: ${left//$'\n'/, }"

if [ $faults = 0 ]; then
    cargo package --quiet --locked --package surefill || fault "the core's package does not build by itself"
fi
[ $faults = 0 ] || {
    printf '%d reasons not to release %s\n' "$faults" "$version"
    exit 1
}
echo "$version is ready"
