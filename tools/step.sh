#!/usr/bin/env bash
# tools/step.sh "What it does" COMMAND…: runs the command and prints what it does and how long it took.
what=$1
shift
echo "$what …"
started=$SECONDS
"$@"
code=$?
took="$((SECONDS - started)) s"
if ((code == 0)); then
    echo "$what: done in $took."
else
    echo "$what: failed after $took (exit code $code)." >&2
fi
exit "$code"
