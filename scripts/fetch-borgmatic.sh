#!/usr/bin/env bash
# Puts the Python files of Debian's borgmatic 2 below node_modules/.cache/borgmatic: its hooks are clients of the addresses of pings.
# Nothing is installed. The stable suites have versions without its hook for Uptime Kuma, so it comes from unstable.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
target=$PWD/node_modules/.cache/borgmatic
[ ! -e "$target/borgmatic/hooks/monitoring/uptime_kuma.py" ] || exit 0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/lists/partial" "$folder/cache/archives/partial" "$target"
echo 'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian sid main' >"$folder/sid.list"
own=(-o "Dir::Etc::sourcelist=$folder/sid.list" -o Dir::Etc::sourceparts=- -o "Dir::State::lists=$folder/lists"
  -o "Dir::Cache=$folder/cache" -o APT::Sandbox::User=root)
cd "$folder"
apt-get "${own[@]}" -qq update
apt-get "${own[@]}" -qq download borgmatic
dpkg -x borgmatic_*.deb unpacked
cp -r unpacked/usr/lib/python3/dist-packages/borgmatic "$target/"
