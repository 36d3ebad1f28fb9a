import { appendFileSync, renameSync, statSync } from 'node:fs'
import { messageOf } from './log.ts'

/** With the rotated file a log takes at most twice this. */
const MAX_BYTES = 10 * 1_048_576

/**
 * Appends lines to a file, which is rotated to `<file>.1` when it is full. Opened for each line, so that a file that was moved away
 * is created again. Lines that cannot be written go to `fallback`, so that a full disk stops nothing.
 */
export function createLogFile(path: string, fallback: (text: string) => void, maxBytes = MAX_BYTES): (line: string) => void {
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
      fallback(line)
      fallback(`vedette-agent: cannot write the log file: ${messageOf(error)}\n`)
    }
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
