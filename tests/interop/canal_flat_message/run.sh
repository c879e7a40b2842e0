#!/bin/sh
# Runs canal's own converter on the entries of tests/data/canal and compares with the FlatMessages kept there; with PROGRAM
# also on every row change of the captures, and compares with what `extract` gives.
# run.sh SOURCE_DIR BUILD_DIR [PROGRAM]; ends with 77 and says why where it cannot run.
set -eu
here=$1/tests/interop/canal_flat_message
data=$1/tests/data/canal
work=$2/canal_flat_message

skip() {
    echo "SKIPPED: $1; the kept FlatMessages were compared by record_test"
    exit 77
}
command -v mvn >/dev/null || skip "mvn is not installed"
command -v java >/dev/null || skip "java is not installed"

mkdir -p "$work"
cp -r "$here/pom.xml" "$here/src" "$work/"
cd "$work"
if [ ! -f ready ]; then
    mvn -q -B package dependency:build-classpath -Dmdep.outputFile=classpath >mvn.log 2>&1 ||
        skip "Maven cannot build the converter (see $work/mvn.log)"
    touch ready
fi
classes="target/classes:$(cat classpath)"
java -cp "$classes" FlatMessages <"$data/flat_messages.entries" >made.jsonl
cmp made.jsonl "$data/flat_messages.jsonl"
echo "$(wc -l <made.jsonl) FlatMessages of the converter are those that are kept"
if [ $# -gt 2 ]; then
    python3 "$here/compare_captures.py" "$3" java -cp "$classes" FlatMessages
fi
