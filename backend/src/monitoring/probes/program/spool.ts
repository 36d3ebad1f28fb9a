import { type FileHandle, open, rename } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import type { ProbeResult } from '@vedette/shared'

/** Results on disk that the backend has not yet stored; they survive the end of the process. */
export interface Spool {
  /** Resolves when the results are on disk; rejects when the disk is full, and keeps them in memory only. */
  append(results: readonly ProbeResult[]): Promise<void>
  /** The oldest results that fit one request. */
  oldest(count: number, bytes: number): ProbeResult[]
  /** Removes results, which must be the oldest: the backend stored or refused them. */
  remove(results: readonly ProbeResult[]): Promise<void>
  readonly waiting: number
  /** Results dropped at the size limit since the start. */
  readonly dropped: number
  close(): Promise<void>
}

interface Waiting {
  result: ProbeResult
  bytes: number
}

/** Several days of results of a region, small enough for a small host. */
const MAX_BYTES = 64 * 1_048_576
/** Bytes of removed results in the file before it is rewritten. */
const SLACK_BYTES = 8 * 1_048_576

/**
 * One line per result with a checksum; a truncated line is ignored at the next start. Removed lines are not marked on disk,
 * because submitting a result again changes nothing.
 */
export async function openSpool(path: string, maxBytes: number = MAX_BYTES): Promise<Spool> {
  let file = await open(path, 'a+', 0o600)
  const text = await file.readFile('utf8')
  const waiting = readLines(text)
  // A truncated line must not corrupt the next one.
  if (text !== '' && !text.endsWith('\n')) await file.appendFile('\n')
  let fileBytes = (await file.stat()).size
  let waitingBytes = waiting.reduce((sum, { bytes }) => sum + bytes, 0)
  let dropped = 0
  const { inTurn, last } = createTurns()

  function removeFirst(): ProbeResult | undefined {
    const first = waiting.shift()
    waitingBytes -= first?.bytes ?? 0
    return first?.result
  }

  async function append(text: string): Promise<void> {
    await file.appendFile(text)
    await file.datasync()
    fileBytes += Buffer.byteLength(text)
  }

  /** Replaces the file by one with the waiting results only: a crash leaves one of the two. */
  async function rewrite(): Promise<void> {
    const replacement: FileHandle = await open(`${path}.new`, 'w', 0o600)
    const text = waiting.map(({ result }) => toLine(result)).join('')
    await replacement.writeFile(text)
    await replacement.datasync()
    await replacement.close()
    await rename(`${path}.new`, path)
    await file.close()
    file = await open(path, 'a+', 0o600)
    fileBytes = Buffer.byteLength(text)
  }

  return {
    append: (results) =>
      inTurn(async () => {
        const lines = results.map(toLine)
        for (const [index, result] of results.entries()) {
          const bytes = Buffer.byteLength(lines[index] as string)
          waiting.push({ result, bytes })
          waitingBytes += bytes
        }
        for (; waitingBytes > maxBytes && waiting.length > 1; dropped += 1) removeFirst()
        await append(lines.join(''))
      }),
    oldest: (count, bytes) => {
      let left = bytes
      const chosen = waiting.slice(0, count).filter((one) => (left -= one.bytes) >= 0)
      return (chosen.length > 0 ? chosen : waiting.slice(0, 1)).map(({ result }) => result)
    },
    remove: (results) =>
      inTurn(async () => {
        // Some may have been dropped meanwhile.
        const gone = new Set(results)
        while (waiting[0] && gone.has(waiting[0].result)) removeFirst()
        if (waiting.length === 0 && fileBytes > 0) {
          await file.truncate(0)
          fileBytes = 0
        } else if (fileBytes - waitingBytes > SLACK_BYTES) await rewrite()
      }),
    get waiting() {
      return waiting.length
    },
    get dropped() {
      return dropped
    },
    close: async () => {
      await last()
      await file.close()
    },
  }
}

/** Serializes writes. */
function createTurns() {
  let work = Promise.resolve()
  function inTurn<T>(step: () => Promise<T>): Promise<T> {
    const done = work.then(step)
    work = done.then(
      () => undefined,
      () => undefined,
    )
    return done
  }
  return { inTurn, last: () => work }
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
