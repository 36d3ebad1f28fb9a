import type { Log, LogFields } from '../process/log.ts'

/** Logs each fault of a source's reading once, until a reading without it. */
export class FaultLog {
  readonly #log: Log
  #before = new Set<string>()
  #now = new Set<string>()

  constructor(log: Log) {
    this.#log = log
  }

  begin(): void {
    this.#before = this.#now
    this.#now = new Set()
  }

  add(message: string, fields: LogFields = {}): void {
    const key = `${message} ${fields['reason'] ?? ''}`
    if (!this.#before.has(key) && !this.#now.has(key)) this.#log('warn', message, fields)
    this.#now.add(key)
  }
}
