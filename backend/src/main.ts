import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import {
  announce,
  type Call,
  type CommandContext,
  EXIT,
  reportFailure,
  runCommand,
  type Service,
  type Terminal,
  wantsJson,
} from './operating/cli/index.ts'
import { nameProcess } from './platform/system/process-name.ts'

/** The stop takes up to 10 s; a second signal after this time ends the process at once. */
const IMPATIENT_MS = 2_000
/** The documented limit is 10 s; the difference is for the process to exit. */
const STOP_LIMIT_MS = 9_500

const args = process.argv.slice(2)
const isJson = wantsJson(args)

const terminal: Terminal = {
  environment: process.env,
  readInput: () => text(process.stdin),
  say: async (line) => {
    if (!process.stdout.write(`${line}\n`)) await once(process.stdout, 'drain')
  },
  complain: (line) => void process.stderr.write(`${line}\n`),
  show: process.stderr.isTTY ? showInPlace : undefined,
}

async function fail(error: unknown): Promise<never> {
  await reportFailure(error, terminal, isJson)
  process.exit(EXIT.failed)
}

/** Cut to the width: a line that is broken in two would not be taken back whole. A terminal that has none says 0. */
function showInPlace(line: string): void {
  process.stderr.write(`\r\x1b[K${line.slice(0, (process.stderr.columns || 80) - 1)}`)
}

async function runService(service: Service, context: CommandContext, call: Call): Promise<void> {
  process.stdout.off('error', endWithReader).on('error', () => undefined)
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
    announce(`stopping   (${signal})`, terminal, isJson)
    setTimeout(() => void fail('the stop took too long; ended anyway'), STOP_LIMIT_MS).unref()
    stop().then(() => {
      announce('stopped', terminal, isJson)
      process.exit(EXIT.done)
    }, fail)
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal)
  // Never a second signal: a terminal's Ctrl-C ends the starting process too.
  process.on('disconnect', () => stoppingSince ?? onSignal('the starting process is gone'))
}

/** The reader has enough, as `head`. A service goes on without one. */
const endWithReader = () => process.exit(EXIT.done)

nameProcess('vedette')
process.stdout.on('error', endWithReader)
const code = await runCommand(args, terminal, runService)
// A service that could not start may have left a socket or a timer open.
if (code === EXIT.done) process.exitCode = EXIT.done
else process.exit(code)
