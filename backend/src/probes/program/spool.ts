import { type FileHandle, open, rename } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import type { ProbeResult } from '@vedette/shared'

/** Results that the backend does not have yet, on disk: they survive whatever ends this process. */
export interface Spool {
  /** Resolves when these are on the disk; rejects where it has no room, and keeps them in memory alone. */
  keep(results: readonly ProbeResult[]): Promise<void>
  /** The oldest that wait, as many as one request may have. */
  oldest(count: number, bytes: number): ProbeResult[]
  /** The backend has these, which were the oldest, or will never take them. */
  drop(results: readonly ProbeResult[]): Promise<void>
  readonly waiting: number
  /** Given up because the bound was reached, since the start. */
  readonly givenUp: number
  close(): Promise<void>
}

interface Waiting {
  result: ProbeResult
  bytes: number
}

/** Days of results of a region that nobody hears of, and no danger to a small host. */
const MAX_BYTES = 64 * 1_048_576
/** Of the file: beyond it what is done with is cut off. */
const SLACK_BYTES = 8 * 1_048_576

/**
 * One line a result, with a checksum before it: a line that a crash cut short is left out at the next start. Nothing says on disk
 * which lines are done with, because a result that is sent again changes nothing.
 */
export async function openSpool(path: string, maxBytes: number = MAX_BYTES): Promise<Spool> {
  let file = await open(path, 'a+', 0o600)
  const text = await file.readFile('utf8')
  const waiting = readLines(text)
  // A line that was cut short must not take the next one with it.
  if (text !== '' && !text.endsWith('\n')) await file.appendFile('\n')
  let fileBytes = (await file.stat()).size
  let waitingBytes = waiting.reduce((sum, { bytes }) => sum + bytes, 0)
  let givenUp = 0
  let work = Promise.resolve()

  /** One after the other: two writes must not mix. */
  function inTurn<T>(step: () => Promise<T>): Promise<T> {
    const done = work.then(step)
    work = done.then(
      () => undefined,
      () => undefined,
    )
    return done
  }

  function forget(): ProbeResult | undefined {
    const first = waiting.shift()
    waitingBytes -= first?.bytes ?? 0
    return first?.result
  }

  async function append(text: string): Promise<void> {
    await file.appendFile(text)
    await file.datasync()
    fileBytes += Buffer.byteLength(text)
  }

  /** A new file with what waits takes the old one's place: a crash leaves one of the two. */
  async function rewrite(): Promise<void> {
    const beside: FileHandle = await open(`${path}.new`, 'w', 0o600)
    const text = waiting.map(({ result }) => toLine(result)).join('')
    await beside.writeFile(text)
    await beside.datasync()
    await beside.close()
    await rename(`${path}.new`, path)
    await file.close()
    file = await open(path, 'a+', 0o600)
    fileBytes = Buffer.byteLength(text)
  }

  return {
    keep: (results) =>
      inTurn(async () => {
        const lines = results.map(toLine)
        for (const [index, result] of results.entries()) {
          const bytes = Buffer.byteLength(lines[index] as string)
          waiting.push({ result, bytes })
          waitingBytes += bytes
        }
        for (; waitingBytes > maxBytes && waiting.length > 1; givenUp += 1) forget()
        await append(lines.join(''))
      }),
    oldest: (count, bytes) => {
      let left = bytes
      const chosen = waiting.slice(0, count).filter((one) => (left -= one.bytes) >= 0)
      return (chosen.length > 0 ? chosen : waiting.slice(0, 1)).map(({ result }) => result)
    },
    drop: (results) =>
      inTurn(async () => {
        // Some of them may have been given up meanwhile.
        const gone = new Set(results)
        while (waiting[0] && gone.has(waiting[0].result)) forget()
        if (waiting.length === 0 && fileBytes > 0) {
          await file.truncate(0)
          fileBytes = 0
        } else if (fileBytes - waitingBytes > SLACK_BYTES) await rewrite()
      }),
    get waiting() {
      return waiting.length
    },
    get givenUp() {
      return givenUp
    },
    close: async () => {
      await work
      await file.close()
    },
  }
}

function toLine(result: ProbeResult): string {
  const text = JSON.stringify(result)
  return `${crc32(text).toString(16).padStart(8, '0')} ${text}\n`
}

function readLines(text: string): Waiting[] {
  return text.split('\n').flatMap((line) => {
    const [sum, json] = [line.slice(0, 8), line.slice(9)]
    if (json === '' || crc32(json).toString(16).padStart(8, '0') !== sum) return []
    return [{ result: JSON.parse(json) as ProbeResult, bytes: Buffer.byteLength(line) + 1 }]
  })
}
