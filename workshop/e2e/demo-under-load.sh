#!/usr/bin/env bash
# Plays the demo several times beside four busy processes, as on a laptop that builds something at the same time.
# Usage: workshop/e2e/demo-under-load.sh [RUNS [CLOUD]]      RUNS: default 5. CLOUD: kwok (default), aws or azure.
set -euo pipefail
runs=${1:-5} cloud=${2:-kwok}
case $runs in '' | *[!0-9]*) echo "RUNS must be a number, but is '$runs'" >&2; exit 2 ;; esac
root=$(cd "$(dirname "$0")/../.." && pwd)
"$root/trainyard" --version > /dev/null # builds, which must not count
busy=()
trap 'if [ ${#busy[@]} -gt 0 ]; then kill "${busy[@]}" 2> /dev/null || true; fi' EXIT
for _ in 1 2 3 4; do
  (exec bash -c 'while :; do :; done') &
  busy+=($!)
done
failed=0
for run in $(seq 1 "$runs"); do
  started=$SECONDS
  if output=$("$root/trainyard" demo --cloud "$cloud" 2>&1); then
    echo "run $run of $runs, $cloud: passed in $((SECONDS - started)) s"
  else
    failed=$((failed + 1))
    echo "run $run of $runs, $cloud: FAILED after $((SECONDS - started)) s"
    echo "$output"
  fi
done
echo "$((runs - failed)) of $runs passed"
[ "$failed" = 0 ]
