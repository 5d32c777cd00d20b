#!/bin/sh
# Makes the records of one folder, on a machine with an NVIDIA GPU: evidence/record.sh FOLDER
# PYTHON names the Python that has torch and Opwright's needs; the checkout need not be installed.
set -u
python=${PYTHON:-python3}
folder=${1:?usage: evidence/record.sh FOLDER}
here=$(cd "$(dirname "$0")/.." && pwd)
export PYTHONPATH="$here/src"
mkdir -p "$folder"
operators=$(cd "$here/src/opwright/ops" && ls -d */ | grep -v __ | tr -d /)

# A run with findings or with what could not be checked ends non-zero: its record is evidence as well.
opwright() { "$python" -m opwright "$@" || echo "ended with $?"; }

# One after the other: what a neighbour does with the GPU's memory looks like a leak.
opwright check $operators --target cuda --json "$folder/check.json"
opwright check $operators --target cuda --source hip --json "$folder/hip_on_nvidia.json"
"$python" "$here/benchmarks/device_detection.py" --target cuda | tee "$folder/device_detection.txt"
opwright check "$here"/examples/add2 --target cuda --json "$folder/examples.json"
"$python" "$here/benchmarks/build_time.py" --target cuda --builds 1 --loads 5 | tee "$folder/build_time.txt"
for name in device_detection build_time; do
  tail -n 1 "$folder/$name.txt" > "$folder/$name.json"
  rm "$folder/$name.txt"
done
gzip -9 -f "$folder"/check.json "$folder"/hip_on_nvidia.json "$folder"/examples.json
