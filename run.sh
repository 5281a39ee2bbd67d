#!/usr/bin/env bash
# Builds akgen and judges every project in examples/kernels on the simulated chip.
set -euo pipefail
cd "$(dirname "$0")"
source tools/prepare.sh

usage() {
  cat <<'TEXT'
usage: ./run.sh [options] [EXAMPLE...]

Installs missing Debian packages, builds akgen, then judges the example kernels (all of
them, or those named) and compares each verdict with the one its example.toml expects.

  -j, --jobs N     parallel compile jobs (default: all cores)
      --no-install never call apt
      --no-build   use the akgen that is there
  -o, --out FILE   where the JSON goes (default: out/examples.json)
  -h, --help       this text

Exit status: 0 every verdict as expected, 1 at least one differs, 2 usage or build error.
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
exec python3 tools/judge_examples.py --akgen build/release/bin/akgen --out "$out" ${examples[@]+"${examples[@]}"}
