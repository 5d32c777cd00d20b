#!/bin/sh
# Makes the records of one folder, on a machine with NVIDIA GPUs: evidence/record.sh FOLDER
#
# PYTHON names the Python that has torch and Opwright's needs; the checkout need not be installed.
# With two GPUs it takes about eight minutes, and what needs two is checked. Each record is finished by
# itself, so a run that is cut short leaves those that were.
# A rehearsal without a GPU, in which extensions are refused: TARGET=simulated OPERATORS=add2.
set -u
python=${PYTHON:-python3}
target=${TARGET:-cuda}
folder=${1:?usage: evidence/record.sh FOLDER}
here=$(cd "$(dirname "$0")/.." && pwd)
export PYTHONPATH="$here/src${PYTHONPATH:+:$PYTHONPATH}"
mkdir -p "$folder"
operators=${OPERATORS:-$(cd "$here/src/opwright/ops" && ls -d */ | grep -v __ | tr -d /)}
examples="$here/examples"

# A run with findings or with what could not be checked ends non-zero: its record is evidence as well.
opwright() { "$python" -m opwright "$@" || echo "ended with $?"; }

# record NAME OPTION...: the checks of these operators, as NAME.json.gz
record() {
  record_name=$1
  shift
  opwright check -q "$@" --json "$folder/$record_name.json"
  if [ -f "$folder/$record_name.json" ]; then gzip -9 -f "$folder/$record_name.json"; fi
}

# measure NAME PROGRAM OPTION...: the last line of what a benchmark prints, as NAME.json
measure() {
  measured=$1
  program=$here/benchmarks/$2
  shift 2
  "$python" "$program" "$@" > "$folder/$measured.txt" || echo "$measured ended with $?"
  cat "$folder/$measured.txt"
  case $(tail -n 1 "$folder/$measured.txt") in
    "{"*) tail -n 1 "$folder/$measured.txt" > "$folder/$measured.json" ;;
    *) echo "$measured has no result" ;;
  esac
  rm "$folder/$measured.txt"
}

own_sources() {
  record check $operators --target "$target"
  measure device_detection device_detection.py --target "$target"
}

other_sources() {
  # All of torch's headers take nvcc a minute, and no GPU: meanwhile there is something to check. Not
  # swish, whose library does not load: one from the store would be built once more.
  opwright build -q "$examples/add2" --target "$target" &
  opwright build -q "$examples/bias_gelu" --target "$target" --source hip &
  record hip_on_nvidia $operators --target "$target" --source hip
  wait
  record examples "$examples/add2" --target "$target"
  record examples_hip "$examples/bias_gelu" "$examples/swish" --target "$target" --source hip
}

gpus=$("$python" -c 'import torch; print(torch.cuda.device_count())')
if [ "$gpus" -ge 2 ]; then
  # Side by side, each with a first device of its own: there the memory is measured, and everything
  # but the questions about two devices is run.
  visible=${CUDA_VISIBLE_DEVICES:-0,1}
  one=${visible%%,*}
  rest=${visible#*,}
  two=${rest%%,*}
  (export CUDA_VISIBLE_DEVICES="$one,$two" && own_sources) &
  first=$!
  (export CUDA_VISIBLE_DEVICES="$two,$one" && other_sources) &
  wait $first $!
else
  own_sources
  other_sources
fi
# Under each tool of compute-sanitizer, which takes minutes more: SANITIZE=1.
if [ -n "${SANITIZE:-}" ]; then record sanitized $operators --target "$target" --sanitize --only device_sanitizers; fi
# Alone: it measures time. It knows no simulated device.
case $target in
  cuda*) timed=cuda ;;
  *) timed=cpu ;;
esac
measure build_time build_time.py --target $timed --builds 1 --loads 3
