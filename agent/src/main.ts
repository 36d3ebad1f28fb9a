import { existsSync, writeFileSync, writeSync } from 'node:fs'
import { toTerminal, toTerminalJson } from '@vedette/shared/outside-text'
import { dirname } from 'node:path'
import { parseArgs } from 'node:util'
import { startAgent } from './agent.ts'
import { pause, systemClock } from './process/clock.ts'
import { check } from './commands/check.ts'
import { completion, man } from './commands/describe.ts'
import { COMMANDS, EXIT, GLOBAL_OPTIONS, helpOf, OPTIONS } from './commands/help.ts'
import { readKeyFile, register } from './commands/register.ts'
import { changeService } from './commands/service-command.ts'
import { readToken, setToken } from './commands/token.ts'
import { createLiveView } from './commands/live-view.ts'
import { ConfigError } from './config/config.ts'
import { createEntitySources } from './entities/sources.ts'
import { defaultPaths, readEnvironment } from './config/environment.ts'
import { loadFfi } from './process/ffi.ts'
import { hasCode, isProcessAlive } from './process/files.ts'
import { createLogFile } from './process/log-file.ts'
import { createLog, messageOf } from './process/log.ts'
import { FIRST_INTERVAL_MS } from './loop.ts'
import { createHostDetailsReader, createProcessReader, createSampler } from './samplers/platform.ts'
import { becomeOwnerOf } from './process/owner.ts'
import { readSettings, type Settings, transportOptions } from './config/settings.ts'
import { describeStatus, readStatus } from './process/status.ts'
import { createTransport, type Transport } from './push/transport.ts'
import { detectService } from './update/service.ts'
import { rootOf, update } from './update/update.ts'
import { AGENT_VERSION } from './version.ts'

/** The name in ps, top and systemd; Linux shows the name of Node's main thread otherwise. 15 characters at most. */
function nameProcess(): void {
  if (process.platform !== 'linux') return
  try {
    writeFileSync('/proc/self/comm', 'vedette-agent')
  } catch {
    // Without a writable /proc the name stays Node's, which changes nothing else.
  }
}

/** The agent promises to stop within 3 s, so that it does not delay a shutdown. */
const STOP_LIMIT_MS = 2_700

const WATCH_MS = 1_000

function parseCommandLine(args: string[]) {
  let parsed: ReturnType<typeof parse>
  try {
    parsed = parse(args)
  } catch (error) {
    // Node's hint about literal arguments does not apply here.
    throw new ConfigError([messageOf(error).replace(/\. To specify .*/s, ''), 'vedette-agent help shows the options'])
  }
  const { values, positionals } = parsed
  if (values.version) return { command: 'version', options: values, topic: '', parameter: undefined }
  const isHelp = values.help === true || positionals.length === 0 || positionals[0] === 'help'
  const words = positionals[0] === 'help' ? positionals.slice(1) : positionals
  const [first = '', second] = words
  const pairs = Object.keys(COMMANDS).filter((name) => name.startsWith(`${first} `))
  const command = [`${first} ${second}`, first].find((name) => Object.hasOwn(COMMANDS, name))
  if (isHelp && (first === '' || command !== undefined || pairs.length > 0))
    return { command: 'help', options: values, topic: command ?? first, parameter: undefined }
  if (command === undefined && pairs.length > 0)
    throw new ConfigError([`${first} needs a subcommand: ${pairs.map((pair) => `vedette-agent ${pair}`).join(' or ')}`])
  if (command === undefined) throw new ConfigError([`unknown command "${first}"`, 'vedette-agent help lists them'])
  const allowed = new Set<string>([...GLOBAL_OPTIONS, ...(COMMANDS[command]?.options ?? [])])
  const length = command.split(' ').length
  const stray =
    words[length + (COMMANDS[command]?.parameters ?? []).length] ?? Object.keys(values).find((name) => !allowed.has(name))
  if (stray !== undefined)
    throw new ConfigError([`"${stray}" is no argument or option of "${command}"; vedette-agent help lists them`])
  return { command, options: values, topic: '', parameter: words[length] }
}

function parse(args: string[]) {
  return parseArgs({ args, options: OPTIONS, allowPositionals: true })
}

/** Synchronous, so that nothing is lost when the process ends and no stream code is loaded. */
function print(text: string): void {
  try {
    writeSync(1, text)
  } catch (error) {
    // The reader is gone or slow: the agent continues without the output.
    if (!hasCode(error, 'EAGAIN') && !hasCode(error, 'EPIPE')) throw error
  }
}

