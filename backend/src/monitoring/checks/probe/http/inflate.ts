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

/** More than two layers are only seen in attacks. */
const MAX_CODINGS = 3
/** A window of 8 MB, the limit of RFC 9659 for HTTP. */
const MAX_ZSTD_WINDOW_LOG = 23
/** Smaller bodies are decompressed synchronously, in a tenth of a millisecond. */
const SMALL_BYTES = 8_192
const SMALL_OUTPUT_BYTES = 65_536

/** Replaces a missing end: the body may have been cut at its limit. */
const gentle = { finishFlush: constants.Z_SYNC_FLUSH }
const gentleBrotli = { finishFlush: constants.BROTLI_OPERATION_FLUSH }

const DECODERS: Partial<Record<string, (first: number) => Transform>> = {
  gzip: () => createGunzip(gentle),
  'x-gzip': () => createGunzip(gentle),
  // Some servers omit the zlib wrapper, whose first byte always ends in 8.
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
 * Decompresses a body, up to 1 MiB of output. An unknown content coding leaves the bytes unchanged. Calls back once, with
 * undefined when the bytes do not match their coding.
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

/** Undefined when the body is too large for that, or broken: the asynchronous path decides which. */
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
    // A late error of an abandoned stream.
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
