#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# install.sh [--system] PLUGIN.so VERSION: copies a built plugin and the profile "RoCE" to where Wireshark looks for
# them. VERSION is that of the Wireshark that the plugin was built for (4.0.17): a plugin fits one minor series only, so
# nothing is copied for another. `./dev install-plugin` builds and calls this. DESTDIR is heeded, for packages.
set -euo pipefail

here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
say() { printf 'install-plugin: %s\n' "$*" >&2; }
refuse() {
  say "$1"
  shift
  for line in "$@"; do say "$line"; done
  exit 1
}

system=false
if [[ ${1:-} == --system ]]; then
  system=true
  shift
fi
[[ $# -eq 2 ]] || refuse "usage: install.sh [--system] PLUGIN.so VERSION"
plugin=$1 version=$2
series=${version%.*}
[[ -f $plugin ]] || refuse "there is no file $plugin"

# --- Whose folders ----------------------------------------------------------------------------------------------------
# Wireshark and tshark ignore a person's own plugins when that person is root.
if [[ $EUID -eq 0 && $system == false ]]; then
  say "you are root, for whom Wireshark ignores plugins in the home folder: installing for everybody, as with --system"
  system=true
fi

# The version of program $1, as it says itself; empty if it is not there.
version_of() {
  "$1" --version 2>/dev/null | sed -n '1s/.*[^0-9.]\([0-9]\+\.[0-9]\+\.[0-9]\+\).*/\1/p'
}

programs=()
for program in tshark wireshark; do
  command -v "$program" >/dev/null || continue
  found=$(QT_QPA_PLATFORM=offscreen version_of "$program")
  [[ -n $found ]] || continue
  [[ ${found%.*} == "$series" ]] || refuse \
    "$(command -v "$program") is Wireshark $found, and the plugin was built for $version: nothing was installed" \
    "Wireshark loads only plugins of its own series (here ${found%.*}). Install the package wireshark-dev of $found" \
    "and run ./dev install-plugin again; if several Wiresharks are installed, put the right one first in PATH."
  programs+=("$program")
done
[[ ${#programs[@]} -gt 0 ]] ||
  say "no Wireshark or tshark was found in PATH: installing for $series in the folders that Debian's uses"

folders=
if [[ " ${programs[*]} " == *" tshark "* ]]; then folders=$(tshark -G folders 2>/dev/null || true); fi
# folder NAME DEFAULT: as tshark tells it, else the default.
folder() {
  local told
  told=$(sed -n "s/^$1:[[:blank:]]*//p" <<<"$folders")
  printf '%s' "${told:-$2}"
}

config=${XDG_CONFIG_HOME:-${HOME:-/root}/.config}/wireshark
own_plugins=$(folder "Personal Plugins" "${HOME:-/root}/.local/lib/wireshark/plugins/$series")
all_plugins=$(folder "Global Plugins" "/usr/lib/$(uname -m)-linux-gnu/wireshark/plugins/$series")
if $system; then
  plugins=$all_plugins other=$own_plugins
  profiles=$(folder "Global configuration" /usr/share/wireshark)/profiles
else
  plugins=$own_plugins other=$all_plugins
  profiles=$(folder "Personal configuration" "$config")/profiles
fi
plugins=${DESTDIR:-}$plugins profiles=${DESTDIR:-}$profiles

# --- Copying ----------------------------------------------------------------------------------------------------------
as_owner=()
if $system && [[ $EUID -ne 0 && -z ${DESTDIR:-} ]]; then
  command -v sudo >/dev/null || refuse "for --system be root, or have sudo: $plugins is not yours to write to"
  as_owner=(sudo)
fi

"${as_owner[@]}" mkdir -p "$plugins/epan" "$profiles/RoCE"
# Not over the old file: a Wireshark that runs has it mapped.
"${as_owner[@]}" install -m 644 "$plugin" "$plugins/epan/rocetop.so.new"
"${as_owner[@]}" mv -f "$plugins/epan/rocetop.so.new" "$plugins/epan/rocetop.so"
say "plugin for Wireshark $series: $plugins/epan/rocetop.so"

kept=()
for file in "$here"/profile/RoCE/*; do
  name=${file##*/}
  # Widths of columns, which Wireshark itself writes from then on.
  [[ $name != recent || ! -e $profiles/RoCE/recent ]] || continue
  if [[ -e $profiles/RoCE/$name ]] && ! cmp -s "$file" "$profiles/RoCE/$name"; then
    "${as_owner[@]}" cp -p "$profiles/RoCE/$name" "$profiles/RoCE/$name.old"
    kept+=("$name.old")
  fi
  "${as_owner[@]}" install -m 644 "$file" "$profiles/RoCE/$name"
done
say "profile RoCE: $profiles/RoCE"
[[ ${#kept[@]} -eq 0 ]] || say "files there that were not as they are now are kept: ${kept[*]}"
[[ -n ${DESTDIR:-} ]] && exit 0

# --- Does it work? ----------------------------------------------------------------------------------------------------
if [[ -e $other/epan/rocetop.so ]]; then
  say "there is another rocetop.so in $other/epan: Wireshark loads one of the two and warns; remove that one"
fi
if [[ " ${programs[*]} " == *" tshark "* ]]; then
  tshark -G plugins 2>/dev/null | grep -q "^rocetop\.so" ||
    refuse "tshark does not load it; tshark -G plugins says what it loads, and tshark -v why it may not"
  say "tshark loads it"
fi
say "to use it:  wireshark -C RoCE FILE     (in a Wireshark that runs: Edit, Configuration Profiles…, RoCE)"
say "            tshark -C RoCE -2 -r FILE -Y roce.analysis.flags"
say "what the fields say, and filters to begin with: docs/wireshark.md"
