export const EXIT = { good: 0, fault: 1, usage: 2, notRunning: 3 } as const

export const SHELLS = ['bash', 'zsh', 'fish'] as const

interface Option {
  type: 'string' | 'boolean'
  short?: string
  /** Name of the value in the help. */
  value?: string
  help: string
}

export const OPTIONS = {
  url: { type: 'string', value: 'URL', help: 'address of the backend' },
  'api-key-file': {
    type: 'string',
    value: 'FILE',
    help: 'file with an API key of scope "agent" (or --api-key, or VEDETTE_API_KEY)',
  },
  'api-key': { type: 'string', value: 'KEY', help: 'the key itself, which every user of this host can see' },
  'allow-http': { type: 'boolean', help: 'allow http:// to another host: the token is sent unencrypted' },
  json: { type: 'boolean', help: 'print one JSON document' },
  watch: { type: 'boolean', help: 'show it live in the terminal' },
  'token-file': { type: 'string', value: 'FILE', help: 'read the token from a file instead of standard input' },
  'dry-run': { type: 'boolean', help: 'print the unit and change nothing' },
  'no-start': { type: 'boolean', help: 'write the unit but do not start the service' },
  'by-timer': { type: 'boolean', help: 'respect the staged rollout of the release' },
  'watch-seconds': { type: 'string', value: 'N', help: 'time limit for the first accepted push (600)' },
  listen: { type: 'string', value: 'ADDRESS', help: 'address and port to listen on (127.0.0.1:9100)' },
  root: { type: 'string', value: 'FOLDER', help: 'folder of the versions, if this program is not in it' },
  config: { type: 'string', value: 'FILE', help: 'config file, for every command (or VEDETTE_CONFIG)' },
  help: { type: 'boolean', short: 'h', help: 'show the help of the command' },
  version: { type: 'boolean', short: 'v', help: 'print the version' },
} as const satisfies Record<string, Option>
export type OptionName = keyof typeof OPTIONS

/** Options that every command takes. */
export const GLOBAL_OPTIONS: readonly OptionName[] = ['config', 'help', 'version']

interface Command {
  summary: string
  /** Names of the positional arguments; `a|b` accepts these two. */
  parameters?: readonly string[]
  /** In addition to the global ones; any other option is an error. */
  options: readonly OptionName[]
}

/** In the order of the help. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  register: {
    summary: 'register this host and store its identity',
    options: ['url', 'api-key-file', 'api-key', 'allow-http'],
  },
  run: { summary: 'sample and push until SIGTERM or SIGINT', options: [] },
  status: { summary: 'show the status of the running agent', options: ['json'] },
  check: { summary: 'check config, disk, proxy, DNS, TLS, backend, clock and token; suggest remedies', options: [] },
  sample: { summary: 'read this host twice, a second apart, and print the sample as JSON', options: ['watch'] },
  exporter: { summary: 'serve the counters of this host for Prometheus, as node_exporter does (Linux)', options: ['listen'] },
  'token set': { summary: 'store a new token from standard input', options: ['token-file'] },
  'service install': {
    summary: 'run this program as a service of systemd, OpenRC or launchd, as the user vedette',
    options: ['dry-run', 'no-start'],
  },
  'service uninstall': { summary: 'stop the service and remove its unit; config and state stay', options: [] },
  update: {
    summary: 'install the newest release (agents of install.sh only); roll back if it fails',
    options: ['by-timer', 'watch-seconds', 'root'],
  },
  completion: {
    summary: 'print the completion for a shell; packages install it',
    parameters: [SHELLS.join('|')],
    options: [],
  },
  man: { summary: 'print the manual page, for man -l -', options: [] },
  version: { summary: 'print the version', options: [] },
  help: { summary: 'print the help of all commands, or of one', options: [] },
}

export const EXIT_CODES = {
  0: 'success',
  1: 'failure (no backend, refused, cannot read or write)',
  2: 'invalid command line, config or environment',
  3: 'status: no agent is running',
} as const

const EXIT_LINES = `Exit codes: ${Object.entries(EXIT_CODES)
  .map(([code, meaning]) => `${code} ${meaning}`)
  .join(';\n')}.
`

export const REST = `Config (YAML): url, token, sample_interval_seconds, push_interval_seconds, allow_http, state_dir, tags, ca_file,
certificate_fingerprint, spool_max_mb, spool_max_days, log_file, processes, watch_processes, host_root. The environment
variable VEDETTE_AGENT_<KEY> overrides the file.
Environment: VEDETTE_CONFIG, VEDETTE_STATE_DIR, VEDETTE_API_KEY; HTTPS_PROXY, HTTP_PROXY, NO_PROXY; NODE_EXTRA_CA_CERTS.
`

/** The help of the commands that begin with these words, such as `token`; of all commands if none does. */
export function helpOf(topic: string): string {
  const named = Object.keys(COMMANDS).filter((name) => name === topic || name.startsWith(`${topic} `))
  const shown = named.length > 0 ? named : Object.keys(COMMANDS)
  const commands = shown.flatMap((name) => [row(2, name, COMMANDS[name]?.summary), ...optionRows(6, COMMANDS[name]?.options)])
  const [title, rest] =
    named.length > 0 ? ['', ''] : ['vedette-agent: sends metrics of this host to a Vedette backend\n\n', `\n${REST}`]
  return `${title}${commands.join('')}\n${optionRows(2, GLOBAL_OPTIONS).join('')}${rest}\n${EXIT_LINES}`
}

function optionRows(indent: number, names: readonly OptionName[] = []): string[] {
  return names.map((name) => {
    const { value, short, help }: Option = OPTIONS[name]
    return row(indent, `--${name}${value === undefined ? '' : ` ${value}`}${short === undefined ? '' : `, -${short}`}`, help)
  })
}

const row = (indent: number, left: string, right = ''): string => `${' '.repeat(indent)}${left}`.padEnd(30) + ` ${right}\n`
