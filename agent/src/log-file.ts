import { appendFileSync, renameSync, statSync } from 'node:fs'
import { messageOf } from './log.ts'

/** With the one before it a log takes twice this at most. */
const MAX_BYTES = 10 * 1_048_576

/**
 * Appends lines to a file, which becomes `<file>.1` when it is full; the `.1` before it goes. Opened anew for each line: a file
 * that somebody moved away is begun again. What cannot be written goes to `otherwise`, so that a full disk stops nothing.
 */
export function createLogFile(path: string, otherwise: (text: string) => void, maxBytes = MAX_BYTES): (line: string) => void {
  let bytes = sizeOf(path)
  return (line) => {
    try {
      if (bytes + line.length > maxBytes && bytes > 0) {
        renameSync(path, `${path}.1`)
        bytes = 0
      }
      appendFileSync(path, line, { mode: 0o600 })
      bytes += Buffer.byteLength(line)
    } catch (error) {
      bytes = sizeOf(path)
      otherwise(line)
      otherwise(`vedette-agent: cannot write the log file: ${messageOf(error)}\n`)
    }
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
