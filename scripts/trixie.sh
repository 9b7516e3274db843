#!/usr/bin/env bash
# A minimal Debian 13 in a folder, for chroot, from the mirror that this machine uses, with that mirror's package
# lists; root only.
#
#   trixie.sh ROOT      a folder that is not there yet; what is half-made is in ROOT.new
#
# Ends with 3 where the mirror's package lists are broken, with 1 after any other failure, and says why.
set -euo pipefail
root=$(realpath -m "$1")
[ ! -e "$root" ] || {
    echo "$root is there already"
    exit 1
}
cd "$(dirname "$0")/.."
scripts/packages.sh debootstrap
log=$(mktemp) new=$root.new
clean_up() {
    rm -f "$log"
    rm -rf --one-file-system "$new"
}
trap clean_up EXIT
rm -rf --one-file-system "$new"
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -v security | head -n 1 || true)
status=0
# Mounts of its own, where that is allowed, which end with it whatever ends it.
own=()
! unshare --mount true 2>/dev/null || own=(unshare --mount --propagation private)
"${own[@]}" timeout 600 debootstrap --variant=minbase trixie "$new" \
    "${mirror:-http://deb.debian.org/debian}" >"$log" 2>&1 || status=$?
[ $status = 0 ] || {
    tail -n 5 "$log"
    [ $status != 124 ] || echo "debootstrap did not end within 600 s"
    exit 1
}
cp /etc/resolv.conf "$new/etc/"
printf '#!/bin/sh\nexit 101\n' >"$new/usr/sbin/policy-rc.d" # packages start no daemons
chmod 755 "$new/usr/sbin/policy-rc.d"
# One of the lists is sometimes not the one that the mirror's signed list names, while they are renewed; later it is.
scripts/again.sh timeout 100 chroot "$new" apt-get update -qq >"$log" 2>&1 || {
    tail -n 5 "$log"
    exit 3
}
mv "$new" "$root"
