#!/usr/bin/env bash
# Builds akgen, judges every project in examples/kernels on the simulated chip, and has akgen write kernels of its own for
# a set of benchmark operators, one of each kind: by rules, and some by the small model that is shipped; judged and reported.
# Ends with one kernel judged, one written from PyTorch, and one profile page.
set -euo pipefail
cd "$(dirname "$0")"
source tools/prepare.sh

usage() {
  cat <<'TEXT'
usage: ./run.sh [options] [EXAMPLE...]

Installs missing Debian packages, builds akgen, then judges the example kernels (all of
them, or those named) and compares each verdict with the one its example.toml expects.
Then it writes kernels for a set of benchmark operators with the planner, judges them
(build, correctness on public and hidden cases, findings, modelled time) and writes a
page about them, and has the shipped model (models/kernelgen-lm-mini) write some that it
was not trained on: up to eight answers each, the first that passes is kept.
Last it judges one kernel, writes one from a function in PyTorch and a profile page, and says
where they are. Naming examples leaves all of this out; --first does this alone.

  -j, --jobs N     parallel compile jobs (default: all cores)
      --no-install never call apt
      --no-build   use the akgen that is there
      --first      after the build one kernel judged, one written, one profile: nothing else
      --model DIR  another local model (docs/lm.md); none: no model
  -o, --out FILE   where the JSON goes (default: out/examples.json); beside it planned.json,
                   planned.html and written.json
  -h, --help       this text

Exit status: 0 every verdict as expected, every planned kernel passes and one of the
model's, 1 not so, 2 usage or build error.
TEXT
}

jobs=$(nproc) install=1 build=1 first=0 out=out/examples.json model=models/kernelgen-lm-mini/dpo examples=()
while (($#)); do
  case $1 in
    -j | --jobs) jobs=${2:?--jobs needs a number}; shift ;;
    -o | --out) out=${2:?--out needs a file}; shift ;;
    --no-install) install=0 ;;
    --no-build) build=0 ;;
    --first) first=1 ;;
    --model) model=${2:?--model needs a folder, or none}; shift ;;
    -h | --help) usage; exit 0 ;;
    -*) usage >&2; exit 2 ;;
    *) examples+=("$1") ;;
  esac
  shift
done

if ((install)); then install_missing || exit 2; fi
if ((build)); then (build release "$jobs" akgen akgen-builder akgen-runner akgen-reference akgen-lm) || exit 2; fi

# What a visitor came for.
show_first() {
  local akgen=build/release/bin/akgen to
  to=$(dirname "$out")/first
  rm -rf "$to"
  mkdir -p "$to"
  $akgen judge examples/kernels/fast_gelu --task FastGelu --json "$to/verdict.json" >"$to/verdict.txt" || return 1
  tools/kernel_for examples/operators/scaled_swish.py --out "$to/scaled_swish" >"$to/scaled_swish.txt" 2>/dev/null || return 1
  $akgen profile examples/kernels/matmul_gelu_mix --task examples/tasks/MatmulGelu --case 3 --html "$to/profile.html" >"$to/profile.txt" || return 1
  cat <<TEXT

judged    examples/kernels/fast_gelu: $(grep -c '^case .* pass' "$to/verdict.txt") cases pass    $to/verdict.txt
written   from examples/operators/scaled_swish.py      $to/scaled_swish.txt
profiled  examples/kernels/matmul_gelu_mix             $to/profile.html
next      docs/tutorial.md
TEXT
}
if ((first)); then show_first; exit; fi
python3 tools/judge_examples.py --akgen build/release/bin/akgen --out "$out" ${examples[@]+"${examples[@]}"} || failed=1
((${#examples[@]})) && exit "${failed:-0}"

# One operator of each kind; cases of up to 2^14 elements keep this short. Full shapes: docs/craft/performance.md.
operators=(AddCustom Equal IsFinite Gelu SwiGlu InplaceAttnSoftmax RmsNorm AddLayerNorm MseLoss ApplyAdamWV2
           ForeachAddcmulScalar AddSigmoidMulReduceSumD Tril Cross ExpandV2 Arange)
planned=$(dirname "$out")/planned
rm -f "$planned.db"
build/release/bin/akgen bench run --generator plan --tasks "$(IFS=,; echo "${operators[*]}")" --profile tiny --cases 3 --hidden 2 \
  --time -j "$(nproc)" --candidates "$planned" --out "$planned.db" --json "$planned.json"
build/release/bin/akgen report "$planned.db" --html "$planned.html" --title "Kernels written by the planner"
python3 - "$planned.json" <<'PYTHON' || failed=1
import json, sys
said = json.load(open(sys.argv[1]))
print(f"planned kernels: {said['passed_hidden']} of {said['tasks']} pass; page: {sys.argv[1][:-5]}.html")
sys.exit(said["passed_hidden"] != said["tasks"] or said["findings"] > 0)
PYTHON

# Operators that the model has not seen (models/heldout.json). Without a network; its answers depend on the processor.
if [[ $model != none && ! -d $model ]]; then
  echo "run.sh: there is no model in $model; --model none leaves it out" >&2
  failed=1
elif [[ $model != none ]]; then
  unseen=(Gelu FastGelu Swish LessEqual ForeachErf ForeachNeg)
  written=$(dirname "$out")/written
  rm -rf "$written"
  build/release/bin/akgen generate --tasks "$(IFS=,; echo "${unseen[*]}")" --generator craft --prompt operations --model "$model" \
    --grammar docs/craft/grammar.gbnf --max-tokens 1000 --temperature 0.6 -n 8 --first-pass --concurrency 8 -j "$(nproc)" --profile tiny --cases 3 \
    --no-transcript --out "$written" --json "$written.json" || true
  python3 - "$written.json" <<'PYTHON' || failed=1
import json, sys
said = json.load(open(sys.argv[1]))
passed = [task for task, best in said["best"].items() if best["verdict"] == "pass"]
print(f"kernels by the model: {len(passed)} of {said['tasks']} operators pass ({', '.join(passed)}); projects: {sys.argv[1][:-5]}")
sys.exit(not passed)
PYTHON
fi
show_first || failed=1
exit "${failed:-0}"
