# Sourced by run.sh and test.sh: installs what is missing on Debian 12, configures and builds the release preset.
# Touches the network only when a package is missing.

AKGEN_PACKAGES=(
  cmake ninja-build ccache libjemalloc2 mold binutils g++ git python3 python3-numpy python3-venv
  clang-19 llvm-19-dev libclang-19-dev
  libtorch-dev libgloo-dev libopenblas0-pthread libpcre2-dev
  nlohmann-json3-dev libfmt-dev libgtest-dev libcli11-dev libtomlplusplus-dev
  libboost-context-dev libboost-dev libseccomp-dev libsqlite3-dev libcurl4-openssl-dev zlib1g-dev libzstd-dev libmpfr-dev libz3-dev
)

say() { printf '== %s\n' "$*"; }
die() { printf 'error: %s\n' "$*" >&2; exit 1; }

install_missing() {
  command -v dpkg-query >/dev/null || { say "not a Debian system: taking the packages for granted"; return; }
  local missing=() package
  for package in "${AKGEN_PACKAGES[@]}"; do
    [[ $(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || missing+=("$package")
  done
  ((${#missing[@]})) || return 0
  local as_root=()
  if [[ $(id -u) != 0 ]]; then
    command -v sudo >/dev/null || die "packages are missing and there is no sudo; as root: apt-get install ${missing[*]}"
    as_root=(sudo)
  fi
  say "installing: ${missing[*]}"
  "${as_root[@]}" apt-get update -qq
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
}

# build PRESET JOBS [TARGET...]: configure when needed, then build. AKGEN_CMAKE: more options for CMake.
build() {
  local preset=$1 jobs=$2
  shift 2
  say "configuring ($preset)"
  mkdir -p build
  # shellcheck disable=SC2086  # options, divided at blanks
  cmake --preset "$preset" ${AKGEN_CMAKE:-} >"build/configure-$preset.log" 2>&1 ||
    { tail -n 30 "build/configure-$preset.log" >&2; die "configuring failed; all of it: build/configure-$preset.log"; }
  say "building with $jobs jobs"
  cmake --build --preset "$preset" -j"$jobs" ${1:+--target "$@"} || die "the build failed"
}
