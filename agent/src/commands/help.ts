export const EXIT = { good: 0, fault: 1, usage: 2, notRunning: 3 } as const

export const HELP = `vedette-agent: tells a Vedette backend how this host is doing

  register --url URL      registers this host and keeps its identity
      --api-key-file FILE   file with an API key of scope "agent" (or --api-key KEY, or VEDETTE_API_KEY)
      --allow-http          send to http:// on another host too: the token is readable on its way
  run                     samples and pushes until it is told to end (SIGTERM, SIGINT)
  status [--json]         what the running agent last said of itself
  check                   config, disk, proxy, DNS, TLS, backend, clock and token: each fault with its cure
  sample [--watch]        reads this host twice, a second apart, and prints the sample as JSON; or shows it live
  token set               takes a new token from standard input (or --token-file FILE)
  service install         lets systemd, OpenRC or launchd run this program as the user vedette, from now on
      --dry-run             prints the unit, changes nothing
      --no-start            only writes the unit
  service uninstall       stops that service and removes its unit; config and state stay
  update                  takes the newest release, where install.sh brought the agent; back to the old one if it fails
      --by-timer            only when the release is meant for this host already
      --watch-seconds N     how long it may take to its first accepted push (600)
      --root FOLDER         where the versions are, when it is not this program's place
  version                 prints the version
  help                    prints this

  --config FILE           the config file, for every command (or VEDETTE_CONFIG)

Config (YAML): url, token, sample_interval_seconds, push_interval_seconds, allow_http, state_dir, tags, ca_file,
certificate_fingerprint, spool_max_mb, spool_max_days, log_file, processes. Each may come as VEDETTE_AGENT_<KEY>, which
goes before the file.
Environment: VEDETTE_CONFIG, VEDETTE_STATE_DIR, VEDETTE_API_KEY; HTTPS_PROXY, HTTP_PROXY, NO_PROXY; NODE_EXTRA_CA_CERTS.

Exit codes: 0 good; 1 a fault (no backend, refused, cannot read or write); 2 wrong command line, config or environment;
3 status: no agent is running.
`
