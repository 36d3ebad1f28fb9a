export const EXIT = { good: 0, fault: 1, usage: 2, notRunning: 3 } as const

export const HELP = `vedette-agent: sends metrics of this host to a Vedette backend

  register --url URL      register this host and store its identity
      --api-key-file FILE   file with an API key of scope "agent" (or --api-key KEY, or VEDETTE_API_KEY)
      --allow-http          allow http:// to another host: the token is sent unencrypted
  run                     sample and push until SIGTERM or SIGINT
  status [--json]         show the status of the running agent
  check                   check config, disk, proxy, DNS, TLS, backend, clock and token; suggests a remedy for each fault
  sample [--watch]        read this host twice, a second apart, and print the sample as JSON; or show it live
  token set               store a new token from standard input (or --token-file FILE)
  service install         run this program as a service of systemd, OpenRC or launchd, as the user vedette
      --dry-run             print the unit and change nothing
      --no-start            write the unit but do not start the service
  service uninstall       stop the service and remove its unit; config and state stay
  update                  install the newest release (agents of install.sh only); rolls back if it fails
      --by-timer            respect the staged rollout of the release
      --watch-seconds N     time limit for the first accepted push (600)
      --root FOLDER         folder of the versions, if this program is not in it
  version                 print the version
  help                    print this help

  --config FILE           config file, for every command (or VEDETTE_CONFIG)

Config (YAML): url, token, sample_interval_seconds, push_interval_seconds, allow_http, state_dir, tags, ca_file,
certificate_fingerprint, spool_max_mb, spool_max_days, log_file, processes. The environment
variable VEDETTE_AGENT_<KEY> overrides the file.
Environment: VEDETTE_CONFIG, VEDETTE_STATE_DIR, VEDETTE_API_KEY; HTTPS_PROXY, HTTP_PROXY, NO_PROXY; NODE_EXTRA_CA_CERTS.

Exit codes: 0 success; 1 failure (no backend, refused, cannot read or write); 2 invalid command line, config or environment;
3 status: no agent is running.
`
