#!/usr/bin/env bash
# Builds everything and runs the tests. ./test.sh -R NAME narrows them down (arguments go to ctest).
set -euo pipefail
cd "$(dirname "$0")"
source tools/prepare.sh

if [[ ${1:-} == -h || ${1:-} == --help ]]; then
  cat <<'TEXT'
usage: ./test.sh [ctest arguments]

Installs missing Debian packages, builds the release preset and runs ctest, without the
tests labelled slow, slurm, chromium, clients, fuzz, training, sanitizer or install. AKGEN_JOBS limits parallel jobs,
AKGEN_PRESET chooses another preset (dev, sanitize, tsan, coverage),
AKGEN_CMAKE more options for CMake (-DAKGEN_WERROR=ON). The last line says how many seconds
of processor time the tests took. Compiled kernels stay in AKGEN_CACHE for the next run.
TEXT
  exit 0
fi

preset=${AKGEN_PRESET:-release}
jobs=${AKGEN_JOBS:-$(nproc)}
# The sanitizers' and the coverage's runtime, which clang-19 does not depend on.
[[ $preset =~ ^(release|dev)$ ]] || AKGEN_PACKAGES+=(libclang-rt-19-dev)
install_missing
build "$preset" "$jobs"
# What is too large to allocate is an error of its user here as well.
[[ $preset == sanitize ]] && export ASAN_OPTIONS="allocator_may_return_null=1${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
say "testing"
# As many tests as cores run at once, and threads that wait for a core in a loop would take it from another test.
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
exec tools/processor_time ctest --test-dir "build/$preset" -j"$jobs" --output-on-failure --timeout 600 \
  -LE '^(slow|slurm|chromium|clients|fuzz|training|sanitizer|install)$' "$@"
