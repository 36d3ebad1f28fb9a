import { toTerminalJson } from '@vedette/shared/outside-text'

type LogLevel = 'info' | 'warn' | 'error'
export type LogFields = Record<string, string | number | boolean | undefined>

/** Reports an event to the operator. Fields never contain secrets. */
export type Log = (level: LogLevel, message: string, fields?: LogFields) => void

/** One JSON line per event; `write` gets it with a line feed. */
export function createLog(now: () => number, write: (line: string) => void): Log {
  return (level, message, fields) => {
    write(`${toTerminalJson(JSON.stringify({ time: new Date(now()).toISOString(), level, message, ...fields }))}\n`)
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