async function main(): Promise<number | undefined> {
  const { command, options, topic, parameter } = parseCommandLine(process.argv.slice(2))
  if (command === 'help') return printAndExit(helpOf(topic))
  if (command === 'version') return printAndExit(`${AGENT_VERSION}\n`)
  if (command === 'completion') return printAndExit(await completion(parameter))
  if (command === 'man') return printAndExit(await man())
  if (command === 'service install') return printAndExit(changeService('install', options))
  if (command === 'service uninstall') return printAndExit(changeService('uninstall', options))
  if (command === 'exporter') return serveMetrics(options.listen)
  if (command === 'sample') return options.watch ? watch() : printSample()
  const environment = readEnvironment(process.env)
  const defaults = defaultPaths(process.platform, process.env.ProgramData)
  const settingsNow = () => readSettings(environment, defaults, options.config)
  // Files that root names are read as root; config and state belong to the user of the service, who root becomes then.
  const apiKeyFile = options['api-key-file']
  const keyFile = apiKeyFile === undefined ? undefined : readKeyFile(apiKeyFile)
  const token = command === 'token set' ? readToken(options['token-file'] ?? '-') : undefined
  if (command !== 'update') {
    becomeOwnerOf(dirname(options.config ?? environment.configPath ?? defaults.config))
    becomeOwnerOf((await settingsNow().catch(() => undefined))?.stateDir ?? defaults.state)
  }
  if (command === 'check') return printFindings(settingsNow)
  const settings = await settingsNow()
  if (command === 'status') return printStatus(settings.stateDir, options.json ?? false)
  if (command === 'run') return run(settings, settingsNow)
  if (token !== undefined) return printAndExit(`token stored in ${setToken(settings, token)}\n`)
  const transport = createTransport(transportOptions(settings))
  if (command === 'update') return updateAgent(settings, transport, options)
  const registerOptions = {
    url: options.url,
    apiKey: options['api-key'],
    keyFile,
    allowHttp: options['allow-http'] ?? false,
  }
  const serverId = await register(registerOptions, environment.apiKey, settings, transport, systemClock)
  transport.close()
  return printAndExit(`${serverId}\n`)
}

async function updateAgent(
  settings: Settings,
  transport: Transport,
  options: { root?: string; 'by-timer'?: boolean; 'watch-seconds'?: string },
): Promise<number> {
  const root = options.root ?? rootOf(process.execPath)
  if (root === undefined)
    throw new ConfigError([
      'install.sh did not install this agent from a release: update it the way it was installed (by the install line of the backend, or the package manager)',
    ])
  const isUpdated = await update({
    clock: systemClock,
    transport,
    settings,
    service: detectService(process.platform),
    environment: process.env,
    root,
    byTimer: options['by-timer'] ?? false,
    limitMs: 1_000 * readSeconds(options['watch-seconds'] ?? '600'),
    print: (line) => print(`${line}\n`),
  })
  transport.close()
  return isUpdated ? EXIT.good : EXIT.fault
}

function readSeconds(text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new ConfigError(['--watch-seconds must be a whole number from 1 to 9999'])
  return Number(text)
}

function printAndExit(text: string): number {
  print(text)
  return EXIT.good
}

async function printSample(): Promise<number> {
  const sampler = createSampler(systemClock, process.platform)
  sampler.prime()
  await pause(systemClock, FIRST_INTERVAL_MS)
  const at = new Date().toISOString()
  const { values, ...state } = await sampler.read(Number.MAX_SAFE_INTEGER)
  sampler.close()
  printAndExit(`${toTerminalJson(JSON.stringify({ at, ...values, ...state }, null, 2))}\n`)
  if (sampler.hasPendingCall()) endBySignal()
  return EXIT.good
}

/** Serves until a signal ends it. Returns undefined, like `run`. */
async function serveMetrics(listen: string | undefined): Promise<undefined> {
  // Loaded on demand: a running agent does not need it.
  const { DEFAULT_LISTEN, parseListen, startExporter } = await import('./exporter/exporter.ts')
  const exporter = await startExporter(parseListen(listen ?? DEFAULT_LISTEN))
  print(`serving ${exporter.url}\n`)
  const stop = () => {
    exporter.close()
    if (exporter.hasPendingCall()) endBySignal()
    process.exit(EXIT.good)
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, stop)
}

/** Shows a live view until a signal ends it. Returns undefined, like `run`. */
function watch(): undefined {
  const sampler = createSampler(systemClock, process.platform)
  const view = createLiveView()
  sampler.prime()
  const show = async () => {
    // Undefined if standard output is no terminal, despite its type.
    const columns = process.stdout.columns || 80
    view.add(await sampler.read(3 * WATCH_MS))
    // Cursor home, the view, and clearing of what is left of the previous one.
    print(`\x1b[H${view.draw(columns).replaceAll('\n', '\x1b[K\n')}\x1b[K\x1b[J`)
    systemClock.after(WATCH_MS, () => void show())
  }
  print('\x1b[2J')
  systemClock.after(WATCH_MS, () => void show())
  process.on('SIGINT', () => {
    print('\n')
    endBySignal()
  })
}

