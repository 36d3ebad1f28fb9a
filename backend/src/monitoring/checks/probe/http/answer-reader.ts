import { counted } from '@vedette/shared'
import { type BodyBuffer, createBodyBuffer } from './body.ts'
import { type ChunkedReader, createChunkedReader } from './chunked.ts'
import { type Framing, framingOf } from './framing.ts'
import { endOfHead, type Head, isHttp2, MAX_HEAD_BYTES, mayBeHttp, notHttp, parseHead, ProtocolFault } from './head.ts'

/** The target responds in HTTP/2 although it was not offered. */
export class Http2Instead extends ProtocolFault {}

/** Interim responses (1xx) that are skipped. */
const MAX_INTERIM = 32
/** Bytes of chunk size lines: a body in chunks of one byte is read up to 50,000 bytes, which takes 50 ms. */
const MAX_OVERHEAD_BYTES = 262_144

/** Reads one HTTP/1.x response from any sequence of byte pieces with bounded memory. Throws `ProtocolFault`. */
export interface AnswerReader {
  /** Undefined until the head is complete. */
  readonly head: Head | undefined
  readonly body: BodyBuffer
  /** True when the response is complete or enough of it is read. The bytes may be overwritten afterwards. */
  take(bytes: Buffer): boolean
  /** The target closed the connection: throws unless that ends the response. */
  end(): void
}

export function createAnswerReader(method: string): AnswerReader {
  const body = createBodyBuffer()
  let head: Head | undefined
  let framing: Framing = { kind: 'close' }
  let chunked: ChunkedReader | undefined
  let pending: Buffer = EMPTY
  let scanned = 0
  let headBytes = 0
  let interims = 0
  let wireBytes = 0

  /** Reads heads up to the final one; returns the bytes after it, or undefined when more are needed. */
  function takeHead(bytes: Buffer): Buffer | undefined {
    pending = pending.length === 0 ? bytes : Buffer.concat([pending, bytes])
    for (;;) {
      if (!mayBeHttp(pending)) throw refusalOf(pending)
      // The empty line may begin in bytes that were searched before.
      const end = endOfHead(pending, Math.max(0, scanned - 3))
      if (headBytes + (end === -1 ? pending.length : end) > MAX_HEAD_BYTES)
        throw new ProtocolFault(`the head of the answer is larger than ${MAX_HEAD_BYTES} bytes`)
      if (end === -1) {
        scanned = pending.length
        // The caller reuses its buffer.
        if (pending === bytes) pending = Buffer.from(bytes)
        return undefined
      }
      headBytes += end
      const found = parseHead(pending.toString('latin1', 0, end))
      const rest = pending.subarray(end)
      if (found.statusCode >= 200) {
        head = found
        pending = EMPTY
        return rest
      }
      readOver(found)
      pending = rest === EMPTY || rest.length === 0 ? EMPTY : Buffer.from(rest)
      scanned = 0
      if (pending.length === 0) return undefined
    }
  }

  function readOver({ statusCode }: Head): void {
    if (statusCode === 101) throw new ProtocolFault('the target changed to another protocol unasked (101)')
    if (++interims > MAX_INTERIM) throw new ProtocolFault(`the target sent more than ${MAX_INTERIM} interim answers (1xx)`)
  }

  function beginBody(found: Head): void {
    framing = framingOf(found, method)
    if (framing.kind === 'chunked') chunked = createChunkedReader(body)
  }

  function takeBody(bytes: Buffer): boolean {
    wireBytes += bytes.length
    if (chunked) return chunked(bytes) || wireBytes - body.length > MAX_OVERHEAD_BYTES
    if (framing.kind === 'none') return true
    const wanted = framing.kind === 'length' ? framing.bytes : Number.POSITIVE_INFINITY
    body.add(bytes, 0, Math.min(bytes.length, wanted - body.length))
    return body.isFull || body.length >= wanted
  }

  return {
    get head() {
      return head
    },
    body,
    take(bytes) {
      if (head) return takeBody(bytes)
      const rest = takeHead(bytes)
      if (rest === undefined || !head) return false
      beginBody(head)
      return takeBody(rest)
    },
    end() {
      if (!head) throw new ProtocolFault(endedEarly(headBytes + pending.length))
      if (framing.kind === 'close') return
      throw new ProtocolFault(endedInBody(body.length, framing))
    },
  }
}

const EMPTY = Buffer.alloc(0)

function refusalOf(bytes: Buffer): ProtocolFault {
  if (isHttp2(bytes)) return new Http2Instead('the target answers in HTTP/2 only')
  return new ProtocolFault(notHttp(bytes.toString('latin1', 0, 16)))
}

const endedInBody = (bytes: number, framing: Framing): string =>
  framing.kind === 'length'
    ? counted`the connection was closed after ${bytes} of ${framing.bytes} bytes of the body`
    : counted`the connection was closed after ${bytes} bytes of the body`

export const endedEarly = (bytes: number): string =>
  bytes === 0 ? 'the connection was closed without an answer' : 'the connection was closed in the head of the answer'
