#!/bin/sh
# Times the shipped kernels beside what others offer: evidence/kernels.sh FOLDER
#
# PYTHON names the Python that has torch and Opwright's needs; the checkout need not be installed. With two
# GPUs each has half of the operators, and half of the processors. It ends LIMIT seconds after it began (410),
# and a record is written anew behind each operator: what is done by then is there. STAGES names what is
# measured ("kernels gradients backwards calls autotune"), so that a second run can bring the rest. Liger-Kernel
# and FlagGems are timed where they can be imported. `python scripts/kernels.py FOLDER` prints the table.
# On the CPU, where it takes about an hour and a half on two processors: TARGET=cpu LIMIT=7200 SECONDS_EACH=4.
# A rehearsal that proves nothing: TARGET=cpu SHAPES=FOLDER_OF_SMALL_ONES PROCESSES=2 SECONDS_EACH=0.02.
set -u
python=${PYTHON:-python3}
target=${TARGET:-cuda}
folder=${1:?usage: evidence/kernels.sh FOLDER}
here=$(cd "$(dirname "$0")/.." && pwd)
shapes=${SHAPES:-$here/evidence}
limit=${LIMIT:-410}
stages=${STAGES:-kernels gradients backwards calls autotune}
export PYTHONPATH="$here/src${PYTHONPATH:+:$PYTHONPATH}"
export PYTHONUNBUFFERED=1
export GEMS_VENDOR="${GEMS_VENDOR:-nvidia}" # or FlagGems asks the vendors' tools, one after the other
export TORCHINDUCTOR_COMPILE_THREADS=1     # everything is compiled beforehand, by a process each
rivals="--against compile"
for file in functional liger flag_gems; do
  rivals="$rivals --against call:$here/evidence/rivals/$file.py"
done
autotune="--against compile:max-autotune-no-cudagraphs"
dtypes="--dtype float32 --dtype bfloat16"
differentiable=" swiglu swish bias_gelu bias_dropout_residual rms_norm layer_norm "
first=${FIRST-"swiglu bias_gelu row_softmax rms_norm moe_gating_top_k_softmax"}
second=${SECOND-"swish add2 bias_dropout_residual layer_norm dynamic_quant"}
parts=0
for stage in $stages; do
  case $stage in
    kernels) parts=$((parts + 50)) ;;
    gradients) parts=$((parts + 20)) ;;
    *) parts=$((parts + 10)) ;;
  esac
done
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
began=$(date +%s)

elapsed() { echo $(($(date +%s) - began)); }
say() { echo "[$(elapsed) s] $*"; }

# within SECONDS COMMAND...: stopped as by Ctrl-C then, and at the end of the whole time at the latest
within() {
  most=$1
  shift
  left=$((limit - $(elapsed)))
  if [ "$left" -lt 5 ]; then
    say "no time left for: $*"
    return
  fi
  if [ "$left" -lt "$most" ]; then most=$left; fi
  # shellcheck disable=SC2086 # words
  timeout -s INT -k 10 "$most" $pinned "$@" || say "ended with $?: $*"
}

# those that can be differentiated among OPERATOR...
learning() {
  for each in "$@"; do
    case $differentiable in *" $each "*) printf '%s ' "$each" ;; esac
  done
}

# Whether STAGE is to be measured.
wanted() {
  case " $stages " in *" $1 "*) ;; *) return 1 ;; esac
}

# bench STAGE PARTS OPTION...: a verdict may end it non-zero, and its record is evidence as well. Of the whole
# time it takes so many parts at the most, of those of all stages that are wanted.
bench() {
  wanted "$1" || return 0
  record=$folder/$1_$name.json
  share=$((limit * $2 / parts))
  shift 2
  within "$share" "$python" -m opwright bench -q --target "$target" --processes "${PROCESSES:-3}" \
    --seconds "${SECONDS_EACH:-0.08}" --json "$record" "$@" > "$record.txt"
  say "$(basename "$record"): $(grep -c 'looked at again' "$record.txt") operators"
  rm "$record.txt"
}

