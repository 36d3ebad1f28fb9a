# One agent on a host: of two ways to install, the later one is refused before it changes anything.
if [ -e /usr/bin/vedette-agent ]; then
  echo 'another package installed /usr/bin/vedette-agent: remove that one first; config, state and registration stay' >&2
  exit 1
fi
if [ -n "$other" ]; then
  echo 'this host has an agent of install.sh or of an archive. Remove it first; config, state and registration stay:' >&2
  echo "  $other service uninstall && rm -rf /opt/vedette-agent /usr/local/bin/vedette-agent" >&2
  exit 1
fi
