#!/bin/sh
# Times what only a GPU shows, on a machine with an NVIDIA GPU: evidence/timing.sh FOLDER
#
# PYTHON names the Python that has torch and Opwright's needs; the checkout need not be installed. It takes
# about six minutes. A rehearsal that proves nothing: PROCESSES=2 SECONDS_EACH=0.05 SAME=2 PLANTED=2.
set -u
python=${PYTHON:-python3}
folder=${1:?usage: evidence/timing.sh FOLDER}
here=$(cd "$(dirname "$0")/.." && pwd)
processes=${PROCESSES:-5}
seconds=${SECONDS_EACH:-0.3}
export PYTHONPATH="$here/src:$here/benchmarks${PYTHONPATH:+:$PYTHONPATH}"
mkdir -p "$folder"
shapes=$(mktemp -d)

# A verdict may end a command non-zero: its record is evidence as well.
opwright() { "$python" -m opwright "$@" || echo "ended with $?"; }

bench() {
  name=$1
  shift
  echo "== $name"
  opwright bench -q "$@" --target cuda --processes "$processes" --seconds "$seconds" \
    --json "$folder/$name.json"
  if [ -f "$folder/$name.json" ]; then gzip -9 -f "$folder/$name.json"; fi
}

cat > "$shapes/bias_gelu.json" <<'JSON'
[{"batch": [1024], "hidden": 768}, {"batch": [4096], "hidden": 1024}, {"batch": [8192], "hidden": 2048}]
JSON
echo '[{"shape": [50000000]}, {"shape": [67108864]}]' > "$shapes/swish.json"
echo '[{"shape": [1048576]}]' > "$shapes/add2.json"

# What is timed has been checked, and is compiled meanwhile.
opwright build -q "$here/benchmarks/spin" --target cuda &
opwright check -q bias_gelu swish add2 --target cuda --only numerics | tail -n 6
wait

echo "== spin"
"$python" "$here/benchmarks/spin_kernels.py" | tee "$folder/spin.txt"
tail -n 1 "$folder/spin.txt" > "$folder/spin.json"
rm "$folder/spin.txt"

echo "== trust"
"$python" "$here/benchmarks/timing_trust.py" --target cuda --shared --time-us 200 --processes 5 \
  --samples 30 --slower 3 --same "${SAME:-200}" --planted "${PLANTED:-100}" --json "$folder/trust.json"
if [ -f "$folder/trust.json" ]; then gzip -9 -f "$folder/trust.json"; fi

opwright timing add2 --target cuda --shapes "$shapes/add2.json" --json "$folder/add2_timing.json"
bench add2 add2 --shapes "$shapes/add2.json"
bench bias_gelu bias_gelu --shapes "$shapes/bias_gelu.json"
bench swish swish --shapes "$shapes/swish.json" --gradients
rm -r "$shapes"
