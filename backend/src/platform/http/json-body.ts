import { isAscii, isUtf8 } from 'node:buffer'
import { promisify } from 'node:util'
import { gunzip, gunzipSync, zstdDecompress, zstdDecompressSync } from 'node:zlib'
import type { FastifyRequest } from 'fastify'
import { ApiError, invalid } from '../errors.ts'
import type { App } from './app.ts'
import { routeOf } from './route-methods.ts'

/** Bodies that inflate to no more are inflated on the loop: it is 1.6 × cheaper than the thread pool for small ones. */
const SYNC_INFLATE_BYTES = 256 * 1024
interface Bound {
  maxOutputLength: number
}
const INFLATING: Readonly<
  Record<string, { now(body: Buffer, bound: Bound): Buffer; later(body: Buffer, bound: Bound): Promise<Buffer> }>
> = {
  gzip: { now: gunzipSync, later: promisify<Buffer, Bound, Buffer>(gunzip) },
  zstd: { now: zstdDecompressSync, later: promisify<Buffer, Bound, Buffer>(zstdDecompress) },
}

/**
 * Parses JSON bodies. An empty body is no body (clients send the header out of habit). Gzip and zstd are taken where the route's config
 * gives `inflatedLimit`, the bytes to which a body may inflate.
 */
export function addJsonParser(app: App): void {
  app.removeAllContentTypeParsers()
  const parse = app.getDefaultJsonParser('error', 'error')
  const parseText = (request: FastifyRequest, text: string): unknown => {
    const parsed: { error?: Error | null; value?: unknown } = {}
    // The framework's parser calls back before it returns.
    void parse(request, text, (error, value: unknown) => Object.assign(parsed, { error, value }))
    if (parsed.error) throw parsed.error
    return parsed.value
  }
  const parseFor = (request: FastifyRequest, bytes: Buffer): unknown => {
    if (bytes.length === 0) return undefined
    const text = decodeText(bytes)
    // Such a handler reads the fields that it knows and copies none, so that no name of a field can do harm.
    return routeOf(request).config.checksOwnBody ? JSON.parse(text) : parseText(request, text)
  }
  // With a callback: only a body that must be inflated needs a promise.
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request: FastifyRequest, body: Buffer, done) => {
    const inflated = inflateBody(request, body)
    if (inflated) return inflated.then((bytes) => parseFor(request, bytes))
    done(null, parseFor(request, body))
    return undefined
  })
}

/** Undefined where the body is not compressed. */
export function inflateBody(request: FastifyRequest, body: Buffer): Promise<Buffer> | undefined {
  const encoding = request.headers['content-encoding']
  return encoding === undefined || encoding === 'identity' ? undefined : inflateFrom(request, body, encoding)
}

/**
 * The text of a body, without a leading byte order mark. Throws validation_error where it is not UTF-8: decoded anyway, its wrong
 * bytes would be stored as U+FFFD. Nearly all bodies are ASCII, which is decoded faster than UTF-8.
 */
export function decodeText(bytes: Buffer): string {
  if (isAscii(bytes)) return bytes.toString('latin1')
  if (!isUtf8(bytes)) throw invalid({ path: '', message: 'The body is not valid UTF-8.' })
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  return bytes.toString('utf8', hasMark ? 3 : 0)
}

async function inflateFrom(request: FastifyRequest, body: Buffer, encoding: string): Promise<Buffer> {
  const { inflatedLimit } = routeOf(request).config
  const inflating = INFLATING[encoding.toLowerCase()]
  if (inflating === undefined || inflatedLimit === undefined) {
    throw new ApiError('unsupported_media_type', `This endpoint does not take the content encoding ${JSON.stringify(encoding)}.`)
  }
  try {
    return inflating.now(body, { maxOutputLength: Math.min(SYNC_INFLATE_BYTES, inflatedLimit) })
  } catch (error) {
    if (!isTooLarge(error)) throw notInflated(encoding, error)
  }
  try {
    return await inflating.later(body, { maxOutputLength: inflatedLimit })
  } catch (error) {
    if (!isTooLarge(error)) throw notInflated(encoding, error)
    throw new ApiError('payload_too_large', `The body is larger than ${inflatedLimit} bytes once inflated.`, { cause: error })
  }
}

const isTooLarge = (error: unknown): boolean => (error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE'
const notInflated = (encoding: string, cause: unknown): ApiError =>
  new ApiError('validation_error', `The body is not valid ${encoding}.`, {
    details: [{ path: '', message: `is not valid ${encoding}` }],
    cause,
  })
