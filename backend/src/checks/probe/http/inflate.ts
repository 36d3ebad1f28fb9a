import {
  brotliDecompressSync,
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
  gunzipSync,
} from 'node:zlib'
import type { Transform } from 'node:stream'
import { MAX_BODY_BYTES } from './body.ts'

/** More than two layers have been seen in attacks alone. */
const MAX_CODINGS = 3
/** A window of 8 MB, as RFC 9659 bounds it for HTTP. */
const MAX_ZSTD_WINDOW_LOG = 23
/** What is not larger is inflated at once: a tenth of a millisecond. */
const SMALL_BYTES = 8_192
const SMALL_OUTPUT_BYTES = 65_536

/** What stands for an end that did not come: a body may have been cut at its bound. */
const gentle = { finishFlush: constants.Z_SYNC_FLUSH }
const gentleBrotli = { finishFlush: constants.BROTLI_OPERATION_FLUSH }

const DECODERS: Partial<Record<string, (first: number) => Transform>> = {
  gzip: () => createGunzip(gentle),
  'x-gzip': () => createGunzip(gentle),
  // Some servers leave the wrapper out; its first byte always ends in 8.
  deflate: (first) => ((first & 0x0f) === 8 ? createInflate(gentle) : createInflateRaw(gentle)),
  br: () => createBrotliDecompress(gentleBrotli),
  zstd: () =>
    createZstdDecompress({
      finishFlush: constants.ZSTD_e_flush,
      params: { [constants.ZSTD_d_windowLogMax]: MAX_ZSTD_WINDOW_LOG },
    }),
}

const SMALL_DECODERS: Partial<Record<string, (bytes: Buffer) => Buffer>> = {
  gzip: (bytes) => gunzipSync(bytes, { ...gentle, maxOutputLength: SMALL_OUTPUT_BYTES }),
  br: (bytes) => brotliDecompressSync(bytes, { ...gentleBrotli, maxOutputLength: SMALL_OUTPUT_BYTES }),
}

/**
 * Undoes the content codings of a body, up to 1 MiB of output: what is beyond is never made. An unknown coding leaves the bytes
 * as they are. Answers once, with undefined where the bytes are not what their label says.
 */
export function inflate(bytes: Buffer, contentEncoding: string | undefined, done: (inflated: Buffer | undefined) => void): void {
  const codings = (contentEncoding ?? '')
    .split(',')
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity')
  if (codings.length > MAX_CODINGS) return done(undefined)
  undo(bytes, codings.reverse(), done)
}

function undo(bytes: Buffer, [coding, ...others]: readonly string[], done: (inflated: Buffer | undefined) => void): void {
  const decoder = coding === undefined ? undefined : DECODERS[coding]
  if (!decoder || coding === undefined || bytes.length === 0) return done(bytes)
  const small = bytes.length <= SMALL_BYTES ? tryAtOnce(bytes, coding) : undefined
  if (small) return undo(small, others, done)
  collect(decoder(bytes[0] as number), bytes, (inflated) => (inflated ? undo(inflated, others, done) : done(undefined)))
}

/** Undefined where it is too large for that, or broken: then the long way tells which. */
function tryAtOnce(bytes: Buffer, coding: string): Buffer | undefined {
  try {
    return SMALL_DECODERS[coding]?.(bytes)
  } catch {
    return undefined
  }
}

function collect(stream: Transform, bytes: Buffer, done: (inflated: Buffer | undefined) => void): void {
  const parts: Buffer[] = []
  let length = 0
  const finish = (isWhole: boolean) => {
    stream.removeAllListeners()
    // A late error of a stream that is given up has nobody to tell.
    stream.on('error', () => {})
    stream.destroy()
    done(isWhole ? Buffer.concat(parts, Math.min(length, MAX_BODY_BYTES)) : undefined)
  }
  stream.on('data', (part: Buffer) => {
    parts.push(part)
    length += part.length
    if (length >= MAX_BODY_BYTES) finish(true)
  })
  stream.on('end', () => finish(true))
  stream.on('error', () => finish(false))
  stream.end(bytes)
}
