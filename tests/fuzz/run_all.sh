#!/usr/bin/env bash
# Runs every fuzz target for some seconds: run_all.sh FOLDER SECONDS. Inputs that fail are kept in FOLDER/failures.
set -uo pipefail
folder=$1
seconds=$2
mkdir -p "$folder/failures"
passed=0 failed=0
for target in "$folder"/*_fuzz; do
    [ -x "$target" ] || continue
    name=$(basename "$target" _fuzz)
    corpus="$folder/corpus-$name"
    mkdir -p "$corpus"
    if "$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
        -artifact_prefix="$folder/failures/$name-" "$corpus" >"$folder/$name.log" 2>&1; then
        runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$folder/$name.log")
        echo "ok    $name: $runs runs in $seconds s"
        passed=$((passed + 1))
    else
        echo "FAIL  $name: see $folder/$name.log; inputs in $folder/failures"
        failed=$((failed + 1))
    fi
done
echo "$passed passed, $failed failed"
[ "$passed" -gt 0 ] && [ "$failed" -eq 0 ]
