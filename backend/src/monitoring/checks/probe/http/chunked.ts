import type { BodyBuffer } from './body.ts'
import { MAX_HEAD_BYTES, ProtocolFault } from './head.ts'

/** Reads a chunked body from any sequence of byte pieces. Returns true after its last byte. */
export type ChunkedReader = (bytes: Buffer) => boolean

/** Limit of one chunk's size line with its extensions, and of all trailers. */
const MAX_SIZE_LINE = 4_096
const CR = 13
const LF = 10

/**
 * States: size (line) → data → end of data (line break) → size …; after the chunk of size 0 the trailers, line by line, until an
 * empty one.
 */
export function createChunkedReader(body: BodyBuffer): ChunkedReader {
  let state: 'size' | 'data' | 'dataEnd' | 'trailers' = 'size'
  let line = ''
  let left = 0
  let endsInReturn = false
  let trailerBytes = 0

  /** Reads one line from `at`; undefined until it is complete. Returns the start of the next one. */
  function takeLine(bytes: Buffer, at: number, limit: number): number | undefined {
    const feed = bytes.indexOf(LF, at)
    const end = feed === -1 ? bytes.length : feed
    if (line.length + end - at > limit) throw new ProtocolFault('the answer has a broken chunk')
    line += bytes.toString('latin1', at, end)
    return feed === -1 ? undefined : feed + 1
  }

  function beginChunk(): void {
    const size = /^([0-9a-fA-F]{1,12})[ \t]*(?:;.*)?\r?$/.exec(line)?.[1]
    if (size === undefined) throw new ProtocolFault('the answer has a broken chunk')
    // A sender of bare line feeds uses them throughout; otherwise a chunk that is one byte too long would go unnoticed.
    endsInReturn = line.endsWith('\r')
    line = ''
    left = Number.parseInt(size, 16)
    state = left === 0 ? 'trailers' : 'data'
  }

  function endData(bytes: Buffer, at: number): number {
    if (bytes[at] !== (endsInReturn ? CR : LF)) throw new ProtocolFault('the answer has a broken chunk')
    if (!endsInReturn) state = 'size'
    endsInReturn = false
    return at + 1
  }

  function takeTrailer(bytes: Buffer, at: number): number | 'done' {
    const next = takeLine(bytes, at, MAX_HEAD_BYTES)
    trailerBytes += (next ?? bytes.length) - at
    if (trailerBytes > MAX_HEAD_BYTES) throw new ProtocolFault('the answer has trailers without end')
    if (next === undefined) return bytes.length
    const isLast = line === '' || line === '\r'
    line = ''
    return isLast ? 'done' : next
  }

  return (bytes) => {
    let at = 0
    while (at < bytes.length) {
      if (state === 'data') {
        const taken = Math.min(left, bytes.length - at)
        body.add(bytes, at, at + taken)
        left -= taken
        at += taken
        if (left === 0) state = 'dataEnd'
        if (body.isFull) return true
      } else if (state === 'dataEnd') {
        at = endData(bytes, at)
      } else if (state === 'size') {
        const next = takeLine(bytes, at, MAX_SIZE_LINE)
        if (next === undefined) return false
        at = next
        beginChunk()
      } else {
        const next = takeTrailer(bytes, at)
        if (next === 'done') return true
        at = next
      }
    }
    return false
  }
}
