#!/usr/bin/env bash
# tools/setup.sh against a package system of our own: dpkg-query, apt-get, apt-cache, id and sudo
# are stand-ins that keep their state in a folder and write down what they were asked to do.
set -uo pipefail
setup=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../tools" && pwd)/setup.sh
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT
mkdir "$box/bin"
stand_in() { cat >"$box/bin/$1"; chmod +x "$box/bin/$1"; }
stand_in dpkg-query <<'SH'
#!/bin/bash
shift   # -W, then -f FORMAT
for package in "${@:3}"; do grep -qx "$package" "$BOX/installed" && echo "ii $package"; done
exit 1    # as the real one, when a package is unknown
SH
stand_in apt-cache <<'SH'
#!/bin/bash
for package in "${@:2}"; do   # policy PACKAGE...; nothing at all for a name apt has never heard of
  grep -qx "$package" "$BOX/known" && printf '%s:\n  Installed: (none)\n  Candidate: 1.0\n' "$package"
done
exit 0
SH
stand_in apt-get <<'SH'
#!/bin/bash
echo "apt-get $*" >>"$BOX/log"
case "$*" in
  *update*) cat "$BOX/archive" >>"$BOX/known" ;;
  *--assume-no*)
    echo "0 upgraded, 7 newly installed, 0 to remove and 0 not upgraded."
    echo "Need to get 12.3 MB of archives."
    echo "After this operation, 1,700 MB of additional disk space will be used."
    exit 1 ;;
  *install*) for word in "$@"; do echo "$word" >>"$BOX/installed"; done ;;
esac
SH
stand_in id <<'SH'
#!/bin/bash
cat "$BOX/uid"
SH
stand_in sudo <<'SH'
#!/bin/bash
echo "sudo $*" >>"$BOX/log"
"$@"
SH
printf 'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nID=debian\nVERSION_ID="12"\n' >"$box/debian"
printf 'PRETTY_NAME="Ubuntu 24.04 LTS"\nID=ubuntu\nVERSION_ID="24.04"\n' >"$box/ubuntu"
export BOX=$box PATH=$box/bin:$PATH OS_RELEASE_FILE=$box/debian
unset CI

all() { bash -c "$(sed -n '/^runtime=(/,/^checks=/p' "$setup")"'; printf "%s\n" "${runtime[@]}" "${compiler[@]}" "${checks[@]}"'; }
of_tests() { bash -c "$(sed -n '/^tests=(/,/)/p' "$setup")"'; echo "${tests[@]}"'; }
reset() { all >"$box/installed"; { all; of_tests | tr ' ' '\n'; } >"$box/known"; : >"$box/archive"; : >"$box/log"; echo "${1:-0}" >"$box/uid"; }
failures=0
check() { # WHAT CONDITION...
  local what=$1
  shift
  if ! "$@"; then echo "wrong: $what"; sed 's/^/  | /' "$box/out"; failures=$((failures + 1)); fi
}
run() { "$setup" "$@" >"$box/out" 2>&1 </dev/null; status=$?; }
said() { grep -q -- "$1" "$box/out"; }
did() { grep -q -- "$1" "$box/log"; }
didNot() { ! did "$1"; }

reset
[ "$(all | wc -l)" -gt 20 ] || { echo "the test cannot read the package list"; exit 1; }
run
check "nothing missing: status 0" [ $status -eq 0 ]
check "nothing missing: silence" [ ! -s "$box/out" ]
check "nothing missing: apt is not asked" [ ! -s "$box/log" ]

reset
sed -i '/^libmlir-22-dev$/d;/^ccache$/d' "$box/installed"
run
check "root: installs" [ $status -eq 0 ]
check "lists exactly what is missing" said "to add: ccache libmlir-22-dev$"
check "says the size and the minutes" said "7 packages .* 12.3 MB to download, 1,700 MB on disk, about 2 minute"
check "installs only the missing" did "install -y .* ccache libmlir-22-dev$"
run
check "then nothing is missing" [ ! -s "$box/out" ]

run --tests --runtime-only
check "--tests adds what they need, and nothing else does" said "to add: $(of_tests)$"

reset
sed -i '/^cmake$/d' "$box/installed"
run --dry-run
check "--dry-run changes nothing" didNot "install -y"

reset 1000
sed -i '/^cmake$/d' "$box/installed"
run
check "not root, nobody to ask: refused" [ $status -ne 0 ]
check "and says what to do" said "run tools/setup.sh --yes"
check "and touches nothing" didNot "sudo"
run --yes
check "--yes uses sudo" did "^sudo apt-get install -y"
answer() { printf '%s\n' "$1" | script -qec "$setup" /dev/null >"$box/out" 2>&1; status=$?; } # at a terminal
reset 1000
sed -i '/^cmake$/d' "$box/installed"
answer n
check "at a terminal it asks" said "install them (as root)? .y/N."
check "no is no" [ $status -ne 0 ]
check "and nothing was changed" didNot "install -y"
answer ""
check "no answer is no" didNot "install -y"
answer y
check "yes installs" did "^sudo apt-get install -y"
reset 1000
sed -i '/^cmake$/d' "$box/installed"
CI=true run
check "CI does not ask" [ $status -eq 0 ]

reset
sed -i '/^lld-22$/d' "$box/installed" "$box/known"
echo lld-22 >"$box/archive"
run
check "old lists are refreshed once" [ "$(grep -c update "$box/log")" -eq 1 ]
check "and the package is then installed" did "install -y .* lld-22"

reset
sed -i '/^lld-22$/d' "$box/installed" "$box/known"
run
check "a package in no source: refused" [ $status -ne 0 ]
check "and named, with the remedy" said "not in any configured package source: lld-22"
check "and nothing is installed" didNot "install -y"

reset
sed -i '/^lld-22$/d' "$box/installed" "$box/known"
echo lld-22 >"$box/archive"
run --dry-run
check "--dry-run does not refresh the lists either" [ ! -s "$box/log" ]
check "and says that they are old" said "lack 1 of 1 missing packages"

reset
OS_RELEASE_FILE=$box/ubuntu run
check "another system with everything there: silence" [ $status -eq 0 ]
sed -i '/^cmake$/d' "$box/installed"
OS_RELEASE_FILE=$box/ubuntu run --yes
check "another system: refused" [ $status -eq 1 ]
check "and named" said "this is Ubuntu 24.04 LTS; graphc is built and tested on Debian 12"
check "and nothing is touched" [ ! -s "$box/log" ]
mv "$box/bin/dpkg-query" "$box/hidden"
bare=$box/bare
mkdir -p "$bare"
for tool in bash sed dirname uname; do ln -sf "$(command -v $tool)" "$bare/$tool"; done
PATH=$bare OS_RELEASE_FILE=$box/ubuntu run
check "no dpkg at all: refused in the same words" said "this is Ubuntu 24.04 LTS"
mv "$box/hidden" "$box/bin/dpkg-query"

run --colour
check "an unknown argument: status 2" [ $status -eq 2 ]
[ $failures -eq 0 ] || exit 1
echo "setup.sh does what it says"
