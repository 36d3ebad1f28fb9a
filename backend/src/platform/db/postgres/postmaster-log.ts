import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import type { Log } from '../../logging/log.ts'

// Enough for the reason of a failed start and what led to it.
const TAIL_LINES = 40

export interface PostmasterLog {
  /** The last lines, oldest first. */
  tail: () => string
  /** While starting and stopping Postgres reports every refused client as fatal: those lines go to `debug`. */
  setQuiet: (isQuiet: boolean) => void
}

/** Hands warnings and worse of Postgres' standard error to our log, the rest as `debug`. */
export function followLog(stream: Readable, log: Log): PostmasterLog {
  const tail: string[] = []
  let isQuiet = true
  let level: keyof Log = 'debug'
  createInterface({ input: stream }).on('line', (line) => {
    tail.push(line)
    if (tail.length > TAIL_LINES) tail.shift()
    // A line that begins with a tab continues the previous line.
    if (!line.startsWith('\t')) level = levelOf(line)
    log[isQuiet ? 'debug' : level]({ line }, 'postgres says')
  })
  return {
    tail: () => tail.join('\n'),
    setQuiet: (value) => {
      isQuiet = value
    },
  }
}

/** FATAL ends one session (a wrong password, a shutdown), PANIC all of them. */
export function levelOf(line: string): keyof Log {
  const severity = /(?:^|\s)(WARNING|ERROR|FATAL|PANIC): {2}/.exec(line)?.[1]
  if (severity === 'PANIC') return 'error'
  return severity ? 'warn' : 'debug'
}
