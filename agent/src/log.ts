type LogLevel = 'info' | 'warn' | 'error'
export type LogFields = Record<string, string | number | boolean | undefined>

/** Tells the operator what happened. Secrets are never among the fields. */
export type Log = (level: LogLevel, message: string, fields?: LogFields) => void

/** One JSON line per event; `write` gets it with its line feed. */
export function createLog(now: () => number, write: (line: string) => void): Log {
  return (level, message, fields) => {
    write(`${JSON.stringify({ time: new Date(now()).toISOString(), level, message, ...fields })}\n`)
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
