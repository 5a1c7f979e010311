#!/usr/bin/env bash
# Installs what graphc is built and tested with, on Debian 12, from the package sources that this
# machine has configured.
#   tools/setup.sh [--yes] [--runtime-only] [--tests] [--dry-run]
#   --yes            do not ask; without it a question comes first, but for root and in CI (CI set), where nobody sits
#   --runtime-only   leave out LLVM's and MLIR's development files: enough for graphrun and the runtime's tests
#   --tests          also what the tests alone need: a browser in which the report is opened, Slurm, Open MPI, Prometheus, pip
#   --dry-run        say what would be added, its size and the minutes to expect; change nothing
# Nothing missing: says nothing and takes a few milliseconds.
# Why as it is: docs/decisions/2026-11-21-set-up.md
set -euo pipefail

runtime=(clang-22 lld-22 libclang-rt-22-dev llvm-22 cmake ninja-build ccache python3
  libgrpc++-dev libssl-dev protobuf-compiler-grpc libprotobuf-dev protobuf-compiler libabsl-dev
  libdnnl-dev nlohmann-json3-dev libcli11-dev libspdlog-dev libgtest-dev libgmock-dev zlib1g-dev
  libzstd-dev dataset-fashion-mnist fortunes)
compiler=(llvm-22-dev llvm-22-tools libmlir-22-dev mlir-22-tools liblld-22-dev)
checks=(git procps iproute2 python3-pytest clang-format-22 clang-tidy-22 libbenchmark-dev)
tests=(chromium-headless-shell munge slurmctld slurmd slurm-client openmpi-bin prometheus
  python3-pip)

yes=false dry=false wanted=("${runtime[@]}" "${compiler[@]}" "${checks[@]}") also=()
for argument in "$@"; do
  case $argument in
    --yes | -y) yes=true ;;
    --runtime-only | --runtime_only) wanted=("${runtime[@]}") ;;
    --tests) also=("${tests[@]}") ;;
    --dry-run | --dry_run) dry=true ;;
    --help | -h) sed -n '2,9s/^# \{0,1\}//p' "$0"; exit 0 ;;
    *) echo "setup.sh: unknown argument '$argument'; known: --yes --runtime-only --tests --dry-run --help" >&2; exit 2 ;;
  esac
done
wanted+=("${also[@]}")
fail() { printf 'setup.sh: %s\n' "$1" >&2; exit 1; }

# Another system is not guessed at: package names differ, and so do the versions behind equal names
# (oneDNN 3, gRPC 1.60).
elsewhere() {
  fail "this is $1; graphc is built and tested on Debian 12 (x86-64) only, and nothing was changed.
  In a container:  docker run -it --rm -v \"\$PWD\":/graphc -w /graphc debian:12 examples/fashion-mnist/run.sh
  By hand: install what the list at the top of tools/setup.sh stands for (clang, LLVM, MLIR and
  lld 22; gRPC 1.51; Protobuf 3.21; Abseil 20220623; oneDNN 2.6; …), then: cmake --preset release && cmake --build --preset release"
}
system=$(. "${OS_RELEASE_FILE:-/etc/os-release}" 2>/dev/null && echo "${PRETTY_NAME:-${NAME:-$ID}}" || uname -s)
command -v dpkg-query >/dev/null || elsewhere "$system"

installed=$(dpkg-query -W -f '${db:Status-Abbrev}${Package}\n' "${wanted[@]}" 2>/dev/null || true)
missing=()
for package in "${wanted[@]}"; do
  [[ $'\n'$installed$'\n' == *$'\nii '"$package"$'\n'* ]] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

( . "${OS_RELEASE_FILE:-/etc/os-release}" && [ "${ID:-} ${VERSION_ID:-}" = "debian 12" ] ) 2>/dev/null || elsewhere "$system"

export DEBIAN_FRONTEND=noninteractive LC_ALL=C
root=()
if [ "$(id -u)" -ne 0 ] && ! $dry; then
  command -v sudo >/dev/null || fail "missing: ${missing[*]}; run this script as root (there is no sudo here)"
  root=(sudo)
fi

# Packages that apt can install from nowhere (one apt-cache call: each takes half a second).
unknown() {
  apt-cache policy "${missing[@]}" 2>/dev/null |
    awk -v wanted="${missing[*]}" '
      /^[^ ]/ { package = $1; sub(/:$/, "", package) }
      /^ *Candidate:/ && $2 != "(none)" { known[package] = 1 }
      END { n = split(wanted, names, " "); for (i = 1; i <= n; i++) if (!(names[i] in known)) print names[i] }'
}
updated=false
update() { # the lists are refreshed at most once
  $updated || "${root[@]}" apt-get -qq update || fail "apt-get update failed; see its message above"
  updated=true
}
ask() { # QUESTION: returns when the answer is yes
  if $yes || [ "$(id -u)" -eq 0 ] || [ -n "${CI:-}" ]; then return 0; fi
  [ -t 0 ] || fail "$1 – nobody to ask here; run tools/setup.sh --yes"
  local answer
  read -r -p "$1 [y/N] " answer
  [[ $answer == [yY]* ]] || fail "nothing was changed"
}

lost=$(unknown)
if [ -n "$lost" ]; then
  stale="the package lists of this machine lack $(wc -l <<<"$lost") of ${#missing[@]} missing packages"
  if $dry; then
    echo "setup.sh: to add: ${missing[*]}" >&2
    echo "setup.sh: $stale; they would be refreshed (apt-get update) before the size can be said" >&2
    exit 0
  fi
  ask "setup.sh: $stale. Refresh them (apt-get update, as root)?"
  update
  lost=$(unknown | tr '\n' ' ')
  [ -z "$lost" ] || fail "not in any configured package source: $lost
  LLVM 22 for Debian 12 comes with its security section: add 'bookworm-security main' to /etc/apt/sources.list, as a
  stock Debian 12 has it, and run this again"
fi

# apt's own summary line has the sizes: 'Need to get 12.3 MB/45 MB of archives.', 'After this
# operation, 67 MB of …'
plan=$(apt-get install --no-install-recommends --assume-no "${missing[@]}" 2>&1 || true)
download=$(sed -n 's/^Need to get \(.*\) of archives\.$/\1/p' <<<"$plan")
disk=$(sed -n 's/^After this operation, \(.*\) of additional disk space will be used\.$/\1/p' <<<"$plan")
count=$(sed -n 's/^[0-9]* upgraded, \([0-9]*\) newly installed.*/\1/p' <<<"$plan")
[ -n "$count" ] || fail "apt-get cannot install ${missing[*]}:
$(tail -12 <<<"$plan")"
megabytes=$(awk '{v = $1; sub(",", "", v); if ($2 ~ /^kB/) v /= 1000; if ($2 ~ /^GB/) v *= 1000; printf "%d", v}' <<<"${disk:-0 MB}")
# measured: 360 MB down and 2.3 GB unpacked in 30 s on 2 cores beside a fast mirror
minutes=$((1 + megabytes / 1500))

echo "setup.sh: to add: ${missing[*]}" >&2
echo "setup.sh: $count packages with what they need, ${download:-nothing} to download, ${disk:-0 MB} on disk, about $minutes minute(s)" >&2
! $dry || exit 0
ask "setup.sh: install them (as root)?"

log=$(mktemp)
trap 'rm -f "$log"' EXIT
install() { "${root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >"$log" 2>&1; }
if ! install; then
  update   # stale lists name files that the archive no longer has
  install || { tail -20 "$log" >&2; fail "apt-get install failed; its last lines are above"; }
fi
echo "setup.sh: installed" >&2
