import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { App } from './app.ts'

/** Below that the headers weigh more than what is saved. */
const MIN_BYTES = 1_024
/** Half of the ratio of 11 at a thirtieth of its time: answers are made for one reader. */
const BROTLI_QUALITY = 4
/** Such an answer, as a scrape of a thousand hosts, repeats itself: the lowest level takes 40 % of the time and 5 % more bytes. */
const LARGE_BYTES = 1_048_576
const COMPRESSIBLE = /^(application\/((openapi\+)?json|openmetrics-text)|text\/)/

const compressors = {
  br: (text: string | Buffer) => {
    const quality = text.length < LARGE_BYTES ? BROTLI_QUALITY : 1
    return compressBrotli(text, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } })
  },
  gzip: (text: string | Buffer) =>
    compressGzip(text, { level: text.length < LARGE_BYTES ? constants.Z_DEFAULT_COMPRESSION : constants.Z_BEST_SPEED }),
}
const compressBrotli = promisify(brotliCompress)
const compressGzip = promisify(gzip)
type Encoding = keyof typeof compressors

/**
 * Compresses the answers of GET as the client accepts it. Only of GET: those show no secret, which the length of a compressed
 * answer could reveal to somebody who chooses a part of the request (BREACH). Streams are left as they are. Pushes are POSTs and
 * meet no hook.
 */
export function compressAnswers(app: App): void {
  app.addHook('onRoute', (route: RouteOptions) => {
    if ([route.method].flat().includes('GET')) route.onSend = [...[route.onSend ?? []].flat(), compress]
  })
}

/** For the routes of POST whose answers show no secret either. */
export async function compress(request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> {
  const isText = typeof payload === 'string' || Buffer.isBuffer(payload)
  if (!isText || reply.hasHeader('content-encoding') || !COMPRESSIBLE.test(String(reply.getHeader('content-type') ?? '')))
    return payload
  addVary(reply, 'Accept-Encoding')
  const encoding = chooseEncoding(request.headers['accept-encoding'])
  if (payload.length < MIN_BYTES || encoding === undefined) return payload
  const bytes = await compressors[encoding](payload)
  reply.header('content-encoding', encoding)
  reply.removeHeader('content-length')
  return bytes
}

/** Adds a name to `Vary`, which others may have set. */
export function addVary(reply: FastifyReply, name: string): void {
  const vary = String(reply.getHeader('vary') ?? '')
  if (!vary.toLowerCase().split(/, */).includes(name.toLowerCase())) reply.header('vary', vary === '' ? name : `${vary}, ${name}`)
}

/** The encoding with the highest weight that both know; of equal ones Brotli. Undefined: as it is. */
export function chooseEncoding(accepted: string | undefined): Encoding | undefined {
  const weights = new Map<string, number>()
  for (const part of (accepted ?? '').toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim())
    const weight = parameters.find((text) => text.startsWith('q='))
    weights.set(name, weight === undefined ? 1 : Number(weight.slice(2)) || 0)
  }
  const weightOf = (name: string) => weights.get(name) ?? weights.get('*') ?? 0
  const best = weightOf('gzip') > weightOf('br') ? 'gzip' : 'br'
  return weightOf(best) > 0 && weightOf(best) >= (weights.get('identity') ?? 0) ? best : undefined
}
