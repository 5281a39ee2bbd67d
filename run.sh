#!/usr/bin/env bash
# Builds akgen, judges every project in examples/kernels on the simulated chip, and has akgen write kernels of its own for
# a set of benchmark operators, one of each kind, judged and reported.
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
page about them. Naming examples leaves that out.

  -j, --jobs N     parallel compile jobs (default: all cores)
      --no-install never call apt
      --no-build   use the akgen that is there
  -o, --out FILE   where the JSON goes (default: out/examples.json); beside it planned.json
                   and planned.html
  -h, --help       this text

Exit status: 0 every verdict as expected and every planned kernel passes, 1 at least one
does not, 2 usage or build error.
TEXT
}

jobs=$(nproc) install=1 build=1 out=out/examples.json examples=()
while (($#)); do
  case $1 in
    -j | --jobs) jobs=${2:?--jobs needs a number}; shift ;;
    -o | --out) out=${2:?--out needs a file}; shift ;;
    --no-install) install=0 ;;
    --no-build) build=0 ;;
    -h | --help) usage; exit 0 ;;
    -*) usage >&2; exit 2 ;;
    *) examples+=("$1") ;;
  esac
  shift
done

if ((install)); then install_missing || exit 2; fi
if ((build)); then (build release "$jobs" akgen akgen-builder akgen-runner akgen-reference) || exit 2; fi
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
exit "${failed:-0}"
