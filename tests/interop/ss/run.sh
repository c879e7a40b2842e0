#!/bin/sh
# usage: run.sh SOURCE BUILD PROGRAM: builds the oracle with cargo and runs the program on it. 77: could not, and says why.
set -e
if ! command -v cargo >/dev/null; then
    echo "SKIPPED: cargo is not installed; nothing was compared with the real SeaStreamer crate"
    exit 77
fi
export CARGO_TARGET_DIR="$2"
if ! cargo fetch --quiet --locked --manifest-path "$1/Cargo.toml"; then
    echo "SKIPPED: the SeaStreamer crate can not be fetched; nothing was compared with it"
    exit 77
fi
cargo build --quiet --release --locked --offline --manifest-path "$1/Cargo.toml"
SS_ORACLE="$2/release/ss_oracle" exec "$3"
