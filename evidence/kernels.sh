#!/bin/sh
# Times the shipped device kernels at the sizes of kernel_shapes.json, on a machine with an NVIDIA GPU:
# evidence/kernels.sh FOLDER
#
# PYTHON names the Python that has torch and Opwright's needs; the checkout need not be installed. What is
# timed is checked first. A rehearsal that proves nothing: PROCESSES=2 SECONDS_EACH=0.02.
set -u
python=${PYTHON:-python3}
folder=${1:?usage: evidence/kernels.sh FOLDER}
here=$(cd "$(dirname "$0")/.." && pwd)
export PYTHONPATH="$here/src${PYTHONPATH:+:$PYTHONPATH}"
operators="add2 swish swiglu bias_gelu bias_dropout_residual rms_norm layer_norm dynamic_quant row_softmax"
mkdir -p "$folder"

# A verdict may end a command non-zero: its record is evidence as well.
opwright() { "$python" -m opwright "$@" || echo "ended with $?"; }

# shellcheck disable=SC2086 # the operators are words
opwright check -q $operators --target cuda --only numerics --only capture | tail -n 20
for against in reference compile; do
  # shellcheck disable=SC2086
  opwright bench -q $operators --target cuda --against "$against" \
    --dtype float32 --dtype bfloat16 --dtype float16 --shapes "$here/evidence/kernel_shapes.json" \
    --processes "${PROCESSES:-3}" --seconds "${SECONDS_EACH:-0.1}" --json "$folder/kernels_$against.json"
  if [ -f "$folder/kernels_$against.json" ]; then gzip -9 -f "$folder/kernels_$against.json"; fi
done
