#!/usr/bin/env bash
# Wireshark with the plugins just built and their profile: run_wireshark.sh PLUGINS [WIRESHARK ARGS...]
# As root, Wireshark loads no plugins of its user; then it runs as nobody, from copies that nobody can read.
set -euo pipefail
plugins=$(realpath "$1")
shift
profile="$(dirname "$(realpath "${BASH_SOURCE[0]}")")/profile"

arguments=(-C cdcscope)
if [ "$(id -u)" -ne 0 ]; then
    profiles=${XDG_CONFIG_HOME:-$HOME/.config}/wireshark/profiles
    mkdir -p "$profiles"
    [ -e "$profiles/cdcscope" ] || cp -r "$profile" "$profiles/cdcscope"
    exec env WIRESHARK_PLUGIN_DIR="$plugins" wireshark "${arguments[@]}" "$@"
fi

home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
cp -r "$plugins" "$home/plugins"
mkdir -p "$home/.config/wireshark/profiles" "$home/run"
cp -r "$profile" "$home/.config/wireshark/profiles/cdcscope"
for argument in "$@"; do
    if [ -f "$argument" ]; then
        cp "$argument" "$home/"
        arguments+=("$home/$(basename "$argument")")
    else
        arguments+=("$argument")
    fi
done
chown -R nobody "$home"
chmod -R u+rwX,go+rX "$home"
chmod 700 "$home/run"
setpriv --reuid=nobody --regid=nogroup --clear-groups env HOME="$home" XDG_RUNTIME_DIR="$home/run" \
    QT_QPA_PLATFORM="${QT_QPA_PLATFORM:-xcb}" WIRESHARK_PLUGIN_DIR="$home/plugins" wireshark "${arguments[@]}"
