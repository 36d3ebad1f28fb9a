#!/bin/sh
# Writes the health of each disk, as smartctl reports it, into the folder $1, where vedette-agent reads it. A disk that sleeps is not
# woken: its file keeps its content and gets a new time.
set -eu
folder=$1
smartctl --scan | while read -r device _ type _; do
  name=$(printf '%s_%s' "${device#/dev/}" "$type" | tr -c 'A-Za-z0-9' '_')
  file=$folder/$name.json
  # A SATA disk is listed as scsi: smartctl finds out when it opens it.
  [ "$type" = scsi ] && type=auto
  status=0
  smartctl --json=c -n standby -i -H -A -d "$type" "$device" >"$file.new" </dev/null || status=$?
  # The lowest bits: not called correctly, and not opened or asleep. The others are findings about the disk.
  if [ $((status & 3)) -eq 0 ]; then
    mv "$file.new" "$file"
  else
    if [ -e "$file" ] && grep -Eq '(STANDBY|SLEEP) mode' "$file.new"; then touch "$file"; fi
    rm -f "$file.new"
  fi
done
