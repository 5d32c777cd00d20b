#!/bin/sh
# Tries the operators that Opwright comes with in graph modes, and the planted faults of those, on a machine
# with an NVIDIA GPU: evidence/graph.sh FOLDER
#
# PYTHON names the Python that has torch and Opwright's needs; the checkout need not be installed. Nothing is
# timed, so several processes share the GPU (JOBS, 8 by default): that takes about two minutes. A rehearsal
# without a GPU, in which compile:inductor and compile:cudagraphs are not run: TARGET=simulated OPERATORS=add2.
set -u
export python="${PYTHON:-python3}" target="${TARGET:-cuda}"
folder=${1:?usage: evidence/graph.sh FOLDER}
here=$(cd "$(dirname "$0")/.." && pwd)
export PYTHONPATH="$here/src${PYTHONPATH:+:$PYTHONPATH}"
operators=${OPERATORS:-$(cd "$here/src/opwright/ops" && ls -d */ | grep -v __ | tr -d /)}
mkdir -p "$folder"
export parts="$folder/graph_parts"
rm -rf "$parts"  # of a run that was cut short
mkdir -p "$parts"

# A verdict may end a command non-zero: its record is evidence as well.
detect() {
  "$python" "$here/benchmarks/graph_detection.py" --target "$target" > "$parts/detection.txt"
  echo "detection ended with $?"
  case $(tail -n 1 "$parts/detection.txt") in
    "{"*) tail -n 1 "$parts/detection.txt" > "$folder/graph_detection.json" ;;
    *) echo "graph_detection has no result" ;;
  esac
  grep -v "^{" "$parts/detection.txt"
}

detect > "$parts/detection_told.txt" 2>&1 &
detection=$!
# Each operator by itself: the last ones lack nothing where an earlier one is cut short.
# shellcheck disable=SC2016 # the inner shell expands
echo "$operators" | tr ' ' '\n' | xargs -P "${JOBS:-8}" -I OPERATOR sh -c '
  "$python" -m opwright graph -q "$1" --target "$target" --json "$parts/$1.json" \
    --mode cudagraph --mode compile:inductor --mode compile:aot_eager --mode compile:cudagraphs \
    > "$parts/$1.txt" 2>&1 || echo "$1 ended with $?"
' - OPERATOR
wait $detection

for operator in $operators; do
  if [ -f "$parts/$operator.txt" ]; then cat "$parts/$operator.txt"; fi
done
cat "$parts/detection_told.txt"
# One record of all operators, as one run of the command would have made it.
"$python" - "$parts" "$folder/graph.json" << 'MERGE' && gzip -9 -f "$folder/graph.json"
import json
import re
import sys
from pathlib import Path

records = [json.loads(path.read_text()) for path in sorted(Path(sys.argv[1]).glob("*.json"))]
operators = [operator for record in records for operator in record["operators"]]
commands = "; ".join(re.sub(r" --json \S+", "", record["command"]) for record in records)
record = {**records[0], "command": commands, "operators": operators}
Path(sys.argv[2]).write_text(json.dumps(record, indent=1))
MERGE
rm -r "$parts"
