#!/bin/sh
# Starts the backend of this release on the Node that came with it, wherever the release lies.
set -eu
self=$(readlink -f "$0")
home=${self%/bin/*}
case ${1:-} in
  # What only checks has a small heap of which most is new each second.
  work | probe) export MALLOC_ARENA_MAX=2; set -- --max-semi-space-size=4 --heap-growing-percent=30 "$home/app/backend/dist/vedette.mjs" "$@" ;;
  *) set -- --max-semi-space-size=64 "$home/app/backend/dist/vedette.mjs" "$@" ;;
esac
exec "$home/node/bin/node" "$@"
