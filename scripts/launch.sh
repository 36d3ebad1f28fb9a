#!/bin/sh
# `npm start`, `npm test` and the command-line programs in a clone: launch.mjs prepares on the machine's own Node (20 or newer),
# then this process becomes the program on the chosen Node. No launcher stays in memory, and signals and exit codes are the
# program's own.
stopped=
plan=$(mktemp) || exit 1
trap 'stopped=143; kill "$launcher" 2>/dev/null' TERM
trap 'stopped=130; kill -INT "$launcher" 2>/dev/null' INT
trap 'stopped=129; kill -HUP "$launcher" 2>/dev/null' HUP
# In the background, because a shell handles no signal before a program in the foreground has ended. After "--" Node does not read
# the arguments: otherwise it would use a program's --env-file itself.
LAUNCH_PLAN=$plan "${npm_node_execpath:-node}" -- "${0%launch.sh}launch.mjs" "$@" &
launcher=$!
# A signal interrupts `wait`.
while wait "$launcher"; status=$?; kill -0 "$launcher" 2>/dev/null; do :; done
program=$(cat "$plan")
rm -f "$plan"
if [ -n "$stopped" ] || [ "$status" != 0 ] || [ -z "$program" ]; then exit "${stopped:-$status}"; fi
trap - TERM INT HUP
eval "exec env $program"
