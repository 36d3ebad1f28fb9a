import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { parseEnv } from 'node:util'
import {
  type Call,
  COMMANDS,
  helpOf,
  type CommandResult,
  parseCall,
  ownPaths,
  type Service,
  serviceSettingsFile,
  UsageError,
  wantsJson,
  type CommandContext,
} from './operating/cli/index.ts'
import { toTerminal, toTerminalJson } from '@vedette/shared/outside-text'
import { nameProcess } from './platform/system/process-name.ts'
import { systemClock } from './platform/time/clock.ts'
import { createLog } from './platform/logging/log.ts'
import { SettingsError } from './operating/settings/index.ts'

const VERSION = '0.1.0'

/** 0: success · 1: failure · 2: invalid arguments or settings. */
const EXIT = { done: 0, failed: 1, usage: 2 } as const

/** The stop takes up to 10 s; a second signal after this time ends the process at once. */
const IMPATIENT_MS = 2_000
/** The documented limit is 10 s; the difference is for the process to exit. */
const STOP_LIMIT_MS = 9_500

const args = process.argv.slice(2)
const isJson = wantsJson(args)

const say = (line: string): void => void process.stdout.write(`${line}\n`)

/** The reader of the output may be slower than the database. */
async function sayWhenReady(line: string): Promise<void> {
  if (!process.stdout.write(`${line}\n`)) await once(process.stdout, 'drain')
}

/** A line of a service: its first word says what it is about. */
function announce(line: string): void {
  const [, event, rest] = /^(\S+)\s*(.*)$/.exec(line) ?? [undefined, '', line]
  say(isJson ? JSON.stringify({ event, text: rest }) : line)
}

function answer({ json, text, isFailure = false }: CommandResult): void {
  say(isJson ? toTerminalJson(JSON.stringify(json)) : toTerminal(text))
  if (isFailure) process.exitCode = EXIT.failed
}

function fail(error: unknown, code: number): never {
  const message = (error instanceof Error && error.message) || String((error as { code?: string }).code ?? error)
  const faults = error instanceof SettingsError ? { faults: error.faults } : {}
  if (isJson) say(toTerminalJson(JSON.stringify({ error: { message, ...faults } })))
  process.stderr.write(`vedette: ${toTerminal(message)}\n`)
  process.exit(code)
}

function contextOf(envFile: string | undefined): CommandContext {
  if (envFile !== undefined && !existsSync(envFile)) throw new UsageError(`--env-file: ${envFile} does not exist`)
  return {
    version: VERSION,
    get environment() {
      return { ...readEnvFile(envFile ?? serviceSettingsFile('/', ownPaths().program)), ...process.env }
    },
    processEnvironment: process.env,
    defaultDataDir: process.getuid?.() === 0 ? '/var/lib/vedette' : join(homedir(), '.local/share/vedette'),
    clock: systemClock,
    createLog,
    readInput: () => text(process.stdin),
    announce,
    show: process.stderr.isTTY ? showInPlace : undefined,
  }
}

function readEnvFile(file: string | undefined): NodeJS.Dict<string> {
  if (file === undefined) return {}
  try {
    return parseEnv(readFileSync(file, 'utf8'))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new UsageError(
      `The settings in ${file} cannot be read (${code}). Run this command as root or as the user of the service.`,
    )
  }
}

/** Cut to the width: a line that is broken in two would not be taken back whole. A terminal that has none says 0. */
function showInPlace(line: string): void {
  process.stderr.write(`\r\x1b[K${line.slice(0, (process.stderr.columns || 80) - 1)}`)
}

async function runService(service: Service, context: CommandContext, call: Call): Promise<void> {
  const ending = new AbortController()
  const starting = service.start(context, ending.signal, call)
  // Its own timers and threads keep nothing alive, and a service may have no socket open at the moment.
  setInterval(() => undefined, 60_000)
  stopOnSignals(async () => {
    ending.abort()
    const running = await starting.catch(() => undefined)
    await running?.stop()
  })
  await starting.catch((error: unknown) => {
    // A start that was given up has taken itself down; the stop says the rest.
    if (!ending.signal.aborted) throw error
  })
}

/** Ends everything once, at the first signal or when the process that started us dies. */
function stopOnSignals(stop: () => Promise<void>): void {
  let stoppingSince: number | undefined
  const onSignal = (signal: string) => {
    if (stoppingSince !== undefined) {
      // Ctrl-C arrives from the terminal and again from the parent process: only a later signal counts as a second one.
      if (performance.now() - stoppingSince > IMPATIENT_MS) process.exit(EXIT.failed)
      return
    }
    stoppingSince = performance.now()
    announce(`stopping   (${signal})`)
    setTimeout(() => fail('the stop took too long; ended anyway', EXIT.failed), STOP_LIMIT_MS).unref()
    stop().then(
      () => {
        announce('stopped')
        process.exit(EXIT.done)
      },
      (error: unknown) => fail(error, EXIT.failed),
    )
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal)
  // Never a second signal: a terminal's Ctrl-C ends the starting process too.
  process.on('disconnect', () => stoppingSince ?? onSignal('the starting process is gone'))
  // The reader of the output may end before this process.
  process.stdout.on('error', () => undefined)
}

async function main(): Promise<void> {
  const { command, topics, envFile, ...call } = parseCall(COMMANDS, args)
  if (!command) return answer(helpOf(VERSION, topics))
  const context = contextOf(envFile)
  if ('start' in command) return runService(command, context, call)
  if ('print' in command) {
    // The reader has enough, as `head`.
    process.stdout.once('error', () => process.exit(EXIT.done))
    return command.print(call, context, { isJson, say: sayWhenReady })
  }
  answer(await command.run(call, context))
}

nameProcess('vedette')
await main().catch((error: unknown) => {
  const isUsage = error instanceof SettingsError || error instanceof UsageError
  fail(error, isUsage ? EXIT.usage : EXIT.failed)
})