async function printFindings(settingsNow: () => Promise<Settings>): Promise<number> {
  // The running agent has the port of StatsD.
  const sourcesOf = ({ config: { statsdListen: _port, ...config }, stateDir }: Settings) =>
    createEntitySources({
      clock: systemClock,
      log: () => undefined,
      platform: process.platform,
      config,
      processes: undefined,
      stateDir,
    })
  const findings = await check(settingsNow, systemClock, sourcesOf)
  for (const { subject, isGood, isOptional, detail } of findings) {
    const mark = isGood ? 'ok   ' : isOptional ? 'note ' : 'FAULT'
    print(`${mark} ${subject}: ${toTerminal(detail).replaceAll('\n', '\n      ')}\n`)
  }
  const code = findings.every(({ isGood, isOptional }) => isGood || isOptional) ? EXIT.good : EXIT.fault
  if (findings.some(({ isHeld }) => isHeld)) endHeld(code)
  return code
}

function printStatus(stateDir: string, asJson: boolean): number {
  const status = readStatus(stateDir)
  if (!status) {
    print(
      asJson
        ? `${JSON.stringify({ running: false, state_dir: stateDir })}\n`
        : `no agent has run with the state folder ${stateDir}\n`,
    )
    return EXIT.notRunning
  }
  const isRunning = status.state !== 'stopped' && isProcessAlive(status.pid)
  print(
    asJson
      ? `${toTerminalJson(JSON.stringify({ running: isRunning, ...status }, null, 2))}\n`
      : `${toTerminal(describeStatus(status, isRunning))}\n`,
  )
  return isRunning ? EXIT.good : EXIT.notRunning
}

/**
 * process.exit waits for threads within calls, for ever with a hung mount or a stuck driver. The default action of the signal does
 * not wait, and service managers treat an end by SIGTERM as clean.
 */
function endBySignal(): void {
  process.removeAllListeners('SIGTERM')
  process.kill(process.pid, 'SIGTERM')
}

/** Ends with a code although a call has not returned; by the signal where Node cannot call the C library. */
function endHeld(code: number): void {
  try {
    const { functions } = loadFfi().dlopen(null, { _exit: { arguments: ['i32'], return: 'void' } })
    functions['_exit'](code)
  } catch {
    endBySignal()
  }
}

/** Returns undefined: the agent keeps running until a signal or the end of its parent process. */
function run(settings: Settings, settingsNow: () => Promise<Settings>): undefined {
  // Slices of the pool keep 8 KB each alive until a full collection, of which there is one an hour.
  Buffer.poolSize = 0
  const { logFile } = settings.config
  const log = createLog(Date.now, logFile === undefined ? print : createLogFile(logFile, print))
  const { hostRoot } = settings.config
  if (hostRoot !== undefined && !existsSync(`${hostRoot}/proc/stat`))
    throw new ConfigError([`host_root: ${hostRoot}/proc/stat is missing: mount the host's folders below ${hostRoot}`])
  const sampler = createSampler(systemClock, process.platform, hostRoot)
  const processes = createProcessReader(systemClock, process.platform, hostRoot)
  const hostDetails = createHostDetailsReader(systemClock, process.platform, settings.config, processes)
  const entitySources = createEntitySources({
    clock: systemClock,
    log,
    platform: process.platform,
    config: settings.config,
    processes,
    stateDir: settings.stateDir,
  })
  const agent = startAgent({ clock: systemClock, log, sampler, hostDetails, entitySources, settings, readSettings: settingsNow })
  let isStopping = false
  const stop = async (reason: string) => {
    if (isStopping) return
    isStopping = true
    log('info', 'agent stopping', { reason })
    systemClock.after(STOP_LIMIT_MS, endBySignal)
    await agent.stop()
    if (sampler.hasPendingCall() || agent.hasPendingRead()) endBySignal()
    process.exit(EXIT.good)
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(signal))
  // A backend starts its local agent with an IPC channel: the agent must not outlive it.
  process.on('disconnect', () => void stop('the parent process ended'))
}

async function start(): Promise<void> {
  nameProcess()
  try {
    const code = await main()
    if (code !== undefined) process.exit(code)
  } catch (error) {
    for (const line of messageOf(error).split('\n')) console.error(`vedette-agent: ${toTerminal(line)}`)
    process.exit(error instanceof ConfigError ? EXIT.usage : EXIT.fault)
  }
}

void start()
