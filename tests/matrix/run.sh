#!/usr/bin/env bash
# Builds and tests the plugin on the Wireshark of other Debian releases, in chroots: run.sh [SUITE...]. Needs root and debootstrap.
# bookworm has 4.0, trixie 4.4, sid 4.6. Chroots are kept in build-matrix/ for the next run.
set -euo pipefail
[ "$(id -u)" -eq 0 ] || { echo "matrix: chroots need root; run: sudo ./dev matrix" >&2; exit 1; }
command -v debootstrap >/dev/null || apt-get install -y -qq debootstrap >&2
source=$(git rev-parse --show-toplevel)
work=$source/build-matrix
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
suites=("$@")
[ ${#suites[@]} -gt 0 ] || suites=(bookworm trixie sid)
failed=()
for suite in "${suites[@]}"; do
    root=$work/$suite
    if [ ! -e "$root/etc/debian_version" ]; then
        mkdir -p "$root"
        debootstrap --variant=minbase --include=git,ca-certificates "$suite" "$root" "$mirror" >"$work/$suite-debootstrap.log" 2>&1
    fi
    mountpoint -q "$root/proc" || mount -t proc proc "$root/proc"
    rm -rf "$root/root/cdcscope"
    git clone -q "$source" "$root/root/cdcscope"
    echo "matrix: $suite"
    if chroot "$root" /bin/bash -c 'cd /root/cdcscope && ./dev test -R ^plugin' >"$work/$suite.log" 2>&1; then
        tail -n 3 "$work/$suite.log"
    else
        tail -n 30 "$work/$suite.log"
        failed+=("$suite")
    fi
    umount "$root/proc"
done
[ ${#failed[@]} -eq 0 ] || { echo "matrix: failed on ${failed[*]}" >&2; exit 1; }
