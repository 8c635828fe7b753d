#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs fuzz targets that preset fuzz has built.
#
#   fuzz.sh [TARGET] [SECONDS]   `./dev fuzz`: that target, or each in turn; the corpus grows in build/fuzz/corpus/
#
# Inputs come from tests/fuzz/seeds/TARGET and tests/fuzz/regressions/TARGET (old finds, which must stay fixed).
# A find is written to build/fuzz/finds/; fix it, and move it to tests/fuzz/regressions/TARGET under a telling name.
set -euo pipefail
root=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.." && pwd)
binaries=$root/build/fuzz/tests/fuzz
finds=$root/build/fuzz/finds

targets() { find "$binaries" -maxdepth 1 -type f -name 'fuzz_*' -printf '%f\n' | sed 's/^fuzz_//' | LC_ALL=C sort; }

# run TARGET CORPUS OPTIONS…: new inputs go to CORPUS.
run() {
  local target=$1 corpus=$2 inputs=()
  shift 2
  for folder in "$root/tests/fuzz/seeds/$target" "$root/tests/fuzz/regressions/$target"; do
    [[ ! -d $folder ]] || inputs+=("$folder")
  done
  mkdir -p "$corpus" "$finds"
  # An input may take 10 s and 1 GiB: anything slower or larger is a find too.
  "$binaries/fuzz_$target" -max_len=4096 -timeout=10 -rss_limit_mb=1024 -artifact_prefix="$finds/$target-" "$@" \
    "$corpus" "${inputs[@]}"
}

if [[ ${1:-} =~ ^[0-9]+$ || $# -eq 0 ]]; then
  mapfile -t chosen < <(targets)
  seconds=${1:-60}
else
  chosen=("$1")
  seconds=${2:-60}
fi
for target in "${chosen[@]}"; do
  if [[ ! -x $binaries/fuzz_$target ]]; then
    echo "there is no fuzz target '$target'; there are: $(targets | tr '\n' ' ')" >&2
    exit 2
  fi
  echo "fuzzing $target for $seconds s"
  run "$target" "$root/build/fuzz/corpus/$target" -max_total_time="$seconds"
done
