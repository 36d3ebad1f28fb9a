import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { parseArgs, parseEnv } from 'node:util'
import { systemClock } from './platform/clock.ts'
import { createLog } from './platform/log.ts'
import { parseSettings, SettingsError } from './settings.ts'
import { startVedette } from './start.ts'

const VERSION = '0.1.0'

/** 0: done · 1: failed, the message says why · 2: the call or the settings are wrong. */
const EXIT = { done: 0, failed: 1, usage: 2 } as const

const HELP = `vedette ${VERSION}

  vedette start     everything on this host: database, API, page and an agent (what \`npm start\` runs)
  vedette serve     the same without an agent for this host
  vedette version
  vedette help

  --env-file FILE   settings from a file of NAME=value lines; the environment goes before it

Settings are environment variables; docs/operations.md lists them.
Exit codes: 0 done, 1 failed (the message says why), 2 the call or the settings are wrong.
`

/** After the first signal the end takes up to 10 s; whoever asks again after this while means now. */
const IMPATIENT_MS = 2_000
/** What is promised is 10 s; the rest is for the process to end. */
const STOP_LIMIT_MS = 9_500

/** The call is wrong, not what it found. */
class UsageError extends Error {}

const say = (line: string): void => void process.stdout.write(`${line}\n`)

function fail(error: unknown, code: number): never {
  process.stderr.write(`vedette: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(code)
}

function readSettings(envFile: string | undefined) {
  if (envFile !== undefined && !existsSync(envFile)) throw new UsageError(`--env-file: ${envFile} does not exist`)
  const fromFile = envFile === undefined ? {} : parseEnv(readFileSync(envFile, 'utf8'))
  const isRoot = process.getuid?.() === 0
  return parseSettings({ ...fromFile, ...process.env }, isRoot ? '/var/lib/vedette' : join(homedir(), '.local/share/vedette'))
}

async function start(envFile: string | undefined, withAgent: boolean): Promise<void> {
  const settings = readSettings(envFile)
  const log = createLog(settings.logLevel)
  const starting = startVedette({
    settings: withAgent ? settings : { ...settings, localAgent: false },
    clock: systemClock,
    log,
    version: VERSION,
    environment: process.env,
    announce: say,
  })
  stopOnSignals(() => starting.then((running) => running.stop()))
  await starting
}

/** Ends everything once, at the first signal or when the process that started us dies. */
function stopOnSignals(stop: () => Promise<void>): void {
  let stoppingSince: number | undefined
  const onSignal = (signal: string) => {
    if (stoppingSince !== undefined) {
      // A terminal's Ctrl-C arrives from the terminal and again from whoever passes it on: only a later one is a new one.
      if (performance.now() - stoppingSince > IMPATIENT_MS) process.exit(EXIT.failed)
      return
    }
    stoppingSince = performance.now()
    say(`stopping   (${signal})`)
    setTimeout(() => fail('the stop took too long; ended anyway', EXIT.failed), STOP_LIMIT_MS).unref()
    stop().then(
      () => {
        say('stopped')
        process.exit(EXIT.done)
      },
      (error: unknown) => fail(error, EXIT.failed),
    )
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal)
  // Never a second signal: a terminal's Ctrl-C ends the starting process too.
  process.on('disconnect', () => stoppingSince ?? onSignal('the starting process is gone'))
  // Whoever read our words may be gone before us.
  process.stdout.on('error', () => undefined)
}

async function main(): Promise<void> {
  const { positionals, values } = parseArgs({
    options: { 'env-file': { type: 'string' }, help: { type: 'boolean', short: 'h' } },
    allowPositionals: true,
  })
  const [command = 'help'] = values.help ? ['help'] : positionals
  if (positionals.length > 1) throw new UsageError(`"${positionals[1]}" has no meaning here`)
  switch (command) {
    case 'start':
    case 'serve':
      return start(values['env-file'], command === 'start')
    case 'version':
      return say(VERSION)
    case 'help':
      return say(HELP)
    default:
      throw new UsageError(`there is no command "${command}"; vedette help lists them`)
  }
}

await main().catch((error: unknown) => {
  const isUsage =
    error instanceof SettingsError ||
    error instanceof UsageError ||
    (error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS')
  fail(error, isUsage ? EXIT.usage : EXIT.failed)
})
