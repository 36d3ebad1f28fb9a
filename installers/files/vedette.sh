#!/bin/sh
# Starts the backend with the Node of this release, in any folder.
set -eu
self=$(readlink -f "$0")
home=${self%/bin/*}
case ${1:-} in
  # A probe has a small heap with short-lived objects.
  work | probe) export MALLOC_ARENA_MAX=2; set -- --max-semi-space-size=4 --heap-growing-percent=30 "$home/app/backend/dist/vedette.mjs" "$@" ;;
  # They read large folders and call the API.
  migrate-from | oncall-diff) set -- --max-semi-space-size=4 --heap-growing-percent=30 "$home/app/backend/dist/vedette.mjs" "$@" ;;
  *) set -- --max-semi-space-size=64 --expose-gc --no-memory-reducer "$home/app/backend/dist/vedette.mjs" "$@" ;;
esac
exec "$home/node/bin/node" "$@"
