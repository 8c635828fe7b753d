#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# `./dev lint`: every check runs, then the ones that failed are named. `--fix-format` formats C and C++ files instead.
# clang-tidy needs build/release/compile_commands.json; `./dev lint` sees to it and to the packages.
set -uo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.." || exit 1

# Files that git tracks or would track, NUL-separated. A clone may belong to another user (CI): hence safe.directory.
tracked() {
  git -c safe.directory="$PWD" ls-files -z --cached --others --exclude-standard -- "$@" |
    while IFS= read -r -d '' file; do
      [[ -f $file ]] && printf '%s\0' "$file"
    done
}

shell_scripts() {
  tracked ':!captures' | xargs -0 awk 'FNR == 1 { if (/^#!.*sh$/) printf "%s%c", FILENAME, 0; nextfile }'
}

check_house_rules() { tracked | xargs -0 python3 tests/lint/house_rules.py; }
check_shell() { shell_scripts | xargs -0 shellcheck --severity=warning; }
check_format() {
  tracked '*.h' '*.c' '*.cpp' | xargs -0 clang-format-19 --dry-run -Werror 2>&1 |
    sed -n 's/^\(.*:[0-9]*\):[0-9]*: error: code should be.*/\1: not formatted; .\/dev fmt does it/p' | sort -uV
  return "${PIPESTATUS[1]}"
}
# The files that ship; tests may be plainer. .clang-tidy says which checks and why, tidy.py how it is done quickly.
check_tidy() { tracked 'src/*.cpp' 'cli/*.cpp' 'dissector/*.cpp' | xargs -0 python3 tests/lint/tidy.py build/release; }

if [[ ${1:-} == --fix-format ]]; then
  tracked '*.h' '*.c' '*.cpp' | xargs -0 clang-format-19 -i
  exit
fi

failed=()
for check in house_rules shell format tidy; do
  printf 'lint: %s\n' "$check"
  "check_$check" || failed+=("$check")
done
if [[ ${#failed[@]} -gt 0 ]]; then
  printf 'lint: failed: %s\n' "${failed[*]}"
  exit 1
fi
echo 'lint: clean'