# prepare OPERATOR...: compile everything and check what is timed, all at once
prepare() {
  for operator in "$@"; do
    # shellcheck disable=SC2086
    (within 75 "$python" -m opwright check -q "$operator" --target "$target" --only numerics $capture \
      --json "$folder/check_$operator.json" > /dev/null) &
  done
  if wanted kernels; then
    # shellcheck disable=SC2086
    within 75 "$python" "$here/evidence/warm.py" "$@" --target "$target" $dtypes $rivals \
      --shapes "$shapes/kernel_shapes.json" &
  fi
  if wanted autotune; then
    # shellcheck disable=SC2086
    within 75 "$python" "$here/evidence/warm.py" "$@" --target "$target" $dtypes $autotune \
      --shapes "$shapes/kernel_shapes_autotune.json" &
  fi
  if wanted gradients; then
    # shellcheck disable=SC2046,SC2086
    within 75 "$python" "$here/evidence/warm.py" $(learning "$@") --target "$target" $dtypes $rivals --gradients \
      --shapes "$shapes/kernel_shapes_gradients.json" &
  fi
  wait
}

# part NAME OPERATOR...: everything that is measured of these operators, what matters most first
part() {
  name=$1
  shift
  export FLAGGEMS_CACHE_DIR="$folder/.flaggems_$name"
  prepare "$@"
  say "part $name is compiled and checked"
  taught=$(learning "$@")
  backwards=$(for each in $taught; do printf '%s:%s_backward ' "$each" "$each"; done)
  # shellcheck disable=SC2086
  {
    bench kernels 50 "$@" --no-backwards $dtypes --against reference $rivals \
      --shapes "$shapes/kernel_shapes.json"
    bench gradients 20 $taught --gradients $dtypes --against reference $rivals \
      --shapes "$shapes/kernel_shapes_gradients.json"
    bench backwards 10 $backwards $dtypes --against reference --processes 1 \
      --shapes "$shapes/kernel_shapes_gradients.json"
    bench calls 10 "$@" --no-backwards --against reference --processes 2 --timer "$calls" --cache warm \
      --against "call:$here/evidence/rivals/functional.py" --shapes "$shapes/kernel_shapes_calls.json"
    bench autotune 10 "$@" --no-backwards $dtypes $autotune --processes 2 \
      --shapes "$shapes/kernel_shapes_autotune.json"
  }
  rm -rf "$FLAGGEMS_CACHE_DIR"
}

measure_cpu() {
  # shellcheck disable=SC2086
  name=cpu
  bench kernels $parts $first $second --no-backwards --cache rotating --against reference \
    --against compile --against "call:$here/evidence/rivals/functional.py" --shapes "$shapes/kernel_shapes_cpu.json"
}

gpus=0
pinned=""
case $target in
  cuda*)
    gpus=$("$python" -c 'import torch; print(torch.cuda.device_count())')
    calls=issue capture="--only capture"
    ;;
  *) calls=host capture="" ;; # nothing is issued there
esac
say "$gpus GPUs"
# shellcheck disable=SC2086
if [ "$target" = cpu ] && [ -z "${SHAPES:-}" ]; then
  first=$(echo "$first" | sed 's/moe_gating_top_k_softmax//')
  measure_cpu
elif [ "$gpus" -ge 2 ]; then
  visible=${CUDA_VISIBLE_DEVICES:-0,1}
  one=${visible%%,*}
  rest=${visible#*,}
  two=${rest%%,*}
  half=$(($(nproc) / 2))
  (export CUDA_VISIBLE_DEVICES="$one" && pinned="taskset -c 0-$((half - 1))" && part a $first) &
  (export CUDA_VISIBLE_DEVICES="$two" && pinned="taskset -c $half-$((2 * half - 1))" && part b $second) &
  wait
else
  part a $first $second
fi
for record in "$folder"/*.json; do
  if [ -f "$record" ]; then gzip -9 -f "$record"; fi
done
say "done: $(ls "$folder")"
