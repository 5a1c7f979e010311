#!/usr/bin/env bash
# What can be said of the sources without building them; the same here and in CI.   tools/lint.sh [--fix] [--tidy | --tidy-changed]
#   --fix            let clang-format rewrite what it would change
#   --tidy           also clang-tidy (.clang-tidy) over every source of build/release, which was built; a quarter of an hour
#   --tidy-changed   likewise over those that are not as in the branch that this one came from (its upstream, else origin's);
#                    where there is nothing of its own, over the last that were changed, 12 at most
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
fix=false tidy= bad=0
for argument in "$@"; do
  case $argument in
    --fix) fix=true ;;
    --tidy | --tidy-changed | --tidy_changed) tidy=${argument//_/-} ;;
    --help | -h) sed -n '2,6s/^# \{0,1\}//p' tools/lint.sh; exit 0 ;;
    *) echo "lint.sh: unknown argument '$argument'; known: --fix --tidy --tidy-changed" >&2; exit 2 ;;
  esac
done
complain() { echo "lint: $1" >&2; bad=1; }
# Files of the repository that match; in an archive without git all that lie here but what was
# built.
in_git=$(git rev-parse --is-inside-work-tree 2>/dev/null)
list() {
  local pattern
  for pattern in "$@"; do
    if [ "$in_git" = true ]; then
      git ls-files --cached --others --exclude-standard -- "$pattern"
    else
      find . -path ./build -prune -o -type f -path "./${pattern/#./*}" -printf '%P\n'
    fi
  done | sort -u | while read -r file; do [ -f "$file" ] && echo "$file"; done
}

mapfile -t sources < <(list '*.cpp' '*.h' '*.td')
if [ ${#sources[@]} -eq 0 ]; then
  complain "found no sources at all"
else
  $fix && clang-format-22 -i "${sources[@]}"
  unformatted=$(clang-format-22 --dry-run "${sources[@]}" 2>&1 | sed -n 's/^\([^:]*\):.*clang-format-violations.*/\1/p' | sort -u)
  [ -z "$unformatted" ] || complain "not formatted (tools/lint.sh --fix mends it):
$unformatted"
fi

# Programs in examples/ are as their users have them.
columns=$(list '*.cpp' '*.h' '*.td' '*.proto' '*.py' '*.sh' '*.cmake' '*CMakeLists.txt' | grep -v '^examples/' |
  xargs -r python3 test/docs/columns.py) || complain "lines over 100 columns:
$columns"

# A path that exists on one machine only: home folders, workspaces, fixed files in the temporary
# folder.
machine='(^|[^[:alnum:]_./$}%-])/(root|home|work|tmp|mnt|workspace)/[[:alnum:]_.]'
paths=$(list . | grep -vE '^(LICENSE|tools/lint\.sh)$' | xargs grep -nIE "$machine" 2>/dev/null)
[ -z "$paths" ] || complain "paths of one machine (use the build folder, mktemp, or a path relative to the file):
$paths"

long=$(list '*.cpp' '*.h' '*.td' '*.py' '*.sh' '*.mlir' '*.proto' | xargs wc -l |
  awk '$2 != "total" && $1 > 900 && $2 !~ "^test/run/stablehlo/" {print $2, $1}' | while read -r file lines; do
    head -30 "$file" | grep -q 'Over 900 lines: ' || echo "$file: $lines lines"
  done)
[ -z "$long" ] || complain "files over 900 lines (is it one class or one algorithm? If so, write 'Over 900 lines: WHY' into the opening comment):
$long"

# Of two functions with one name in a file of tests, Python keeps the second, and the first one
# never runs.
lost=$(list 'test/run/test_*.py' | while read -r file; do sed -nE 's/^def (test_\w+)\(.*/\1/p' "$file" | sort | uniq -d | sed "s|^|$file: |"; done)
[ -z "$lost" ] || complain "tests of one name in a file, of which the last alone runs:
$lost"

# Kinds of devices are in one table; a name in a message or a comment is no use of it.
kinds=$(list 'dialects/*.cpp' 'dialects/*.h' 'passes/*.cpp' 'passes/*.h' 'runtime/*.cpp' 'runtime/*.h' 'tools/*.cpp' 'tools/*.h' |
  grep -vE '^runtime/(common/)?device/' | xargs grep -nHE '(^|[^\\])"([^" ]*/device:|\.)?(CPU|GPU|SIM|gpu|sim)(:[0-9]*)?"' 2>/dev/null | grep -vE '^[^:]+:[0-9]+:[^"]*//')
[ -z "$kinds" ] || complain "names of kinds of devices (ask runtime/common/device/DeviceKinds.h):
$kinds"

spaces=$(list '*.cpp' '*.h' '*.td' '*.py' '*.sh' '*.mlir' '*.proto' '*.md' '*.txt' '*.cmake' | xargs grep -nP '[ \t]+$|\t' 2>/dev/null | cut -c1-120)
[ -z "$spaces" ] || complain "tabs, or blanks at the end of a line:
$spaces"

# A script there would be run by nobody.
scripts=$(list 'test/run/*.sh')
[ -z "$scripts" ] || complain "end-to-end tests are pytest's, test/run/test_*.py (CONTRIBUTING.md):
$scripts"

for script in $(list '*.sh' '.ci/run'); do
  bash -n "$script" || complain "$script does not parse"
  [ -x "$script" ] || complain "$script is not executable"
done

if [ -n "$tidy" ]; then
  mapfile -t files < <(list 'runtime/*.cpp' 'passes/*.cpp' 'dialects/*.cpp' 'tools/*.cpp')
  if [ "$tidy" = --tidy-changed ]; then
    head=$(git rev-parse HEAD)
    base=$(git merge-base HEAD '@{upstream}' 2>/dev/null || git merge-base HEAD origin/HEAD 2>/dev/null)
    # In a fresh clone, and without an upstream, the last commits are what is new.
    mapfile -t files < <({ git diff --name-only "${base:-$head}"
                           git ls-files --others --exclude-standard
                           [ "${base:-$head}" != "$head" ] || git log --name-only --format= | grep -xF -f <(printf '%s\n' "${files[@]}") | awk '!seen[$0]++' | head -n 4
                         } | sort -u | comm -12 <(printf '%s\n' "${files[@]}") -)
  fi
  if [ ${#files[@]} -gt 0 ]; then
    printf '%s\0' "${files[@]}" | xargs -0 -n 4 -P "${GRAPHC_JOBS:-2}" clang-tidy-22 --quiet -p build/release 2>&1 | grep -vE '^[0-9]+ warnings? generated|^Suppressed|^Use -header-filter|Processing file [^ ]+\.$'
    [ "${PIPESTATUS[1]}" -eq 0 ] || complain "clang-tidy is not content"
  fi
fi
exit $bad
